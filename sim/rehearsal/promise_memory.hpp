// A ledger that a rehearsal keeps in memory, beside its simulated device: what a witness would hold when the power fails.
#pragma once

#include <optional>
#include <string>

#include "sim/promises/promise_keeper.hpp"

namespace sim {

[[nodiscard]] Promises copy_of(const Promises& promises);

class PromiseMemory final : public PromiseKeeper {
public:
    PromiseMemory() = default;
    // What an earlier run has promised.
    explicit PromiseMemory(const Promises& promises) : promises_(copy_of(promises)) {}

    [[nodiscard]] std::string name() const override { return "the ledger of the rehearsal"; }
    [[nodiscard]] std::optional<Promises> load(const Wanted& wanted) override;
    void begin(const PromiseSection& section) override;
    void take_from(PromiseBook& book) override { book_ = &book; }
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override { return status_; }

    // Collects what there is: sometimes, when the device receives a request.
    void take();
    [[nodiscard]] const Promises& promises() const { return promises_; }

private:
    Promises promises_;
    PromiseBook* book_ = nullptr;
    Status status_;
};

// The ledger of a run as a reader of its files asks it, on another host; and what it was told last. For virtual time, one thread.
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
