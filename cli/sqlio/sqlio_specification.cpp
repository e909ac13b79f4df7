#include "cli/sqlio/sqlio_specification.hpp"

#include <algorithm>
#include <set>

#include "ums/base/os_thread.hpp"

namespace cli {
namespace {

sim::MeasureTarget sqlio_target(const SqlioArguments& arguments, const SqlioFile& file, bool is_missing) {
    const SqlioBuffering buffering = arguments.buffering.value_or(SqlioBuffering::none);
    sim::MeasureTarget target;
    target.path = file.path;
    target.may_overwrite = arguments.may_overwrite;
    target.block_bytes = arguments.block_bytes();
    target.piece_bytes = arguments.pieces > 1 ? target.block_bytes / arguments.pieces : 0;
    target.base_offset_bytes = arguments.start_blocks * target.block_bytes;
    target.keep_existing = true;
    target.create_bytes = file.size_mb << 20;
    if (is_missing && target.create_bytes == 0) target.create_bytes = target.base_offset_bytes + arguments.reach_bytes();
    switch (arguments.pattern) {
        case SqlioPattern::random: target.access = sim::MeasureAccess::random; break;
        case SqlioPattern::sequential: break;
        case SqlioPattern::stripes:
            target.alignment_bytes = std::uint64_t{arguments.stripe_blocks} * target.block_bytes;
            target.max_offset_bytes = target.base_offset_bytes + arguments.reach_bytes();
            break;
    }
    target.write_percent = arguments.is_write ? 100 : 0;
    target.outstanding = std::max(arguments.outstanding.value_or(1), 1U);
    target.threads = file.threads;
    target.direct = buffering == SqlioBuffering::none || buffering == SqlioBuffering::hardware;
    target.write_through = buffering == SqlioBuffering::none || buffering == SqlioBuffering::software;
    return target;
}

}  // namespace

sim::MeasureSpec sqlio_specification(const SqlioArguments& arguments, const std::vector<bool>& is_missing) {
    sim::MeasureTimespan span;
    span.duration_s = arguments.seconds;
    span.measure_latency = arguments.measures_latency;
    std::set<std::uint32_t> cpus = arguments.cpus;
    for (std::size_t i = 0; i < arguments.files.size(); ++i) {
        span.targets.push_back(sqlio_target(arguments, arguments.files[i], is_missing.at(i)));
        const std::vector<std::uint32_t> of_file = ums::cpus_of_mask(arguments.files[i].cpu_mask);
        cpus.insert(of_file.begin(), of_file.end());
    }
    span.affinity.assign(cpus.begin(), cpus.end());
    sim::MeasureSpec spec;
    spec.verify = false;
    spec.timespans.push_back(std::move(span));
    return spec;
}

reports::SqlioHead sqlio_head(const SqlioArguments& arguments) {
    reports::SqlioHead head;
    head.is_write = arguments.is_write;
    head.seconds = arguments.seconds;
    head.block_kb = arguments.block_kb;
    if (arguments.pattern != SqlioPattern::stripes) head.pattern = arguments.pattern == SqlioPattern::random ? "random" : "sequential";
    head.stripe_kb = std::uint64_t{arguments.stripe_blocks} * arguments.block_kb;
    head.run_requests = arguments.run_requests;
    head.outstanding = arguments.outstanding;
    if (arguments.buffering) {
        switch (*arguments.buffering) {
            case SqlioBuffering::none: head.buffering = "not use file nor disk caches (as is SQL Server)"; break;
            case SqlioBuffering::hardware: head.buffering = "use hardware disk cache (but not file cache)"; break;
            case SqlioBuffering::software: head.buffering = "use software file cache (but not disk cache)"; break;
            case SqlioBuffering::all: head.buffering = "use both file and disk caches"; break;
        }
    }
    head.measures_latency = arguments.measures_latency;
    head.uses_processor_timer = arguments.uses_processor_timer;
    head.parameter_path = arguments.parameter_path;
    for (const SqlioFile& file : arguments.files) {
        head.files.push_back(
            {.path = file.path, .threads = file.threads, .cpu_mask = file.cpu_mask, .is_size_specified = file.size_mb > 0});
    }
    return head;
}

}  // namespace cli
