// Carries out a MeasureSpec: opens or creates the files, keeps the load on them, and reports what was done. It uses the schedulers and
// engines of a run; requests go from the task to the engine with no pool, governor or journal in between, so that the storage is measured
// and not ioproof.
//
// Files: a file without our mark (the first page of a run's file, or the first 512 bytes that a measurement writes) is read, but written
// only with MeasureTarget::may_overwrite, or if it is empty and to be created; names of databases (*.mdf, *.ndf, *.ldf) need the
// former. Files that are written are locked. Created files stay.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "sim/bench/kept_files.hpp"
#include "sim/bench/measure_results.hpp"
#include "sim/bench/measure_spec.hpp"
#include "sim/errors.hpp"
#include "sim/event.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/limits.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/local_counter.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// What the engine cannot do, in a sentence for people ("target 1: ..."); empty if nothing. run() finds what depends on the files.
[[nodiscard]] std::string check_measure_spec(const MeasureSpec& spec);

enum class MeasurePhase : std::uint8_t { preparing, warm_up, measuring, cool_down, reading_back, done };

struct MeasureProgress {
    std::uint32_t timespan = 0;  // from 1; 0: before the first
    MeasurePhase phase = MeasurePhase::preparing;
    std::uint64_t phase_ns = 0;  // since it began
    std::uint64_t requests = 0;  // completed, in all loads so far, including warm-up
};

class Measurement {
public:
    // `storage`, `clock`, `sink` and `kept` must outlive the object. Opens nothing yet. The spec must pass check_measure_spec(). `kept`:
    // what measurements of this process know about the files; null: this one begins, and its timespans know only of each other.
    Measurement(MeasureSpec spec, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, KeptFiles* kept = nullptr);
    ~Measurement();

    // Blocks until the measurement is done. Once per object. Throws RefusedError or EnvironmentError if it could not begin, and then
    // removes the files that it created.
    MeasureResults run();

    // Ends the measurement cleanly: the result is what has been measured so far. Any thread, any time; does not block.
    void request_stop();

    // Any thread, any time.
    [[nodiscard]] MeasureProgress progress() const;

private:
    struct Live {
        std::atomic<std::uint32_t> timespan{0};
        std::atomic<MeasurePhase> phase{MeasurePhase::preparing};
        std::atomic<std::uint64_t> phase_start_ns{0};
        std::array<ums::LocalCounter, kCpusMax> requests{};  // completed, by scheduler
    };
    friend class MeasureTimespanRun;

    const MeasureSpec spec_;
    ums::Storage& storage_;
    const ums::Clock& clock_;
    Journal journal_;
    RunState run_;
    const std::uint64_t run_id_;
    KeptFiles own_kept_;
    KeptFiles& kept_;
    Live live_;
};

}  // namespace sim
