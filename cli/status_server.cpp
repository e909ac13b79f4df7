#include "cli/status_server.hpp"

#include <csignal>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "cli/status_session.hpp"
#include "sim/errors.hpp"

namespace cli {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::size_t kConnectionsMax = 64;

// Signals are for the thread that takes care of people.
std::thread thread_without_signals(const std::function<void()>& work) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(work);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

std::string host_text(const asio::ip::address& address) {
    return address.is_v6() ? fmt::format("[{}]", address.to_string()) : address.to_string();
}

}  // namespace

class StatusServer::Implementation {
public:
    explicit Implementation(const StatusAddress& address) {
        const Tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
        error_code error;
        acceptor_.open(endpoint.protocol(), error);
        if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor_.bind(endpoint, error);
        if (!error) acceptor_.listen(kConnectionsMax, error);
        if (error) {
            throw sim::EnvironmentError(
                fmt::format("--status: {}:{} cannot be listened on: {}", host_text(endpoint.address()), address.port, error.message()));
        }
        url_ = fmt::format("http://{}:{}/", host_text(endpoint.address()), acceptor_.local_endpoint().port());
    }
    ~Implementation() { stop(); }
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    [[nodiscard]] const std::string& url() const { return url_; }

    void start(std::function<StatusTexts()> make_texts) {
        make_texts_ = std::move(make_texts);
        thread_ = thread_without_signals([this] {
            renew_texts();
            accept_next();
            context_.run();
        });
    }

    void stop() {
        if (!thread_.joinable()) return;
        context_.stop();
        thread_.join();
        error_code ignored;
        acceptor_.close(ignored);  // else the system would take connections that nobody answers
    }

private:
    void renew_texts() {
        texts_ = std::make_shared<const StatusTexts>(make_texts_());
        timer_.expires_after(std::chrono::seconds(1));
        timer_.async_wait([this](const error_code& error) {
            if (!error) renew_texts();
        });
    }

    // Those who come when the house is full are turned away at once: they must not wait for ever, nor cost descriptors of the run.
    void accept_next() {
        acceptor_.async_accept([this](const error_code& error, Tcp::socket socket) {
            if (!error && connections_.use_count() <= static_cast<long>(kConnectionsMax)) {
                std::make_shared<StatusSession>(
                    std::move(socket), [this] { return texts_; }, connections_)
                    ->read_next();
            }
            if (!error) return accept_next();
            // Out of descriptors or the like: try again later instead of turning in circles.
            retry_timer_.expires_after(std::chrono::milliseconds(200));
            retry_timer_.async_wait([this](const error_code& cancelled) {
                if (!cancelled) accept_next();
            });
        });
    }

    asio::io_context context_{1};
    Tcp::acceptor acceptor_{context_};
    std::string url_;
    asio::steady_timer timer_{context_};
    asio::steady_timer retry_timer_{context_};
    std::function<StatusTexts()> make_texts_;
    std::shared_ptr<const StatusTexts> texts_;
    std::shared_ptr<char> connections_ = std::make_shared<char>();  // each session holds a share: they are counted
    std::thread thread_;
};

StatusServer::StatusServer(const StatusAddress& address) : implementation_(std::make_unique<Implementation>(address)) {}

StatusServer::~StatusServer() = default;

std::string StatusServer::url() const { return implementation_->url(); }

void StatusServer::start(std::function<StatusTexts()> make_texts) { implementation_->start(std::move(make_texts)); }

void StatusServer::stop() { implementation_->stop(); }

}  // namespace cli
