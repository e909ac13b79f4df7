// What a measurement is to do. Plain data, checked by whatever fills it in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/limits.hpp"
#include "sim/options.hpp"

namespace sim {

enum class BenchPattern : std::uint8_t { random, sequential };
enum class BenchOperation : std::uint8_t { read, write };

// Not a file: requests to this name succeed without a transfer, which shows what the path costs without a device.
inline constexpr const char* kNullFile = "null:";

// Pages: blocks of whole pages, of one size. Log: sequential writes of complete sectors, durable or not, each of a random size between the
// two bounds. is_log() tells which it is.
struct BenchOptions {
    std::vector<std::string> files;
    BenchPattern pattern = BenchPattern::random;
    BenchOperation operation = BenchOperation::read;
    std::uint32_t block_bytes_min = kPageBytes;
    std::uint32_t block_bytes_max = kPageBytes;
    std::uint32_t depth = 32;      // requests outstanding at a time, over all CPUs
    std::uint32_t cpu_count = 1;   // schedulers
    std::uint64_t seconds = 5;     // of measurement; creating or examining the files takes additional time
    std::uint64_t size_bytes = 0;  // used part of each file; 0: all of an existing file, kBenchSizeBytes of a new one
    bool verify = true;            // false: pages that are read are not checked, and those written are not read back
    bool durable = false;          // writes are on stable storage when they complete
    bool scatter = false;          // every page of a block in separate memory, no two adjacent
    bool direct = true;            // bypasses the system's cache
    EngineChoice engine = EngineChoice::automatic;
    std::uint64_t seed = 0;

    [[nodiscard]] bool is_log() const { return block_bytes_min != block_bytes_max || block_bytes_min % kPageBytes != 0; }
    [[nodiscard]] bool is_null() const { return files.size() == 1 && files.front() == kNullFile; }
    // While the contents of one request are verified or made, another must already be with the device: this many tasks beyond `depth`
    // verify or make pages or log blocks, and wait until a request of another task completes. Files in memory have no device to keep busy,
    // and need none.
    [[nodiscard]] std::uint32_t tasks_ahead() const {
        const bool has_contents = !is_null() && (verify || operation == BenchOperation::write);
        return has_contents ? std::max(depth / 4, cpu_count) : 0;
    }
    // Tasks of a load, if there is a device.
    [[nodiscard]] std::uint32_t tasks_max() const { return depth + tasks_ahead(); }
};

inline constexpr std::uint64_t kBenchSizeBytes = std::uint64_t{1} << 30;

}  // namespace sim
