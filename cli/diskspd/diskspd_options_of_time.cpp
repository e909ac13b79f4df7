// Options for times, threads and output.
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "cli/diskspd/diskspd_affinity.hpp"
#include "cli/diskspd/diskspd_numbers.hpp"
#include "cli/diskspd/diskspd_parser.hpp"
#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {

void DiskspdParser::duration(std::string_view value) { arguments_.overrides.duration_s = span_.duration_s = number_at_least(value, 0); }

void DiskspdParser::warm_up(std::string_view value) { arguments_.overrides.warm_up_s = span_.warm_up_s = number_at_least(value, 0); }

void DiskspdParser::cool_down(std::string_view value) { arguments_.overrides.cool_down_s = span_.cool_down_s = number_at_least(value, 0); }

void DiskspdParser::seed(std::string_view value) {
    std::uint32_t seed = bare_seed_;
    if (!value.empty()) {
        const auto number = ums::whole_number<std::uint32_t>(skip_blanks(value));
        if (!number) refuse("a seed is a whole number of 32 bits");
        seed = *number;
    }
    arguments_.overrides.seed = span_.seed = seed;
}

void DiskspdParser::format(std::string_view value) {
    if (value.empty()) refuse("say which format: -Rtext or -Rxml, -Rptext or -Rpxml for the profile alone, -Rs for the system alone");
    if (value.starts_with('p')) {
        arguments_.profile.is_profile_only = true;
        value.remove_prefix(1);
    } else if (value.starts_with('s')) {
        arguments_.profile.is_system_only = true;
        value.remove_prefix(1);
    }
    if (value.empty()) return;
    if (value != "text" && value != "xml") refuse("allowed are text and xml, as in -Rxml");
    arguments_.profile.format = value == "xml" ? reports::DiskspdFormat::xml : reports::DiskspdFormat::text;
    arguments_.overrides.format = arguments_.profile.format;
}

void DiskspdParser::verbose(std::string_view value) {
    if (value.empty()) {
        arguments_.profile.is_verbose = true;
    } else if (value == "s") {
        arguments_.profile.shows_waits = true;
        note("there are no such waits here; their table is left out");
    } else {
        refuse("allowed are -v and -vs");
    }
}

void DiskspdParser::profile_file(std::string_view value) {
    if (!arguments_.profile_path.empty()) refuse("one profile at a time");
    if (value.empty()) refuse("name the profile, as in -Xprofile.xml");
    arguments_.profile_path = value;
}

void DiskspdParser::experiments(std::string_view value) {
    arguments_.profile.experiments = number_at_least(value, 0);
    if (arguments_.profile.experiments != 0) note("experiments of DiskSpd change nothing here");
}

void DiskspdParser::iops_interval(std::string_view value) {
    span_.gathers_iops = true;
    const std::int64_t interval_ms = lenient_number(value);
    if (interval_ms > std::numeric_limits<std::int32_t>::max()) refuse("an interval has at most 2147483647 ms");
    if (interval_ms > 0) span_.interval_ms = static_cast<std::uint32_t>(interval_ms);
}

void DiskspdParser::latency(std::string_view) { span_.measures_latency = true; }

void DiskspdParser::progress(std::string_view value) {
    constexpr std::uint32_t kRequestsPerDot = 65536;
    const std::int64_t requests = lenient_number(value);
    arguments_.profile.progress = requests < 1 ? kRequestsPerDot : number_at_least(value, 1);
}

void DiskspdParser::affinity(std::string_view value) { parse_diskspd_affinity(value, option_, arguments_, span_); }

void DiskspdParser::affinity_off(std::string_view) { span_.is_affinity_off = true; }

void DiskspdParser::events(std::string_view) { refuse("named events are Windows' own; start and stop ioproof by a script instead"); }

void DiskspdParser::tracing(std::string_view value) {
    constexpr std::string_view kKinds[] = {
        "q",       "c",       "s", "p", "PROCESS", "THREAD", "IMAGE_LOAD", "DISK_IO", "MEMORY_PAGE_FAULTS", "MEMORY_HARD_FAULTS",
        "NETWORK", "REGISTRY"};
    for (const std::string_view kind : kKinds) {
        if (value != kind) continue;
        note("event tracing is Windows' own; nothing is traced");
        return;
    }
    refuse("allowed are q, c, s, p, PROCESS, THREAD, IMAGE_LOAD, DISK_IO, MEMORY_PAGE_FAULTS, MEMORY_HARD_FAULTS, NETWORK, REGISTRY");
}

void DiskspdParser::total_threads(std::string_view value) { span_.thread_count = number_at_least(value, 1); }

void DiskspdParser::total_requests(std::string_view value) { span_.request_count = number_at_least(value, 1); }

void DiskspdParser::completion_routines(std::string_view) {
    span_.completion_routines = true;
    note("there is one way for requests to complete here; the figures are the same without it");
}

// -u[n]<batch>[p]
void DiskspdParser::ring(std::string_view value) {
    if (value.starts_with('n')) value.remove_prefix(1);
    std::uint32_t batch = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), batch);
    const std::string_view rest(end, static_cast<std::size_t>(value.data() + value.size() - end));
    if (error != std::errc{} || batch == 0 || (!rest.empty() && rest != "p")) refuse("a size of batches is needed, as in -u8 or -un8p");
    arguments_.wants_ring = true;
    note("requests go through io_uring, in batches of the engine's own size");
}

}  // namespace cli
