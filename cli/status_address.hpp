// Where a live view is served: "[ADDR:]PORT".
#pragma once

#include <cstdint>
#include <string>

namespace cli {

struct StatusAddress {
    std::string host = "127.0.0.1";  // a numeric address; others than the loopback only if a person named them
    std::uint16_t port = 0;          // 0 = a free one, chosen by the system
};

// "8080", "0.0.0.0:8080", "[::1]:8080", "localhost:8080". Throws UsageError.
StatusAddress parse_status_address(const std::string& text);

}  // namespace cli
