#include "ums/io/write_probe.hpp"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "ums/base/assert.hpp"
#include "ums/base/output_place.hpp"
#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/io/held_name.hpp"

namespace ums {

namespace {

constexpr std::size_t kWriteBytes = 4096;

// Data that can be neither compressed nor deduplicated; the same every time.
void fill_with_noise(std::byte* data, std::size_t size_bytes) {
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < size_bytes; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        data[i] = static_cast<std::byte>(state);
    }
}

constexpr mode_t kProbeFileMode = 0600;

// The file is unlinked immediately and lives as long as it is open. `direct_fd`: opened as a run does, -1 if that is refused. Some file
// systems (FUSE) let fcntl() set O_DIRECT, but refuse it here, or refuse transfers only if it was given here. In a folder of somebody else,
// the name may be a link to any file by now.
int make_nameless_file(const std::string& folder, int& direct_fd, std::error_code& direct_error) {
    std::unique_ptr<HeldName> name;
    std::error_code error = HeldName::hold(temporary_name_beside(folder + "/.ioproof-preflight"), name);
    const int fd = error ? -1 : name->open(O_RDWR | O_CREAT | O_EXCL, kProbeFileMode);
    if (!error && fd < 0) error = last_errno_error();
    if (error) throw std::system_error(error, folder + ": cannot create a file there");
    direct_fd = name->open_again(fd, fmt::format("/proc/self/fd/{}", fd), O_RDWR | O_DIRECT);
    if (direct_fd < 0) direct_error = last_errno_error();
    static_cast<void>(name->remove(fd));
    return fd;
}

}  // namespace

WriteProbe::WriteProbe(const std::string& folder, std::uint64_t size_bytes, const Clock& clock)
    : clock_(clock), size_bytes_(size_bytes), memory_(kMb, MemoryKind::plain) {
    UMS_ASSERT(size_bytes > 0 && size_bytes % kMb == 0);
    fd_ = make_nameless_file(folder, direct_fd_, direct_error_);
    fill_with_noise(memory_.data(), kMb);
    if (uninterrupted([&] { return ::fallocate(fd_, 0, 0, static_cast<off_t>(size_bytes)); }) < 0) reserve_error_ = last_errno_error();
    try {
        fill();
    } catch (const std::system_error& error) {
        close();
        throw std::system_error(error.code(), folder + ": a file there cannot be filled");
    }
}

WriteProbe::~WriteProbe() { close(); }

void WriteProbe::close() const {
    if (direct_fd_ >= 0) ::close(direct_fd_);
    ::close(fd_);
}

void WriteProbe::fill() {
    for (std::uint64_t done = 0; done < size_bytes_;) {
        const auto offset = static_cast<off_t>(done);
        const ssize_t written = uninterrupted([&] { return ::pwrite(transfer_fd(), memory_.data(), kMb, offset); });
        if (written > 0) {
            done += static_cast<std::uint64_t>(written);
        } else if (written < 0 && errno == EINVAL && !direct_error_) {
            // The file system accepts the flag but refuses the request: everything else goes through its cache.
            direct_error_ = last_errno_error();
        } else {
            throw std::system_error(written < 0 ? last_errno_error() : errno_error(ENOSPC));
        }
    }
    if (uninterrupted([&] { return ::fsync(transfer_fd()); }) < 0) throw std::system_error(last_errno_error());
    if (!direct_error_) try_direct_read();
}

void WriteProbe::try_direct_read() {
    const MemoryRegion memory(kMb, MemoryKind::plain);
    const ssize_t read = uninterrupted([&] { return ::pread(direct_fd_, memory.data(), kMb, 0); });
    if (read < 0 && errno == EINVAL) direct_error_ = last_errno_error();
}

std::optional<std::uint64_t> WriteProbe::extent_count() const {
    fiemap question{};
    question.fm_length = FIEMAP_MAX_OFFSET;
    question.fm_flags = FIEMAP_FLAG_SYNC;
    if (::ioctl(fd_, FS_IOC_FIEMAP, &question) < 0) return std::nullopt;
    return question.fm_mapped_extents;
}

int WriteProbe::write_once(Promise promise, std::uint64_t offset_bytes) const {
    const iovec vector{.iov_base = memory_.data(), .iov_len = kWriteBytes};
    const auto offset = static_cast<off_t>(offset_bytes);
    const auto write_block = [&] {
        return promise == Promise::dsync ? ::pwritev2(transfer_fd(), &vector, 1, offset, RWF_DSYNC)
                                         : ::pwritev(transfer_fd(), &vector, 1, offset);
    };
    if (uninterrupted(write_block) < 0) return -errno;
    if (promise == Promise::fdatasync && uninterrupted([&] { return ::fdatasync(transfer_fd()); }) < 0) return -errno;
    return 0;
}

WriteTimes WriteProbe::measure(Promise promise, std::uint64_t limit_ns, std::uint64_t count_max) {
    // Neighbors are not written in succession, because a disk could merge them.
    constexpr std::uint64_t kStrideBytes = 17 * kWriteBytes;
    const std::uint64_t places = size_bytes_ / kWriteBytes;
    WriteTimes times;
    std::uint64_t sum_ns = 0;
    const std::uint64_t begin_ns = clock_.now_ns();
    std::uint64_t now_ns = begin_ns;
    do {
        const std::uint64_t offset_bytes = times.count * (kStrideBytes / kWriteBytes) % places * kWriteBytes;
        if (const int result = write_once(promise, offset_bytes); result < 0) {
            times.error = errno_error(-result);
            break;
        }
        const std::uint64_t end_ns = clock_.now_ns();
        const std::uint64_t duration_ns = end_ns - now_ns;
        now_ns = end_ns;
        sum_ns += duration_ns;
        times.min_ns = times.count == 0 ? duration_ns : std::min(times.min_ns, duration_ns);
        times.max_ns = std::max(times.max_ns, duration_ns);
        ++times.count;
    } while (times.count < count_max && now_ns - begin_ns < limit_ns);
    if (times.count > 0) times.mean_ns = sum_ns / times.count;
    return times;
}

WriteTimes WriteProbe::plain_writes(std::uint64_t limit_ns, std::uint64_t count_max) { return measure(Promise::none, limit_ns, count_max); }

WriteTimes WriteProbe::dsync_writes(std::uint64_t limit_ns, std::uint64_t count_max) {
    return measure(Promise::dsync, limit_ns, count_max);
}

WriteTimes WriteProbe::synced_writes(std::uint64_t limit_ns, std::uint64_t count_max) {
    return measure(Promise::fdatasync, limit_ns, count_max);
}

}  // namespace ums
