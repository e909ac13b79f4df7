// The parser of DiskSpd's command line, shared by the files that parse its options. On the command line all targets have the same options,
// so one target is filled in and copied for each path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/diskspd/diskspd_arguments.hpp"

namespace cli {

class DiskspdParser {
public:
    explicit DiskspdParser(std::uint32_t bare_seed) : bare_seed_(bare_seed) {}

    DiskspdArguments parse(const std::vector<std::string>& words);

private:
    using Handler = void (DiskspdParser::*)(std::string_view value);
    struct Entry {
        char letter;
        Handler handler;
        bool composes;  // is allowed beside -X
    };
    static const Entry* entry_of(char letter);

    void split(const std::vector<std::string>& words);
    bool take_own_switch(const std::vector<std::string>& words, std::size_t& index);
    void read_block_size();
    void check_profile_beside();
    void finish();

    [[noreturn]] void refuse(std::string_view allowed) const;
    [[nodiscard]] std::uint32_t number_at_least(std::string_view value, std::int64_t minimum) const;
    [[nodiscard]] std::uint64_t size(std::string_view value) const;
    void note(std::string_view text);

    // diskspd_options_of_time.cpp
    void duration(std::string_view value);
    void warm_up(std::string_view value);
    void cool_down(std::string_view value);
    void seed(std::string_view value);
    void format(std::string_view value);
    void verbose(std::string_view value);
    void profile_file(std::string_view value);
    void experiments(std::string_view value);
    void iops_interval(std::string_view value);
    void latency(std::string_view value);
    void progress(std::string_view value);
    void affinity(std::string_view value);
    void affinity_off(std::string_view value);
    void events(std::string_view value);
    void tracing(std::string_view value);
    void total_threads(std::string_view value);
    void total_requests(std::string_view value);
    void completion_routines(std::string_view value);
    void ring(std::string_view value);

    // diskspd_options_of_target.cpp
    void block_size(std::string_view value);
    void base_offset(std::string_view value);
    void create(std::string_view value);
    void end_offset(std::string_view value);
    void rate(std::string_view value);
    void no_caches(std::string_view value);
    void caching(std::string_view value);
    void cache_letter(char letter);
    void burst(std::string_view value);
    void think_time(std::string_view value);
    void priority(std::string_view value);
    void large_pages(std::string_view value);
    void flush(std::string_view value);
    void outstanding(std::string_view value);
    void parallel(std::string_view value);
    void random(std::string_view value);
    void random_share(std::string_view value);
    void sequential(std::string_view value);
    void threads(std::string_view value);
    void thread_stride(std::string_view value);
    void writes(std::string_view value);
    void buffers(std::string_view value);

    const std::uint32_t bare_seed_;
    DiskspdArguments arguments_;
    reports::DiskspdTimeSpan span_;
    reports::DiskspdTarget target_;
    std::vector<std::string> options_;
    std::vector<std::string> paths_;
    std::string_view option_;  // the one being parsed
    bool has_cache_mode_ = false;
    bool has_base_ = false;
    bool has_end_ = false;
};

}  // namespace cli
