// What a finding means among several hosts that share files or an array: which host wrote the image. Plain data. docs/hosts.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

enum class GroupFactKind : std::uint8_t {
    other_host,               // a page of another host's run is here
    missing_after_hand_over,  // it was promised to the previous owner, but the new owner does not find it
    stale_on_new_owner,       // the new owner's first read was old, a later one right: its cache
    late_write,               // an older image of an earlier owner landed after a newer one
    zombie_owner,             // an earlier owner wrote after the files had been handed over
    torn_by_hand_over,        // a page of several versions, and no write of it can have been in flight
    stale_on_reader,          // a reader saw less than had been promised before it began to read
};

// "zombie_owner": for files. "zombie owner": for people.
[[nodiscard]] std::string_view name_of(GroupFactKind kind);
[[nodiscard]] std::string_view title_of(GroupFactKind kind);

struct GroupFact {
    GroupFactKind kind{};
    std::string text;  // a sentence
    // Whose write it is, as far as the image says; an unknown host is empty.
    std::uint32_t rank = 0;
    std::string host;
    std::uint64_t run_id = 0;
    std::uint32_t incarnation = 0;  // of the owner; 0: unknown
    std::string path;               // where the image belongs
    std::uint32_t page_id = 0;
    std::uint64_t utc_us = 0;  // when the image was made, by the witness's clock; 0: the image does not say
};

}  // namespace sim
