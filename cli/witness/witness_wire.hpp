// What goes over the wire between a run and its witness, inside TLS. Version 2; docs/witness.md describes it for people. Little-endian.
//
// The client sends a greeting, then records (docs/ledger_format.md). To keep promises: the records of its section; each gets an answer when
// it is on stable storage there, or cannot be. To load them: one section that says which run is wanted; the answer says how many bytes of
// records follow. That is version 1, and will not change: witnesses of either version understand a run that is alone. Version 2 adds groups
// of runs: frames with messages in JSON (cli/group/group_message.hpp), each beat answered by a view.
#pragma once

#include <cstdint>
#include <type_traits>

namespace cli {

inline constexpr std::uint32_t kGreetingMagic = 0x47504f49;  // "IOPG"
inline constexpr std::uint32_t kAnswerMagic = 0x41504f49;    // "IOPA"
inline constexpr std::uint16_t kWireVersion = 1;             // of runs that promise
inline constexpr std::uint16_t kGroupWireVersion = 2;        // of runs in a group; the newest
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
    other_section = 3,   // another process has begun promises of this run since
    not_understood = 4,  // not a record, or not the next one; the witness hangs up
    unknown_run = 5,     // to load: the run is not known
    records_follow = 6,  // `number` bytes of them
    no_room = 7,         // too many runs are kept already
    other_version = 8,   // of the greeting; `number`: that of the witness
};

struct WitnessAnswer {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t status;        // WitnessStatus
    std::uint32_t system_error;  // errno; 0: none
    std::uint32_t reserved;
    std::uint64_t number;  // of the batch; 0: a section
};

// In front of each message of a group.
struct WitnessFrame {
    std::uint32_t magic;  // kFrameMagic
    std::uint32_t size_bytes;
};

static_assert(sizeof(WitnessFrame) == 8 && std::has_unique_object_representations_v<WitnessFrame>);
static_assert(sizeof(WitnessGreeting) == 16 && std::has_unique_object_representations_v<WitnessGreeting>);
static_assert(sizeof(WitnessAnswer) == 24 && std::has_unique_object_representations_v<WitnessAnswer>);

}  // namespace cli
