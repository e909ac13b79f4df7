// Memory registered with the kernel once (io_uring's registered buffers), so that it need not find and pin its pages for each transfer:
// that saves a twelfth of the CPU time of reading 8 KB from a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

struct io_uring;

namespace ums {

class UringMemory {
public:
    // On the ring's thread. The kernel pins the memory until the ring is gone. It may refuse (no right to lock so much memory, older than
    // Linux 5.19), and no more than 16 GB are registered; transfers of other memory work as usual.
    void add(io_uring& ring, std::byte* data, std::size_t size_bytes);

    // The number of the registered buffer that contains all of [data, data + size_bytes).
    [[nodiscard]] std::optional<std::uint16_t> find(const std::byte* data, std::size_t size_bytes) const;

private:
    struct Area {
        std::uintptr_t begin;
        std::size_t size_bytes;
        std::uint32_t first_buffer;
    };

    std::vector<Area> areas_;
    std::uint32_t buffer_count_ = 0;
};

}  // namespace ums
