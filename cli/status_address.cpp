#include "cli/status_address.hpp"

#include <charconv>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "cli/usage_error.hpp"

namespace cli {

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
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc{} || end != port.data() + port.size()) refuse();
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

}  // namespace cli
