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
constexpr std::size_t kPathBytesMax = 4096;  // PATH_MAX of Linux

enum class Stage : std::uint8_t {
    unused,
    busy,  // belongs to the thread that brought it here
    unfinished,
    removed,
};

// A signal handler, on a thread of its own, may get here while objects come and go on others: so an entry does not point to the memory of
// an object, and everything is lock-free.
struct Entry {
    std::atomic<Stage> stage{Stage::unused};
    bool only_if_empty = false;
    std::array<char, kPathBytesMax> path{};
};
std::array<Entry, kFilesMax> entries;
static_assert(std::atomic<Stage>::is_always_lock_free);

bool change_stage(Entry& entry, Stage from, Stage to) { return entry.stage.compare_exchange_strong(from, to); }

void remove_file(const char* path, bool only_if_empty) {
    struct stat status {};
    if (only_if_empty && (::lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != 0)) return;
    ::unlink(path);
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path, Kind kind) : path_(std::move(path)), kind_(kind) {
    if (path_.size() >= kPathBytesMax) return;
    for (std::size_t place = 0; place < entries.size(); ++place) {
        Entry& entry = entries[place];
        if (!change_stage(entry, Stage::unused, Stage::busy)) continue;
        entry.only_if_empty = kind == Kind::placeholder;
        path_.copy(entry.path.data(), path_.size());
        entry.path[path_.size()] = '\0';
        entry.stage = Stage::unfinished;
        place_ = place;
        return;
    }
}

UnfinishedFile::~UnfinishedFile() {
    if (!place_) return;
    Entry& entry = entries[*place_];
    // A file that is being removed right now needs its entry to the end, which is that of the process.
    if (!change_stage(entry, Stage::unfinished, Stage::unused)) change_stage(entry, Stage::removed, Stage::unused);
}

void UnfinishedFile::remove() { remove_file(path_.c_str(), kind_ == Kind::placeholder); }

void remove_unfinished_files() {
    for (Entry& entry : entries) {
        if (!change_stage(entry, Stage::unfinished, Stage::busy)) continue;
        remove_file(entry.path.data(), entry.only_if_empty);
        entry.stage = Stage::removed;
    }
}

}  // namespace ums
