#include "cli/run_control.hpp"

#include <chrono>
#include <csignal>
#include <exception>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

namespace cli {
namespace {

using boost::system::error_code;

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Threads inherit the mask of the one that starts them: what is started in this scope gets no signals of people.
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

// Calls back every second, without drift.
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
            timer_.expires_at(timer_.expiry() + std::chrono::seconds(1));
            arm();
        });
    }

    boost::asio::steady_timer timer_;
    const std::function<void()>& callback_;
};

}  // namespace

void RunControl::run(const std::function<void()>& work) {
    boost::asio::signal_set signals(context_, SIGINT, SIGTERM);
    if (!is_ignored(SIGHUP)) signals.add(SIGHUP);
    signals.async_wait([this](const error_code& error, int signal) {
        if (!error) callbacks_.on_stop_signal(signal);
    });
    const SecondTimer timer(context_, callbacks_.on_second);
    const auto guard = boost::asio::make_work_guard(context_);

    std::exception_ptr failure;
    std::thread worker;
    {
        const SignalsBlocked blocked;
        worker = std::thread([&] {
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
