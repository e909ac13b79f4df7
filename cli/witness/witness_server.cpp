#include "cli/witness/witness_server.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "cli/link/tls.hpp"
#include "cli/witness/witness_session.hpp"
#include "sim/errors.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/base/silent_peer.hpp"
#include "ums/base/units.hpp"

namespace cli {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

// A handshake takes a round trip or two: for this long, no connection is closed to make room for others.
constexpr std::uint64_t kHandshakeNs = 250 * ums::kNsPerMs;
constexpr milliseconds kLookForRoom{10};
// Usually out of descriptors: pause instead of spinning.
constexpr milliseconds kAfterError{200};
constexpr milliseconds kTickInterval{200};
// Connections that arrive together are accepted together; otherwise each would wait for all records that are being stored.
constexpr int kAcceptedTogether = 32;

}  // namespace

using Acceptor = asio::ip::tcp::acceptor;

class WitnessServer::Implementation {
public:
    Implementation(const WitnessAddress& address, const TlsKeys& keys, WitnessShelf& shelf, std::size_t connections_max)
        : connections_max_(connections_max),
          unknown_max_(std::min(kUnknownMax, connections_max / 4)),
          shelf_(shelf),
          tls_(tls_context(TlsSide::server, keys)) {
        boost::system::error_code error;
        const auto host = asio::ip::make_address(address.host, error);
        if (!error) listen({host, address.port}, error);
        if (error) throw sim::EnvironmentError(fmt::format("--listen {}: {}", witness_address_text(address), error.message()));
        const auto endpoint = acceptor_.local_endpoint();
        const std::string name = endpoint.address().to_string();
        address_ = fmt::format("{}:{}", host.is_v6() ? "[" + name + "]" : name, endpoint.port());
        accept_next();
        tick();
        thread_ = ums::start_thread([this] { serve(); });
    }
    ~Implementation() {
        context_.stop();
        thread_.join();
        // While everything that they refer to still exists.
        const std::vector<std::shared_ptr<WitnessSession>> ending = sessions_;
        for (const auto& session : ending) session->close();
    }
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }

private:
    using Sessions = std::vector<std::shared_ptr<WitnessSession>>;

    void listen(const asio::ip::tcp::endpoint& endpoint, boost::system::error_code& error) {
        acceptor_.open(endpoint.protocol(), error);
        if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
        if (!error) acceptor_.bind(endpoint, error);
        if (!error) acceptor_.listen(static_cast<int>(connections_max_), error);
        if (!error) acceptor_.non_blocking(true, error);
    }

    // If memory runs out, drops the connection that needed it, and continues with the others.
    void serve() {
        for (;;) {
            try {
                context_.run();
                return;
            } catch (const std::bad_alloc&) {
                accept_later(kAfterError);
            }
        }
    }

    void tick() {
        shelf_.groups().tick();
        tick_timer_.expires_after(kTickInterval);
        tick_timer_.async_wait([this](const boost::system::error_code& cancelled) {
            if (!cancelled) tick();
        });
    }

    void accept_next() {
        acceptor_.async_wait(Acceptor::wait_read, [this](const boost::system::error_code& error) {
            if (error) return accept_later(kAfterError);
            accept_some();
        });
    }

    void accept_some() {
        for (int i = 0; i < kAcceptedTogether; ++i) {
            if (!has_room()) return accept_later(kLookForRoom);
            boost::system::error_code error;
            WitnessSession::Socket socket(context_);
            acceptor_.accept(socket, error);
            if (error == asio::error::would_block || error == asio::error::try_again) break;
            if (error) return accept_later(kAfterError);
            begin_session(std::move(socket));
        }
        accept_next();
    }

    void accept_later(milliseconds pause) {
        retry_timer_.expires_after(pause);
        retry_timer_.async_wait([this](const boost::system::error_code& cancelled) {
            if (!cancelled) accept_next();
        });
    }

    void begin_session(WitnessSession::Socket socket) {
        boost::system::error_code ignored;
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        // A host that has lost its power would count as one at work, whose promises no other host may void.
        ums::close_if_peer_is_silent(socket.native_handle());
        const auto session = std::make_shared<WitnessSession>(
            std::move(socket), tls_, shelf_, clock_.now_ns(),
            [this](WitnessSession& ended) { std::erase_if(sessions_, [&](const auto& other) { return other.get() == &ended; }); });
        sessions_.push_back(session);
        session->start();
    }

    // Makes room for one more connection, if necessary by closing another. Clients that have not proved that they know the key cannot crowd
    // out those that have.
    bool has_room() {
        const auto is_unknown = [](const auto& session) { return !session->is_known(); };
        const auto unknown = std::count_if(sessions_.begin(), sessions_.end(), is_unknown);
        if (static_cast<std::size_t>(unknown) >= unknown_max_) {
            const std::shared_ptr<WitnessSession> longest = longest_of(is_unknown);
            if (clock_.now_ns() - longest->begun_ns() < kHandshakeNs) return false;
            longest->close();
        }
        if (sessions_.size() >= connections_max_) longest_of([](const auto& /*session*/) { return true; })->close();
        return true;
    }

    template <typename Among>
    [[nodiscard]] std::shared_ptr<WitnessSession> longest_of(const Among& among) const {
        std::shared_ptr<WitnessSession> longest;
        for (const auto& session : sessions_) {
            if (among(session) && (!longest || session->last_active() < longest->last_active())) longest = session;
        }
        return longest;
    }

    const std::size_t connections_max_;
    const std::size_t unknown_max_;
    const ums::RealClock clock_;
    WitnessShelf& shelf_;
    asio::ssl::context tls_;
    asio::io_context context_{1};
    Acceptor acceptor_{context_};
    asio::steady_timer retry_timer_{context_};
    asio::steady_timer tick_timer_{context_};
    Sessions sessions_;
    std::string address_;
    std::thread thread_;
};

WitnessServer::WitnessServer(const WitnessAddress& address, const TlsKeys& keys, WitnessShelf& shelf, std::size_t connections_max)
    : implementation_(std::make_unique<Implementation>(address, keys, shelf, connections_max)) {}

WitnessServer::~WitnessServer() = default;

const std::string& WitnessServer::address() const { return implementation_->address(); }

}  // namespace cli
