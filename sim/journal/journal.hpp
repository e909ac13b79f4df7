// Where the parts of a run report messages and findings: they are stamped with time, user and CPU, and passed to the sink one at a time.
// Decides only what StopOnError asks for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <source_location>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/journal/call_watch.hpp"
#include "sim/journal/history.hpp"
#include "sim/kept_findings.hpp"
#include "sim/results.hpp"
#include "ums/base/clock.hpp"

namespace sim {

class Journal {
public:
    // `cpu_count` schedulers will work on files (see History).
    Journal(const ums::Clock& clock, EventSink& sink, std::uint32_t cpu_count = kCpusMax);

    // See EventSink::on_begin().
    void begin_run();

    // Messages. Any thread. `user` is the running task's name, or "Monitor" outside of tasks.
    void info(std::string text, std::source_location where = std::source_location::current());
    void warning(std::string text, std::source_location where = std::source_location::current());
    void error(std::string text, std::source_location where = std::source_location::current());

    // A wrong answer has just come back and will be diagnosed: records the time, the finder and the last operations on all files, before
    // they are overwritten, and watches the place from now on. The place is already filled in. Any thread; report() does this for findings
    // without it.
    void begin(Finding& finding);

    // Completes the finding (number, phase, user, CPU, time, histories; the description says if the file is one of backups), passes it to
    // the sink, keeps it, then calls the finding hook. A warning does not count as a finding: no hook. Any thread.
    void report(Finding finding);

    // See EventSink::on_moment(). Any thread.
    void moment(Moment moment) { sink_.on_moment(moment); }

    // What was recently done with the files.
    [[nodiscard]] History& history() { return history_; }

    // Calls into the storage that are in progress. Any thread.
    [[nodiscard]] CallWatch& calls() { return calls_; }
    [[nodiscard]] const CallWatch& calls() const { return calls_; }

    // Called after each finding that is not a warning, on the finder's thread. Set before the run begins.
    void on_finding(std::function<void()> hook) { finding_hook_ = std::move(hook); }

    // Called with each finding before it is passed on. Set before the run begins.
    void explain_with(std::function<void(Finding&)> hook) { explain_hook_ = std::move(hook); }

    void set_phase(Phase phase) { phase_.store(phase, std::memory_order_relaxed); }
    // Without warnings.
    [[nodiscard]] std::uint64_t finding_count() const { return finding_count_.load(std::memory_order_relaxed); }
    // Of one file, including findings made before it had a SimFile. Any thread.
    [[nodiscard]] std::uint64_t findings_of(std::uint32_t file_id) const;
    // All of one file, also those that take_warnings() does not return. Any thread.
    [[nodiscard]] std::uint64_t warnings_of(std::uint32_t file_id) const;
    [[nodiscard]] std::uint64_t warning_count() const { return warning_count_.load(std::memory_order_relaxed); }
    // The first findings, for the results; only the first hundred have images and histories. When the run is over.
    [[nodiscard]] std::vector<Finding> take_findings();
    // The same for warnings; none has images.
    [[nodiscard]] std::vector<Finding> take_warnings();
    [[nodiscard]] const ums::Clock& clock() const { return clock_; }
    [[nodiscard]] std::uint64_t start_ns() const { return start_ns_; }

private:
    void write(Severity severity, std::string text, const std::source_location& where);
    void complete(Finding& finding);

    const ums::Clock& clock_;
    EventSink& sink_;
    const std::uint64_t start_ns_;
    std::function<void()> finding_hook_;
    std::function<void(Finding&)> explain_hook_;
    std::atomic<Phase> phase_{Phase::create};
    std::atomic<std::uint64_t> finding_count_{0};
    std::atomic<std::uint64_t> warning_count_{0};
    History history_;
    CallWatch calls_{*this};
    mutable std::mutex mutex_;  // guards what follows, and the sink
    std::uint64_t last_number_ = 0;
    std::vector<Finding> findings_;
    KeptFindings kept_;
    std::vector<Finding> warnings_;
    std::map<std::uint32_t, std::uint64_t> findings_by_file_;
    std::map<std::uint32_t, std::uint64_t> warnings_by_file_;
};

}  // namespace sim
