// One request to the storage. The caller owns the request, its segments and their memory, and keeps all of them in place until the
// request comes back; nothing is allocated per I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include "ums/base/fifo.hpp"
#include "ums/io/file_handle.hpp"

namespace ums {

struct Waiter;

enum class IoOperation : std::uint8_t {
    read,      // scatter read when there are several segments
    write,     // gather write when there are several segments
    sync,      // make all completed writes of the file durable (fdatasync)
    allocate,  // reserve [offset, offset + size) and extend the file over it (fallocate)
    truncate,  // cut the file to `offset_bytes`
};

// A piece of memory of a vectored transfer.
struct IoSegment {
    std::byte* data = nullptr;
    std::size_t size_bytes = 0;
};

// Appends memory to a transfer. With `merge` adjacent pieces become one segment: fewer segments are less work for the system and the
// device.
inline void append_segment(std::vector<IoSegment>& segments, std::byte* data, std::size_t size_bytes, bool merge) {
    if (merge && !segments.empty() && segments.back().data + segments.back().size_bytes == data) {
        segments.back().size_bytes += size_bytes;
    } else {
        segments.push_back({data, size_bytes});
    }
}

inline constexpr std::size_t kSegmentsMax = 1024;  // IOV_MAX of Linux; also SQL Server's largest read-ahead in pages

struct PendingTag;

struct IoRequest : FifoLink<>, FifoLink<PendingTag> {
    // Set by the caller.
    IoOperation operation = IoOperation::read;
    bool durable = false;  // write only: on stable storage before it completes (FUA; RWF_DSYNC)
    FileHandle file;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;  // read, write: the sum over the segments
    const IoSegment* segments = nullptr;
    std::uint32_t segment_count = 0;
    const void* owner = nullptr;  // the caller's, for reports on outstanding requests
    bool is_search = false;       // the caller's: a search, which expects nothing particular in what it reads

    // Set when it comes back. A transfer that ended early without an error (end of file) has transferred_bytes < size_bytes.
    std::error_code error;
    std::uint64_t transferred_bytes = 0;
    std::uint64_t short_bytes = 0;  // bytes transferred when a call first ended early with success and was continued; 0 = none
    std::uint64_t submitted_ns = 0;
    std::uint64_t completed_ns = 0;

    // The engine's: how often the system could not do it at the moment.
    std::uint32_t deferral_count = 0;

    // The scheduler's: the waiting task, and what was already reported about the request while it was outstanding.
    Waiter* waiter = nullptr;
    bool reported_long = false;
    bool reported_lost = false;

    // As if it had never been posted: forgets earlier results and keeps what the caller has set. To be called before each posting, so that
    // a request that is posted again does not report what happened before.
    void reset() {
        error.clear();
        transferred_bytes = short_bytes = submitted_ns = completed_ns = 0;
        deferral_count = 0;
        waiter = nullptr;
        reported_long = reported_lost = false;
    }

    [[nodiscard]] std::uint64_t duration_ns() const { return completed_ns - submitted_ns; }
    [[nodiscard]] bool is_complete_transfer() const { return !error && transferred_bytes == size_bytes; }
    // Whether the task made it itself, as a copy, instead of waiting for it. After it has come back.
    [[nodiscard]] bool was_immediate() const { return waiter == nullptr; }
};

using IoRequestList = Fifo<IoRequest>;

}  // namespace ums
