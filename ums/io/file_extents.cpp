#include "ums/io/file_extents.hpp"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "ums/io/errno_error.hpp"

namespace ums {

namespace {

// With any of these flags the bytes are not stored there as they are, or not yet.
constexpr std::uint32_t kNotThere = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_NOT_ALIGNED |
                                    FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL;

std::optional<std::uint64_t> physical_offset(int fd, std::uint64_t offset_bytes) {
    alignas(fiemap) std::array<std::byte, sizeof(fiemap) + sizeof(fiemap_extent)> memory{};
    fiemap question{};
    question.fm_start = offset_bytes;
    question.fm_length = 1;
    question.fm_extent_count = 1;
    std::memcpy(memory.data(), &question, sizeof question);
    if (::ioctl(fd, FS_IOC_FIEMAP, memory.data()) < 0) return std::nullopt;
    fiemap answer{};
    fiemap_extent extent{};
    std::memcpy(&answer, memory.data(), sizeof answer);
    std::memcpy(&extent, memory.data() + sizeof answer, sizeof extent);
    if (answer.fm_mapped_extents == 0 || (extent.fe_flags & kNotThere) != 0) return std::nullopt;
    if (offset_bytes < extent.fe_logical || offset_bytes - extent.fe_logical >= extent.fe_length) return std::nullopt;
    return extent.fe_physical + (offset_bytes - extent.fe_logical);
}

// "/dev/sda1" for 8:1; "8:1" where sysfs does not name it.
std::string device_name(dev_t device) {
    const std::string number = fmt::format("{}:{}", major(device), minor(device));
    std::error_code error;
    const auto target = std::filesystem::read_symlink("/sys/dev/block/" + number, error);
    return error ? number : "/dev/" + target.filename().string();
}

}  // namespace

std::optional<DeviceOffset> device_offset_of(const std::string& path, std::uint64_t offset_bytes) {
    const int fd = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
    if (fd < 0) return std::nullopt;
    std::optional<DeviceOffset> place;
    struct stat facts {};
    if (::fstat(fd, &facts) == 0) {
        if (S_ISBLK(facts.st_mode)) {
            place = DeviceOffset{device_name(facts.st_rdev), offset_bytes};
        } else if (S_ISREG(facts.st_mode) && major(facts.st_dev) != 0) {
            if (const auto physical = physical_offset(fd, offset_bytes)) place = DeviceOffset{device_name(facts.st_dev), *physical};
        }
    }
    ::close(fd);
    return place;
}

}  // namespace ums
