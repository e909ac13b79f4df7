// A ledger that a rehearsal keeps in memory, outside its simulated device: what a witness would hold when the power fails.
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
    // With the promises of an earlier run.
    explicit PromiseMemory(const Promises& promises) : promises_(copy_of(promises)) {}

    [[nodiscard]] std::string name() const override { return "the ledger of the rehearsal"; }
    [[nodiscard]] std::optional<Promises> load(const Wanted& wanted) override;
    void begin(const PromiseSection& section) override;
    void take_from(PromiseBook& book) override { book_ = &book; }
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override { return status_; }

    // While `is_reached` returns false, nothing reaches the ledger, as if it were a witness on another machine. Called often. By default,
    // everything arrives.
    void reach_if(std::function<bool()> is_reached) { is_reached_ = std::move(is_reached); }
    // Collects the promises so far; called now and then when the device receives a request.
    void take();
    [[nodiscard]] const Promises& promises() const { return promises_; }

private:
    void begin_waiting();

    std::function<bool()> is_reached_ = [] { return true; };
    std::optional<PromiseSection> waiting_;  // begun while the ledger was unreachable
    Promises promises_;
    PromiseBook* book_ = nullptr;
    Status status_;
};

// The ledger of a run, for a reader of its files on another host, which keeps the last answer. For virtual time, one thread.
class AskedLedger final : public PromiseKeeper {
public:
    // `kept` must outlive it. `answers`: whether its keeper answers right now.
    explicit AskedLedger(
        PromiseMemory& kept, std::function<bool()> answers = [] { return true; })
        : kept_(kept), answers_(std::move(answers)) {}

    [[nodiscard]] const Promises& known() const { return known_; }

    [[nodiscard]] std::string name() const override { return kept_.name(); }
    // Throws EnvironmentError if there is no answer.
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
