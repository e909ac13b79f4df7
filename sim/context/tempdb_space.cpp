#include "sim/context/tempdb_space.hpp"

#include <algorithm>
#include <mutex>

#include "sim/limits.hpp"
#include "ums/base/assert.hpp"

namespace sim {

TempdbSpace::TempdbSpace(const std::vector<DataFile*>& files) {
    for (DataFile* data : files) {
        File& file = files_.emplace_back(File{data, {}});
        for (std::uint32_t extent = 1; extent < data->file.pages() / kExtentPages; ++extent) file.free.push_back(extent);
    }
}

std::optional<TempdbExtent> TempdbSpace::take() {
    const std::lock_guard guard(lock_);
    for (std::size_t i = 0; i < files_.size(); ++i) {
        File& file = files_[next_];
        next_ = (next_ + 1) % files_.size();
        if (file.free.empty()) continue;
        const std::uint32_t extent = file.free.front();
        file.free.pop_front();
        return TempdbExtent{file.data, extent * kExtentPages};
    }
    return std::nullopt;
}

void TempdbSpace::give_back(const TempdbExtent& extent) {
    const std::lock_guard guard(lock_);
    const auto file = std::find_if(files_.begin(), files_.end(), [&extent](const File& each) { return each.data == extent.data; });
    UMS_ASSERT(file != files_.end() && extent.first_page % kExtentPages == 0);
    file->free.push_back(extent.first_page / kExtentPages);
}

std::uint64_t TempdbSpace::free_count() {
    const std::lock_guard guard(lock_);
    std::uint64_t count = 0;
    for (const File& file : files_) count += file.free.size();
    return count;
}

}  // namespace sim
