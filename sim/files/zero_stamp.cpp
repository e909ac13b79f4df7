#include "sim/files/zero_stamp.hpp"

#include <algorithm>

#include "ums/base/memory_region.hpp"

namespace sim {

ums::Task<std::error_code> stamp_zeros(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    constexpr std::uint64_t kStampBytes = 1 << 20;
    const ums::MemoryRegion zeros(kStampBytes, ums::MemoryKind::plain);
    for (std::uint64_t offset = begin_bytes; offset < end_bytes; offset += kStampBytes) {
        const ums::IoSegment segment{zeros.data(), std::min(kStampBytes, end_bytes - offset)};
        const TransferResult result = co_await file.transfer(ums::IoOperation::write, offset, {&segment, 1}, ums::WaitType::io_completion);
        if (result.error) co_return result.error;
        if (result.transferred_bytes < segment.size_bytes) co_return std::make_error_code(std::errc::no_space_on_device);
    }
    co_return std::error_code{};
}

}  // namespace sim
