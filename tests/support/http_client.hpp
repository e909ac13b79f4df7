// Speaks HTTP with a program under test at the byte level, so that tests can also send what no client sends.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

// A connection to a port of this machine. Every operation waits at most ten seconds.
class HttpConnection {
public:
    explicit HttpConnection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const timeval patience{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            ::close(socket_);
            throw std::runtime_error("cannot connect");
        }
    }
    ~HttpConnection() { ::close(socket_); }
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    bool send(std::string_view text) const {
        return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    }
    void end_of_requests() const { ::shutdown(socket_, SHUT_WR); }
    // Reads until the other side closes.
    [[nodiscard]] std::string rest() const {
        std::string text;
        char piece[4096];
        for (ssize_t size = 0; (size = ::recv(socket_, piece, sizeof piece, 0)) > 0;) text.append(piece, static_cast<std::size_t>(size));
        return text;
    }

private:
    int socket_;
};

// Makes one request on a new connection, and returns the whole answer with its header.
inline std::string http_request(std::uint16_t port, const std::string& first_line) {
    const HttpConnection connection(port);
    connection.send(first_line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return connection.rest();
}

inline std::string body_of(const std::string& answer) {
    const std::size_t end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace test
