// What the owner of files has been promised, as a reader of them knows it: the keeper, which is the witness, is asked repeatedly.
//
// What a reader has learned once stays valid: files of this plan are never cut, and the only other thing that takes a promise back, a write
// that failed permanently, is a finding of the owner. So an old answer demands too little, and never too much.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sim/promises/promise_keeper.hpp"
#include "ums/base/clock.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class PromiseView {
public:
    // `wanted` names the run by its id: nothing is accepted from another one. Both references must outlive the view.
    PromiseView(PromiseKeeper& keeper, PromiseKeeper::Wanted wanted, const ums::Clock& clock);

    // Asks, unless another task is asking already, and waits for the answer on a separate thread.
    ums::Task<void> refresh();
    // The same if the last answer is older than half a second, and older than ten times the time it took: the length of an answer grows
    // with the files.
    ums::Task<void> refresh_if_due();
    // What had been promised before this call. Any thread.
    [[nodiscard]] std::shared_ptr<const Promises> known() const;

    [[nodiscard]] std::uint64_t loads() const { return loads_.load(std::memory_order_relaxed); }
    // Why the last request got no answer, or none about a run that was known before; otherwise empty.
    [[nodiscard]] std::string trouble() const;

private:
    struct Answer {
        std::optional<Promises> promises;
        std::string trouble;
    };

    [[nodiscard]] Answer ask() const;

    PromiseKeeper& keeper_;
    const PromiseKeeper::Wanted wanted_;
    const ums::Clock& clock_;
    std::atomic<bool> is_asking_{false};
    std::atomic<std::uint64_t> due_ns_{0};
    std::atomic<std::uint64_t> loads_{0};
    mutable std::mutex mutex_;  // guards what follows
    std::shared_ptr<const Promises> known_;
    std::string trouble_;
};

}  // namespace sim
