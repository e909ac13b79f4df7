// One connection to the live view: requests one after the other, with limits on their size and on how long a slow client may take.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "cli/status/status_server.hpp"

namespace cli {

// A pending operation keeps the session alive: its creator calls read_next() and releases it. The server's thread only.
class StatusSession : public std::enable_shared_from_this<StatusSession> {
public:
    using Texts = std::function<std::shared_ptr<const StatusTexts>()>;

    // `turns`: counts events in all sessions, to order them in time.
    StatusSession(boost::asio::ip::tcp::socket socket, Texts texts, std::shared_ptr<std::uint64_t> turns);

    void read_next();
    // When it last began to wait for the client.
    [[nodiscard]] std::uint64_t waiting_since() const { return waiting_since_; }
    // Closes the connection, whatever it waits for.
    void give_up();

private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::empty_body>;
    using Response = boost::beast::http::response<boost::beast::http::string_body>;

    void begin_to_wait();
    void answer(const boost::beast::error_code& error);
    void send();
    void close();

    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    Response response_;
    Texts texts_;
    std::shared_ptr<std::uint64_t> turns_;
    std::uint64_t waiting_since_ = 0;
};

}  // namespace cli
