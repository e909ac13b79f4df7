#include "ums/io/transfer_progress.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "ums/base/assert.hpp"
#include "ums/io/errno_error.hpp"

namespace ums {

namespace {

// Linux transfers 2 GiB less a page per call and io_uring counts in 32 bits; a power of two keeps the continuation aligned.
constexpr std::uint64_t kPieceBytesMax = std::uint64_t{1} << 30;

// The size requested by the call in progress.
std::uint64_t requested_bytes(const IoRequest& request) {
    const TransferPiece piece = next_piece(request);
    if (piece.segment_count == 1) return piece.size_bytes;
    return request.size_bytes - request.transferred_bytes;
}

// Besides EINTR: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and ERESTART_RESTARTBLOCK (include/linux/errno.h of Linux). The kernel itself
// repeats a system call with these results; io_uring hands them out, except those of transfers.
constexpr std::array kInterruptions{EINTR, 512, 513, 514, 516};

bool is_interruption(int number) { return std::find(kInterruptions.begin(), kInterruptions.end(), number) != kInterruptions.end(); }

RequestStep fail(IoRequest& request, int number) {
    request.error = errno_error(number);
    return RequestStep::finished;
}

}  // namespace

bool is_transfer(const IoRequest& request) { return request.operation == IoOperation::read || request.operation == IoOperation::write; }

void check_request(const IoRequest& request) {
    if (!is_transfer(request)) return;
    UMS_ASSERT(request.segment_count <= kSegmentsMax);
    std::uint64_t sum_bytes = 0;
    for (std::uint32_t i = 0; i < request.segment_count; ++i) sum_bytes += request.segments[i].size_bytes;
    UMS_ASSERT(sum_bytes == request.size_bytes);
}

bool is_empty_transfer(const IoRequest& request) { return is_transfer(request) && request.size_bytes == 0; }

TransferPiece next_piece(const IoRequest& request) {
    UMS_ASSERT(request.transferred_bytes < request.size_bytes);
    std::uint64_t skip_bytes = request.transferred_bytes;
    const IoSegment* segment = request.segments;
    while (skip_bytes >= segment->size_bytes) {
        skip_bytes -= segment->size_bytes;
        ++segment;
    }
    TransferPiece piece;
    piece.offset_bytes = request.offset_bytes + request.transferred_bytes;
    const auto count = static_cast<std::uint32_t>(request.segments + request.segment_count - segment);
    if (skip_bytes == 0 && count > 1) {
        piece.segments = segment;
        piece.segment_count = count;
    } else {
        piece.data = segment->data + skip_bytes;
        piece.size_bytes = static_cast<std::uint32_t>(std::min(segment->size_bytes - skip_bytes, kPieceBytesMax));
    }
    return piece;
}

RequestStep advance_request(IoRequest& request, std::int64_t result) {
    if (result < 0) {
        const int number = static_cast<int>(-result);
        if (is_interruption(number)) return RequestStep::more;
        // A second sync would prove nothing: whatever the error of a lost write is, the system reports it only once.
        const bool may_retry_later = number == EAGAIN && request.operation != IoOperation::sync;
        if (may_retry_later && ++request.deferral_count < kDeferralsMax) return RequestStep::retry_later;
        if (number == EINVAL && request.transferred_bytes > 0) return RequestStep::finished;
        return fail(request, number);
    }
    if (!is_transfer(request) || result == 0) return RequestStep::finished;
    const auto transferred = static_cast<std::uint64_t>(result);
    if (transferred == request.size_bytes - request.transferred_bytes) {
        request.transferred_bytes = request.size_bytes;
        return RequestStep::finished;
    }
    if (request.short_bytes == 0 && transferred < requested_bytes(request)) request.short_bytes = request.transferred_bytes + transferred;
    request.transferred_bytes += transferred;
    UMS_ASSERT(request.transferred_bytes < request.size_bytes);
    return RequestStep::more;
}

bool is_durable_write_refused(std::error_code error) {
    return error == std::errc::operation_not_supported || error == std::errc::operation_not_permitted;
}

bool is_durable_write_refused(const IoRequest& request, std::int64_t result) {
    const bool has_failed = request.operation == IoOperation::write && request.durable && result < 0;
    return has_failed && is_durable_write_refused(errno_error(static_cast<int>(-result)));
}

}  // namespace ums
