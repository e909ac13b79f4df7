// The address of a witness, and the keys for it.
#pragma once

#include <cstdint>
#include <string>

#include "cli/link/witness_wire.hpp"
#include "cli/words/switch_words.hpp"
#include "cli/words/switches.hpp"

namespace cli {

struct WitnessAddress {
    std::string host{};
    std::uint16_t port = kWitnessPort;
};

// As the switches name them: a pre-shared key or certificates; the others are empty.
struct TlsKeys {
    std::string key_file{};  // a pre-shared key: 32 to 128 hexadecimal digits
    std::string cert{};      // PEM: our own certificate, with its chain,
    std::string cert_key{};  // its key,
    std::string ca{};        // and the authority that signed the other side's certificate

    [[nodiscard]] bool has_certificate() const { return !cert.empty() || !cert_key.empty() || !ca.empty(); }
    [[nodiscard]] bool are_given() const { return !key_file.empty() || has_certificate(); }
};

// --key-file, --cert, --cert-key, --ca: for commands that run a witness, and for those that use one.
[[nodiscard]] Switches tls_switches();
// Takes the switch if it is one of them.
void set_tls_value(TlsKeys& keys, const SwitchWord& word);

// "HOST:PORT", "[::1]:7017", "HOST". Throws UsageError.
[[nodiscard]] WitnessAddress parse_witness_address(const SwitchWord& word);
// Where a witness listens: as above, but without names, because one name may have several addresses.
[[nodiscard]] WitnessAddress parse_listen_address(const SwitchWord& word);
// As the parsers take it.
[[nodiscard]] std::string witness_address_text(const WitnessAddress& address);

}  // namespace cli
