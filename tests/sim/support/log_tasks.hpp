// Tasks and rules for tests of the log in virtual time.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/sim/support/virtual_log.hpp"

namespace sim::testing {

inline ums::Task<void> pause_ms(VirtualWorld& world, std::uint64_t duration_ms) {
    co_await ums::sleep_until(world.clock.now_ns() + duration_ms * ums::kNsPerMs);
}

// A write as it was posted.
struct Write {
    std::int32_t file = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

// Records all writes; each takes `duration_ns`.
inline void note_writes(VirtualWorld& world, std::vector<Write>& writes, std::uint64_t duration_ns) {
    world.storage.set_rule([&writes, duration_ns](const ums::IoRequest& request) {
        if (request.operation == ums::IoOperation::write) writes.push_back({request.file.value, request.offset_bytes, request.size_bytes});
        return Fate{.delay_ns = duration_ns};
    });
}

inline void hold_writes(VirtualWorld& world) {
    world.storage.set_rule([](const ums::IoRequest&) { return Fate{.hold = true}; });
}

// A commit as a separate task that counts when it is done.
inline ums::Task<void> commit_task(VirtualLog& log, std::uint64_t size_bytes, int& done) {
    co_await log.commit(size_bytes);
    ++done;
}

inline ums::Task<void> commit_and_note(VirtualLog& log, std::uint64_t size_bytes, std::vector<int>& order, int number) {
    co_await log.commit(size_bytes);
    order.push_back(number);
}

// Notes that there was room for so many bytes, and gives it back.
inline ums::Task<void> reserve_and_note(VirtualLog& log, std::uint64_t size_bytes, bool& has_room) {
    const LogReservation reservation = co_await log.log->space().reserve(size_bytes);
    has_room = static_cast<bool>(reservation);
}

// Returns the LSN of the first record in this VLF, which is not the first VLF.
inline ums::Task<std::uint64_t> commit_up_to_vlf(VirtualLog& log, std::uint32_t vlf_sequence) {
    std::uint64_t lsn = 0;
    while (vlf_of_lsn(lsn) < vlf_sequence) lsn = co_await log.commit(40'000);
    co_return lsn;
}

}  // namespace sim::testing
