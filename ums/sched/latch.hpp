// A latch: short-term protection of a page or of a file's size, in SQL Server's modes.
//
//          SH    UP    EX      held
//   SH     yes   yes   no      shared: looks at the contents
//   UP     yes   no    no      update: transfers the page to or from the disk, while others may look at it in memory
//   EX     no    no    no      exclusive: changes the contents
//
// First come, first served: no task is overtaken, so none starves. Not recursive. A task that needs several page latches takes them in
// ascending order of file and page, or only tries.
#pragma once

#include <coroutine>
#include <cstdint>

#include "ums/base/spinlock.hpp"
#include "ums/sched/waiter.hpp"

namespace ums {

enum class LatchMode : std::uint8_t { shared, update, exclusive };

class Latch {
public:
    Latch() = default;
    Latch(const Latch&) = delete;
    Latch& operator=(const Latch&) = delete;
    // Asserts that no task holds it or waits for it.
    ~Latch();

    struct Awaiter : Waiter {
        Latch& latch;
        LatchMode mode;
        WaitType type;

        Awaiter(Latch& wanted, LatchMode wanted_mode, WaitType reason) : latch(wanted), mode(wanted_mode), type(reason) {}
        [[nodiscard]] bool await_ready() const { return latch.try_acquire(mode); }
        bool await_suspend(std::coroutine_handle<> suspended);
        void await_resume() const noexcept {}
    };

    // Must be awaited by a task.
    [[nodiscard]] Awaiter acquire(LatchMode mode, WaitType type) { return Awaiter(*this, mode, type); }

    // Without waiting, and not ahead of waiting tasks. Any thread, as all below.
    [[nodiscard]] bool try_acquire(LatchMode mode);
    void release(LatchMode mode);
    // EX becomes SH, or UP becomes SH, without a gap.
    void downgrade_to_shared(LatchMode from);

    // A task holds it or waits for it. An estimate, unless the caller holds something that keeps other tasks away.
    [[nodiscard]] bool is_busy();

private:
    [[nodiscard]] bool admits(LatchMode mode) const;
    void enter(LatchMode mode);
    void leave(LatchMode mode);
    void admit_waiting(Fifo<Awaiter>& admitted);
    static void wake(Fifo<Awaiter>& admitted);

    Spinlock lock_;  // guards everything below
    bool update_held_ = false;
    bool exclusive_held_ = false;
    std::uint32_t shared_count_ = 0;
    Fifo<Awaiter> waiting_;
};

}  // namespace ums
