#include "cli/link/tls_link.hpp"

#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

#include "ums/base/name_service.hpp"

namespace cli {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

constexpr const char* kNoAnswer = "no answer";
constexpr int kHandshakesMax = 3;
constexpr milliseconds kHandshakePause{200};
// Of a name: one that does not answer must not hide another one, and many must not take too long.
constexpr std::size_t kAddressesMax = 4;

}  // namespace

TlsLink::TlsLink(asio::ssl::context& context, std::string host, std::uint16_t port, bool checks_name)
    : context_(context), host_(std::move(host)), port_(port), checks_name_(checks_name) {}

// The operation has ended when this returns: if its time is up, closing the socket ends it.
std::string TlsLink::wait(milliseconds patience, const std::function<void(Done)>& begin) {
    std::optional<error_code> result;
    begin([&result](const error_code& error) { result = error; });
    io_.restart();
    io_.run_for(patience);
    const bool is_late = !result;
    if (is_late) {
        error_code ignored;
        stream_->next_layer().close(ignored);
        io_.restart();
        io_.run();
    }
    if (is_late || *result) close();
    if (is_late) return kNoAnswer;
    return *result ? result->message() : std::string();
}

std::string TlsLink::connect_socket(milliseconds patience) {
    ums::use_built_in_name_service();
    asio::ip::tcp::resolver resolver(io_);
    asio::ip::tcp::resolver::results_type addresses;
    // Looking up the name blocks, for as long as the system's resolver allows.
    error_code error;
    addresses = resolver.resolve(host_, std::to_string(port_), error);
    if (error) return error.message();
    std::string problem = kNoAnswer;
    std::size_t tries = 0;
    for (const auto& address : addresses) {
        if (tries++ == kAddressesMax) break;
        stream_ = std::make_unique<asio::ssl::stream<asio::ip::tcp::socket>>(io_, context_);
        problem = wait(patience, [&](const Done& done) { stream_->next_layer().async_connect(address.endpoint(), done); });
        if (!problem.empty()) continue;
        if (checks_name_) stream_->set_verify_callback(asio::ssl::host_name_verification(host_));
        stream_->next_layer().set_option(asio::ip::tcp::no_delay(true), error);
        break;
    }
    return problem;
}

std::string TlsLink::connect(milliseconds patience, milliseconds handshake_patience) {
    for (int attempt = 1;; ++attempt) {
        close();
        std::string problem = connect_socket(patience);
        if (!problem.empty()) {
            close();
            return problem;
        }
        problem = handshake(handshake_patience);
        if (problem.empty()) return problem;
        if (problem == kNoAnswer) return "no secure connection: no answer";
        if (attempt == kHandshakesMax) return "no secure connection: " + problem + " (are the keys the same?)";
        std::this_thread::sleep_for(kHandshakePause);
    }
}

std::string TlsLink::handshake(milliseconds patience) {
    return wait(patience, [this](const Done& done) { stream_->async_handshake(asio::ssl::stream_base::client, done); });
}

std::string TlsLink::send(std::span<const std::byte> bytes, milliseconds patience) {
    if (!is_open()) return "not connected";
    return wait(patience, [&](const Done& done) {
        asio::async_write(*stream_, asio::buffer(bytes.data(), bytes.size()),
                          [done](const error_code& error, std::size_t) { done(error); });
    });
}

std::string TlsLink::receive(std::span<std::byte> bytes, milliseconds patience) {
    if (!is_open()) return "not connected";
    return wait(patience, [&](const Done& done) {
        asio::async_read(*stream_, asio::buffer(bytes.data(), bytes.size()), [done](const error_code& error, std::size_t) { done(error); });
    });
}

void TlsLink::close() { stream_.reset(); }

}  // namespace cli
