// Shows the progress of a run: on a terminal, one line that is redrawn every second; elsewhere, a line every ten seconds and at the begin
// of each phase.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "cli/process/console.hpp"
#include "reports/progress_line.hpp"
#include "sim/results.hpp"

namespace cli {

// Control thread only.
class ProgressDisplay {
public:
    // `console` must outlive the display. `now_us` is monotonic; only its differences matter, here and below.
    ProgressDisplay(Console& console, bool is_wanted, std::uint64_t now_us) : console_(console), is_wanted_(is_wanted), shown_us_(now_us) {}

    // Must be called every second.
    void update(const sim::Progress& progress, std::uint64_t now_us);

    // The progress line on a terminal; empty elsewhere.
    [[nodiscard]] const std::string& line() const { return line_; }

private:
    static constexpr std::uint64_t kPlainIntervalUs = 10'000'000;

    void add_plain_line(const sim::Progress& progress, std::uint64_t now_us);

    Console& console_;
    const bool is_wanted_;
    reports::ProgressMeter meter_;
    std::uint64_t shown_us_;
    std::optional<sim::Phase> phase_;  // of the last plain line
    std::uint32_t cycle_ = 1;
    std::string line_;
    std::deque<double> throughput_history_;  // MB/s of the last seconds
};

}  // namespace cli
