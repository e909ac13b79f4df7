#include "cli/process/run_control.hpp"

#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "ums/base/clock.hpp"
#include "ums/base/os_thread.hpp"

namespace cli {
namespace {

using boost::system::error_code;

// A thread inherits the signal mask of the one that starts it: threads that are started in this scope get no stop signals.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t signals;
        ::sigemptyset(&signals);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) ::sigaddset(&signals, signal);
        ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

using StreamDescriptor = boost::asio::posix::stream_descriptor;

// Only waited for; the owner closes it.
class BorrowedDescriptor {
public:
    BorrowedDescriptor(boost::asio::io_context& context, int descriptor)
        : descriptor_(std::make_unique<StreamDescriptor>(context, descriptor)) {}
    ~BorrowedDescriptor() { descriptor_->release(); }
    BorrowedDescriptor(const BorrowedDescriptor&) = delete;
    BorrowedDescriptor& operator=(const BorrowedDescriptor&) = delete;

    StreamDescriptor* operator->() const { return descriptor_.get(); }

private:
    const std::unique_ptr<StreamDescriptor> descriptor_;
};

// Calls back every second, without drift. What the process has slept through (SIGSTOP, a paused container) is left out: callbacks in a row
// would count it as seconds in which nothing moved.
class SecondTimer {
public:
    SecondTimer(boost::asio::io_context& context, const std::function<void()>& callback)
        : timer_(context, std::chrono::seconds(1)), callback_(callback) {
        arm();
    }

private:
    void arm() {
        timer_.async_wait([this](const error_code& error) {
            if (error) return;
            callback_();
            constexpr std::chrono::seconds kSecond(1);
            const boost::asio::steady_timer::time_point now{std::chrono::nanoseconds(clock_.now_ns())};
            const auto next = timer_.expiry() + kSecond;
            timer_.expires_at(next > now ? next : now + kSecond);
            arm();
        });
    }

    const ums::RealClock clock_;
    boost::asio::steady_timer timer_;
    const std::function<void()>& callback_;
};

}  // namespace

void RunControl::run(const std::function<void()>& work) {
    const BorrowedDescriptor signal_event(context_, stop_.descriptor());
    if (const int signal = stop_.take()) {
        callbacks_.on_stop_signal(signal);
    } else {
        signal_event->async_wait(StreamDescriptor::wait_read, [this](const error_code& error) {
            if (!error) callbacks_.on_stop_signal(stop_.take());
        });
    }
    const SecondTimer timer(context_, callbacks_.on_second);
    const auto guard = boost::asio::make_work_guard(context_);

    std::exception_ptr failure;
    std::thread worker;
    {
        const SignalsBlocked blocked;
        worker = ums::start_thread([&] {
            try {
                work();
            } catch (...) {
                failure = std::current_exception();
            }
            context_.stop();
        });
    }
    context_.run();
    worker.join();
    if (failure) std::rethrow_exception(failure);
}

void RunControl::wake() {
    if (wake_pending_.exchange(true)) return;
    boost::asio::post(context_, [this] {
        wake_pending_ = false;
        callbacks_.on_wake();
    });
}

}  // namespace cli
