// Promises on another machine: `--witness ADDR:PORT`. Only one record is in flight at a time, so nothing else waits here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "cli/link/tls.hpp"
#include "cli/link/tls_link.hpp"
#include "cli/link/witness_address.hpp"
#include "cli/link/witness_wire.hpp"
#include "cli/promises/promise_sink.hpp"

namespace cli {

class WitnessSink final : public PromiseSink {
public:
    // Throws as tls_context() does; connects later.
    WitnessSink(WitnessAddress address, const TlsKeys& keys);

    [[nodiscard]] std::string name() const override;
    // The promises of the run with this id, otherwise of this machine's newest run with the same files. Throws sim::EnvironmentError if the
    // witness cannot be reached.
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& wanted) override;
    [[nodiscard]] std::string append(std::span<const std::byte> record) override;
    [[nodiscard]] bool has_lost_records() const override { return has_lost_records_; }

private:
    [[nodiscard]] std::string greet(WitnessPurpose purpose);
    [[nodiscard]] std::string receive_answer(WitnessAnswer& answer);
    [[nodiscard]] std::string append_once(std::span<const std::byte> record);
    [[nodiscard]] std::optional<sim::Promises> load_once(const sim::PromiseKeeper::Wanted& wanted, std::string& problem);
    [[nodiscard]] sim::Promises receive_records(std::uint64_t size_bytes, std::string& problem);

    const WitnessAddress address_;
    boost::asio::ssl::context context_;
    TlsLink link_;
    bool has_lost_records_ = false;
};

}  // namespace cli
