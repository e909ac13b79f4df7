// What a disk with a volatile cache may forget: for each sector that is not on stable storage, what stood there when it last was. The files
// below hold what was written last; a cut puts the older contents back, where the draw says so. Sizes and names are durable at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuse/fault_image.hpp"

namespace faultfs {

enum class PowerMode : std::uint8_t {
    off,               // nothing is forgotten
    honest,            //
    flush_ignored,     // fsync makes nothing durable
    fua_ignored,       // an O_DSYNC write makes nothing durable, an fsync does
    one_file_ignored,  // neither does, for files of a pattern
    rolled_back,       // after the cut all files are as they were some time before
};

struct PowerSpec {
    PowerMode mode = PowerMode::off;
    std::string file_pattern;           // one_file_ignored
    std::chrono::milliseconds back{0};  // rolled_back
};

// "honest", "one_file_ignored:file=*.ldx", "rolled_back:ms=300". Throws std::invalid_argument.
PowerSpec parse_power(std::string_view text);

struct CutSpec {
    std::uint64_t seed = 1;
    std::uint64_t unit_bytes = 512;  // what the disk writes as one: 512 or 4096
    std::uint64_t lost_percent = 50;
};

// "seed=1,unit=4096,lost=5". Throws std::invalid_argument.
CutSpec parse_cut(std::string_view text);

// A piece of a file that a cut has put back. `promised`: somebody had been told that what stood there was durable.
struct PutBack {
    std::string file;
    std::uint64_t offset = 0;
    Bytes bytes;
    bool promised = false;
};

class PowerCache {
public:
    void set(PowerSpec spec) { *this = PowerCache(std::move(spec)); }
    explicit PowerCache(PowerSpec spec = {}) : spec_(std::move(spec)) {}
    [[nodiscard]] bool is_on() const { return spec_.mode != PowerMode::off; }

    // Before a write of `size_bytes`, whose place holds `before`: shorter than the write where the file ends. `durable`: O_DSYNC.
    void write(const std::string& file, std::uint64_t offset, std::uint64_t size_bytes, const Bytes& before, bool durable);
    void sync(const std::string& file);
    // What was cut off needs no memory; a file that is removed has size 0.
    void shrink(const std::string& file, std::uint64_t size_bytes);
    // What is to be put back, in this order. Everything that is left is durable then.
    std::vector<PutBack> cut(const CutSpec& spec);

private:
    using Clock = std::chrono::steady_clock;
    struct Sector {
        Bytes durable;
        bool promised = false;
    };
    struct Past {
        Clock::time_point at;
        std::string file;
        std::uint64_t offset;
        Bytes before;
        bool promised;
    };

    [[nodiscard]] bool is_ignored(const std::string& file) const;
    std::vector<PutBack> roll_back();

    PowerSpec spec_;
    std::map<std::string, std::map<std::uint64_t, Sector>> files_;  // sectors by offset
    std::deque<Past> past_;                                         // rolled_back
};

}  // namespace faultfs
