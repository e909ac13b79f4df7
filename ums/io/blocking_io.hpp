// Carries out an entire request on the calling thread, by ordinary system calls: for the thread pool, and for opening and creating files.
#pragma once

#include <cstdint>

#include "ums/io/io_request.hpp"
#include "ums/io/transfer_progress.hpp"

namespace ums {

// The system calls themselves, virtual so that tests can cut transfers short and interrupt them. Results as in advance_request().
class BlockingCalls {
public:
    virtual ~BlockingCalls() = default;

    virtual std::int64_t transfer(const IoRequest& request, const TransferPiece& piece, bool durable);
    // fdatasync, fallocate, ftruncate.
    virtual std::int64_t sync(FileHandle file);
    virtual std::int64_t allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    virtual std::int64_t truncate(FileHandle file, std::uint64_t size_bytes);
    // The pause before retrying what the system could not do at the moment.
    virtual void pause();
};

// Returns when `error` and `transferred_bytes` are final. A durable write that is refused as such is written and then synced.
void perform_blocking(IoRequest& request, BlockingCalls& calls);
void perform_blocking(IoRequest& request);

}  // namespace ums
