// The host to which a request to the live view is addressed.
//
// Once loaded, a page of any site can make its own name resolve to this machine's address (DNS rebinding), and the browser then lets it
// read what is served here. Such a request still carries that site's name, so only names that are known to be this machine's are answered.
#pragma once

#include <string_view>

namespace cli {

// `host` is the value of a Host header, with or without a port. True for numeric addresses, localhost, and `machine_name`, complete or up
// to its first dot.
bool is_own_host(std::string_view host, std::string_view machine_name);

}  // namespace cli
