// What a running test reports to a browser or a monitoring system. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "reports/progress_line.hpp"
#include "sim/results.hpp"

namespace reports {

// Constant during a run.
struct StatusHead {
    std::string version;
    std::uint64_t seed = 0;
    std::string engine;
    std::uint64_t start_utc_us = 0;
    std::string rehearsal{};  // see Results::rehearsal
};

// One second of the past.
struct StatusSample {
    std::uint64_t run_elapsed_us = 0;
    ProgressRates rates;
};

// The latest snapshot and the last minutes. One thread.
class StatusBoard {
public:
    explicit StatusBoard(StatusHead head) : head_(std::move(head)) {}

    // `run_elapsed_us`: since the run began. Counters that appear slightly older than before (see ProgressMeter) keep their value.
    void update(sim::Progress progress, std::uint64_t run_elapsed_us);

    // For a run in a group: the present state of the others.
    void set_group(sim::GroupResult group) { group_ = std::move(group); }

    [[nodiscard]] const std::optional<sim::GroupResult>& group() const { return group_; }
    [[nodiscard]] const StatusHead& head() const { return head_; }
    [[nodiscard]] const sim::Progress& progress() const { return progress_; }
    [[nodiscard]] const std::deque<StatusSample>& samples() const { return samples_; }  // oldest first, kSamplesMax at most
    [[nodiscard]] std::uint64_t run_elapsed_us() const { return run_elapsed_us_; }

    static constexpr std::size_t kSamplesMax = 300;

private:
    StatusHead head_;
    sim::Progress progress_;
    ProgressMeter meter_;
    std::uint64_t run_elapsed_us_ = 0;
    std::deque<StatusSample> samples_;
    std::optional<sim::GroupResult> group_;
};

// One object; times in microseconds, sizes in bytes, the seed as text (it may exceed the integers that a browser represents exactly).
[[nodiscard]] std::string status_json(const StatusBoard& board);

// Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats).
[[nodiscard]] std::string status_metrics(const StatusBoard& board);

// The page that shows status_json() and requests it every second. It needs nothing from elsewhere.
[[nodiscard]] std::string status_page();

}  // namespace reports
