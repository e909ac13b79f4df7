// A thread for calls that may never return, because a disk does not answer or the server of a file system is gone. The caller waits for a
// while, then continues.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace cli {

class PatientThread {
public:
    PatientThread();
    PatientThread(const PatientThread&) = delete;
    PatientThread& operator=(const PatientThread&) = delete;
    // Does not wait for a call that is still running.
    ~PatientThread();

    // Makes the call on the thread, and waits for its end. False if it has not returned within `patience`, or was not made because an
    // earlier one is still running. `call` must not throw, and must own what it uses: it may outlive the caller. If the system refuses a
    // thread, makes the call here, however long it takes. One caller at a time.
    [[nodiscard]] bool call(std::function<void()> call, std::chrono::milliseconds patience);

    // Waits for the end of the last call. False if it has not returned within `patience`.
    [[nodiscard]] bool wait(std::chrono::milliseconds patience);

private:
    struct State;
    static void work(const std::shared_ptr<State>& state);

    const std::shared_ptr<State> state_;
    bool has_thread_ = false;
};

}  // namespace cli
