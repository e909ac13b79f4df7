#include "cli/group/group_link.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "cli/link/tls.hpp"
#include "cli/link/witness_wire.hpp"
#include "ums/base/os_thread.hpp"

namespace cli {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBeatInterval{250};
constexpr milliseconds kRetryPause{500};
constexpr milliseconds kLinkPatience{3000};
// For the handshake and the first answer: all members may come at once, and the witness stores each arrival before it answers.
constexpr milliseconds kArrivalPatience{10000};
// The shortest round trip gives the best clock offset. It ages with every longer one, because clocks drift.
constexpr std::uint64_t kRoundTripAging = 64;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

}  // namespace

GroupLink::GroupLink(WitnessAddress address, const TlsKeys& keys, GroupBeat first, std::function<void()> on_beat)
    : address_(std::move(address)),
      context_(tls_context(TlsSide::client, keys)),
      link_(context_, address_.host, address_.port, keys.key_file.empty()),
      on_beat_(std::move(on_beat)),
      beat_(std::move(first)) {
    knowledge_.heard_ns = clock_.now_ns();
    heard_ns_ = knowledge_.heard_ns;
}

GroupLink::~GroupLink() {
    {
        const std::lock_guard guard(mutex_);
        is_ending_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void GroupLink::start() {
    thread_ = ums::start_thread([this] {
        ums::name_this_thread("group");
        serve();
    });
}

std::string GroupLink::name() const { return witness_address_text(address_); }

void GroupLink::tell(const std::function<void(GroupBeat&)>& change) {
    const std::lock_guard guard(mutex_);
    change(beat_);
    ++told_;
    changed_.notify_all();
}

GroupBeat GroupLink::beat() const {
    const std::lock_guard guard(mutex_);
    return beat_;
}

GroupLink::Knowledge GroupLink::knowledge() const {
    const std::lock_guard guard(mutex_);
    return knowledge_;
}

bool GroupLink::wait_for_answer(milliseconds patience) {
    std::unique_lock guard(mutex_);
    const std::uint64_t said = told_;
    return changed_.wait_for(guard, patience, [&] { return answered_ >= said || !knowledge_.problem.empty(); });
}

void GroupLink::serve() {
    for (;;) {
        on_beat_();
        GroupBeat beat;
        std::uint64_t said = 0;
        {
            const std::lock_guard guard(mutex_);
            if (is_ending_) return;
            ++beat_.number;
            beat_.clock_offset_us = knowledge_.clock_offset_us;
            beat_.known_revision = knowledge_.view.peers ? knowledge_.view.revision : 0;
            beat = beat_;
            said = told_;
        }
        GroupView view;
        const std::string trouble = say(beat, view);
        std::unique_lock guard(mutex_);
        knowledge_.trouble = trouble;
        if (trouble.empty()) take(std::move(view), said);
        if (knowledge_.trouble.empty()) {
            knowledge_.failed_ns = 0;
        } else if (knowledge_.failed_ns == 0) {
            knowledge_.failed_ns = clock_.now_ns();
        }
        changed_.notify_all();
        if (!knowledge_.problem.empty()) {
            changed_.wait(guard, [this] { return is_ending_; });
            return;
        }
        // Changes made by tell() meanwhile are sent at once, unless the witness does not answer.
        changed_.wait_for(guard, trouble.empty() ? kBeatInterval : kRetryPause,
                          [&] { return is_ending_ || (told_ != said && trouble.empty()); });
    }
}

void GroupLink::take(GroupView view, std::uint64_t said) {
    if (!view.problem.empty()) knowledge_.problem = view.problem;
    if (!view.trouble.empty()) {
        knowledge_.trouble = view.trouble;
        return;
    }
    if (!view.peers) {
        view.peers = std::move(knowledge_.view.peers);
        view.turns = std::move(knowledge_.view.turns);
    }
    knowledge_.view = std::move(view);
    released_stage_.store(knowledge_.view.released_stage, std::memory_order_release);
    ++knowledge_.beats;
    knowledge_.heard_ns = clock_.now_ns();
    const bool is_member = knowledge_.problem.empty() && !knowledge_.view.is_rank_taken;
    if (is_member) heard_ns_.store(knowledge_.heard_ns, std::memory_order_relaxed);
    answered_ = said;
}

std::string GroupLink::say(const GroupBeat& beat, GroupView& view) {
    std::string problem = link_.is_open() ? std::string() : greet();
    if (!problem.empty()) return problem;
    const std::string text = encode(beat);
    const WitnessFrame frame{kFrameMagic, static_cast<std::uint32_t>(text.size())};
    std::vector<std::byte> bytes(sizeof frame + text.size());
    std::copy_n(std::as_bytes(std::span(&frame, 1)).data(), sizeof frame, bytes.data());
    std::copy_n(bytes_of(text).data(), text.size(), bytes.data() + sizeof frame);
    const std::uint64_t before_us = clock_.now_ns() / 1000;
    problem = link_.send(bytes, kLinkPatience);
    if (problem.empty()) problem = receive_view(view, knowledge().beats == 0 ? kArrivalPatience : kLinkPatience);
    if (problem.empty()) measure(before_us, clock_.now_ns() / 1000, view.utc_us);
    return problem;
}

std::string GroupLink::greet() {
    std::string problem = link_.connect(kLinkPatience, kArrivalPatience);
    if (!problem.empty()) return problem;
    const WitnessGreeting greeting{kGreetingMagic, kGroupWireVersion, static_cast<std::uint16_t>(WitnessPurpose::group), 0};
    return link_.send(std::as_bytes(std::span(&greeting, 1)), kLinkPatience);
}

std::string GroupLink::receive_view(GroupView& view, milliseconds patience) {
    WitnessFrame frame{};
    std::string problem = link_.receive(std::as_writable_bytes(std::span(&frame, 1)), patience);
    if (!problem.empty()) return problem;
    if (frame.magic == kAnswerMagic) {
        const std::lock_guard guard(mutex_);
        knowledge_.problem = "the witness has an older version, which does not support groups";
        link_.close();
        return knowledge_.problem;
    }
    if (frame.magic != kFrameMagic || frame.size_bytes > kGroupViewBytesMax) {
        link_.close();
        return "the server that answers is not a witness";
    }
    std::string text(frame.size_bytes, '\0');
    problem = link_.receive(std::as_writable_bytes(std::span(text.data(), text.size())), kLinkPatience);
    if (!problem.empty()) return problem;
    std::optional<GroupView> decoded = decode_view(text);
    if (!decoded) {
        link_.close();
        return "the witness's answer is not a view of a group";
    }
    view = std::move(*decoded);
    return {};
}

// The witness read its clock at some moment of the round trip: assume the middle; the error is at most half of the trip.
void GroupLink::measure(std::uint64_t before_us, std::uint64_t after_us, std::uint64_t utc_us) {
    const std::uint64_t round_trip_us = std::max<std::uint64_t>(after_us - before_us, 1);
    const std::uint64_t here_utc_us = clock_.utc_us() - round_trip_us / 2;
    const std::lock_guard guard(mutex_);
    const bool is_better = knowledge_.round_trip_us == 0 || round_trip_us <= knowledge_.round_trip_us;
    if (!is_better) {
        knowledge_.round_trip_us += knowledge_.round_trip_us / kRoundTripAging + 1;
        return;
    }
    knowledge_.round_trip_us = round_trip_us;
    knowledge_.clock_offset_us = static_cast<std::int64_t>(utc_us - here_utc_us);
    clock_offset_us_.store(knowledge_.clock_offset_us, std::memory_order_relaxed);
}

}  // namespace cli
