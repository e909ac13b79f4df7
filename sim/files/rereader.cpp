#include "sim/files/rereader.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/page/page_codec.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::array<std::uint64_t, kRereadsMax> kPausesMs = {1, 1, 2, 2, 5, 5, 10, 10, 20, 20, 50, 50, 100, 100, 100};

// What an aligned read has that has this range: nothing behind the end of the file, if the range does not.
ByteRange range_of_reread(const SimFile& file, const ByteRange& range, std::uint64_t alignment_bytes) {
    const ByteRange aligned = range.rounded_out(alignment_bytes);
    const std::uint64_t end_bytes = std::max(range.end_bytes(), std::min(aligned.end_bytes(), file.size_bytes()));
    return {aligned.offset_bytes, end_bytes - aligned.offset_bytes};
}

bool is_through_new_file(std::uint32_t attempt) { return attempt == 3 || attempt == 8 || attempt == kRereadsMax; }

}  // namespace

Rereader::Rereader(SimFile& file, Journal& journal, std::uint64_t offset_bytes, std::uint64_t size_bytes, std::uint64_t alignment_bytes)
    : file_(file),
      journal_(journal),
      range_{offset_bytes, size_bytes},
      read_(range_of_reread(file, range_, alignment_bytes)),
      buffer_(read_.size_bytes, ums::MemoryKind::plain),
      start_ns_(ums::Scheduler::current().now_ns()) {}

ums::Task<Reread> Rereader::read(std::uint32_t attempt, const std::byte* first) {
    UMS_ASSERT(attempt >= 1 && attempt <= kRereadsMax);
    co_await ums::sleep_until(ums::Scheduler::current().now_ns() + kPausesMs[attempt - 1] * ums::kNsPerMs);
    Reread reread;
    reread.attempt = attempt;
    reread.after_us = (ums::Scheduler::current().now_ns() - start_ns_) / 1000;
    reread.through_new_file = is_through_new_file(attempt);
    stamp_not_read(buffer_.data(), read_.size_bytes);
    if (reread.through_new_file) {
        co_await transfer_through_new_file(reread);
    } else {
        co_await transfer(file_.transfer_handle(), reread);
    }
    if (reread.error_code == 0 && reread.result != RereadResult::short_transfer) {
        reread.result = std::memcmp(bytes(), first, range_.size_bytes) == 0 ? RereadResult::same_image : RereadResult::other_image;
    }
    co_return reread;
}

ums::Task<void> Rereader::transfer_through_new_file(Reread& reread) {
    co_await file_.sync();  // a failure is reported there
    co_await file_.drop_cache();
    ums::FileHandle handle;
    const std::error_code error = co_await file_.open_again(handle);
    if (error) {
        reread.through_new_file = false;
        co_await transfer(file_.transfer_handle(), reread);
        co_return;
    }
    co_await transfer(handle, reread);
    co_await file_.close_again(handle);
}

// Bypasses the governor, which is for the load: this is a diagnosis.
ums::Task<void> Rereader::transfer(ums::FileHandle handle, Reread& reread) {
    const ums::IoSegment segment{buffer_.data(), read_.size_bytes};
    ums::IoRequest request = file_.diagnosis_read(read_.offset_bytes, segment);
    request.file = handle;
    co_await ums::Scheduler::current().io(request);
    journal_.history().record(request, file_.id(), OperationPurpose::diagnosis);
    file_.report_if_long(request);
    reread.error_code = request.error.value();
    if (request.error) {
        reread.result = RereadResult::io_error;
    } else if (!request.is_complete_transfer()) {
        reread.result = RereadResult::short_transfer;
    }
}

}  // namespace sim
