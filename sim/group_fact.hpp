// What a finding means among several hosts: who else wrote what stands there, or did not see what had been promised. Plain data.
// docs/hosts.md explains each of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

enum class GroupFactKind : std::uint8_t {
    other_host,               // a page of another run of the group: it was written to this volume instead of its own
    missing_after_hand_over,  // the owner before had been promised it, and the new owner does not find it
    stale_on_new_owner,       // the new owner read something older first, and later what had been promised
    late_write,               // an image of an earlier owner arrived after the hand-over, over what was there
    zombie_owner,             // an earlier owner has written a change that it made after the hand-over
    torn_by_hand_over,        // a page of two versions that cannot have been in flight any more
    stale_on_reader,          // a reader does not see what had been promised before it began to read
};

inline constexpr std::size_t kGroupFactKindCount = 7;

// "zombie_owner": for files. "zombie owner": for people. The usual causes, and what to look at: sentences.
[[nodiscard]] std::string_view name_of(GroupFactKind kind);
[[nodiscard]] std::string_view title_of(GroupFactKind kind);
[[nodiscard]] std::string_view hint_of(GroupFactKind kind);

// Of the other host: who wrote what stands there, or who owned the files before.
struct GroupFact {
    GroupFactKind kind{};
    std::string text;  // one sentence
    std::uint32_t rank = 0;
    std::string host;
    std::uint64_t run_id = 0;
    std::uint32_t incarnation = 0;  // of the run; 0: not known
    std::string path;               // other_host: where the page belongs
    std::uint32_t page_id = 0;      // likewise
    std::uint64_t utc_us = 0;       // when the image was made, by the clock of who made it; 0: not known
};

}  // namespace sim
