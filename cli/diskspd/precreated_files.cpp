#include "cli/diskspd/precreated_files.hpp"

#include <algorithm>
#include <vector>

namespace cli {
namespace {

using reports::DiskspdPrecreate;

// The size with which to create a file; 0 = not at all. `sizes`: what each target says; 0 = nothing.
std::uint64_t precreated_size(const std::vector<std::uint64_t>& sizes, DiskspdPrecreate rule) {
    const std::uint64_t largest = *std::max_element(sizes.begin(), sizes.end());
    const auto is_as_large = [&](std::uint64_t size) { return size == largest; };
    switch (rule) {
        case DiskspdPrecreate::none: return 0;
        case DiskspdPrecreate::use_max_size: return largest;
        case DiskspdPrecreate::constant_sizes: return std::all_of(sizes.begin(), sizes.end(), is_as_large) ? largest : 0;
        case DiskspdPrecreate::constant_or_zero_sizes:
            return std::all_of(sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size == 0 || is_as_large(size); }) ? largest
                                                                                                                               : 0;
    }
    return 0;
}

}  // namespace

std::map<std::string, std::uint64_t> precreated_sizes(const reports::DiskspdProfile& profile) {
    std::map<std::string, std::vector<std::uint64_t>> asked;
    for (const reports::DiskspdTimeSpan& span : profile.time_spans) {
        for (const reports::DiskspdTarget& target : span.targets) asked[target.path].push_back(target.create_bytes.value_or(0));
    }
    std::map<std::string, std::uint64_t> sizes;
    for (const auto& [path, each] : asked) {
        if (const std::uint64_t size = precreated_size(each, profile.precreate); size > 0) sizes.emplace(path, size);
    }
    return sizes;
}

sim::MeasureSpec precreation_of(const sim::MeasureSpec& spec, const std::map<std::string, std::uint64_t>& sizes) {
    sim::MeasureSpec making;
    making.engine = spec.engine;
    making.verify = spec.verify;
    sim::MeasureTimespan& span = making.timespans.emplace_back();
    span.duration_s = 1;
    span.measure_latency = false;
    for (const auto& [path, size] : sizes) {
        for (const sim::MeasureTimespan& each : spec.timespans) {
            // The first target with a size decides what the file holds, as it would without PrecreateFiles.
            const auto target = std::find_if(each.targets.begin(), each.targets.end(),
                                             [&](const sim::MeasureTarget& one) { return one.path == path && one.create_bytes > 0; });
            if (target == each.targets.end()) continue;
            sim::MeasureTarget& made = span.targets.emplace_back();
            made.path = path;
            made.create_bytes = size;
            made.may_overwrite = target->may_overwrite;
            made.source = target->source;
            made.direct = target->direct;
            made.block_bytes = target->block_bytes;
            made.outstanding = 1;
            made.rate = {.unit = sim::MeasureRateUnit::requests_per_s, .amount = 1};
            break;
        }
    }
    return making;
}

void take_as_made(sim::MeasureSpec& spec, const std::map<std::string, std::uint64_t>& sizes) {
    for (sim::MeasureTimespan& span : spec.timespans) {
        for (sim::MeasureTarget& target : span.targets) {
            if (sizes.contains(target.path)) target.create_bytes = 0;
        }
    }
}

}  // namespace cli
