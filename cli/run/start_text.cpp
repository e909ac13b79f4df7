#include "cli/run/start_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/preflight_report.hpp"
#include "sim/files/file_examiner.hpp"
#include "sim/files/file_names.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

std::string cycles_text(const sim::Options& options) {
    const std::string duration = fmt::format("{} s", options.test_cycle_duration_s);
    if (options.test_cycles == 0) return fmt::format("{} a cycle, until stopped", duration);
    if (options.test_cycles == 1) return fmt::format("{}, one cycle", duration);
    return fmt::format("{} a cycle, {} cycles", duration, options.test_cycles);
}

// MaxSize counts only for files that grow. A replica is as large as its data file.
std::uint64_t largest_mb(const sim::FileOptions& file, const sim::Options& options) {
    const sim::FileOptions* const source = sim::source_of_replica(file, options.files);
    const sim::FileOptions& grown = source == nullptr ? file : *source;
    const bool may_grow = grown.increment_mb != 0 && (grown.is_log || grown.shrinkable);
    return may_grow ? std::max(grown.initial_size_mb, grown.max_size_mb) : grown.initial_size_mb;
}

std::string size_text(const sim::FileOptions& file, const sim::Options& options) {
    const std::uint64_t largest = largest_mb(file, options);
    if (largest <= file.initial_size_mb) return fmt::format("{} MB", file.initial_size_mb);
    return fmt::format("{} MB, up to {} MB", file.initial_size_mb, largest);
}

// The most space that all files may take, data and logs separately: "up to 128 MB data + 32 MB log".
std::string space_text(const sim::Options& options) {
    std::uint64_t data_mb = 0;
    std::uint64_t log_mb = 0;
    for (const sim::FileOptions& file : options.files) {
        (file.is_log ? log_mb : data_mb) += largest_mb(file, options);
    }
    // Not examined yet.
    const char* const kept = options.delete_files_at_startup ? "" : "; larger files of an earlier run keep their size";
    return fmt::format("up to {} MB data + {} MB log{}", data_mb, log_mb, kept);
}

void add_files(std::vector<StartLine>& lines, const sim::Options& options) {
    std::size_t path_width = 0;
    for (const sim::FileOptions& file : options.files) path_width = std::max(path_width, file.path.size());
    for (const sim::FileOptions& file : options.files) {
        std::string text = fmt::format("{:{}}  {}", file.path, path_width, file.is_log ? "log" : "data");
        // Files of an earlier run keep the size that they have.
        if (options.job == sim::Job::run) text += fmt::format("{}  {}", file.is_log ? " " : "", size_text(file, options));
        lines.push_back({&file == &options.files.front() ? "files" : "", std::move(text)});
    }
}

void add_links(std::vector<StartLine>& lines, const sim::Options& options) {
    const char* name = "links";
    for (const sim::FileOptions& file : options.files) {
        if (file.named_as.empty()) continue;
        lines.push_back({name, fmt::format("{} is {}", file.named_as, file.path)});
        name = "";
    }
}

const char* durability_flag(sim::Durability durability) {
    switch (durability) {
        case sim::Durability::write_through: return "O_DSYNC";
        case sim::Durability::forced_flush: return "fdatasync";
        case sim::Durability::none:
        case sim::Durability::inherited: break;
    }
    return "not made durable";
}

}  // namespace

std::vector<StartLine> start_lines(const sim::Options& options, const StartFacts& facts) {
    const bool is_run = !is_about_left_files(options.job);
    std::vector<StartLine> lines;
    if (is_run) lines.push_back({"seed", fmt::format("{}", options.seed)});
    lines.push_back({"engine", facts.engine_reason.empty() ? facts.engine : fmt::format("{} ({})", facts.engine, facts.engine_reason)});
    lines.push_back({"CPUs", fmt::format("{}", facts.cpu_count)});
    if (is_run) lines.push_back({"buffer pool", fmt::format("{} MB", facts.pool_mb)});
    if (is_run) lines.push_back({"duration", cycles_text(options)});
    const std::string base = facts.profile.empty() ? "defaults" : "profile " + facts.profile;
    const std::string with_file = facts.profile.empty() ? facts.config_path : base + ", " + facts.config_path;
    lines.push_back({"configuration", facts.config_path.empty() ? base : with_file});
    lines.push_back({"log", facts.log_path});
    if (!facts.findings_path.empty()) lines.push_back({"findings", facts.findings_path});
    add_files(lines, options);
    add_links(lines, options);
    if (is_run) lines.push_back({"space", space_text(options)});
    if (!facts.group.empty()) lines.push_back({"group", facts.group});
    if (!facts.status_url.empty()) lines.push_back({"live view", facts.status_url});
    if (is_run) lines.push_back({"repeat with", facts.repeat_command});
    return lines;
}

std::string access_text(const sim::Options& options) {
    std::string text = sim::is_unbuffered(options) ? "O_DIRECT" : "through the system's cache";
    if (options.job == sim::Job::verify) return text + ", read only";
    for (const sim::FileOptions& file : options.files) {
        text +=
            fmt::format("; {}: {}", file.path.substr(file.path.find_last_of('/') + 1), durability_flag(sim::durability_of(options, file)));
        if (file.is_tempdb && sim::is_unbuffered(options)) text += ", without O_DIRECT where tmpfs refuses it";
    }
    return text;
}

std::vector<StartLine> preflight_start_lines(const std::vector<sim::PreflightLine>& lines) {
    std::vector<StartLine> texts;
    if (lines.empty()) return texts;
    texts.push_back({"preflight", reports::preflight_summary(lines)});
    for (const sim::PreflightLine& line : lines) {
        if (line.grade == sim::PreflightGrade::ok) continue;
        texts.push_back({"", fmt::format("{:<4}  {}: {}: {}", sim::name_of(line.grade), line.folder, line.topic, line.found)});
    }
    if (texts.size() > 1) texts.push_back({"", "reasons and fixes: ioproof preflight DIR"});
    return texts;
}

std::string start_text(std::string_view version, const std::vector<StartLine>& lines) {
    std::string text = fmt::format("ioproof {}\n", version);
    for (const StartLine& line : lines) text += fmt::format("  {:<14} {}\n", line.name, ums::printable(line.text));
    return text;
}

}  // namespace cli
