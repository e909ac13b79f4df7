// SQLIO's command line (v1.5) and its parameter file. Pure: nothing is opened or read.
//
// Options are case-sensitive, one word each, in any order with the files. Source: the usage text of SQLIO 1.5, as shown in articles.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
    bool is_raw = false;         // of -R: has to be a block device
};

struct SqlioArguments {
    bool is_write = false;
    std::uint32_t seconds = 30;
    SqlioPattern pattern = SqlioPattern::stripes;
    std::uint32_t stripe_blocks = 64;
    std::uint32_t block_kb = 2;
    std::uint32_t run_requests = 64;
    std::optional<std::uint32_t> outstanding;  // nothing = one after the other, and one line less in the output
    std::optional<SqlioBuffering> buffering;   // nothing = none, and one line less in the output
    bool measures_latency = false;
    bool uses_processor_timer = false;  // -LP: the output says so
    std::uint32_t pieces = 0;           // -mS: each request is gathered from, or scattered to, so many pieces of memory; 0 = one
    std::uint64_t start_blocks = 0;
    std::uint64_t cpu_mask = 0;  // of -a and -p; 0 = any
    std::string parameter_path;  // -F; empty = none
    std::vector<SqlioFile> files;
    // Ours.
    bool may_overwrite = false;

    std::vector<std::string> notices;  // a line each: what is accepted, but has no effect on Linux
    bool wants_usage = false;          // -? or an unknown option leads to it

    std::uint32_t threads = 1;           // -t, of each file that says nothing else
    std::map<char, std::string> drives;  // --drive L=/mnt/data
    std::vector<char> drive_letters;     // -d: the same name in each of them
    [[nodiscard]] std::uint32_t block_bytes() const { return block_kb * 1024; }
    // How far stripes and runs reach: the size of a new file.
    [[nodiscard]] std::uint64_t reach_bytes() const { return std::uint64_t{stripe_blocks} * run_requests * block_bytes(); }
};

// `words`: behind the command. Throws UsageError.
SqlioArguments parse_sqlio(const std::vector<std::string>& words);

// Adds the files of a parameter file, "path threads mask megabytes" a line, what follows '#' is ignored; fields at the end may be missing.
// `name`: of the file, for messages. Throws UsageError.
void add_sqlio_parameters(SqlioArguments& arguments, std::string_view text, const std::string& name);

}  // namespace cli
