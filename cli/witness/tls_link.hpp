// A connection to a witness, for one thread that may wait: each call waits at most for its given time.
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
    // `context` must outlive it. `checks_name`: the other side's certificate must name this host.
    TlsLink(boost::asio::ssl::context& context, std::string host, std::uint16_t port, bool checks_name);

    // Each: empty if it was done, otherwise why not; the link is then closed.
    // `patience`: until somebody takes the connection. The handshake may take `handshake_patience`: a server with many clients who come at
    // once lets them wait, and one that it gives up is tried again.
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
