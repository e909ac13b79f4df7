// A ledger that a rehearsal keeps in memory, beside its simulated device: what a witness would hold when the power fails.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

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

    // Nothing reaches it, as a witness on another machine, while `is_reached` says no; it is asked often. Without it all does.
    void reach_if(std::function<bool()> is_reached) { is_reached_ = std::move(is_reached); }
    // Collects what there is: sometimes, when the device receives a request.
    void take();
    [[nodiscard]] const Promises& promises() const { return promises_; }

private:
    void begin_waiting();

    std::function<bool()> is_reached_ = [] { return true; };
    std::optional<PromiseSection> waiting_;  // begun while nothing reached it
    Promises promises_;
    PromiseBook* book_ = nullptr;
    Status status_;
};

// The ledger of a run as a reader of its files asks it, on another host; and what it was told last. For virtual time, one thread.
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
