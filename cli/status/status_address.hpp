// The address of a live view: "[ADDR:]PORT".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

struct StatusAddress {
    std::string host = "127.0.0.1";  // numeric; the loopback unless the user names another
    std::uint16_t port = 0;          // 0 = a free one, chosen by the system
};

// "8080", "0.0.0.0:8080", "[::1]:8080", "localhost:8080". Throws UsageError.
StatusAddress parse_status_address(const std::string& text);

// The host to which a request to the live view is addressed.
//
// Once loaded, a page of any site can make its own name resolve to this machine's address (DNS rebinding), and the browser then lets it
// read what is served here. Such a request still carries that site's name, so only requests for names known to be this machine's are
// answered.

// `host`: the value of a Host header, with or without a port. True for numeric addresses, localhost, and `machine_name`, complete or up to
// its first dot.
bool is_own_host(std::string_view host, std::string_view machine_name);

}  // namespace cli
