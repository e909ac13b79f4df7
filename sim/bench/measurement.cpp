#include "sim/bench/measurement.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "sim/bench/timespan_run.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"

namespace sim {

Measurement::Measurement(MeasureSpec spec, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, KeptFiles* kept)
    : spec_(std::move(spec)),
      storage_(storage),
      clock_(clock),
      journal_(clock, sink),
      run_id_(ums::mix64(clock.utc_us())),
      own_kept_(storage),
      kept_(kept != nullptr ? *kept : own_kept_) {
    UMS_ASSERT(check_measure_spec(spec_).empty());
    live_.phase_start_ns.store(journal_.start_ns(), std::memory_order_relaxed);
}

Measurement::~Measurement() = default;

void Measurement::request_stop() { run_.stop(Outcome::stopped, "The measurement was stopped before its end."); }

MeasureResults Measurement::run() {
    MeasureResults results;
    for (std::size_t i = 0; i < spec_.timespans.size() && !run_.is_stopping(); ++i) {
        live_.timespan.store(static_cast<std::uint32_t>(i + 1), std::memory_order_relaxed);
        try {
            results.timespans.push_back(MeasureTimespanRun(*this, spec_.timespans[i], ums::mix64(run_id_ + i)).run());
        } catch (...) {
            // What the timespans before it have measured and found is not lost with it.
            if (results.timespans.empty()) throw;
            run_.stop(Outcome::not_done, message_of(std::current_exception()));
        }
    }
    results.finding_count = journal_.finding_count();
    results.stopped = run_.outcome() == Outcome::stopped;
    if (run_.outcome() == Outcome::not_done || run_.outcome() == Outcome::failed) results.failure_reason = run_.reason();
    return results;
}

MeasureProgress Measurement::progress() const {
    MeasureProgress progress;
    progress.timespan = live_.timespan.load(std::memory_order_relaxed);
    progress.phase = live_.phase.load(std::memory_order_relaxed);
    // A single clock reading, because the phase may begin between two.
    const std::uint64_t now_ns = clock_.now_ns();
    progress.phase_ns = now_ns - std::min(now_ns, live_.phase_start_ns.load(std::memory_order_relaxed));
    for (const ums::LocalCounter& requests : live_.requests) progress.requests += requests.value();
    return progress;
}

}  // namespace sim
