// A thread for calls that may never return: to a disk that does not answer, to a file system whose server is gone. The caller waits for a
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
    // Does not wait for a call that has not come back.
    ~PatientThread();

    // Makes the call and waits for its end. False if it has not returned within `patience`, or was not made because an earlier one has not
    // returned. `call` must not throw, and owns what it uses: it may outlive the caller. If the system refuses a thread, the call is made
    // here, however long it takes. One thread at a time.
    [[nodiscard]] bool call(std::function<void()> call, std::chrono::milliseconds patience);

private:
    struct State;
    static void work(const std::shared_ptr<State>& state);

    const std::shared_ptr<State> state_;
    bool has_thread_ = false;
};

}  // namespace cli
