// Step 2 of load_options: the switches of the command line, which override the file.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/load_options.hpp"
#include "config/parameter_table.hpp"
#include "config/parameters/rows.hpp"

namespace config {

namespace {

constexpr std::string_view kDataFileName = "sqliosim.mdx";
constexpr std::string_view kLogFileName = "sqliosim.ldx";
// As in SQLIOSim, half of the data file, at most 50 MB; in addition, never less than a ring of virtual log files needs.
constexpr std::uint64_t kLogMbMax = 50;
constexpr std::uint64_t kLogMbMin = 4;
// As for the data file in SQLIOSim's sample.
constexpr std::uint64_t kIncrementMb = 10;
constexpr std::uint64_t kGrowth = 2;

std::uint64_t log_size_mb(std::uint64_t data_size_mb) { return std::clamp(data_size_mb / 2, kLogMbMin, kLogMbMax); }

// A log keeps its size, as in SQLIOSim, unless it is to show how SQL Server 2022 lets its log grow.
void set_size(sim::FileOptions& file, std::uint64_t size_mb, const sim::Options& options) {
    const std::uint64_t configured_max_mb = file.max_size_mb;
    file.initial_size_mb = file.is_log ? log_size_mb(size_mb) : size_mb;
    file.max_size_mb = file.is_log ? file.initial_size_mb : size_mb * kGrowth;
    const bool may_grow = file.is_log && options.recent.log_instant_growth && file.increment_mb != 0;
    if (may_grow) file.max_size_mb = std::max(file.max_size_mb, configured_max_mb);
}

// Whether `file` is named "source:word". Names of Windows, such as e:\x.mdx, are the same in any case.
bool is_stream_of(const sim::FileOptions& file, const sim::FileOptions& source) {
    if (file.is_log || source.is_log || source.path.empty()) return false;
    const std::string prefix = source.path + ":";
    return equal_ignoring_case(file.path.substr(0, prefix.size()), prefix);
}

// The files of each folder of -dir, without sizes: like the first data file and the first log file of the configuration, and with the
// streams of that data file (sqliosim.mdx:replica), which may be listed before it. `path` is the name within the folder.
std::vector<sim::FileOptions> files_of_folder(const std::vector<sim::FileOptions>& configured) {
    sim::FileOptions data{.path = {}, .increment_mb = kIncrementMb, .shrinkable = true};
    sim::FileOptions log{.path = {}, .is_log = true};
    const auto is_stream = [&](const sim::FileOptions& file) {
        return std::any_of(configured.begin(), configured.end(),
                           [&](const sim::FileOptions& source) { return is_stream_of(file, source); });
    };
    const auto first_data =
        std::find_if(configured.begin(), configured.end(), [&](const sim::FileOptions& file) { return !file.is_log && !is_stream(file); });
    const auto first_log = std::find_if(configured.begin(), configured.end(), [](const sim::FileOptions& file) { return file.is_log; });
    if (first_data != configured.end()) data = *first_data;
    if (first_log != configured.end()) log = *first_log;
    const sim::FileOptions source = data;
    data.path = kDataFileName;
    log.path = kLogFileName;
    std::vector<sim::FileOptions> files{data, log};
    for (const sim::FileOptions& file : configured) {
        if (!is_stream_of(file, source)) continue;
        files.push_back(file);
        files.back().path = fmt::format("{}:{}", kDataFileName, file.path.substr(source.path.size() + 1));
    }
    return files;
}

void add_directory(Draft& draft, const std::string& directory, const std::vector<sim::FileOptions>& files, std::uint64_t size_mb) {
    if (directory.empty()) return draft.problems.error("-dir: is empty; allowed: an existing directory");
    const std::string place = fmt::format("-dir {}", directory);
    for (const sim::FileOptions& wanted : files) {
        const std::size_t index = draft.add_file(place + ":", draft.options.files.size() + 1);
        sim::FileOptions& file = draft.options.files[index];
        file = wanted;
        file.path = (std::filesystem::path(directory) / wanted.path).string();
        set_size(file, size_mb, draft.options);
        draft.set_origin(&file.path, place, file.path);
        draft.set_origin(&file.initial_size_mb, place, fmt::format("{}", file.initial_size_mb));
        draft.set_origin(&file.max_size_mb, place, fmt::format("{}", file.max_size_mb));
        draft.set_origin(&file.increment_mb, place, fmt::format("{}", file.increment_mb));
    }
}

bool check_size(Draft& draft, std::uint64_t size_mb) {
    constexpr std::uint64_t kSizeMbMax = kFileMbMax / kGrowth;
    if (size_mb >= 1 && size_mb <= kSizeMbMax) return true;
    draft.problems.error(fmt::format("-size {}: allowed: 1 to {} MB", size_mb, kSizeMbMax));
    return false;
}

void apply_size(Draft& draft, std::uint64_t size_mb) {
    const std::string place = fmt::format("-size {}", size_mb);
    for (sim::FileOptions& file : draft.options.files) {
        set_size(file, size_mb, draft.options);
        draft.set_origin(&file.initial_size_mb, place, fmt::format("{}", file.initial_size_mb));
        draft.set_origin(&file.max_size_mb, place, fmt::format("{}", file.max_size_mb));
    }
}

void apply_duration(Draft& draft, std::uint64_t duration_s) {
    if (duration_s >= 1 && duration_s <= kDurationSMax) {
        draft.options.test_cycle_duration_s = duration_s;
        draft.set_origin(&draft.options.test_cycle_duration_s, "-d", fmt::format("{}", duration_s));
    } else {
        draft.problems.error(fmt::format("-d {}: allowed: 1 to {} s", duration_s, kDurationSMax));
    }
}

}  // namespace

void apply_overrides(Draft& draft, const CommandLineOverrides& overrides) {
    sim::Options& options = draft.options;
    const bool size_is_good = !overrides.size_mb || check_size(draft, *overrides.size_mb);
    if (!overrides.directories.empty()) {
        const std::vector<sim::FileOptions> files = files_of_folder(draft.options.files);
        draft.remove_files();
        const std::uint64_t size_mb = size_is_good ? overrides.size_mb.value_or(kDefaultSizeMb) : kDefaultSizeMb;
        for (const std::string& directory : overrides.directories) add_directory(draft, directory, files, size_mb);
    } else if (overrides.size_mb && size_is_good) {
        apply_size(draft, *overrides.size_mb);
    }
    if (overrides.duration_s) apply_duration(draft, *overrides.duration_s);
    if (overrides.error_log) {
        if (overrides.error_log->empty()) draft.problems.error("-log: is empty; allowed: the name of a file");
        options.error_file = *overrides.error_log;
        draft.set_origin(&options.error_file, "-log", options.error_file);
    }
    if (overrides.delete_files_at_shutdown) options.delete_files_at_shutdown = true;
    options.overwrite_foreign_files = overrides.overwrite_foreign_files;
    options.seed = overrides.seed.value_or(options.seed);
    options.engine = overrides.engine;
}

}  // namespace config
