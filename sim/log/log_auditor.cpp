#include "sim/log/log_auditor.hpp"

#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// One read; blocks that reach over its end are read again from their beginning.
constexpr std::uint64_t kReadBytes = 1 << 20;

struct BlockFault {
    FindingKind kind{};
    std::string description;
};

std::optional<BlockFault> check_block(const std::byte* block, const LogBlockHeader& header, std::uint64_t available_bytes,
                                      std::uint64_t run_id, const VirtualLogFile& vlf, std::uint64_t sequence) {
    if (header.magic == 0 && header.checksum == 0 && header.sequence == 0) {
        return BlockFault{FindingKind::never_written, fmt::format("Log block {} was written and acknowledged, zeros came back.", sequence)};
    }
    if (header.magic != kLogMagic || header.size_bytes < sizeof header || header.size_bytes > available_bytes ||
        header.size_bytes % kSectorBytes != 0 ||
        crc32c(block + sizeof header.checksum, header.size_bytes - sizeof header.checksum) != header.checksum) {
        return BlockFault{FindingKind::checksum, fmt::format("Log block {} is damaged: its checksum is wrong.", sequence)};
    }
    if (header.run_id != run_id || header.vlf_sequence != vlf.sequence || header.sequence != sequence) {
        const bool older = header.run_id == run_id && header.sequence < sequence;
        return BlockFault{older ? FindingKind::old_version : FindingKind::wrong_page,
                          fmt::format("Log block {} was written and acknowledged, block {}{} came back.", sequence, header.sequence,
                                      header.run_id == run_id ? "" : " of another run")};
    }
    return std::nullopt;
}

}  // namespace

LogAuditor::LogAuditor(LogManager& log, RunState& run, Journal& journal) : log_(log), run_(run), journal_(journal) {}

ums::Task<std::uint64_t> LogAuditor::audit() {
    for (const VirtualLogFile& vlf : log_.used_vlfs()) {
        if (!run_.is_stopping()) co_await audit_vlf(vlf);
    }
    co_return bytes_read_;
}

void LogAuditor::report(const VirtualLogFile& vlf, std::uint64_t offset_bytes, FindingKind kind, const std::byte* image,
                        std::string description) {
    Finding finding;
    finding.kind = kind;
    finding.file_id = vlf.file->id();
    finding.path = vlf.file->path();
    finding.offset_bytes = vlf.offset_bytes + offset_bytes;
    finding.is_log = true;
    finding.image.assign(image, image + kSectorBytes);
    finding.description = std::move(description);
    vlf.file->finding_count.fetch_add(1, std::memory_order_relaxed);
    journal_.report(std::move(finding));
}

ums::Task<void> LogAuditor::audit_vlf(const VirtualLogFile& vlf) {
    const ums::MemoryRegion buffer(kReadBytes, ums::MemoryKind::huge_pages);
    std::uint64_t sequence = vlf.first_block;
    std::uint64_t digest = 0;
    std::uint64_t begin_bytes = 0;
    while (begin_bytes < vlf.end_bytes) {
        if (run_.is_stopping()) co_return;
        const ums::IoSegment segment{buffer.data(), std::min(kReadBytes, vlf.end_bytes - begin_bytes)};
        stamp_not_read(buffer.data(), segment.size_bytes);
        IoRetry retry(*vlf.file, run_, journal_);
        const bool complete = co_await retry.read(vlf.offset_bytes + begin_bytes, {&segment, 1}, ums::WaitType::io_completion);
        if (!complete) co_return;
        bytes_read_ += segment.size_bytes;

        std::uint64_t done_bytes = 0;
        while (done_bytes < segment.size_bytes) {
            const std::byte* const block = buffer.data() + done_bytes;
            LogBlockHeader header;
            std::memcpy(&header, block, sizeof header);
            const std::uint64_t available_bytes = segment.size_bytes - done_bytes;
            const bool is_cut = header.magic == kLogMagic && header.size_bytes > available_bytes && header.size_bytes <= kLogBlockBytesMax;
            if (is_cut && done_bytes > 0 && begin_bytes + segment.size_bytes < vlf.end_bytes) break;
            if (auto fault = check_block(block, header, available_bytes, log_.run_id(), vlf, sequence)) {
                // Behind a damaged block nothing says where the next one begins.
                report(vlf, begin_bytes + done_bytes, fault->kind, block, std::move(fault->description));
                co_return;
            }
            digest += block_digest(sequence, header.checksum);
            ++sequence;
            done_bytes += header.size_bytes;
        }
        begin_bytes += done_bytes;
        co_await ums::Scheduler::current().yield_if_due();
    }
    if (digest != vlf.digest || sequence - vlf.first_block != vlf.block_count) {
        report(vlf, 0, FindingKind::wrong_page, buffer.data(), "The blocks of this part of the log are not those that were written.");
    }
}

}  // namespace sim
