#include "cli/status/status_address.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool is_port(std::string_view text) {
    return text.size() <= 5 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Nothing if it is not an address or a name, with or without a port.
std::string_view without_port(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    if (colon == std::string_view::npos || host.ends_with(']')) return host;
    return is_port(host.substr(colon + 1)) ? host.substr(0, colon) : std::string_view{};
}

bool is_numeric(const std::string& name) {
    boost::system::error_code error;
    if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
        boost::asio::ip::make_address_v6(name.substr(1, name.size() - 2), error);
    } else {
        boost::asio::ip::make_address_v4(name, error);
    }
    return !error;
}

}  // namespace

StatusAddress parse_status_address(const std::string& text) {
    const auto refuse = [&] {
        throw UsageError(fmt::format(
            "--status: '{}' is not allowed; allowed is a port from 0 (any free one) to 65535, with or without an address before "
            "it, as in 8080, 0.0.0.0:8080, [::1]:8080",
            text));
    };
    StatusAddress address;
    const std::size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
    const auto number = ums::whole_number<std::uint16_t>(port);
    if (!number) refuse();
    address.port = *number;
    if (colon == std::string::npos) return address;
    address.host = text.substr(0, colon);
    if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']')
        address.host = address.host.substr(1, address.host.size() - 2);
    if (address.host == "localhost") address.host = "127.0.0.1";
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(address.host, not_numeric);
    if (not_numeric) refuse();
    return address;
}

bool is_own_host(std::string_view host, std::string_view machine_name) {
    const std::string name = lower(without_port(host));
    if (name.empty()) return false;
    const std::string own = lower(machine_name);
    return is_numeric(name) || name == "localhost" || name == own || name == own.substr(0, own.find('.'));
}

}  // namespace cli
