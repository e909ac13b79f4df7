// Which extents of tempdb's files are free. All files are taken from in turn, and the extent that has been free longest first, so that
// every place of every file comes round.
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
    // The first extent of a file holds the signature and what SQL Server allocates by: pages of the GAM and others.
    explicit TempdbSpace(const std::vector<DataFile*>& files);

    static constexpr std::uint32_t kAllocationPage = 2;

    // None if all are taken.
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
