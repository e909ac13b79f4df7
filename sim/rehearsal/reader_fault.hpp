// What can go wrong between the owner of files and the hosts that read them meanwhile, and how it must be classified. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/finding.hpp"

namespace sim {

enum class ReaderFault : std::uint8_t {
    honest,             // nothing goes wrong
    stale_read,         // a reader's cache answers some reads with an older image, then it is gone
    stale_cache,        // a reader's cache answers every read with an older image
    lost_write,         // a write was acknowledged to the owner, but everyone reads the older image
    damaged_page,       // some bits of a page are wrong, on the volume or on a reader's way to it
    misdirected_write,  // the page holds the image of another page
    misdirected_read,   // some reads of a reader return another page
    old_size,           // a reader sees the size that a file had before it grew, for a while or for good
};

inline constexpr std::uint32_t kReaderFaultCount = 8;

[[nodiscard]] std::string_view name_of(ReaderFault fault);
[[nodiscard]] std::optional<ReaderFault> reader_fault_of(std::string_view name);

inline constexpr std::uint32_t kReadsForGood = ~std::uint32_t{0};

// One fault as one reader meets it.
struct ReaderTrouble {
    ReaderFault fault{};
    bool is_on_volume = false;   // everyone meets it, including the owner
    bool is_at_the_end = false;  // ... unless it begins when the owner is over
    std::string path;
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;                // old_size: the first page that is not seen
    std::vector<std::byte> image;             // what is read instead; empty: see `flipped_bits`, or old_size
    std::uint32_t version = 0;                // of an older image
    std::vector<std::uint32_t> flipped_bits;  // byte * 8 + bit: flipped in whatever comes back
    std::uint32_t reads = kReadsForGood;      // goes away after this many reads that had to find it

    // The results.
    bool was_given = false;   // the reader met it when it had to find it
    bool was_healed = false;  // of one on the volume: it is gone at the end
    // When the reader posted its last read of the page:
    std::uint32_t known_version = 0;  // the version that it knew to be promised
    bool was_in_last_pass = false;
};

void flip_bits(std::span<std::byte> image, std::span<const std::uint32_t> bits);

// Whether the finding has the classification that the evidence allows.
[[nodiscard]] bool is_named_right(const ReaderTrouble& trouble, const Finding& finding);
// Whether it is about this page of the volume, and has the classification that any run gives the fault: the owner meets it as its own.
[[nodiscard]] bool is_named_right_by_owner(const ReaderTrouble& trouble, const Finding& finding);

}  // namespace sim
