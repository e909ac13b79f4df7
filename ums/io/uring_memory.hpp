// Memory that the kernel was told of once (io_uring's registered buffers), so that it does not have to find and hold its pages anew for
// each transfer: a twelfth of the CPU time that 8 KB from a disk take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

struct io_uring;

namespace ums {

class UringMemory {
public:
    // On the ring's thread. The kernel holds the memory until the ring has gone. It may not want to (no right to lock so much memory, older
    // than Linux 5.19), and of more than 16 GB it is not asked to hold the rest: transfers there work as ever.
    void add(io_uring& ring, std::byte* data, std::size_t size_bytes);

    // The number of the registered buffer that all of [data, data + size_bytes) lies in.
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
