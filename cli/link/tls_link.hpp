// A connection to a witness, for a thread that may block: each call has a time limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace cli {

class TlsLink {
public:
    // `context` must outlive it. `checks_name`: the server's certificate must name this host.
    TlsLink(boost::asio::ssl::context& context, std::string host, std::uint16_t port, bool checks_name);

    // Each call returns an empty string on success; otherwise the reason, and the link is closed.
    //
    // `patience`: until the connection is accepted, for each of the first four addresses of the host. The handshake may take
    // `handshake_patience`, because a server lets clients wait when many come at once; a handshake that the server gives up is repeated.
    [[nodiscard]] std::string connect(std::chrono::milliseconds patience, std::chrono::milliseconds handshake_patience);
    [[nodiscard]] std::string send(std::span<const std::byte> bytes, std::chrono::milliseconds patience);
    [[nodiscard]] std::string receive(std::span<std::byte> bytes, std::chrono::milliseconds patience);
    void close();
    [[nodiscard]] bool is_open() const { return stream_ != nullptr; }

private:
    using Done = std::function<void(const boost::system::error_code&)>;
    [[nodiscard]] std::string wait(std::chrono::milliseconds patience, const std::function<void(Done)>& begin);
    [[nodiscard]] std::string handshake(std::chrono::milliseconds patience);
    [[nodiscard]] std::string connect_socket(std::chrono::milliseconds patience);

    boost::asio::ssl::context& context_;
    const std::string host_;
    const std::uint16_t port_;
    const bool checks_name_;
    boost::asio::io_context io_{1};
    std::unique_ptr<boost::asio::ssl::stream<boost::asio::ip::tcp::socket>> stream_;
};

}  // namespace cli
