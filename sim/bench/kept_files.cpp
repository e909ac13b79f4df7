#include "sim/bench/kept_files.hpp"

#include <algorithm>
#include <utility>

namespace sim {

KeptFiles::~KeptFiles() {
    for (const Kept& kept : files_) storage_.close(kept.file);
}

void KeptFiles::keep(std::string path, ums::FileHandle file, KnownPages pages) {
    ums::FileStatus status;
    if (storage_.status_of(file, status)) {
        storage_.close(file);  // it could not be recognized again
        return;
    }
    files_.push_back({std::move(path), std::move(status), file, std::move(pages)});
}

bool KeptFiles::has(const std::string& path) const {
    return std::any_of(files_.begin(), files_.end(), [&](const Kept& kept) { return kept.path == path; });
}

KnownPages KeptFiles::take(const ums::FileStatus& found) {
    const auto place = std::find_if(files_.begin(), files_.end(), [&](const Kept& kept) { return kept.status.is_same_file(found); });
    if (place == files_.end()) return {};
    KnownPages pages = std::move(place->pages);
    storage_.close(place->file);
    files_.erase(place);
    return pages;
}

}  // namespace sim
