#include "sim/files/zero_stamp.hpp"

#include <algorithm>

#include "sim/files/io_retry.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

ums::Task<std::error_code> stamp_zeros(SimFile& file, RunState& run, Journal& journal, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    constexpr std::uint64_t kStampBytes = 1 << 20;
    const ums::MemoryRegion zeros(kStampBytes, ums::MemoryKind::plain);
    for (std::uint64_t offset = begin_bytes; offset < end_bytes; offset += kStampBytes) {
        const ums::IoSegment segment{zeros.data(), std::min(kStampBytes, end_bytes - offset)};
        const TransferResult result = co_await file.transfer(ums::IoOperation::write, offset, {&segment, 1}, ums::WaitType::io_completion);
        if (!result.error && result.transferred_bytes == segment.size_bytes) continue;
        if (is_about_space(result.error)) co_return result.error;
        IoRetry retry(file, run, journal);
        const bool is_written = co_await retry.write(offset, {&segment, 1}, ums::WaitType::io_completion);
        if (!is_written) co_return std::make_error_code(std::errc::io_error);
        if (retry.has_reported()) continue;
        report_recovered_transfer(file, {ums::IoOperation::write, offset, segment.size_bytes, result.error, result.transferred_bytes});
    }
    co_return std::error_code{};
}

}  // namespace sim
