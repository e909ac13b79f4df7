// How a request advances from one system call to the next. Pure logic, the same for all engines: what is to be transferred next, and what
// the result of a call means. The progress itself is kept in the request's `transferred_bytes`; nothing else is needed, because a
// continuation in the middle of a segment transfers the rest of that segment alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>

#include "ums/io/io_request.hpp"

namespace ums {

// What the next system call has to transfer: one piece of memory, or complete segments of the caller's.
struct TransferPiece {
    const IoSegment* segments = nullptr;  // with `segment_count` > 1
    std::uint32_t segment_count = 1;
    std::byte* data = nullptr;  // with `segment_count` == 1
    std::uint32_t size_bytes = 0;
    std::uint64_t offset_bytes = 0;  // in the file
};

// Pauses are a millisecond and more. A file that cannot do it for this long is taken at its word: the request fails with EAGAIN.
inline constexpr std::uint32_t kDeferralsMax = 3000;

enum class RequestStep : std::uint8_t {
    finished,     // hand it back: `error` and `transferred_bytes` are final
    more,         // cut short or interrupted: continue with the next piece immediately
    retry_later,  // the system lacks something at the moment: retry after a pause
};

// Asserts what the engine's caller guarantees: 1 to kSegmentsMax segments that add up to `size_bytes` (none if there is nothing to do).
void check_request(const IoRequest& request);

// A read or a write.
[[nodiscard]] bool is_transfer(const IoRequest& request);

// True for a transfer of 0 bytes, which finishes without a system call.
[[nodiscard]] bool is_empty_transfer(const IoRequest& request);

// For reads and writes that are not finished.
[[nodiscard]] TransferPiece next_piece(const IoRequest& request);

// `result`: bytes transferred or 0 for the other operations; a negative errno value if the call failed.
//
// A transfer of 0 bytes is the end of the file. Direct I/O ends a file at any byte but starts at multiples of a sector only:
// invalid_argument for a continuation therefore means the end, too, and the request comes back short, without an error.
//
// A sync is repeated only if it was interrupted. EAGAIN may be the error with which a file system lost earlier writes.
[[nodiscard]] RequestStep advance_request(IoRequest& request, std::int64_t result);

// The file system does not support writes that are durable by themselves, or a filter forbids the call for them (EPERM), as seccomp may
// forbid pwritev2: write, then sync.
[[nodiscard]] bool is_durable_write_refused(std::error_code error);
[[nodiscard]] bool is_durable_write_refused(const IoRequest& request, std::int64_t result);

}  // namespace ums
