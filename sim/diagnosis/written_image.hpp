// Recreates the image that was written last. The ledger knows everything about it except the time at which it was made; that is taken from
// what came back, and proved by the ledger's checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/page/page_verifier.hpp"

namespace sim {

// When the image may have been made: from the start of the run until now.
struct WriteTimeRange {
    std::uint64_t earliest_utc_us = 0;
    std::uint64_t latest_utc_us = 0;
};

class WrittenImage {
public:
    // `received`: an image of kPageBytes that came back for this page, right or wrong; needed only during construction.
    WrittenImage(const std::byte* received, const ExpectedPage& expected, WriteTimeRange range);

    // If `received` (as above) says nothing about the time, or was written earlier, the checksum does, unless several times of the range
    // fit: one in 71 minutes does.
    void find_time_by_checksum(const std::byte* received, WriteTimeRange range);

    // kPageBytes, 8-aligned; zeros where nothing was ever written.
    [[nodiscard]] const std::byte* bytes() const { return page(); }
    // False if the time could not be found: then the times in header and stamps are not those that were written; everything else is.
    [[nodiscard]] bool is_exact() const { return is_exact_; }
    // A sound image of the same version and LSN, written at another time.
    [[nodiscard]] bool is_same_but_for_time(const std::byte* received) const;

private:
    [[nodiscard]] std::byte* page() const { return reinterpret_cast<std::byte*>(words_.get()); }
    bool make(std::uint64_t write_utc_us);
    bool find_time(const std::byte* received, WriteTimeRange range);
    bool try_low_half(std::uint32_t low, std::uint64_t received_time, WriteTimeRange range);
    bool find_damaged_high_byte(std::uint64_t received_time);
    void put_checksum();
    [[nodiscard]] bool has_stamp_of_version(const std::byte* received) const;
    [[nodiscard]] bool is_older_version(const std::byte* received) const;
    [[nodiscard]] std::optional<std::uint64_t> only_time_that_fits(WriteTimeRange range);

    const ExpectedPage expected_;
    const std::unique_ptr<std::uint64_t[]> words_;
    bool is_exact_ = false;
};

// Compares an image with the one that was written, byte by byte.
struct ImageDifference {
    std::uint32_t first_wrong_byte = 0;  // kPageBytes if there is none
    std::uint32_t wrong_bytes = 0;
    std::uint32_t wrong_bits = 0;
    std::vector<std::uint32_t> wrong_bit_positions;  // byte * 8 + bit; the first kBitPositionsMax
    // The wrong bytes are mostly the written ones, shifted toward the end of the page by this many (toward its beginning if negative).
    std::int32_t shift_bytes = 0;
    // From the first wrong byte to the last one there is nothing but zeros, and they are at least kSectorBytes.
    bool is_run_of_zeros = false;
};

// Both kPageBytes. Pure.
[[nodiscard]] ImageDifference compare_images(const std::byte* image, const std::byte* written);

}  // namespace sim
