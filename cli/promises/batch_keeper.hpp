// Keeps the promises of a run: a thread takes them from its book in batches and passes them to a sink.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/promises/promise_sink.hpp"
#include "sim/promises/promise_keeper.hpp"

namespace cli {

class BatchKeeper final : public sim::PromiseKeeper {
public:
    // `patience`: how long load() and begin() retry if the sink cannot be reached.
    explicit BatchKeeper(std::unique_ptr<PromiseSink> sink, std::chrono::milliseconds patience = {});
    ~BatchKeeper() override;

    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& wanted) override;
    void begin(const sim::PromiseSection& section) override;
    void take_from(sim::PromiseBook& book) override;
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override;

private:
    // The thread's data. If the sink does not answer at the end, the data is left behind together with the thread.
    struct Work;
    static void serve(const std::shared_ptr<Work>& work, sim::PromiseBook& book);

    // Repeats `what`, which throws EnvironmentError if it failed, until it succeeds or the patience is over.
    template <typename What>
    auto try_patiently(What what) const;

    const std::chrono::milliseconds patience_;
    std::shared_ptr<Work> work_;
    std::thread thread_;
};

}  // namespace cli
