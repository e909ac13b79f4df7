#include "cli/run/patient_thread.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "ums/base/os_thread.hpp"

namespace cli {

// Shared by the object and its thread, because either may end first.
struct PatientThread::State {
    std::mutex mutex;  // guards the rest
    std::condition_variable changed;
    std::function<void()> call;  // empty: nothing to do
    bool is_busy = false;
    bool is_ending = false;
};

PatientThread::PatientThread() : state_(std::make_shared<State>()) {}

PatientThread::~PatientThread() {
    const std::lock_guard lock(state_->mutex);
    state_->is_ending = true;
    state_->changed.notify_all();
}

void PatientThread::work(const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    for (;;) {
        state->changed.wait(lock, [&] { return state->call || state->is_ending; });
        if (!state->call) return;
        std::function<void()> call = std::exchange(state->call, nullptr);
        lock.unlock();
        call();
        call = nullptr;  // releases what it owns
        lock.lock();
        state->is_busy = false;
        state->changed.notify_all();
    }
}

bool PatientThread::call(std::function<void()> call, std::chrono::milliseconds patience) {
    if (!has_thread_) {
        try {
            ums::start_thread([state = state_] { work(state); }).detach();
        } catch (const std::system_error&) {
            call();
            return true;
        }
        has_thread_ = true;
    }
    std::unique_lock lock(state_->mutex);
    if (state_->is_busy) return false;
    state_->call = std::move(call);
    state_->is_busy = true;
    state_->changed.notify_all();
    return state_->changed.wait_for(lock, patience, [&] { return !state_->is_busy; });
}

bool PatientThread::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_for(lock, patience, [&] { return !state_->is_busy; });
}

}  // namespace cli
