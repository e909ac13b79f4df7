// Step 3 of load_options: the files. Checks names and sizes only; the run itself examines the disk.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "config/load_options.hpp"
#include "config/parameter_table.hpp"
#include "sim/limits.hpp"

namespace config {

namespace {

#ifdef _WIN32
constexpr bool kOnWindows = true;
#else
constexpr bool kOnWindows = false;
#endif

// f:\x, f:x, \\server\share\x, a\b. "sqliosim.mdx:replica" is not one, because drives have one letter.
bool is_windows_path(std::string_view path) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const bool has_drive = path.size() >= 2 && is_letter(path[0]) && path[1] == ':';
    return has_drive || path.find('\\') != std::string_view::npos;
}

// Equal for spellings of the same file. Does not follow links: the run locks its files and detects those.
std::string normal_form(const std::string& path) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    return (error ? std::filesystem::path(path) : absolute).lexically_normal().string();
}

void check_present(Draft& draft) {
    const auto& files = draft.options.files;
    const bool ini = draft.dialect() == Dialect::ini;
    if (files.empty()) {
        draft.missing_files.push_back(fmt::format("{}no file is named; give -dir DIR, or {}", draft.prefix(),
                                                  ini ? "a [File1] section with FileName, InitialSize and MaxSize"
                                                      : "a [[file]] table with path, initial_size_mb and max_size_mb"));
        return;
    }
    if (files.size() > sim::kFilesMax) {
        draft.problems.error(fmt::format("{}{} files are named; allowed: at most {}", draft.prefix(), files.size(), sim::kFilesMax));
    }
    const bool has_log = std::any_of(files.begin(), files.end(), [](const sim::FileOptions& file) { return file.is_log; });
    const bool has_data = std::any_of(files.begin(), files.end(), [](const sim::FileOptions& file) { return !file.is_log; });
    if (!has_log) {
        draft.missing_files.push_back(
            fmt::format("{}no log file is named; at least one file needs {}", draft.prefix(), ini ? "LogFile=TRUE" : "log_file = true"));
    }
    if (!has_data) {
        draft.missing_files.push_back(
            fmt::format("{}no data file is named; at least one file needs {}", draft.prefix(), ini ? "LogFile=FALSE" : "log_file = false"));
    }
}

void check_names(Draft& draft) {
    const std::string& error_file = draft.options.error_file;
    if (!kOnWindows && is_windows_path(error_file)) {
        draft.problems.error(fmt::format("{}: a Windows path, which this system does not have; name a file here, or give -log FILE",
                                         draft.describe(&error_file)));
    }
    std::map<std::string, const std::string*> seen = {{normal_form(error_file), &error_file}};
    for (const sim::FileOptions& file : draft.options.files) {
        if (!kOnWindows && is_windows_path(file.path)) {
            draft.problems.error(fmt::format(
                "{}: a Windows path, which this system does not have; name a file here, or give -dir DIR, which replaces all files of the "
                "configuration",
                draft.describe(&file.path)));
            continue;
        }
        const auto [earlier, is_new] = seen.emplace(normal_form(file.path), &file.path);
        if (!is_new) {
            draft.problems.error(fmt::format("{}: the same file as {}", draft.describe(&file.path), draft.describe(earlier->second)));
        }
    }
}

// A log grows by whole increments: a run that is resumed finds its virtual log files by them.
void check_log_growth(Draft& draft, const sim::FileOptions& file) {
    const std::uint64_t room_mb = file.max_size_mb - file.initial_size_mb;
    if (!file.is_log || room_mb == 0 || file.increment_mb <= room_mb) return;
    draft.problems.warning(fmt::format("{}: the log will not grow, because no increment fits between {} and {}",
                                       draft.describe(&file.increment_mb), draft.refer_to(&file.initial_size_mb),
                                       draft.refer_to(&file.max_size_mb)));
}

void check_sizes(Draft& draft) {
    for (const sim::FileOptions& file : draft.options.files) {
        if (file.max_size_mb < file.initial_size_mb) {
            draft.problems.error(
                fmt::format("{}: must not be below {}", draft.describe(&file.max_size_mb), draft.refer_to(&file.initial_size_mb)));
        } else {
            check_log_growth(draft, file);
        }
    }
}

// By their last parts only: links may lead the folders of two names to one place.
bool may_be_replica(const sim::FileOptions& file, const std::vector<sim::FileOptions>& files) {
    if (!file.sparse || file.is_log) return false;
    const std::string name = std::filesystem::path(file.path).filename().string();
    const std::size_t colon = name.rfind(':');
    if (colon == std::string::npos) return false;
    return std::any_of(files.begin(), files.end(), [&](const sim::FileOptions& source) {
        return !source.is_log && std::filesystem::path(source.path).filename().string() == name.substr(0, colon);
    });
}

// While no file is named, the files to come may have one.
void check_replicas(Draft& draft) {
    const auto& files = draft.options.files;
    const bool& checks = draft.options.audit_user.checks_snapshot;
    if (!checks || files.empty() || !draft.is_specified(&checks)) return;
    if (std::any_of(files.begin(), files.end(), [&](const sim::FileOptions& file) { return may_be_replica(file, files); })) return;
    draft.problems.warning(
        fmt::format("{}: has no effect, because no data file has a replica: a sparse file with its name, a colon and any word",
                    draft.describe(&checks)));
}

// A log whose Increment does not fit has its own warning. A profile means its own files, which others may replace.
void check_growing_log(Draft& draft) {
    const auto& files = draft.options.files;
    const bool& is_instant = draft.options.recent.log_instant_growth;
    if (!is_instant || files.empty() || !draft.is_specified(&is_instant)) return;
    const auto is_to_grow = [](const sim::FileOptions& file) {
        return file.is_log && file.increment_mb != 0 && file.max_size_mb > file.initial_size_mb;
    };
    if (std::any_of(files.begin(), files.end(), is_to_grow)) return;
    draft.problems.warning(
        fmt::format("{}: has no effect, because no log file may grow: that takes an increment, and a maximum above the initial size",
                    draft.describe(&is_instant)));
}

}  // namespace

void check_files(Draft& draft) {
    check_present(draft);
    check_names(draft);
    check_sizes(draft);
    check_replicas(draft);
    check_growing_log(draft);
}

}  // namespace config
