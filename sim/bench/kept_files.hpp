// Measured files, and what is known about their pages, for the next measurement of the same process: rounds, points of a sweep, timespans.
// They stay open and locked in between, so no other run or measurement can have written them, and a page that has changed is a fault.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/bench/page_book.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// What the last measurement left in a file.
struct KnownPages {
    std::unique_ptr<PageBook> book;  // null: nothing is known
    std::uint64_t size_bytes = 0;    // of the file
};

// One measurement at a time; any thread.
class KeptFiles {
public:
    // `storage` must outlive the object.
    explicit KeptFiles(ums::Storage& storage) : storage_(storage) {}
    KeptFiles(const KeptFiles&) = delete;
    KeptFiles& operator=(const KeptFiles&) = delete;
    ~KeptFiles();

    // Takes over `file`, which is open and locked, and was measured by this resolved name. Blocking.
    void keep(std::string path, ums::FileHandle file, KnownPages pages);
    // Whether the last measurement left a file with this name that has not been taken since.
    [[nodiscard]] bool has(const std::string& path) const;
    // Closes the file, so that it can be opened and locked again at once, and gives up what is known about it. Blocking.
    [[nodiscard]] KnownPages take(const ums::FileStatus& found);

private:
    struct Kept {
        std::string path;
        ums::FileStatus status;
        ums::FileHandle file;
        KnownPages pages;
    };

    ums::Storage& storage_;
    std::vector<Kept> files_;
};

}  // namespace sim
