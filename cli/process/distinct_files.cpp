#include "cli/process/distinct_files.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/base/output_place.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

// Equal for names of the same file; empty for files that may be named twice.
std::string identity_of(const std::string& path) {
    if (path.empty()) return {};
    if (auto identity = ums::output_identity(path)) return *std::move(identity);
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? path : whole.string();
}

}  // namespace

void check_distinct(const std::vector<NamedFile>& files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].is_written && files[i].path == "-")
            throw UsageError(fmt::format("{}: '-' is not a file here; name one, or /dev/stdout", files[i].what));
        const std::string identity = identity_of(files[i].path);
        for (std::size_t j = 0; j < i && !identity.empty(); ++j) {
            if (!files[i].is_written && !files[j].is_written) continue;
            if (identity_of(files[j].path) != identity) continue;
            throw UsageError(fmt::format("{} '{}' and {} '{}' are the same file; give each a name of its own", files[j].what, files[j].path,
                                         files[i].what, files[i].path));
        }
    }
}

}  // namespace cli
