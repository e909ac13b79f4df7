// What a run that was one of several reports about the others. Plain data; filled in by the code that talks to the witness. docs/hosts.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct GroupMemberResult {
    std::uint32_t rank = 0;
    std::string host;
    std::uint64_t run_id = 0;
    std::vector<std::string> files;
    std::string state;  // "joined", "working", "done", "gone"
    std::int64_t clock_offset_us = 0;
};

struct EarlierOwnerResult {
    std::uint32_t rank = 0;
    std::string host;
    std::uint32_t incarnation = 0;
    std::string ended_by;            // "in-order", "kill", "loss", "fence"; "lost": not planned
    std::uint64_t ended_utc_us = 0;  // by the witness's clock
};

// These ends are planned, and leave no one to write a results file.
[[nodiscard]] inline bool is_planned_loss(std::string_view ended_by) {
    return ended_by == "kill" || ended_by == "loss" || ended_by == "fence";
}

struct LostTurnResult {
    std::uint32_t number = 0;
    std::uint32_t rank = 0;
};

// What the new owner of the files read, and found to be right, before it wrote.
struct TakeOverResult {
    std::uint64_t pages = 0;
    std::uint64_t promised_pages = 0;
    std::uint64_t log_blocks = 0;
    std::uint64_t torn_pages = 0;
    std::uint64_t findings = 0;
};

struct TurnResult {
    std::uint32_t number = 1;
    std::uint32_t turns = 1;
    std::string planned_end;  // "in-order", "kill", "loss", "fence"
    std::uint32_t incarnation = 0;
    std::optional<EarlierOwnerResult> previous{};
    std::vector<LostTurnResult> planned_losses{};  // among the turns before, as far as the witness remembers them
    TakeOverResult verified{};
};

// What a reader of another run's files did.
struct ReaderResult {
    std::uint64_t passes = 0;           // over all files, to their end
    std::uint64_t opens = 0;            // of a file
    std::uint64_t pages = 0;            // read; each read counts
    std::uint64_t promised_pages = 0;   // of these, promised to the owner before the read, or the open, began
    std::uint64_t in_flight_pages = 0;  // of several versions at first, because the owner was writing them
    std::uint64_t promise_loads = 0;    // how often the witness answered what was promised
};

struct GroupResult {
    std::string name;
    std::string plan;  // "side-by-side", "hand-over", "readers"
    std::uint32_t rank = 0;
    std::uint32_t of = 1;
    std::string host;
    std::string witness;
    std::string coherence;             // for readers; otherwise empty
    std::string bursts;                // side by side; otherwise empty
    std::int64_t clock_offset_us = 0;  // the witness's clock minus this host's
    std::uint64_t round_trip_us = 0;   // 0: never measured
    std::uint64_t started_utc_us = 0;  // by the witness's clock
    std::vector<std::uint32_t> missing_ranks;
    std::vector<GroupMemberResult> members;  // by rank
    std::optional<TurnResult> turn;          // of a hand-over
    std::optional<ReaderResult> reader{};    // of a reader
    // The run would have passed, but has waited in vain for a witness: the reason of its outcome is about that machine, and not this one.
    bool is_without_witness = false;
};

}  // namespace sim
