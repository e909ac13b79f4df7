#include "cli/witness/ledger_sink.hpp"

#include <system_error>

#include "ums/io/errno_error.hpp"

namespace cli {

std::string LedgerSink::name() const { return "the ledger " + store_.path(); }

std::optional<sim::Promises> LedgerSink::load(const sim::PromiseKeeper::Wanted& /*wanted*/) {
    sim::Promises promises = store_.load();
    if (promises.section().run_id == 0) return std::nullopt;
    return promises;
}

std::string LedgerSink::append(std::span<const std::byte> record) {
    if (const std::error_code error = store_.append(record)) return ums::error_text(error);
    // Where that fails the file goes on growing: the promises are whole.
    if (store_.is_due()) static_cast<void>(store_.compact());
    return {};
}

}  // namespace cli
