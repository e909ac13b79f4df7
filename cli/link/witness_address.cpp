#include "cli/link/witness_address.hpp"

#include <array>
#include <string_view>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

constexpr std::array kTlsSwitches{
    Switch{.name = "key-file",
           .value = "FILE",
           .help = "the key of the witness, the same on both sides: 32 to 128 hexadecimal digits in a file that\n"
                   "nobody else may read; 'openssl rand -hex 32' makes one"},
    Switch{.name = "cert", .value = "FILE", .help = "instead of --key-file, with --cert-key and --ca: our certificate (PEM)"},
    Switch{.name = "cert-key", .value = "FILE", .help = "the private key of --cert (PEM)"},
    Switch{.name = "ca", .value = "FILE", .help = "the authority that has signed the certificate of the other side (PEM)"},
};

}  // namespace

Switches tls_switches() { return kTlsSwitches; }

void set_tls_value(TlsKeys& keys, const SwitchWord& word) {
    if (word.name == "key-file") keys.key_file = word.value;
    if (word.name == "cert") keys.cert = word.value;
    if (word.name == "cert-key") keys.cert_key = word.value;
    if (word.name == "ca") keys.ca = word.value;
}

WitnessAddress parse_witness_address(const SwitchWord& word) {
    const auto refuse = [&] {
        throw UsageError(fmt::format(
            "{}: '{}' is not allowed; allowed are a name or an address, and a port from 0 to 65535 after a colon (default: {}), as in "
            "db-witness:7017, 10.0.0.5, [::1]:7017",
            word.spelling, word.value, kWitnessPort));
    };
    WitnessAddress address;
    std::string_view rest = word.value;
    const bool is_bracketed = rest.starts_with('[');
    const std::size_t end = is_bracketed ? rest.find(']') : rest.rfind(':');
    if (is_bracketed && end == std::string_view::npos) refuse();
    address.host = is_bracketed ? rest.substr(1, end - 1) : rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + (is_bracketed ? 1 : 0));
    if (address.host.empty() || (!is_bracketed && address.host.find(':') != std::string::npos)) refuse();
    if (rest.empty()) return address;
    if (!rest.starts_with(':')) refuse();
    rest.remove_prefix(1);
    const auto port = ums::whole_number<std::uint16_t>(rest);
    if (!port) refuse();
    address.port = *port;
    return address;
}

WitnessAddress parse_listen_address(const SwitchWord& word) {
    WitnessAddress address = parse_witness_address(word);
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(address.host, not_numeric);
    if (!not_numeric) return address;
    throw UsageError(
        fmt::format("{}: '{}' is not allowed; allowed are a numeric address of this machine, and a port from 0 to 65535 after a colon "
                    "(default: {}), as in 127.0.0.1:7017, 0.0.0.0 (all of its addresses), [::1]:7017",
                    word.spelling, word.value, kWitnessPort));
}

std::string witness_address_text(const WitnessAddress& address) {
    const bool is_v6 = address.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", address.host, is_v6 ? "]" : "", address.port);
}

}  // namespace cli
