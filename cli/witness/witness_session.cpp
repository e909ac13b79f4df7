#include "cli/witness/witness_session.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "sim/errors.hpp"

namespace cli {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

// From the connection to the greeting: a client that has the key needs only a moment.
constexpr milliseconds kGreetingTime{5000};
// To finish what has begun: the rest of a record, an answer, a piece of what is loaded.
constexpr milliseconds kPieceTime{30000};
constexpr std::size_t kPieceBytes = 262144;

std::uint64_t next_activity() {
    static std::uint64_t count = 0;
    return ++count;
}

}  // namespace

WitnessSession::WitnessSession(Socket socket, asio::ssl::context& context, WitnessShelf& shelf, std::uint64_t begun_ns,
                               std::function<void(WitnessSession&)> on_end)
    : stream_(std::move(socket), context),
      timer_(stream_.get_executor()),
      shelf_(shelf),
      on_end_(std::move(on_end)),
      begun_ns_(begun_ns),
      number_(next_activity()),
      last_active_(number_) {}

template <typename Next>
auto WitnessSession::then(Next next) {
    return [self = shared_from_this(), next](const Error& error, std::size_t /*bytes*/ = 0) {
        self->timer_.cancel();
        if (error || self->is_ended_) return self->close();
        ((*self).*next)();
    };
}

void WitnessSession::limit_time(milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([weak = weak_from_this()](const Error& error) {
        const auto self = weak.lock();
        if (!error && self) self->close();
    });
}

void WitnessSession::close() {
    if (is_ended_) return;
    is_ended_ = true;
    timer_.cancel();
    Error ignored;
    stream_.next_layer().close(ignored);
    if (run_id_ != 0) shelf_.put_away(run_id_, number_);
    on_end_(*this);
}

void WitnessSession::start() {
    limit_time(kGreetingTime);
    stream_.async_handshake(asio::ssl::stream_base::server, then(&WitnessSession::greet));
}

void WitnessSession::greet() {
    limit_time(kGreetingTime);
    asio::async_read(stream_, asio::buffer(&greeting_, sizeof greeting_), then(&WitnessSession::receive_header));
}

void WitnessSession::receive_header() {
    if (!is_known_) {
        if (greeting_.magic != kGreetingMagic) return close();
        is_known_ = true;
        const bool is_group = greeting_.purpose == static_cast<std::uint16_t>(WitnessPurpose::group);
        if (greeting_.version == kGroupWireVersion && is_group) return receive_frame();
        if (greeting_.version != kWireVersion || is_group) {
            return answer({kAnswerMagic, kWireVersion, static_cast<std::uint16_t>(WitnessStatus::other_version), 0, 0, kGroupWireVersion},
                          false);
        }
    }
    // No time limit: a run that has nothing to promise may be silent.
    buffer_.resize(sizeof(sim::PromiseHeader));
    asio::async_read(stream_, asio::buffer(buffer_), then(&WitnessSession::receive_rest));
}

void WitnessSession::receive_rest() {
    last_active_ = next_activity();
    const std::optional<sim::PromiseHeader> header = sim::read_promise_header(buffer_);
    if (!header) return close();
    limit_time(kPieceTime);
    buffer_.resize(header->size_bytes);
    asio::async_read(stream_, asio::buffer(buffer_) + sizeof(sim::PromiseHeader), then(&WitnessSession::take_record));
}

void WitnessSession::take_record() {
    if (greeting_.purpose == static_cast<std::uint16_t>(WitnessPurpose::keep)) return keep_record();
    if (greeting_.purpose == static_cast<std::uint16_t>(WitnessPurpose::load)) return load_record();
    close();
}

void WitnessSession::keep_record() {
    const std::optional<sim::PromiseHeader> header = sim::read_promise_header(buffer_);
    const WitnessAnswer what = shelf_.keep(buffer_, number_);
    run_id_ = header->run_id;
    // Releases the memory, because the next record may be small.
    buffer_ = {};
    answer(what, what.status != static_cast<std::uint16_t>(WitnessStatus::not_understood));
}

void WitnessSession::load_record() {
    const std::optional<sim::PromiseSection> wanted = sim::decode_section(buffer_);
    if (!wanted) return close();
    WitnessStatus status = WitnessStatus::unknown_run;
    try {
        store_ = shelf_.find(*wanted);
        if (store_) status = WitnessStatus::records_follow;
    } catch (const sim::EnvironmentError&) {
        status = WitnessStatus::not_stored;
    } catch (const sim::RefusedError&) {
        status = WitnessStatus::not_stored;
    }
    sent_bytes_ = 0;
    // Without it the client would give "Success" as the reason.
    const auto error = status == WitnessStatus::not_stored ? static_cast<std::uint32_t>(std::errc::io_error) : 0;
    answer({kAnswerMagic, kWireVersion, static_cast<std::uint16_t>(status), error, 0, store_ ? store_->size_bytes() : 0}, true);
}

void WitnessSession::answer(const WitnessAnswer& what, bool goes_on) {
    answer_ = what;
    limit_time(kPieceTime);
    const auto next = !goes_on ? &WitnessSession::close : store_ ? &WitnessSession::send_records : &WitnessSession::receive_header;
    asio::async_write(stream_, asio::buffer(&answer_, sizeof answer_), then(next));
}

void WitnessSession::send_records() {
    last_active_ = next_activity();
    const std::uint64_t left_bytes = store_->size_bytes() - sent_bytes_;
    if (left_bytes == 0) {
        store_.reset();
        return receive_header();
    }
    buffer_.resize(std::min<std::uint64_t>(left_bytes, kPieceBytes));
    if (store_->read(sent_bytes_, buffer_)) return close();
    sent_bytes_ += buffer_.size();
    limit_time(kPieceTime);
    asio::async_write(stream_, asio::buffer(buffer_), then(&WitnessSession::send_records));
}

// --- groups ---

// No time limit: a member that is silent soon counts as gone in its group, and its connection makes room for others.
void WitnessSession::receive_frame() {
    asio::async_read(stream_, asio::buffer(&frame_, sizeof frame_), then(&WitnessSession::receive_beat));
}

void WitnessSession::receive_beat() {
    last_active_ = next_activity();
    if (frame_.magic != kFrameMagic || frame_.size_bytes == 0 || frame_.size_bytes > kGroupBeatBytesMax) return close();
    limit_time(kPieceTime);
    buffer_.resize(frame_.size_bytes);
    asio::async_read(stream_, asio::buffer(buffer_), then(&WitnessSession::answer_beat));
}

void WitnessSession::answer_beat() {
    const std::optional<std::string> view = shelf_.groups().answer({reinterpret_cast<const char*>(buffer_.data()), buffer_.size()});
    if (!view) return close();
    frame_ = {kFrameMagic, static_cast<std::uint32_t>(view->size())};
    buffer_.resize(sizeof frame_ + view->size());
    std::memcpy(buffer_.data(), &frame_, sizeof frame_);
    std::memcpy(buffer_.data() + sizeof frame_, view->data(), view->size());
    limit_time(kPieceTime);
    asio::async_write(stream_, asio::buffer(buffer_), then(&WitnessSession::receive_frame));
}

}  // namespace cli
