// TLS 1.3 between a run and its witness: both know the same key, or both have a certificate of the same authority. A peer with neither
// fails in the handshake. All cryptography is OpenSSL's.
#pragma once

#include <cstdint>

#include <boost/asio/ssl/context.hpp>

#include "cli/link/witness_address.hpp"

namespace cli {

enum class TlsSide : std::uint8_t { client, server };

// Throws UsageError if the switches contradict each other, sim::EnvironmentError if a file cannot be used.
[[nodiscard]] boost::asio::ssl::context tls_context(TlsSide side, const TlsKeys& keys);

}  // namespace cli
