// Which extents of tempdb's files are free. Extents are allocated from all files in turn, those that have been free longest first, so that
// every place of every file is used in the course of time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/files/data_file.hpp"
#include "ums/base/spinlock.hpp"

namespace sim {

struct TempdbExtent {
    DataFile* data = nullptr;
    std::uint32_t first_page = 0;
};

// Any thread.
class TempdbSpace {
public:
    // The first extent of a file holds the signature and, in SQL Server, the allocation pages (GAM and others).
    explicit TempdbSpace(const std::vector<DataFile*>& files);

    static constexpr std::uint32_t kAllocationPage = 2;

    // None if all are in use.
    [[nodiscard]] std::optional<TempdbExtent> take();
    void give_back(const TempdbExtent& extent);

    [[nodiscard]] std::uint64_t free_count();

private:
    struct File {
        DataFile* data = nullptr;
        std::deque<std::uint32_t> free;  // extents
    };

    ums::Spinlock lock_;  // guards the rest
    std::vector<File> files_;
    std::size_t next_ = 0;
};

}  // namespace sim
