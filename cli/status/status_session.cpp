#include "cli/status/status_session.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/ip/host_name.hpp>

#include "cli/status/status_address.hpp"
#include "sim/version.hpp"

namespace cli {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::size_t kHeaderBytesMax = 8192;
constexpr std::chrono::seconds kIdleTimeout{10};

using Response = http::response<http::string_body>;

Response make_response(http::status status, unsigned version, std::string_view type, std::string body) {
    Response response(status, version);
    response.set(http::field::server, std::string("ioproof/") + std::string(sim::kVersion));
    response.set(http::field::content_type, std::string(type));
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Content-Security-Policy",
                 "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:");
    response.body() = std::move(body);
    return response;
}

Response refusal(http::status status, unsigned version, std::string_view text) {
    return make_response(status, version, "text/plain; charset=utf-8", std::string(text) + "\n");
}

std::string machine_name() {
    boost::system::error_code error;
    const std::string name = boost::asio::ip::host_name(error);
    return error ? std::string{} : name;
}

struct RequestTarget {
    std::optional<std::string_view> host;  // of "http://host/path"; with a port if it has one
    std::string_view path;
};

// "/path" or, as to a proxy, "http://host/path", which every server must accept (RFC 9112, 3.2.2).
RequestTarget target_of(const http::request<http::empty_body>& request) {
    constexpr std::string_view kScheme = "http://";
    std::string_view whole(request.target().data(), request.target().size());
    whole = whole.substr(0, whole.find('?'));
    const auto is_letter = [](char letter, char c) { return std::tolower(static_cast<unsigned char>(c)) == letter; };
    const std::string_view scheme = whole.substr(0, kScheme.size());
    if (!std::equal(kScheme.begin(), kScheme.end(), scheme.begin(), scheme.end(), is_letter)) return {std::nullopt, whole};
    whole.remove_prefix(kScheme.size());
    const std::size_t slash = whole.find('/');
    return {whole.substr(0, slash), slash == std::string_view::npos ? "/" : whole.substr(slash)};
}

// Every browser sends the Host header; a client that omits it, as HTTP/1.0 allows, is not a browser. A host in the target replaces it.
bool is_for_us(const http::request<http::empty_body>& request, const RequestTarget& target) {
    const auto hosts = request.equal_range(http::field::host);
    const bool has_host = hosts.first != hosts.second;
    if (has_host ? std::next(hosts.first) != hosts.second : request.version() >= 11) return false;
    if (target.host) return is_own_host(*target.host, machine_name());
    return !has_host || is_own_host({hosts.first->value().data(), hosts.first->value().size()}, machine_name());
}

Response response_to(const http::request<http::empty_body>& request, const StatusTexts& texts) {
    const unsigned version = request.version();
    const RequestTarget target = target_of(request);
    if (!is_for_us(request, target)) {
        return refusal(http::status::misdirected_request, version, "Unknown host; use this machine's address, its own name, or localhost.");
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
        Response response = refusal(http::status::method_not_allowed, version, "Read-only: use GET or HEAD.");
        response.set(http::field::allow, "GET, HEAD");
        return response;
    }
    const std::string_view path = target.path;
    if (path == "/") return make_response(http::status::ok, version, "text/html; charset=utf-8", texts.page);
    if (path == "/status.json") return make_response(http::status::ok, version, "application/json", texts.json);
    if (path == "/metrics") return make_response(http::status::ok, version, "text/plain; version=0.0.4; charset=utf-8", texts.metrics);
    return refusal(http::status::not_found, version, "Not found; try /, /status.json or /metrics.");
}

Response response_to_nonsense(const beast::error_code& error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        return refusal(http::status::request_header_fields_too_large, 11, "Request header too large.");
    }
    if (error == http::error::body_limit || error == http::error::unexpected_body) {
        return refusal(http::status::payload_too_large, 11, "Requests must not have a body.");
    }
    return refusal(http::status::bad_request, 11, "Malformed HTTP request.");
}

bool is_of_http(const beast::error_code& error) {
    return error.category() == beast::error_code(http::error::bad_method).category() && error != http::error::end_of_stream &&
           error != http::error::partial_message;
}

}  // namespace

StatusSession::StatusSession(boost::asio::ip::tcp::socket socket, Texts texts, std::shared_ptr<std::uint64_t> turns)
    : stream_(std::move(socket)), buffer_(2 * kHeaderBytesMax), texts_(std::move(texts)), turns_(std::move(turns)) {}

void StatusSession::begin_to_wait() {
    stream_.expires_after(kIdleTimeout);
    waiting_since_ = ++*turns_;
}

void StatusSession::give_up() { stream_.close(); }

void StatusSession::read_next() {
    parser_.emplace();
    parser_->header_limit(kHeaderBytesMax);
    parser_->body_limit(0);
    begin_to_wait();
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const beast::error_code& error, std::size_t) { self->answer(error); });
}

void StatusSession::answer(const beast::error_code& error) {
    if (error && !is_of_http(error)) return close();
    if (error) {
        response_ = response_to_nonsense(error);
        response_.keep_alive(false);
        response_.prepare_payload();
        return send();
    }
    response_ = response_to(parser_->get(), *texts_());
    response_.keep_alive(parser_->get().keep_alive());
    response_.prepare_payload();
    // Send the length of the text, but not the text.
    if (parser_->get().method() == http::verb::head) {
        const std::size_t size_bytes = response_.body().size();
        response_.body().clear();
        response_.content_length(size_bytes);
    }
    send();
}

void StatusSession::send() {
    begin_to_wait();
    http::async_write(stream_, response_, [self = shared_from_this()](const beast::error_code& error, std::size_t) {
        if (error || !self->response_.keep_alive()) return self->close();
        self->read_next();
    });
}

void StatusSession::close() {
    beast::error_code ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace cli
