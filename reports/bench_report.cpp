#include "reports/bench_report.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/format.h>

#include "reports/text.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/units.hpp"

namespace reports {

namespace {

// The CPU time of all threads, including the kernel's work for them.
double cpu_ns_per_request(const sim::BenchResults& results) {
    const auto cpu_us = static_cast<double>(results.cpu_user_us + results.cpu_system_us);
    return results.requests == 0 ? 0 : cpu_us * 1000 / static_cast<double>(results.requests);
}

std::string_view pattern_of(const sim::BenchOptions& options) {
    return options.pattern == sim::BenchPattern::random ? "random" : "sequential";
}

std::string_view operation_of(const sim::BenchOptions& options) {
    return options.operation == sim::BenchOperation::read ? "read" : "write";
}

std::string block_text(const sim::BenchOptions& options) {
    const auto kb = [](std::uint32_t bytes) { return static_cast<double>(bytes) / 1024; };
    if (options.block_bytes_min == options.block_bytes_max) return fmt::format("{:g} KB", kb(options.block_bytes_max));
    return fmt::format("{:g} to {:g} KB", kb(options.block_bytes_min), kb(options.block_bytes_max));
}

}  // namespace

std::string bench_text(const sim::BenchResults& results) {
    const sim::BenchOptions& options = results.options;
    std::string text =
        fmt::format("{} {}s of {}, depth {}, {} CPU{}, engine {}{}{}{}\n", pattern_of(options), operation_of(options), block_text(options),
                    options.depth, options.cpu_count, options.cpu_count == 1 ? "" : "s", results.engine, options.direct ? "" : ", buffered",
                    options.durable ? ", durable" : "", options.scatter ? ", scattered memory" : "");
    if (!results.engine_reason.empty()) text += fmt::format("{}\n", ums::printable(results.engine_reason));
    text += fmt::format("  requests        {:.0f} /s, {:.1f} MB/s, mean latency {:.1f} us\n",
                        ums::per_second(results.requests, results.duration_ns),
                        ums::per_second(results.bytes, results.duration_ns) / (1 << 20), results.latency_mean_us);
    text += fmt::format("  CPU             {:.0f} ns a request, {:.0f} % of one CPU\n", cpu_ns_per_request(results),
                        ums::per_second((results.cpu_user_us + results.cpu_system_us) * 100, results.duration_ns) / 1e6);
    if (options.operation == sim::BenchOperation::read) {
        text += fmt::format("  verified        {} pages{}\n", results.pages_verified, options.verify ? "" : " (switched off)");
    } else {
        text += fmt::format("  read back       {} pages{}\n", results.pages_read_back, options.verify ? "" : " (switched off)");
    }
    if (results.finding_count > 0) text += fmt::format("  WRONG           {}, see above\n", counted(results.finding_count, "finding"));
    if (!results.failure_reason.empty()) text += fmt::format("  NOT DONE        {}\n", ums::printable(results.failure_reason));
    if (results.stopped) text += "  stopped before its end\n";
    return text;
}

nlohmann::ordered_json bench_json(const sim::BenchResults& results) {
    const sim::BenchOptions& options = results.options;
    return {{"document", kBenchDocument},
            {"version", kBenchVersion},
            {"files", options.files},
            {"pattern", pattern_of(options)},
            {"op", operation_of(options)},
            {"block_bytes_min", options.block_bytes_min},
            {"block_bytes_max", options.block_bytes_max},
            {"depth", options.depth},
            {"cpus", options.cpu_count},
            {"verify", options.verify},
            {"durable", options.durable},
            {"scatter", options.scatter},
            {"direct", options.direct},
            {"engine", results.engine},
            {"duration_ns", results.duration_ns},
            {"requests", results.requests},
            {"bytes", results.bytes},
            {"requests_per_s", ums::per_second(results.requests, results.duration_ns)},
            {"bytes_per_s", ums::per_second(results.bytes, results.duration_ns)},
            {"latency_mean_us", results.latency_mean_us},
            {"cpu_user_us", results.cpu_user_us},
            {"cpu_system_us", results.cpu_system_us},
            {"cpu_ns_per_request", cpu_ns_per_request(results)},
            {"pages_verified", results.pages_verified},
            {"pages_read_back", results.pages_read_back},
            {"resident_max_bytes", results.resident_max_bytes},
            {"findings", results.finding_count},
            {"stopped", results.stopped},
            {"failure", results.failure_reason},
            {"text_report", bench_text(results)}};
}

}  // namespace reports
