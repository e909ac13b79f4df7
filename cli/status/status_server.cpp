#include "cli/status/status_server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "cli/status/status_session.hpp"
#include "sim/errors.hpp"
#include "ums/base/os_thread.hpp"

namespace cli {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::size_t kConnectionsMax = 64;

// Signals belong to the control thread.
std::thread thread_without_signals(const std::function<void()>& work) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread;
    std::exception_ptr failure;
    try {
        thread = ums::start_thread(work);
    } catch (...) {
        failure = std::current_exception();
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failure) std::rethrow_exception(failure);
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
                fmt::format("--status: cannot listen on {}:{}: {}", host_text(endpoint.address()), address.port, error.message()));
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
        acceptor_.close(ignored);  // otherwise the system would accept connections that no one answers
    }

private:
    void renew_texts() {
        texts_ = std::make_shared<const StatusTexts>(make_texts_());
        timer_.expires_after(std::chrono::seconds(1));
        timer_.async_wait([this](const error_code& error) {
            if (!error) renew_texts();
        });
    }

    void begin_session(Tcp::socket socket) {
        make_room();
        const auto session = std::make_shared<StatusSession>(
            std::move(socket), [this] { return texts_; }, turns_);
        sessions_.push_back(session);
        session->read_next();
    }

    // The number of connections is bounded, because they must not use up the run's descriptors. When all are in use, drops the one that has
    // waited longest without sending a request or taking an answer, so that silent clients cannot lock out others.
    void make_room() {
        std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
        if (sessions_.size() < kConnectionsMax) return;
        const auto since = [](const auto& session) { return session.lock()->waiting_since(); };
        const auto longest =
            std::min_element(sessions_.begin(), sessions_.end(), [&](const auto& a, const auto& b) { return since(a) < since(b); });
        longest->lock()->give_up();
        sessions_.erase(longest);
    }

    void accept_next() {
        acceptor_.async_accept([this](const error_code& error, Tcp::socket socket) {
            if (!error) begin_session(std::move(socket));
            if (!error) return accept_next();
            // Usually out of descriptors: try again later instead of spinning.
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
    std::vector<std::weak_ptr<StatusSession>> sessions_;  // a pending operation keeps each alive
    std::shared_ptr<std::uint64_t> turns_ = std::make_shared<std::uint64_t>(0);
    std::thread thread_;
};

StatusServer::StatusServer(const StatusAddress& address) : implementation_(std::make_unique<Implementation>(address)) {}

StatusServer::~StatusServer() = default;

std::string StatusServer::url() const { return implementation_->url(); }

void StatusServer::start(std::function<StatusTexts()> make_texts) { implementation_->start(std::move(make_texts)); }

void StatusServer::stop() { implementation_->stop(); }

}  // namespace cli
