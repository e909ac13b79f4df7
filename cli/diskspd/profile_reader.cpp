#include "cli/diskspd/profile_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cli/diskspd/diskspd_distribution.hpp"
#include "cli/diskspd/xml_reader.hpp"
#include "cli/measuring/measuring.hpp"
#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

using reports::DiskspdCache;
using reports::DiskspdFlush;
using reports::DiskspdProfile;
using reports::DiskspdTarget;
using reports::DiskspdTimeSpan;

[[noreturn]] void refuse_element(const XmlElement& element, std::string_view allowed) {
    throw XmlError(fmt::format("line {}: {}: {}", element.line, element.name, allowed));
}

std::uint64_t number_in(const XmlElement& element, std::string_view text, std::uint64_t minimum, std::uint64_t maximum) {
    const auto value = ums::whole_number<std::uint64_t>(text);
    if (!value || *value < minimum || *value > maximum) {
        refuse_element(element, fmt::format("a whole number from {} to {} is needed, not '{}'", minimum, maximum, text));
    }
    return *value;
}

constexpr std::uint64_t k32Max = std::numeric_limits<std::uint32_t>::max();

std::uint32_t number_of(const XmlElement& element, std::uint64_t minimum = 0, std::uint64_t maximum = k32Max) {
    return static_cast<std::uint32_t>(number_in(element, element.text, minimum, maximum));
}

std::uint64_t size_of_element(const XmlElement& element) {
    return number_in(element, element.text, 0, std::numeric_limits<std::uint64_t>::max());
}

bool flag_of(const XmlElement& element) {
    if (element.text == "true" || element.text == "1") return true;
    if (element.text == "false" || element.text == "0") return false;
    refuse_element(element, fmt::format("true or false is needed, not '{}'", element.text));
}

// An element's name, and what the element sets in its owner.
template <typename Owner>
struct ElementRule {
    std::string_view name;
    void (*apply)(Owner& owner, const XmlElement& element);
};

template <typename Owner, std::size_t Count>
void apply_children(Owner& owner, const XmlElement& parent, const ElementRule<Owner> (&rules)[Count]) {
    for (const XmlElement& element : parent.children) {
        const auto found = std::find_if(std::begin(rules), std::end(rules), [&](const auto& rule) { return rule.name == element.name; });
        if (found == std::end(rules)) refuse_element(element, fmt::format("is not known below {}", parent.name));
        found->apply(owner, element);
    }
}

// --- targets ---

// Holds what depends on more than one element.
struct TargetReader {
    DiskspdTarget target;
    bool is_random = false;
    bool has_stride = false;
};

void read_distribution(TargetReader& reader, const XmlElement& element) {
    if (element.children.size() != 1) refuse_element(element, "one element Absolute or Percent is needed");
    const XmlElement& kind = element.children.front();
    DiskspdDistribution distribution{.ranges = {}, .is_in_percent = kind.name == "Percent"};
    if (!distribution.is_in_percent && kind.name != "Absolute") refuse_element(kind, "Absolute or Percent is needed");
    for (const XmlElement& range : kind.children) {
        const std::string* const share = range.attribute("IO");
        if (range.name != "Range" || share == nullptr) refuse_element(range, "<Range IO=\"…\"> is needed");
        const std::uint64_t span = distribution.is_in_percent ? number_of(range, 1, 100) : size_of_element(range);
        distribution.ranges.push_back({static_cast<std::uint32_t>(number_in(range, *share, 0, 100)), span});
    }
    add_rest_of_target(distribution);
    reader.target.distribution = std::move(distribution.ranges);
    reader.target.is_distribution_in_percent = distribution.is_in_percent;
}

void read_buffers(TargetReader& reader, const XmlElement& element) {
    const XmlElement* const pattern = element.child("Pattern");
    if (pattern == nullptr) refuse_element(element, "an element Pattern is needed");
    if (pattern->text == "zero") {
        reader.target.zero_buffers = true;
    } else if (pattern->text == "random") {
        const XmlElement* const source = element.child("RandomDataSource");
        const XmlElement* const size = source == nullptr ? nullptr : source->child("SizeInBytes");
        if (size == nullptr) refuse_element(element, "RandomDataSource with SizeInBytes is needed");
        reader.target.buffer_bytes = number_in(*size, size->text, 1, std::numeric_limits<std::uint64_t>::max());
        if (const XmlElement* const path = source->child("FilePath")) reader.target.buffer_path = path->text;
    } else if (pattern->text != "sequential") {
        refuse_element(*pattern, "allowed are sequential, zero, random");
    }
}

void read_rate(TargetReader& reader, const XmlElement& element) {
    const std::string* const unit = element.attribute("unit");
    if (unit != nullptr && *unit != "IOPS" && *unit != "BPMS") refuse_element(element, "allowed units are IOPS and BPMS");
    reader.target.rate = number_of(element);
    reader.target.is_rate_in_requests = unit != nullptr && *unit == "IOPS";
}

void read_thread_targets(TargetReader& reader, const XmlElement& element) {
    for (const XmlElement& entry : element.children) {
        const XmlElement* const thread = entry.child("Thread");
        if (entry.name != "ThreadTarget" || thread == nullptr) refuse_element(entry, "ThreadTarget with Thread is needed");
        const XmlElement* const weight = entry.child("Weight");
        reader.target.thread_weights.push_back({number_of(*thread), weight == nullptr ? 0 : number_of(*weight)});
    }
}

void read_flush(TargetReader& reader, const XmlElement& element) {
    if (element.text == "ViewOfFile") {
        reader.target.flush = DiskspdFlush::view_of_file;
    } else if (element.text == "NonVolatileMemory") {
        reader.target.flush = DiskspdFlush::non_volatile;
    } else if (element.text == "NonVolatileMemoryNoDrain") {
        reader.target.flush = DiskspdFlush::non_volatile_no_drain;
    } else {
        refuse_element(element, "allowed are ViewOfFile, NonVolatileMemory, NonVolatileMemoryNoDrain");
    }
}

constexpr ElementRule<TargetReader> kTargetRules[] = {
    {"Path", [](TargetReader& r, const XmlElement& e) { r.target.path = e.text; }},
    {"BlockSize", [](TargetReader& r, const XmlElement& e) { r.target.block_bytes = number_of(e, 1); }},
    {"StrideSize",
     [](TargetReader& r, const XmlElement& e) {
         const std::uint64_t stride_bytes = size_of_element(e);
         r.has_stride = true;
         if (!r.is_random) r.target.alignment_bytes = stride_bytes;  // Random takes precedence, in either order
     }},
    {"InterlockedSequential", [](TargetReader& r, const XmlElement& e) { r.target.is_interlocked = flag_of(e); }},
    {"BaseFileOffset", [](TargetReader& r, const XmlElement& e) { r.target.base_bytes = size_of_element(e); }},
    {"SequentialScan", [](TargetReader& r, const XmlElement& e) { r.target.sequential_hint = flag_of(e); }},
    {"RandomAccess", [](TargetReader& r, const XmlElement& e) { r.target.random_hint = flag_of(e); }},
    {"TemporaryFile", [](TargetReader& r, const XmlElement& e) { r.target.temporary_hint = flag_of(e); }},
    {"UseLargePages", [](TargetReader& r, const XmlElement& e) { r.target.large_pages = flag_of(e); }},
    {"RequestCount", [](TargetReader& r, const XmlElement& e) { r.target.request_count = number_of(e, 1); }},
    {"Random",
     [](TargetReader& r, const XmlElement& e) {
         r.target.alignment_bytes = number_in(e, e.text, 1, std::numeric_limits<std::uint64_t>::max());
         r.is_random = true;
         if (r.target.random_percent == 0) r.target.random_percent = 100;
     }},
    {"RandomRatio", [](TargetReader& r, const XmlElement& e) { r.target.random_percent = number_of(e, 1, 99); }},
    {"Distribution", read_distribution},
    {"DisableAllCache",
     [](TargetReader& r, const XmlElement& e) {
         if (!flag_of(e)) return;
         r.target.cache = DiskspdCache::unbuffered;
         r.target.write_through = true;
     }},
    {"DisableLocalCache",
     [](TargetReader& r, const XmlElement& e) {
         if (flag_of(e)) r.target.cache = DiskspdCache::local_off;
     }},
    {"DisableOSCache",
     [](TargetReader& r, const XmlElement& e) {
         if (flag_of(e)) r.target.cache = DiskspdCache::unbuffered;
     }},
    {"WriteThrough", [](TargetReader& r, const XmlElement& e) { r.target.write_through |= flag_of(e); }},
    {"MemoryMappedIo", [](TargetReader& r, const XmlElement& e) { r.target.memory_mapped = flag_of(e); }},
    {"FlushType", read_flush},
    {"WriteBufferContent", read_buffers},
    {"BurstSize", [](TargetReader& r, const XmlElement& e) { r.target.burst_size = number_of(e); }},
    {"ThinkTime", [](TargetReader& r, const XmlElement& e) { r.target.think_time_ms = number_of(e); }},
    {"Throughput", read_rate},
    {"ThreadsPerFile", [](TargetReader& r, const XmlElement& e) { r.target.threads_per_file = number_of(e, 1); }},
    {"FileSize", [](TargetReader& r,
                    const XmlElement& e) { r.target.create_bytes = number_in(e, e.text, 1, std::numeric_limits<std::uint64_t>::max()); }},
    {"MaxFileSize", [](TargetReader& r, const XmlElement& e) { r.target.end_bytes = size_of_element(e); }},
    {"WriteRatio", [](TargetReader& r, const XmlElement& e) { r.target.write_percent = number_of(e, 0, 100); }},
    {"ParallelAsyncIO", [](TargetReader& r, const XmlElement& e) { r.target.is_parallel = flag_of(e); }},
    {"ThreadStride", [](TargetReader& r, const XmlElement& e) { r.target.thread_stride_bytes = size_of_element(e); }},
    {"IOPriority", [](TargetReader& r, const XmlElement& e) { r.target.io_priority = number_of(e, 1, 3); }},
    {"Weight", [](TargetReader& r, const XmlElement& e) { r.target.weight = number_of(e); }},
    {"ThreadTargets", read_thread_targets},
};

DiskspdTarget read_target(const XmlElement& element) {
    TargetReader reader;
    if (element.name != "Target") refuse_element(element, "elements Target are needed");
    apply_children(reader, element, kTargetRules);
    if (reader.target.path.empty()) refuse_element(element, "an element Path is needed");
    if (!reader.is_random && reader.has_stride && reader.target.random_percent > 0) {
        refuse_element(element, "StrideSize is for sequential requests; the alignment of those of RandomRatio is Random");
    }
    return std::move(reader.target);
}

// --- time spans ---

void read_affinity(DiskspdTimeSpan& span, const XmlElement& element) {
    for (const XmlElement& entry : element.children) {
        if (entry.name == "AffinityAssignment") {
            span.cpus.push_back({.group = 0, .cpu = number_of(entry, 0, 255)});
            continue;
        }
        const std::string* const group = entry.attribute("Group");
        const std::string* const cpu = entry.attribute("Processor");
        if (entry.name != "AffinityGroupAssignment" || cpu == nullptr) refuse_element(entry, "is not known below Affinity");
        const std::uint64_t number = group == nullptr ? 0 : number_in(entry, *group, 0, 65535);
        span.cpus.push_back({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number_in(entry, *cpu, 0, 255))});
    }
}

constexpr ElementRule<DiskspdTimeSpan> kTimeSpanRules[] = {
    {"Targets",
     [](DiskspdTimeSpan& s, const XmlElement& e) {
         for (const XmlElement& target : e.children) s.targets.push_back(read_target(target));
     }},
    {"Duration", [](DiskspdTimeSpan& s, const XmlElement& e) { s.duration_s = number_of(e); }},
    {"Warmup", [](DiskspdTimeSpan& s, const XmlElement& e) { s.warm_up_s = number_of(e); }},
    {"Cooldown", [](DiskspdTimeSpan& s, const XmlElement& e) { s.cool_down_s = number_of(e); }},
    {"RandSeed", [](DiskspdTimeSpan& s, const XmlElement& e) { s.seed = number_of(e); }},
    {"RandomWriteData", [](DiskspdTimeSpan& s, const XmlElement& e) { s.random_write_data = flag_of(e); }},
    {"ThreadCount", [](DiskspdTimeSpan& s, const XmlElement& e) { s.thread_count = number_of(e); }},
    {"RequestCount", [](DiskspdTimeSpan& s, const XmlElement& e) { s.request_count = number_of(e); }},
    {"GroupAffinity", [](DiskspdTimeSpan&, const XmlElement& e) { flag_of(e); }},
    {"Affinity", read_affinity},
    {"DisableAffinity", [](DiskspdTimeSpan& s, const XmlElement& e) { s.is_affinity_off = flag_of(e); }},
    {"CompletionRoutines", [](DiskspdTimeSpan& s, const XmlElement& e) { s.completion_routines = flag_of(e); }},
    {"MeasureLatency", [](DiskspdTimeSpan& s, const XmlElement& e) { s.measures_latency = flag_of(e); }},
    {"CalculateIopsStdDev", [](DiskspdTimeSpan& s, const XmlElement& e) { s.gathers_iops = flag_of(e); }},
    {"IoBucketDuration", [](DiskspdTimeSpan& s, const XmlElement& e) { s.interval_ms = number_of(e); }},
};

// --- the profile ---

void read_time_spans(DiskspdProfile& profile, const XmlElement& element) {
    for (const XmlElement& entry : element.children) {
        if (entry.name != "TimeSpan") refuse_element(entry, "elements TimeSpan are needed");
        apply_children(profile.time_spans.emplace_back(), entry, kTimeSpanRules);
    }
}

void read_format(DiskspdProfile& profile, const XmlElement& element) {
    if (element.text != "text" && element.text != "xml") refuse_element(element, "allowed are text and xml");
    profile.format = element.text == "xml" ? reports::DiskspdFormat::xml : reports::DiskspdFormat::text;
}

void read_precreate(DiskspdProfile& profile, const XmlElement& element) {
    if (element.text == "UseMaxSize") {
        profile.precreate = reports::DiskspdPrecreate::use_max_size;
    } else if (element.text == "CreateOnlyFilesWithConstantSizes") {
        profile.precreate = reports::DiskspdPrecreate::constant_sizes;
    } else if (element.text == "CreateOnlyFilesWithConstantOrZeroSizes") {
        profile.precreate = reports::DiskspdPrecreate::constant_or_zero_sizes;
    } else {
        refuse_element(element, "allowed are UseMaxSize, CreateOnlyFilesWithConstantSizes, CreateOnlyFilesWithConstantOrZeroSizes");
    }
}

constexpr ElementRule<DiskspdProfile> kProfileRules[] = {
    {"TimeSpans", read_time_spans},
    {"Verbose", [](DiskspdProfile& p, const XmlElement& e) { p.is_verbose = flag_of(e); }},
    {"VerboseStats", [](DiskspdProfile& p, const XmlElement& e) { p.shows_waits = flag_of(e); }},
    {"Progress", [](DiskspdProfile& p, const XmlElement& e) { p.progress = number_of(e); }},
    {"ExperimentFlags", [](DiskspdProfile& p, const XmlElement& e) { p.experiments = number_of(e); }},
    {"ResultFormat", read_format},
    {"ETW", [](DiskspdProfile&, const XmlElement&) {}},
    {"PrecreateFiles", read_precreate},
};

// What a profile can ask for without effect here. On the command line, the options themselves report this.
std::vector<std::string> notices_of(const DiskspdProfile& profile, const XmlElement& root, const std::string& name) {
    std::vector<std::string> notices;
    const auto note_if = [&](bool holds, std::string_view text) {
        const std::string line = fmt::format("{}: {}", name, text);
        if (holds && std::find(notices.begin(), notices.end(), line) == notices.end()) notices.push_back(line);
    };
    note_if(root.child("ETW") != nullptr, "ETW: event tracing is Windows' own; nothing is traced");
    note_if(profile.shows_waits, "VerboseStats: there are no such waits here; their table is left out");
    for (const DiskspdTimeSpan& span : profile.time_spans) {
        note_if(span.completion_routines, "CompletionRoutines: there is one way for requests to complete here");
        for (const DiskspdTarget& target : span.targets) {
            note_if(target.sequential_hint || target.random_hint || target.temporary_hint,
                    "SequentialScan, RandomAccess, TemporaryFile: hints to Windows' cache have no counterpart; they change nothing");
            note_if(target.large_pages, "UseLargePages: buffers have the system's own pages");
            note_if(target.io_priority < 3, "IOPriority: priorities are not set; use ionice");
        }
    }
    return notices;
}

}  // namespace

ReadProfile read_diskspd_profile(std::string_view document, const std::string& name) {
    try {
        const XmlElement root = read_xml(decoded_document(document, name));
        const XmlElement* const profile = root.name == "Results" ? root.child("Profile") : &root;
        if (profile == nullptr || profile->name != "Profile")
            throw XmlError(fmt::format("line {}: an element Profile is needed", root.line));
        ReadProfile result;
        apply_children(result.profile, *profile, kProfileRules);
        result.notices = notices_of(result.profile, *profile, name);
        return result;
    } catch (const XmlError& error) {
        throw UsageError(fmt::format("{}: {}", name, error.what()));
    }
}

}  // namespace cli
