// `ioproof witness`: accepts connections, and lets no client lock out others.
//
// Bounded: kConnectionsMax connections (a run has one, a run of a group two), of which kUnknownMax have not proved yet that they know the
// key. When hundreds of hosts begin at once, the system's queue holds those for whom there is no room. A client that has proved nothing for
// a while makes room, and so does, when all connections are in use, the one that has been silent longest. Memory: one record for each known
// client.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cli/link/witness_address.hpp"
#include "cli/witness/witness_shelf.hpp"

namespace cli {

class WitnessServer {
public:
    static constexpr std::size_t kConnectionsMax = 2048;
    static constexpr std::size_t kUnknownMax = 128;  // or a quarter of the connections

    // Listens once this has returned, and serves on a thread of its own until destroyed. `shelf` must outlive it. Throws as tls_context()
    // does, and sim::EnvironmentError if it cannot listen on the address.
    WitnessServer(const WitnessAddress& address, const TlsKeys& keys, WitnessShelf& shelf, std::size_t connections_max = kConnectionsMax);
    ~WitnessServer();
    WitnessServer(const WitnessServer&) = delete;
    WitnessServer& operator=(const WitnessServer&) = delete;

    // "127.0.0.1:7017", with the actual port if port 0 was requested.
    [[nodiscard]] const std::string& address() const;

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace cli
