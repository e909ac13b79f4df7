// Ranges of pages that a RangeReader reads from a file, and what is in memory then.
#pragma once

#include <cstdint>

#include "tests/sim/support/request_log.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"

namespace sim::testing {

inline constexpr std::uint32_t kRangeFilePages = 256;  // 2 MB

// The version of the page in memory, or 0 if it is not there.
inline std::uint32_t version_in_memory(Rig& rig, std::uint32_t page) {
    Frame* const frame = rig.pool->find({rig.data().file.id(), page});
    if (frame == nullptr) return 0;
    const std::uint32_t version = frame->version;
    rig.pool->unpin(*frame);
    return version;
}

inline std::uint32_t count_in_memory(Rig& rig) {
    std::uint32_t count = 0;
    for (std::uint32_t page = 0; page < kRangeFilePages; ++page) {
        Frame* const frame = rig.pool->find({rig.data().file.id(), page});
        if (frame == nullptr) continue;
        rig.pool->unpin(*frame);
        ++count;
    }
    return count;
}

// Runs `body(rig, requests)` on a file whose pages [1, 65) have been written once and are not in memory; nothing may be held at the end.
template <typename Body>
void run_ranges(Rig& rig, Body body) {
    RequestLog requests;
    rig.storage.set_observer(&requests);
    rig.run([&](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 64);
        r.forget_pages(r.data(), 1, 64);
        (void)requests.take(r.data().file);
        const std::uint64_t free_slots = r.pool->slots().free_count();
        co_await body(r, requests);
        r.storage.set_rule(nullptr);
        CHECK(r.pool->slots().free_count() + count_in_memory(r) == free_slots);
        CHECK(r.data().file.resize_latch().try_acquire_exclusive());
        r.data().file.resize_latch().release_exclusive();
    });
}

}  // namespace sim::testing
