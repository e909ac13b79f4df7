// A rig whose pages are damaged on the disk behind its back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/finding.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/rig.hpp"

namespace sim::testing {

inline constexpr std::uint32_t kDamagedPage = 40;

inline std::vector<std::byte> page_on_disk(const Rig& rig, std::uint32_t page) {
    return peek(rig.data_path(), page * kPageBytes, kPageBytes);
}
inline void put_on_disk(const Rig& rig, std::uint32_t page, const std::vector<std::byte>& bytes) {
    poke(rig.data_path(), page * kPageBytes, bytes);
}

inline ums::Task<void> read_range(Rig& rig, std::uint32_t first, std::uint32_t count) {
    RangeReader reader = rig.make_reader();
    co_await reader.read(rig.data(), first, count, {.keep = false});
}

// Writes pages 1 … 127 twice and drops them from memory. Returns the first version of kDamagedPage.
inline ums::Task<std::vector<std::byte>> write_twice(Rig& rig) {
    co_await rig.write_pages(rig.data(), 1, 127);
    std::vector<std::byte> first = page_on_disk(rig, kDamagedPage);
    co_await rig.write_pages(rig.data(), 1, 127);
    rig.forget_pages(rig.data(), 1, 127);
    co_return first;
}

// Writes pages 1 … 127 twice, calls `damage(rig, images of the first versions)`, and then reads the pages twice.
template <typename Damage>
std::vector<Finding> findings_after_page_damage(bool repairs, Damage damage) {
    Rig rig({.repairs = repairs});
    rig.run([&](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 127);
        std::vector<std::vector<std::byte>> first_versions;
        for (std::uint32_t page = 0; page < 128; ++page) first_versions.push_back(page_on_disk(r, page));
        co_await r.write_pages(r.data(), 1, 127);
        r.forget_pages(r.data(), 1, 127);
        damage(r, first_versions);
        co_await read_range(r, 1, 127);
        co_await read_range(r, 1, 127);
    });
    return rig.sink.findings();
}

}  // namespace sim::testing
