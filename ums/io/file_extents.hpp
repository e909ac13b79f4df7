// Where a byte of a file is on the device below, so that it can be found in traces of the device. Read-only, without privileges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ums {

struct DeviceOffset {
    std::string device;              // "/dev/sda1": what the file system is on, or the block device that `path` is
    std::uint64_t offset_bytes = 0;  // on that device
};

// By FIEMAP (Documentation/filesystems/fiemap.rst of Linux). Nothing if the place is not known: in a hole, if the file system does not
// report it (tmpfs, FUSE, network), if it stores the bytes in another form (compressed, in the inode), or if its offsets are not those of
// one device (btrfs and others with an anonymous device number). For a file on an XFS real-time device the offset is on that device, but
// the name is the main device's. Reopens the file; may block for a moment, or for long if the device does not answer.
[[nodiscard]] std::optional<DeviceOffset> device_offset_of(const std::string& path, std::uint64_t offset_bytes);

}  // namespace ums
