// SQLIO's command line (v1.5) and its parameter file. Pure: nothing is opened or read.
//
// Options are case-sensitive, one word each, in any order with the files. Source: the usage text of SQLIO 1.5, as shown in articles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

enum class SqlioPattern : std::uint8_t { stripes, random, sequential };
enum class SqlioBuffering : std::uint8_t { none, all, hardware, software };  // which caches may be used: -BN, -BY, -BH, -BS

struct SqlioFile {
    std::string path;
    std::uint32_t threads = 1;
    std::uint64_t cpu_mask = 0;  // 0 = any
    std::uint64_t size_mb = 0;   // 0 = as it is
    bool is_raw = false;         // of -R: must be a block device
};

struct SqlioArguments {
    bool is_write = false;
    std::uint32_t seconds = 30;
    SqlioPattern pattern = SqlioPattern::stripes;
    std::uint32_t stripe_blocks = 64;
    std::uint32_t block_kb = 2;
    std::uint32_t run_requests = 64;
    bool repeats_runs = false;                 // -v1.1.1: all runs use the same blocks. They do here in any case
    std::optional<std::uint32_t> outstanding;  // nothing = one at a time, and one line less in the output
    std::optional<SqlioBuffering> buffering;   // nothing = none, and one line less in the output
    bool measures_latency = false;
    bool uses_processor_timer = false;  // -LP: the output says so
    std::uint32_t pieces = 0;           // -mS: each request is gathered from, or scattered to, this many pieces of memory; 0 = one
    std::uint64_t start_blocks = 0;
    std::set<std::uint32_t> cpus;  // of -a and -p; empty = any
    std::string parameter_path;    // -F; empty = none
    std::vector<SqlioFile> files;
    // ioproof's own:
    bool may_overwrite = false;

    std::vector<std::string> notices;  // one line each: what is accepted, but has no effect on Linux
    bool wants_usage = false;          // for -?, and after an unknown option

    std::uint32_t threads = 1;           // -t, for files that give no number
    std::map<char, std::string> drives;  // --drive L=/mnt/data
    std::vector<char> drive_letters;     // -d: the same file name on each of them
    [[nodiscard]] std::uint32_t block_bytes() const { return block_kb * 1024; }
    // How far stripes and runs reach: the size of a new file.
    // The largest numbers that are allowed reach further than any file, and than 64 bits.
    [[nodiscard]] std::uint64_t reach_bytes() const {
        constexpr std::uint64_t kReachMax = std::uint64_t{1} << 62;
        return std::min(std::uint64_t{stripe_blocks} * run_requests, kReachMax / block_bytes()) * block_bytes();
    }
};

// `words`: those after the command's name. Throws UsageError.
SqlioArguments parse_sqlio(const std::vector<std::string>& words);

// Adds the files of a parameter file. Each line is "path threads mask megabytes"; fields at the end may be missing, and what begins with
// '#' is a comment up to the end of the line. `bytes`: UTF-8, or UTF-16 with a byte order mark. `name`: the file's, for messages. Throws
// UsageError.
void add_sqlio_parameters(SqlioArguments& arguments, std::string_view bytes, const std::string& name);

// Warnings, one line each, about what works but is hardly intended.
std::vector<std::string> sqlio_warnings(const SqlioArguments& arguments);

}  // namespace cli
