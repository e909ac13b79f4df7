#include "ums/io/file_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ums/base/assert.hpp"
#include "ums/io/bus_error.hpp"
#include "ums/io/cache_lines.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/io/file_status.hpp"
#include "ums/io/transfer_progress.hpp"

namespace ums {

namespace {

MappingCalls& real_mapping_calls() {
    static MappingCalls calls;
    return calls;
}

std::uint64_t page_bytes() {
    static const auto size_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return size_bytes;
}

// SIGBUS gives no reason. Where a page could not be written for want of space, the system refuses to allocate it for that reason.
std::error_code reason_for_lost_write(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const int result = uninterrupted(
        [&] { return ::fallocate(file.value, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_bytes), static_cast<off_t>(size_bytes)); });
    const int number = result == 0 ? 0 : errno;
    return errno_error(number == ENOSPC || number == EDQUOT ? number : EIO);
}

bool writes_lines_back(FileView view) { return view == FileView::lines_written || view == FileView::lines_started; }

}  // namespace

int MappingCalls::sync(std::byte* data, std::size_t size_bytes) { return ::msync(data, size_bytes, MS_SYNC) == 0 ? 0 : errno; }

void MappingCalls::write_back(const std::byte* data, std::size_t size_bytes) { write_back_lines(data, size_bytes); }

void MappingCalls::drain() { drain_lines(); }

std::error_code FileMapping::map(FileHandle file, FileView view, bool is_writable, std::unique_ptr<FileMapping>& mapping,
                                 MappingCalls* calls) {
    UMS_ASSERT(view != FileView::none);
    if (writes_lines_back(view) && line_write_back_name().empty()) return errno_error(EOPNOTSUPP);
    expect_bus_errors();
    std::unique_ptr<FileMapping> made(new FileMapping(file, view, is_writable, calls != nullptr ? *calls : real_mapping_calls()));
    if (const std::error_code error = read_size(file.value, made->size_bytes_)) return error;
    if (made->size_bytes_ > 0) {  // nothing cannot be mapped
        const int access = PROT_READ | (is_writable ? PROT_WRITE : 0);
        void* const data = ::mmap(nullptr, made->size_bytes_, access, MAP_SHARED, file.value, 0);
        if (data == MAP_FAILED) return last_errno_error();
        made->data_ = static_cast<std::byte*>(data);
    }
    mapping = std::move(made);
    return {};
}

FileMapping::~FileMapping() {
    if (data_ != nullptr) ::munmap(data_, size_bytes_);
}

bool FileMapping::copy(const IoRequest& request, const IoSegment& segment, std::byte* place, std::size_t size_bytes) const {
    const bool writes = request.operation == IoOperation::write;
    std::byte* const to = writes ? place : segment.data;
    const std::byte* const from = writes ? segment.data : place;
    return touch(place, size_bytes, [=] { std::memcpy(to, from, size_bytes); });
}

void FileMapping::perform(IoRequest& request) {
    check_request(request);
    UMS_ASSERT(is_transfer(request));
    if (request.operation == IoOperation::write && !is_writable_) {
        request.error = errno_error(EBADF);
        return;
    }
    for (std::uint32_t i = 0; i < request.segment_count; ++i) {
        const IoSegment& segment = request.segments[i];
        const std::uint64_t offset_bytes = request.offset_bytes + request.transferred_bytes;
        const std::uint64_t left_bytes = size_bytes_ - std::min(size_bytes_, offset_bytes);
        const std::uint64_t size_bytes = std::min<std::uint64_t>(segment.size_bytes, left_bytes);
        if (size_bytes > 0 && !copy(request, segment, data_ + offset_bytes, size_bytes)) return judge_bus_error(request);
        request.transferred_bytes += size_bytes;
        if (size_bytes < segment.size_bytes) break;
    }
    if (request.operation == IoOperation::write && request.transferred_bytes > 0) flush(request);
}

// The preceding segments have been transferred. The usual reason is that the file has become shorter than the request.
void FileMapping::judge_bus_error(IoRequest& request) const {
    std::uint64_t now_bytes = 0;
    const bool is_cut = !read_size(file_.value, now_bytes) && now_bytes < request.offset_bytes + request.size_bytes;
    if (is_cut) return;
    const bool writes = request.operation == IoOperation::write;
    request.error = writes ? reason_for_lost_write(file_, request.offset_bytes, request.size_bytes) : errno_error(EIO);
}

void FileMapping::flush(IoRequest& request) {
    std::byte* const begin = data_ + request.offset_bytes;
    const std::uint64_t size_bytes = request.transferred_bytes;
    if (writes_lines_back(view_)) {
        if (!touch(begin, size_bytes, [&] { calls_.write_back(begin, size_bytes); })) return judge_bus_error(request);
        if (view_ == FileView::lines_written) calls_.drain();
    }
    if (view_ != FileView::synced && !request.durable) return;
    const std::uint64_t before_bytes = request.offset_bytes % page_bytes();
    int number = 0;
    do {
        number = calls_.sync(begin - before_bytes, size_bytes + before_bytes);
    } while (number == EINTR);  // of the file system's fsync
    if (number != 0) request.error = errno_error(number);
}

}  // namespace ums
