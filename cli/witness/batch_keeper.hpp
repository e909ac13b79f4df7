// Keeps the promises of a run: takes them from its book in batches, on a thread of its own, and passes them to a sink.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/witness/promise_sink.hpp"
#include "sim/promises/promise_keeper.hpp"

namespace cli {

class BatchKeeper final : public sim::PromiseKeeper {
public:
    // `patience`: what must be known or kept before a run begins is asked for again and again for so long, if the sink cannot be reached.
    explicit BatchKeeper(std::unique_ptr<PromiseSink> sink, std::chrono::milliseconds patience = {});
    ~BatchKeeper() override;

    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& wanted) override;
    void begin(const sim::PromiseSection& section) override;
    void take_from(sim::PromiseBook& book) override;
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override;

private:
    // What the thread works with. If the sink does not answer at the end, it is left behind together with the thread.
    struct Work;
    static void serve(const std::shared_ptr<Work>& work, sim::PromiseBook& book);

    // `what` throws EnvironmentError when it could not be done.
    template <typename What>
    auto try_patiently(What what) const;

    const std::chrono::milliseconds patience_;
    std::shared_ptr<Work> work_;
    std::thread thread_;
};

}  // namespace cli
