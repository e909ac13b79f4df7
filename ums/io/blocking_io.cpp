#include "ums/io/blocking_io.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "ums/base/assert.hpp"
#include "ums/io/io_vector.hpp"

namespace ums {

namespace {

std::int64_t result_of(std::int64_t returned) { return returned >= 0 ? returned : -errno; }

std::int64_t transfer_one(const IoRequest& request, const TransferPiece& piece, bool durable) {
    const auto offset = static_cast<off_t>(piece.offset_bytes);
    if (request.operation == IoOperation::read) return pread(request.file.value, piece.data, piece.size_bytes, offset);
    if (!durable) return pwrite(request.file.value, piece.data, piece.size_bytes, offset);
    const iovec vector{piece.data, piece.size_bytes};
    return pwritev2(request.file.value, &vector, 1, offset, RWF_DSYNC);
}

std::int64_t transfer_vector(const IoRequest& request, const TransferPiece& piece, bool durable) {
    const auto offset = static_cast<off_t>(piece.offset_bytes);
    const iovec* vectors = as_iovec(piece.segments);
    const auto count = static_cast<int>(piece.segment_count);
    if (request.operation == IoOperation::read) return preadv(request.file.value, vectors, count, offset);
    if (!durable) return pwritev(request.file.value, vectors, count, offset);
    return pwritev2(request.file.value, vectors, count, offset, RWF_DSYNC);
}

std::int64_t perform_call(const IoRequest& request, BlockingCalls& calls, bool durable) {
    switch (request.operation) {
        case IoOperation::read:
        case IoOperation::write: return calls.transfer(request, next_piece(request), durable);
        case IoOperation::sync: return calls.sync(request.file);
        case IoOperation::allocate: return calls.allocate(request.file, request.offset_bytes, request.size_bytes);
        case IoOperation::truncate: return calls.truncate(request.file, request.offset_bytes);
    }
    UMS_ASSERT(false && "an unknown operation");
    return 0;
}

// The second half of a durable write that was made of two.
void sync_after_write(IoRequest& request, BlockingCalls& calls) {
    IoRequest sync;
    sync.operation = IoOperation::sync;
    sync.file = request.file;
    perform_blocking(sync, calls);
    request.error = sync.error;
}

}  // namespace

std::int64_t BlockingCalls::transfer(const IoRequest& request, const TransferPiece& piece, bool durable) {
    return result_of(piece.segment_count == 1 ? transfer_one(request, piece, durable) : transfer_vector(request, piece, durable));
}

std::int64_t BlockingCalls::sync(FileHandle file) { return result_of(fdatasync(file.value)); }

std::int64_t BlockingCalls::allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return result_of(fallocate(file.value, 0, static_cast<off_t>(offset_bytes), static_cast<off_t>(size_bytes)));
}

std::int64_t BlockingCalls::truncate(FileHandle file, std::uint64_t size_bytes) {
    return result_of(ftruncate(file.value, static_cast<off_t>(size_bytes)));
}

void BlockingCalls::pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

void perform_blocking(IoRequest& request, BlockingCalls& calls) {
    if (is_empty_transfer(request)) return;
    bool durable = request.durable;
    for (;;) {
        const std::int64_t result = perform_call(request, calls, durable);
        if (durable && is_durable_write_refused(request, result)) {
            durable = false;
            continue;
        }
        const RequestStep step = advance_request(request, result);
        if (step == RequestStep::retry_later) calls.pause();
        if (step == RequestStep::finished) break;
    }
    if (request.durable && !durable && !request.error) sync_after_write(request, calls);
}

void perform_blocking(IoRequest& request) {
    static BlockingCalls calls;
    perform_blocking(request, calls);
}

}  // namespace ums
