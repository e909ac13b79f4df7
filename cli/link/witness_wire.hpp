// The wire protocol between a run and its witness, inside TLS. Version 2; docs/witness.md describes it. Little-endian.
//
// The client sends a greeting, then records (docs/ledger_format.md). To keep promises, it sends the records of its section; each is
// answered when it is on stable storage, or cannot be stored. To load them, it sends one section that says which run is wanted; the answer
// says how many bytes of records follow. That is version 1, and will not change: witnesses of either version understand a run without a
// group. Version 2 adds groups of runs: frames with messages in JSON (cli/group/group_message.hpp), where each beat is answered by a view.
#pragma once

#include <cstdint>
#include <type_traits>

namespace cli {

inline constexpr std::uint32_t kGreetingMagic = 0x47504f49;  // "IOPG"
inline constexpr std::uint32_t kAnswerMagic = 0x41504f49;    // "IOPA"
inline constexpr std::uint16_t kWireVersion = 1;             // for runs that promise
inline constexpr std::uint16_t kGroupWireVersion = 2;        // for runs in a group; the newest version
inline constexpr std::uint32_t kFrameMagic = 0x4d504f49;     // "IOPM"
inline constexpr std::uint16_t kWitnessPort = 7017;

enum class WitnessPurpose : std::uint16_t { keep = 1, load = 2, group = 3 };

struct WitnessGreeting {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t purpose;  // WitnessPurpose
    std::uint64_t reserved;
};

enum class WitnessStatus : std::uint16_t {
    kept = 1,            // on stable storage
    not_stored = 2,      // `system_error` says why: a full disk
    other_section = 3,   // another process has begun promises of this run in the meantime
    not_understood = 4,  // not a record; the witness closes the connection
    unknown_run = 5,     // to load: no such run
    records_follow = 6,  // `number` bytes of them
    no_room = 7,         // already keeps as many runs as it can
    other_version = 8,   // the greeting's version is not supported; `number`: the witness's version
    missing_batch = 9,   // not the next batch: it lacks the one after `number`, and takes no more of this section
};

struct WitnessAnswer {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t status;        // WitnessStatus
    std::uint32_t system_error;  // errno; 0: none
    std::uint32_t reserved;
    std::uint64_t number;  // of the batch; 0: a section
};

// Precedes each message of a group.
struct WitnessFrame {
    std::uint32_t magic;  // kFrameMagic
    std::uint32_t size_bytes;
};

static_assert(sizeof(WitnessFrame) == 8 && std::has_unique_object_representations_v<WitnessFrame>);
static_assert(sizeof(WitnessGreeting) == 16 && std::has_unique_object_representations_v<WitnessGreeting>);
static_assert(sizeof(WitnessAnswer) == 24 && std::has_unique_object_representations_v<WitnessAnswer>);

}  // namespace cli
