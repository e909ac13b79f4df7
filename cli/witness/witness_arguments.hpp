// The switches that name a witness and its keys, for commands that run one and commands that use one.
#pragma once

#include "cli/switch_words.hpp"
#include "cli/switches.hpp"
#include "cli/witness/witness_address.hpp"

namespace cli {

// --key-file, --cert, --cert-key, --ca.
[[nodiscard]] Switches tls_switches();
// Takes the switch if it is one of them.
void set_tls_value(TlsKeys& keys, const SwitchWord& word);

// "HOST:PORT", "[::1]:7017", "HOST". Throws UsageError.
[[nodiscard]] WitnessAddress parse_witness_address(const SwitchWord& word);

}  // namespace cli
