// Promises in a file on another disk: `--ledger FILE`.
#pragma once

#include <filesystem>

#include "cli/witness/promise_sink.hpp"
#include "cli/witness/promise_store.hpp"

namespace cli {

class LedgerSink final : public PromiseSink {
public:
    // Throws as PromiseStore does.
    LedgerSink(const std::filesystem::path& path, PromiseStore::Use use) : store_(path, use) {}

    [[nodiscard]] std::string name() const override;
    // Whatever run the file holds.
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& wanted) override;
    [[nodiscard]] std::string append(std::span<const std::byte> record) override;

private:
    PromiseStore store_;
};

}  // namespace cli
