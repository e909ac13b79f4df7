#include "sim/buffer/page_checker.hpp"

#include <algorithm>

#include "sim/page/page_codec.hpp"
#include "sim/page/page_verifier.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {
constexpr std::uint64_t kPauseMaxMs = 100;
}

bool PageChecker::is_right(DataFile& data, std::uint32_t page, const std::byte* image, FindingKind& kind) const {
    const auto mismatch = verify_page(image, {run_id_, data.file.id(), page, data.ledger[page]});
    if (mismatch) kind = *mismatch;
    return !mismatch;
}

ums::Task<bool> PageChecker::check(DataFile& data, std::uint32_t page, const std::byte* image) {
    FindingKind kind{};
    if (is_right(data, page, image, kind)) [[likely]] {
        data.file.local_counters().pages_verified.add(data.ledger[page].unknown == 0 ? 1 : 0);
        co_return true;
    }
    co_await report(data, page, image, kind);
    co_return false;
}

ums::Task<void> PageChecker::report(DataFile& data, std::uint32_t page, const std::byte* image, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.file_id = data.file.id();
    finding.path = data.file.path();
    finding.page_id = page;
    finding.offset_bytes = std::uint64_t{page} * kPageBytes;
    describe_mismatch(image, {run_id_, data.file.id(), page, data.ledger[page]}, finding);
    finding.transient = co_await reread_until_right(data, page, finding.reads);
    finding.description += finding.transient ? " A later read returned the right page." : " Reading again did not help.";
    data.ledger.mark_unknown(page);
    data.file.finding_count.fetch_add(1, std::memory_order_relaxed);
    journal_.report(std::move(finding));
}

// Straight to the file: the governor is for the load, this is a diagnosis.
ums::Task<bool> PageChecker::reread_until_right(DataFile& data, std::uint32_t page, std::uint32_t& reads) {
    const ums::MemoryRegion buffer(kPageBytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{buffer.data(), kPageBytes};
    for (std::uint32_t attempt = 0; attempt < kRereadsMax && !run_.is_stopping(); ++attempt) {
        const std::uint64_t pause_ms = std::min(kPauseMaxMs, std::uint64_t{1} << attempt);
        co_await ums::sleep_until(journal_.clock().now_ns() + pause_ms * ums::kNsPerMs);
        stamp_not_read(buffer.data(), kPageBytes);
        ums::IoRequest request;
        request.file = data.file.transfer_handle();
        request.offset_bytes = std::uint64_t{page} * kPageBytes;
        request.size_bytes = kPageBytes;
        request.segments = &segment;
        request.segment_count = 1;
        request.owner = &data.file;
        co_await ums::Scheduler::current().io(request);
        ++reads;
        FindingKind kind{};
        if (request.is_complete_transfer() && is_right(data, page, buffer.data(), kind)) co_return true;
    }
    co_return false;
}

}  // namespace sim
