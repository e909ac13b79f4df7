// The messages between a run and the witness about a group: the run sends beats, and the witness answers each with a view. JSON, so that
// either side may know fields that the other does not: unknown ones are ignored. docs/witness.md describes them.
//
// A beat reports everything that its run has reached, so a beat that is lost or repeated changes nothing. One from a broken connection may
// arrive after later ones: their numbers tell.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

inline constexpr std::uint32_t kGroupRanksMax = 4096;
inline constexpr std::uint32_t kGroupTurnsMax = 10'000;
inline constexpr std::uint32_t kGroupBeatBytesMax = 64 << 10;
inline constexpr std::uint32_t kGroupViewBytesMax = 32 << 20;
// How many files of a member, and how many bytes of a text, are reported to others; the rest is cut off.
inline constexpr std::size_t kGroupFilesMax = 16;
inline constexpr std::size_t kGroupTextMax = 512;

// The settings that must be equal for all members.
struct GroupTerms {
    std::string plan;  // "side-by-side", "hand-over", "readers"
    std::uint32_t of = 1;
    std::uint32_t turns = 1;
    std::vector<std::string> changes;  // how turns 1, 2, … end, then from the beginning again
    std::uint64_t lease_ms = 10'000;
    std::uint64_t wait_ms = 300'000;
    std::string bursts;
    std::uint64_t burst_s = 10;
    std::string coherence;  // of readers: "strict", "close-to-open"

    // How a turn is to end. Turns count from 1; the last one ends in order.
    [[nodiscard]] std::string end_of_turn(std::uint32_t turn) const {
        return changes.empty() || turn >= turns ? "in-order" : changes[(turn - 1) % changes.size()];
    }
    [[nodiscard]] std::uint32_t rank_of_turn(std::uint32_t turn) const { return (turn - 1) % of; }
    // How long this rank rests from this moment on, by the witness's clock; 0: it is in a burst, or there are none.
    [[nodiscard]] std::uint64_t rest_us(std::uint32_t rank, std::uint64_t utc_us) const {
        if (bursts.empty()) return 0;
        const std::uint64_t period_us = burst_s * 1'000'000;
        const std::uint64_t shift_us = bursts == "staggered" ? period_us * rank / of : 0;
        const std::uint64_t at_us = (utc_us + period_us - shift_us) % period_us;
        return at_us < period_us / 2 ? 0 : period_us - at_us;
    }

    friend bool operator==(const GroupTerms&, const GroupTerms&) = default;
};

struct GroupBeat {
    std::string group;
    GroupTerms terms;
    std::uint32_t rank = 0;
    std::uint64_t session = 0;  // of the process: drawn at its start
    std::uint64_t number = 0;   // of the beat in its session, from 1; 0: from an older version
    std::string host;
    std::string state = "joined";  // "joined", "working", "done"
    std::uint64_t run_id = 0;
    std::vector<std::string> files;
    std::int64_t clock_offset_us = 0;
    std::uint32_t stage = 0;  // the last meeting that it has reached
    // For a hand-over:
    std::uint32_t turn = 0;  // the one that it wants or has
    bool is_turn_over = false;
    std::uint64_t findings = 0;  // of this turn, or of the run
    std::string failure;         // why the turn could not be completed
    std::uint32_t incarnation = 0;
    std::uint32_t first_vlf = 0;
    std::uint64_t found_lsn = 0;       // the log's last one, as this owner found it
    std::uint64_t known_revision = 0;  // of the last view that it received
};

struct GroupPeer {
    std::uint32_t rank = 0;
    std::uint64_t session = 0;
    std::string host;
    std::string state;  // as in a beat, or "gone"
    std::uint64_t run_id = 0;
    std::vector<std::string> files;
    std::int64_t clock_offset_us = 0;
    std::uint32_t stage = 0;
    std::uint64_t findings = 0;
};

struct GroupTurn {
    std::uint32_t number = 1;
    std::uint32_t rank = 0;
    std::uint64_t session = 0;  // 0: nobody has taken it yet
    std::string host;
    std::uint64_t run_id = 0;
    std::uint32_t incarnation = 0;
    std::uint32_t first_vlf = 0;
    std::uint64_t found_lsn = 0;
    std::int64_t clock_offset_us = 0;
    std::uint64_t began_utc_us = 0;
    std::uint64_t ended_utc_us = 0;
    std::string ended_by;  // empty: it continues
    std::uint64_t findings = 0;
};

struct GroupView {
    std::string problem;         // the group rejects this run; permanent
    std::string trouble;         // temporary: try again
    bool is_rank_taken = false;  // by another process, whose lease has not expired
    std::uint64_t utc_us = 0;    // the witness's clock
    std::uint64_t revision = 0;
    std::optional<std::vector<GroupPeer>> peers;  // nothing: unchanged
    std::vector<std::uint32_t> missing;           // ranks that did not come, or are gone
    std::uint32_t released_stage = 0;
    std::uint64_t released_utc_us = 0;  // when the main run was released
    std::vector<GroupTurn> turns;       // hand-over: the last ones, up to the present one
    bool is_over = false;
    std::string failure;  // why it ended early
};

[[nodiscard]] std::string encode(const GroupBeat& beat);
[[nodiscard]] std::string encode(const GroupView& view);
// Nothing if the text is not such a message, or exceeds a limit: anyone with the key can send one.
[[nodiscard]] std::optional<GroupBeat> decode_beat(std::string_view text);
[[nodiscard]] std::optional<GroupView> decode_view(std::string_view text);

// 1 to 64 letters, digits, '.', '_' and '-', not beginning with '.': the witness also names a file by it.
[[nodiscard]] bool is_group_name(std::string_view name);

// Within the limits of a group.
[[nodiscard]] bool are_allowed(const GroupTerms& terms);

// Discarded if the text is not JSON, or exceeds the limits of JSON that comes from elsewhere. No field is a fraction, which may be beyond
// what the field can hold: such a value is null.
[[nodiscard]] nlohmann::json parse_group_json(std::string_view text);

// A group's terms, members and turns as JSON: on the wire, and in the file in which the witness keeps them.
[[nodiscard]] nlohmann::json json_of(const GroupTerms& terms);
[[nodiscard]] nlohmann::json json_of(const GroupPeer& peer);
[[nodiscard]] nlohmann::json json_of(const GroupTurn& turn);

// Each throws nlohmann::json::exception if the JSON is not one.
[[nodiscard]] GroupTerms terms_of(const nlohmann::json& json);
[[nodiscard]] GroupPeer peer_of(const nlohmann::json& json);
[[nodiscard]] GroupTurn turn_of(const nlohmann::json& json);

}  // namespace cli
