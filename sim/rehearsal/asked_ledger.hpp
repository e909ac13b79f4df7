// The ledger of a run as a reader of its files asks it, on another host; and what it was told last. For virtual time, one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sim/promises/promise_keeper.hpp"
#include "sim/rehearsal/promise_memory.hpp"

namespace sim {

class AskedLedger final : public PromiseKeeper {
public:
    // `kept` must outlive it. `answers`: whether who keeps it can be asked just now.
    explicit AskedLedger(
        PromiseMemory& kept, std::function<bool()> answers = [] { return true; })
        : kept_(kept), answers_(std::move(answers)) {}

    [[nodiscard]] const Promises& known() const { return known_; }

    [[nodiscard]] std::string name() const override { return kept_.name(); }
    // Throws EnvironmentError if nobody answers.
    [[nodiscard]] std::optional<Promises> load(const Wanted& wanted) override;
    // A reader promises nothing.
    void begin(const PromiseSection& section) override;
    void take_from(PromiseBook& book) override;
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override { return {}; }

private:
    PromiseMemory& kept_;
    const std::function<bool()> answers_;
    Promises known_;
};

}  // namespace sim
