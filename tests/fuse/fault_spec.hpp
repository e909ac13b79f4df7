// What shall go wrong, as a text that a test or a person writes: "class:key=value,key=value". README.md of this folder lists classes and
// keys. Part of the fault-injecting file system, which shares no code with ioproof.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace faultfs {

inline constexpr std::size_t kPageBytes = 8192;
inline constexpr std::size_t kSectorBytes = 512;

enum class Effect : std::uint8_t {
    stale_read,
    lost_write,
    reverted_page,
    torn_page,
    misdirected_write,
    misdirected_read,
    zeroed_page,
    bytes_not_read,
    bit_corruption,
    foreign_page,
    future_version,
    short_transfer,
    io_error,
    stalled_io,
    stale_block,
};

std::string_view name_of(Effect effect);

// splitmix64: a sequence that depends on the seed alone.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    std::uint64_t below(std::uint64_t limit) { return next() % limit; }
    bool chance(double probability) { return static_cast<double>(next() >> 11) * 0x1p-53 < probability; }

private:
    std::uint64_t state_;
};

struct FaultSpec {
    std::string text;  // as it was given
    Effect effect{};
    bool on_write = false;
    bool on_sync = false;  // io_error: of syncs of the file, which have no page
    std::string file_pattern = "*.mdx";
    std::uint64_t first_page = 0;
    std::uint64_t last_page = std::numeric_limits<std::uint64_t>::max();
    bool only_last_page = false;   // the last one that the file has at the moment
    std::uint64_t nth = 1;         // of the accesses that could be hit: this one, and every nth one after it
    double rate = -1;              // instead of nth: the chance of each
    std::uint64_t count = 1;       // how often at most
    double after_s = 0;            // not before, since the mount
    std::uint64_t min_writes = 2;  // pages that have been written less often are left alone: they have no older version
    bool only_middle = false;      // neither the first nor the last page of a request
    bool whole_request = false;    // writes: all pages of the request
    std::uint64_t reads = 1;       // read side: how many reads of the page come out wrong; 0 = all until it is written again
    std::uint64_t unit_bytes = 512;
    std::uint64_t bits = 1;
    std::uint64_t shift_bytes = 0;
    bool whole_sector = false;      // bit_corruption: one sector of random bytes
    std::string to = "next";        // misdirected: next, far, other (data file)
    std::string source = "random";  // opened: of stale_read: what stood there when this mount first opened the file
    std::uint64_t bytes = 0;        // short_transfer: so many come through; 0 = half
    double seconds = 20;            // stalled_io
    int error = 5;                  // EIO
    std::uint64_t back = 0;         // log files: which block, counted from the newest

    std::uint64_t seen = 0;
    std::uint64_t fired = 0;
    Random random{0};

    // Counts an access that could be hit, and decides.
    bool fires();
};

// Throws std::invalid_argument with a message for a person.
FaultSpec parse_fault(std::string_view text);

}  // namespace faultfs
