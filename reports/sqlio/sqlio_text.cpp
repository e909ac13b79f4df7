#include "reports/sqlio/sqlio_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ums/base/printable.hpp"
#include "ums/base/units.hpp"

namespace reports {
namespace {

// "a", "a and b", "a, b and c".
std::string listed(const std::vector<SqlioHead::File>& files) {
    std::string text;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (i > 0) text += i + 1 == files.size() ? " and " : ", ";
        text += ums::printable(files[i].path);
    }
    return text;
}

std::string parameter_lines(const SqlioHead& head) {
    if (head.parameter_path.empty()) return "";
    std::string text = fmt::format("parameter file used: {}\n", ums::printable(head.parameter_path));
    std::uint32_t first = 0;
    for (const SqlioHead::File& file : head.files) {
        const std::string numbers = file.threads == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + file.threads - 1);
        text += fmt::format("\tfile {} with {} thread{} ({}) using mask 0x{:x} ({})\n", ums::printable(file.path), file.threads,
                            file.threads == 1 ? "" : "s", numbers, file.cpu_mask, file.cpu_mask);
        first += file.threads;
    }
    return text;
}

std::string work_lines(const SqlioHead& head) {
    std::uint32_t threads = 0;
    for (const SqlioHead::File& file : head.files) threads += file.threads;
    std::string text =
        fmt::format("{} thread{} {} for {} secs {} file{} {}\n", threads, threads == 1 ? "" : "s", head.is_write ? "writing" : "reading",
                    head.seconds, head.is_write ? "to" : "from", head.files.size() == 1 ? "" : "s", listed(head.files));
    if (head.pattern.empty()) {
        text += fmt::format("\tusing {}KB IOs over {}KB stripes with {} IOs per run\n", head.block_kb, head.stripe_kb, head.run_requests);
    } else {
        text += fmt::format("\tusing {}KB {} IOs\n", head.block_kb, head.pattern);
    }
    if (head.outstanding) text += fmt::format("\tenabling multiple I/Os per thread with {} outstanding\n", *head.outstanding);
    if (!head.buffering.empty()) text += fmt::format("\tbuffering set to {}\n", head.buffering);
    return text;
}

std::string size_lines(const SqlioHead& head, const sim::MeasureTimespanResults& results) {
    std::string text;
    for (std::size_t i = 0; i < head.files.size(); ++i) {
        text += fmt::format("using {} size: {} MB for file: {}\n", head.files[i].is_size_specified ? "specified" : "current",
                            i < results.targets.size() ? results.targets[i].size_bytes >> 20 : 0, ums::printable(head.files[i].path));
    }
    return text + "initialization done\n";
}

// Whole milliseconds from 0 to 23, everything else in the last column; percent, rounded.
std::string histogram_lines(const sim::LatencyCounts& latency) {
    constexpr std::size_t kHistogramColumns = 25;
    std::array<std::uint64_t, kHistogramColumns> counts{};
    for (const sim::LatencyBucket& bucket : latency.buckets()) {
        const std::uint64_t middle_ms = (bucket.low_ns + bucket.high_ns) / 2 / ums::kNsPerMs;
        counts[std::min<std::uint64_t>(middle_ms, kHistogramColumns - 1)] += bucket.count;
    }
    std::string names = "ms:";
    std::string shares = "%:";
    for (std::size_t i = 0; i < kHistogramColumns; ++i) {
        names += i == 0 ? " 0" : fmt::format("{:>3}", i);
        const double share = latency.count() == 0 ? 0 : 100.0 * static_cast<double>(counts[i]) / static_cast<double>(latency.count());
        shares += fmt::format(" {:>2}", std::lround(share));  // 100 is wider, and must not touch the one before
        if (i + 1 == kHistogramColumns) names += "+";
    }
    return fmt::format("histogram:\n{}\n{}\n", names, shares);
}

std::string latency_lines(const sim::LatencyCounts& latency) {
    const auto whole_ms = [](double duration_ns) { return static_cast<std::uint64_t>(duration_ns / static_cast<double>(ums::kNsPerMs)); };
    return fmt::format("latency metrics:\nMin_Latency(ms): {}\nAvg_Latency(ms): {}\nMax_Latency(ms): {}\n{}",
                       whole_ms(static_cast<double>(latency.min_ns())), whole_ms(latency.mean_ns()),
                       whole_ms(static_cast<double>(latency.max_ns())), histogram_lines(latency));
}

}  // namespace

std::string sqlio_text(const SqlioHead& head, const sim::MeasureTimespanResults& results) {
    constexpr double kMb = 1024.0 * 1024.0;
    constexpr std::uint64_t kClockPerSecond = 1'000'000'000;
    std::string text = "sqlio v1.5.SG\n";
    if (head.measures_latency) {
        text += fmt::format("using {} counter for latency timings, {} counts per second\n",
                            head.uses_processor_timer ? "processor" : "system", kClockPerSecond);
    }
    text += parameter_lines(head) + work_lines(head) + size_lines(head, results);
    const sim::MeasureCounts total = results.total().both();
    const double seconds = results.seconds() > 0 ? results.seconds() : 1;
    text += fmt::format("CUMULATIVE DATA:\nthroughput metrics:\nIOs/sec: {:>8.2f}\nMBs/sec: {:>8.2f}\n",
                        static_cast<double>(total.requests) / seconds, static_cast<double>(total.bytes) / kMb / seconds);
    if (head.measures_latency) text += latency_lines(total.latency);
    return text;
}

}  // namespace reports
