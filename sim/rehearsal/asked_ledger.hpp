// The ledger of a run as a reader of its files asks it, on another host; and what it was told last. For virtual time, one thread.
#pragma once

#include <optional>
#include <string>

#include "sim/promises/promise_keeper.hpp"
#include "sim/rehearsal/promise_memory.hpp"

namespace sim {

class AskedLedger final : public PromiseKeeper {
public:
    // `kept` must outlive it.
    explicit AskedLedger(PromiseMemory& kept) : kept_(kept) {}

    [[nodiscard]] const Promises& known() const { return known_; }

    [[nodiscard]] std::string name() const override { return kept_.name(); }
    [[nodiscard]] std::optional<Promises> load(const Wanted& wanted) override;
    // A reader promises nothing.
    void begin(const PromiseSection& section) override;
    void take_from(PromiseBook& book) override;
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override { return {}; }

private:
    PromiseMemory& kept_;
    Promises known_;
};

}  // namespace sim
