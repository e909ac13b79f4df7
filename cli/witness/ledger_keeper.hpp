// Keeps promises in a file on another disk: `--ledger FILE`.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/witness/promise_store.hpp"
#include "sim/promises/promise_keeper.hpp"

namespace cli {

class LedgerKeeper final : public sim::PromiseKeeper {
public:
    // To be read only by a verification that writes nothing; then only load() may be called. Throws as PromiseStore does.
    LedgerKeeper(const std::filesystem::path& path, PromiseStore::Use use);
    ~LedgerKeeper() override;

    [[nodiscard]] std::string name() const override;
    // Whatever run it holds.
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& wanted) override;
    void begin(const sim::PromiseSection& section) override;
    void take_from(sim::PromiseBook& book) override;
    void end(bool are_removed) override;
    [[nodiscard]] Status status() const override;

private:
    // What the thread works with. It is left behind with it if the disk does not answer in the end.
    struct Work;
    static void serve(const std::shared_ptr<Work>& work, sim::PromiseBook& book);

    std::shared_ptr<Work> work_;
    std::thread thread_;
};

}  // namespace cli
