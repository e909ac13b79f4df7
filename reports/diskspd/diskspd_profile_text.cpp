#include "reports/diskspd/diskspd_profile_text.hpp"

#include <numeric>

#include <fmt/format.h>

#include "reports/diskspd/diskspd_size.hpp"
#include "ums/base/printable.hpp"

namespace reports {
namespace {

class ProfileText {
public:
    explicit ProfileText(DiskspdTextStyle style) : style_(style) {}

    void add(const DiskspdProfile& profile);
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void line(std::string_view text) { text_ += fmt::format("{}\n", text); }
    void in_span(std::string_view text) { text_ += fmt::format("\t{}\n", text); }
    void in_target(std::string_view text) { text_ += fmt::format("\t\t{}\n", text); }
    [[nodiscard]] std::string size(std::uint64_t size_bytes) const {
        return style_ == DiskspdTextStyle::v2_0 ? fmt::format("{}", size_bytes) : diskspd_size(size_bytes);
    }

    void add_span(const DiskspdTimeSpan& span);
    void add_target(const DiskspdTarget& target, const DiskspdTimeSpan& span);
    void add_cache(const DiskspdTarget& target);
    void add_buffers(const DiskspdTarget& target);
    void add_access(const DiskspdTarget& target);
    void add_bounds(const DiskspdTarget& target);
    void add_threads(const DiskspdTarget& target, const DiskspdTimeSpan& span);

    const DiskspdTextStyle style_;
    std::string text_;
};

void ProfileText::add(const DiskspdProfile& profile) {
    line(fmt::format("\nCommand Line: {}\n", ums::printable(profile.command_line)));
    if (profile.experiments != 0) line(fmt::format("Experiment Flags: 0x{:x} ({})\n", profile.experiments, profile.experiments));
    line("Input parameters:\n");
    if (profile.is_verbose) in_span("using verbose mode");
    for (std::size_t i = 0; i < profile.time_spans.size(); ++i) {
        in_span(fmt::format("timespan: {:>3}", i + 1));
        in_span("-------------");
        add_span(profile.time_spans[i]);
        line("");
    }
}

void ProfileText::add_span(const DiskspdTimeSpan& span) {
    in_span(fmt::format("duration: {}s", span.duration_s));
    in_span(fmt::format("warm up time: {}s", span.warm_up_s));
    in_span(fmt::format("cool down time: {}s", span.cool_down_s));
    if (span.is_affinity_off) in_span("affinity disabled");
    if (span.measures_latency) in_span("measuring latency");
    if (span.gathers_iops) in_span(fmt::format("gathering IOPS at intervals of {}ms", span.interval_ms));
    in_span(fmt::format("random seed: {}", span.seed));
    if (span.thread_count != 0) {
        in_span(fmt::format("thread pool with {} threads", span.thread_count));
        in_span(fmt::format("number of outstanding I/O operations per thread: {}", span.request_count));
    }
    if (!span.cpus.empty()) {
        std::string cpus;
        for (const DiskspdCpu& cpu : span.cpus) cpus += fmt::format("{}{}/{}", cpus.empty() ? "" : ", ", cpu.group, cpu.cpu);
        in_span("advanced affinity round robin (group/core): " + cpus);
    }
    if (span.random_write_data) {
        in_span("generating random data for each write IO");
        in_span("  WARNING: this increases the CPU cost of issuing writes and should only");
        in_span("           be compared to other results using the -Zr flag");
    }
    for (const DiskspdTarget& target : span.targets) add_target(target, span);
}

void ProfileText::add_target(const DiskspdTarget& target, const DiskspdTimeSpan& span) {
    const bool is_template = target.path.starts_with('*');
    in_span(fmt::format("path: {}'{}'", is_template ? "template target " : "", ums::printable(target.path.substr(is_template ? 1 : 0))));
    in_target(fmt::format("think time: {}ms", target.think_time_ms));
    in_target(fmt::format("burst size: {}", target.burst_size));
    add_cache(target);
    add_buffers(target);
    if (target.is_parallel) in_target("using parallel async I/O");
    if (target.write_percent == 0) {
        in_target("performing read test");
    } else if (target.write_percent == 100) {
        in_target("performing write test");
    } else {
        in_target(fmt::format("performing mix test (read/write ratio: {}/{})", 100 - target.write_percent, target.write_percent));
    }
    in_target("block size: " + size(target.block_bytes));
    add_access(target);
    if (span.thread_count == 0 || span.request_count == 0) {
        in_target(fmt::format("number of outstanding I/O operations{}: {}", style_ == DiskspdTextStyle::v2_0 ? "" : " per thread",
                              target.request_count));
    } else {
        in_target(fmt::format("relative IO weight in thread pool: {}", target.weight));
    }
    add_bounds(target);
    add_threads(target, span);
}

void ProfileText::add_cache(const DiskspdTarget& target) {
    if (style_ == DiskspdTextStyle::v2_0 && target.cache == DiskspdCache::unbuffered && target.write_through) {
        in_target("software and hardware write cache disabled");
        return;
    }
    switch (target.cache) {
        case DiskspdCache::on: in_target("using software cache"); break;
        case DiskspdCache::local_off: in_target("local software cache disabled, remote cache enabled"); break;
        case DiskspdCache::unbuffered: in_target("software cache disabled"); break;
    }
    const bool has_software_cache = target.cache == DiskspdCache::on || target.cache == DiskspdCache::local_off;
    if (!target.write_through) {
        in_target("using hardware write cache, writethrough off");
    } else if (has_software_cache) {
        in_target("hardware and software write caches disabled, writethrough on");
    } else {
        in_target("hardware write cache disabled, writethrough on");
    }
    if (!target.memory_mapped) return;
    std::string mapped = "memory mapped I/O enabled";
    switch (target.flush) {
        case DiskspdFlush::none: break;
        case DiskspdFlush::view_of_file: mapped += ", flush mode: FlushViewOfFile"; break;
        case DiskspdFlush::non_volatile: mapped += ", flush mode: FlushNonVolatileMemory"; break;
        case DiskspdFlush::non_volatile_no_drain: mapped += ", flush mode: FlushNonVolatileMemory with no drain"; break;
    }
    in_target(mapped);
}

void ProfileText::add_buffers(const DiskspdTarget& target) {
    if (target.zero_buffers) in_target("zeroing write buffers");
    if (target.buffer_bytes == 0) return;
    in_target("write buffer size: " + size(target.buffer_bytes));
    in_target(target.buffer_path.empty() ? "write buffer source: random fill"
                                         : fmt::format("write buffer source: '{}'", ums::printable(target.buffer_path)));
}

void ProfileText::add_access(const DiskspdTarget& target) {
    if (target.random_percent == 100) {
        in_target(fmt::format("using random I/O (alignment: {})", size(target.alignment())));
    } else if (target.random_percent > 0) {
        in_target(fmt::format("using mixed random/sequential I/O ({}% random) (alignment/stride: {})", target.random_percent,
                              size(target.alignment())));
    } else {
        in_target(
            fmt::format("using{} sequential I/O (stride: {})", target.is_interlocked ? " interlocked" : "", size(target.alignment())));
    }
}

void ProfileText::add_bounds(const DiskspdTarget& target) {
    if (target.base_bytes != 0) in_target("base file offset: " + size(target.base_bytes));
    if (target.end_bytes != 0) in_target("max file size: " + size(target.end_bytes));
    if (target.thread_stride_bytes != 0 || style_ == DiskspdTextStyle::v2_0)
        in_target("thread stride size: " + size(target.thread_stride_bytes));
    if (target.sequential_hint) in_target("using FILE_FLAG_SEQUENTIAL_SCAN hint");
    if (target.random_hint) in_target("using FILE_FLAG_RANDOM_ACCESS hint");
    if (target.temporary_hint) in_target("using FILE_ATTRIBUTE_TEMPORARY hint");
}

void ProfileText::add_threads(const DiskspdTarget& target, const DiskspdTimeSpan& span) {
    if (span.thread_count == 0) in_target(fmt::format("threads per file: {}", target.threads_per_file));
    if (span.thread_count == 0 && target.request_count > 1) {
        in_target(span.completion_routines ? "using completion routines (ReadFileEx/WriteFileEx)" : "using I/O Completion Ports");
    }
    constexpr std::string_view kPriorities[] = {"unknown", "very low", "low", "normal"};
    in_target(fmt::format("IO priority: {}", kPriorities[target.io_priority <= 3 ? target.io_priority : 0]));
    if (target.rate != 0) {
        in_target(fmt::format("throughput rate-limited to {} {}", target.rate, target.is_rate_in_requests ? "IOPS" : "B/ms"));
    }
    if (target.distribution.empty()) return;
    in_target("IO Distribution:");
    text_ += diskspd_distribution_text(target.distribution, target.is_distribution_in_percent, "\t\t");
}

std::string edge_text(std::uint64_t offset_bytes) { return offset_bytes == 0 ? "     0   " : diskspd_size(offset_bytes, 6); }

}  // namespace

std::string diskspd_distribution_text(const std::vector<DiskspdRange>& ranges, bool is_in_percent, std::string_view indent,
                                      bool shows_holes) {
    const auto add_percent = [](std::uint32_t sum, const DiskspdRange& range) { return sum + range.io_percent; };
    const std::uint32_t total_percent = std::accumulate(ranges.begin(), ranges.end(), 0U, add_percent);
    std::string text;
    std::uint64_t begin = 0;
    for (const DiskspdRange& range : ranges) {
        const std::uint64_t end = begin + range.span;
        if (range.io_percent == 0 && !shows_holes) {
            begin = end;
            continue;
        }
        if (is_in_percent) {
            text += fmt::format("{}   {:>3}% of IO => [{:>2}% - {:>3}%) of target\n", indent, range.io_percent, begin, end);
        } else {
            // If a target is smaller than its ranges, the shares of those that fit are scaled to a sum of 100 percent.
            const std::string share = total_percent < 100 && total_percent > 0
                                          ? fmt::format("    {:.1f}%", 100.0 * range.io_percent / total_percent)
                                          : fmt::format("   {:>3}%", range.io_percent);
            text +=
                fmt::format("{}{} of IO => [{} - {})\n", indent, share, edge_text(begin), range.span == 0 ? "      end" : edge_text(end));
        }
        begin = end;
    }
    return text;
}

std::string diskspd_profile_text(const DiskspdProfile& profile, DiskspdTextStyle style) {
    ProfileText text(style);
    text.add(profile);
    return text.take();
}

}  // namespace reports
