#include "cli/status_host.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <boost/asio/ip/address.hpp>

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

// Nothing if it is no address or name with a port, or without one.
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

bool is_own_host(std::string_view host, std::string_view machine_name) {
    const std::string name = lower(without_port(host));
    if (name.empty()) return false;
    const std::string own = lower(machine_name);
    return is_numeric(name) || name == "localhost" || name == own || name == own.substr(0, own.find('.'));
}

}  // namespace cli
