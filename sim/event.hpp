// What a run reports while it works: messages, findings, phases. sim prints nothing; it passes events to a sink.
#pragma once

#include <cstdint>
#include <string>

#include "sim/finding.hpp"

namespace sim {

enum class Severity : std::uint8_t { info, warning, error };

// One message; one ENTRY of the XML log. `error` means that the run fails.
struct Event {
    Severity severity = Severity::info;
    std::uint64_t utc_us = 0;
    std::uint64_t tick_ms = 0;    // since the run began
    std::uint64_t thread_id = 0;  // of the operating system
    std::uint32_t cpu = 0;        // logical CPU (scheduler)
    std::string user;             // "Monitor", "Random User 3", …
    std::string source_file;      // where it was raised: file name without folder, line, function
    std::uint32_t line = 0;
    std::string function;
    std::string hresult;  // "0x80070467" or empty
    std::string system_text;
    std::string description;
};

// What a power cut would interrupt now.
enum class Moment : std::uint8_t {
    checkpoint,  // it has begun to write pages
    log_flush,   // a block has just been acknowledged
    growth,      // a file is being extended
};

// Called from the schedulers' threads, one call at a time (the caller holds a lock): must not wait for a device, which may be the one under
// test.
class EventSink {
public:
    virtual ~EventSink() = default;
    // Everything that could prevent the run from starting has been checked, and the first file is about to be touched. Once, or never.
    virtual void on_begin() {}
    virtual void on_event(const Event& event) = 0;
    virtual void on_finding(const Finding& finding) = 0;
    // Called by several threads at once, without the lock; takes at most a microsecond.
    virtual void on_moment(Moment /*moment*/) {}
};

}  // namespace sim
