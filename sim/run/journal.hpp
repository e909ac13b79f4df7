// Where the parts of a run report to: messages and findings, stamped with time, user and CPU, handed to the sink one at a time. Decides
// nothing but what StopOnError asks for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <source_location>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/results.hpp"
#include "ums/base/clock.hpp"

namespace sim {

class Journal {
public:
    Journal(const ums::Clock& clock, EventSink& sink);

    // Messages. Any thread. `user` is the running task's name, or "Monitor" outside of tasks.
    void info(std::string text, std::source_location where = std::source_location::current());
    void warning(std::string text, std::source_location where = std::source_location::current());
    void error(std::string text, std::source_location where = std::source_location::current());

    // Completes the finding with phase, user, CPU and time, keeps it, hands it on, then calls the finding hook. Any thread.
    void report(Finding finding);

    // Called after each finding, on the finder's thread. Set before the run begins.
    void on_finding(std::function<void()> hook) { finding_hook_ = std::move(hook); }

    void set_phase(Phase phase) { phase_.store(phase, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t finding_count() const { return finding_count_.load(std::memory_order_relaxed); }
    // The first findings, for the results. When the run is over.
    [[nodiscard]] std::vector<Finding> take_findings();
    [[nodiscard]] const ums::Clock& clock() const { return clock_; }
    [[nodiscard]] std::uint64_t start_ns() const { return start_ns_; }

private:
    void write(Severity severity, std::string text, const std::source_location& where);

    const ums::Clock& clock_;
    EventSink& sink_;
    const std::uint64_t start_ns_;
    std::function<void()> finding_hook_;
    std::atomic<Phase> phase_{Phase::create};
    std::atomic<std::uint64_t> finding_count_{0};
    std::mutex mutex_;  // guards the sink and findings_
    std::vector<Finding> findings_;
};

}  // namespace sim
