#include "ums/base/unfinished_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <utility>

namespace ums {

namespace {

// More than a process ever has at a time; files that do not fit are not removed.
constexpr std::size_t kFilesMax = 16;

// Read by a signal handler, so everything here must be lock-free.
struct Entry {
    std::atomic<const char*> path{nullptr};
    std::atomic<bool> only_if_empty{false};
};
std::array<Entry, kFilesMax> entries;
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void remove_file(const char* path, bool only_if_empty) {
    struct stat status {};
    if (only_if_empty && (::lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != 0)) return;
    ::unlink(path);
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path, Kind kind) : path_(std::move(path)), kind_(kind) {
    for (Entry& entry : entries) {
        if (entry.path.load() != nullptr) continue;
        entry.only_if_empty = kind == Kind::placeholder;
        entry.path = path_.c_str();
        return;
    }
}

UnfinishedFile::~UnfinishedFile() {
    for (Entry& entry : entries) {
        if (entry.path.load() == path_.c_str()) entry.path = nullptr;
    }
}

void UnfinishedFile::remove() { remove_file(path_.c_str(), kind_ == Kind::placeholder); }

void remove_unfinished_files() {
    for (Entry& entry : entries) {
        if (const char* path = entry.path.exchange(nullptr)) remove_file(path, entry.only_if_empty);
    }
}

}  // namespace ums
