// Serves the live view of a run by HTTP, from a thread of its own: a page, the same as JSON, and metrics. Read-only: GET and HEAD. Renews
// the answers once a second, however many clients ask, so they do not disturb the run. Answers only requests addressed to this machine
// (status_address.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/status/status_address.hpp"

namespace cli {

// The bodies of the answers.
struct StatusTexts {
    std::string page;     // "/"
    std::string json;     // "/status.json"
    std::string metrics;  // "/metrics"
};

class StatusServer {
public:
    // Binds the address, but does not answer yet. Throws sim::EnvironmentError if that fails (port in use, address not of this machine).
    explicit StatusServer(const StatusAddress& address);
    ~StatusServer();  // stops
    StatusServer(const StatusServer&) = delete;
    StatusServer& operator=(const StatusServer&) = delete;

    // "http://127.0.0.1:8080/", with the actual port.
    [[nodiscard]] std::string url() const;

    // Begins to answer. Calls `make_texts` immediately and then every second, on the server's thread; it must not throw. Once per object.
    void start(std::function<StatusTexts()> make_texts);
    // Ends all connections. Once this has returned, `make_texts` is not called any more. May be called more than once.
    void stop();

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace cli
