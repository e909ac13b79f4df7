// Keeps the calling thread free for the user while a run works on threads of its own: signals, the progress timer, messages.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "cli/process/stop_signals.hpp"

namespace cli {

class RunControl {
public:
    struct Callbacks {
        std::function<void(int signal)> on_stop_signal;  // the first SIGINT, SIGTERM or SIGHUP; once
        std::function<void()> on_wake;                   // after wake()
        std::function<void()> on_second;                 // every second
    };

    // All callbacks run on the thread that calls run(), one at a time, and must not throw. `stop` must outlive the control.
    RunControl(const GracefulStop& stop, Callbacks callbacks) : stop_(stop), callbacks_(std::move(callbacks)) {}

    // Calls `work` on a new thread, returns when it has ended, and rethrows what it threw. Once per object. `work` and the threads that it
    // starts get no signals. A signal that came earlier is delivered before the work begins.
    void run(const std::function<void()>& work);

    // Makes on_wake run soon. Any thread, during run() or after it. Several calls may cause only one.
    void wake();

private:
    const GracefulStop& stop_;
    Callbacks callbacks_;
    boost::asio::io_context context_{1};
    std::atomic<bool> wake_pending_{false};
};

}  // namespace cli
