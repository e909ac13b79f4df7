// One connection to a witness: the handshake, the greeting, then record by record. Ends by itself at the first message that it does not
// understand. On the thread of the server's io_context.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cli/link/witness_wire.hpp"
#include "cli/promises/promise_store.hpp"
#include "cli/witness/witness_shelf.hpp"

namespace cli {

class WitnessSession : public std::enable_shared_from_this<WitnessSession> {
public:
    using Socket = boost::asio::ip::tcp::socket;

    // `context` and `shelf` must outlive it. `begun_ns`: the present time. Calls `on_end` once, when the session is over.
    WitnessSession(Socket socket, boost::asio::ssl::context& context, WitnessShelf& shelf, std::uint64_t begun_ns,
                   std::function<void(WitnessSession&)> on_end);

    void start();
    void close();
    // Whether the client knows the key or has the certificate, and has greeted.
    [[nodiscard]] bool is_known() const { return is_known_; }
    [[nodiscard]] std::uint64_t begun_ns() const { return begun_ns_; }
    // A larger number is more recent.
    [[nodiscard]] std::uint64_t last_active() const { return last_active_; }

private:
    using Error = boost::system::error_code;

    // Continues with `next` after one asynchronous step; an error ends the session.
    template <typename Next>
    auto then(Next next);
    void limit_time(std::chrono::milliseconds time);
    void greet();
    void receive_header();
    void receive_rest();
    void take_record();
    void keep_record();
    void load_record();
    void answer(const WitnessAnswer& what, bool goes_on);
    void send_records();
    void receive_frame();
    void receive_beat();
    void answer_beat();

    boost::asio::ssl::stream<Socket> stream_;
    boost::asio::steady_timer timer_;
    WitnessShelf& shelf_;
    const std::function<void(WitnessSession&)> on_end_;
    bool is_known_ = false;
    bool is_ended_ = false;
    const std::uint64_t begun_ns_;
    const std::uint64_t number_;  // of this connection
    std::uint64_t last_active_ = 0;
    WitnessGreeting greeting_{};
    WitnessAnswer answer_{};
    WitnessFrame frame_{};
    std::vector<std::byte> buffer_;
    std::uint64_t run_id_ = 0;             // the run that it keeps promises of
    std::unique_ptr<PromiseStore> store_;  // the one that it reads from
    std::uint64_t sent_bytes_ = 0;
};

}  // namespace cli
