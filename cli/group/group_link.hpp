// The connection of a run to its group, by way of the witness: tells what the run has come to, and knows what the others have. A thread of
// its own says a beat several times a second, and connects again where the connection breaks; nobody waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <boost/asio/ssl/context.hpp>

#include "cli/group/group_message.hpp"
#include "cli/witness/tls_link.hpp"
#include "cli/witness/witness_address.hpp"
#include "ums/base/clock.hpp"

namespace cli {

class GroupLink {
public:
    // What is known by now.
    struct Knowledge {
        GroupView view;              // with peers and turns, once there was one
        std::uint64_t beats = 0;     // that were answered
        std::uint64_t heard_ns = 0;  // when the last one was, by the clock that nobody can set; before the first: when the link began
        std::string trouble;         // why there is no answer now; else empty
        std::string problem;         // there will never be one: another version, other terms
        std::int64_t clock_offset_us = 0;
        std::uint64_t round_trip_us = 0;
    };

    // Throws as tls_context() does. Connects later. `on_beat`: called by its thread before each beat, and must not throw.
    GroupLink(WitnessAddress address, const TlsKeys& keys, GroupBeat first, std::function<void()> on_beat);
    ~GroupLink();
    GroupLink(const GroupLink&) = delete;
    GroupLink& operator=(const GroupLink&) = delete;

    // From now on.
    void start();
    // Changes what the next beat says, which comes at once. Any thread.
    void tell(const std::function<void(GroupBeat&)>& change);
    [[nodiscard]] GroupBeat beat() const;
    [[nodiscard]] Knowledge knowledge() const;
    // Until a beat is answered that tells what was said before this call, or so long at most. False if none was.
    bool wait_for_answer(std::chrono::milliseconds patience);
    // The connection is given up, and made again with the next beat. Only in `on_beat`.
    void hang_up() { link_.close(); }
    [[nodiscard]] std::string name() const;
    // Of the knowledge, for those who ask often.
    [[nodiscard]] std::int64_t clock_offset_us() const { return clock_offset_us_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t released_stage() const { return released_stage_.load(std::memory_order_acquire); }

private:
    void serve();
    [[nodiscard]] std::string say(const GroupBeat& beat, GroupView& view);
    [[nodiscard]] std::string greet();
    [[nodiscard]] std::string receive_view(GroupView& view);
    void measure(std::uint64_t before_us, std::uint64_t after_us, std::uint64_t utc_us);
    void take(GroupView view, std::uint64_t said);

    const WitnessAddress address_;
    boost::asio::ssl::context context_;
    TlsLink link_;
    const ums::RealClock clock_;
    const std::function<void()> on_beat_;
    std::atomic<std::int64_t> clock_offset_us_{0};
    std::atomic<std::uint32_t> released_stage_{0};
    std::thread thread_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    GroupBeat beat_;
    std::uint64_t told_ = 1;      // changes of it
    std::uint64_t answered_ = 0;  // up to this change
    Knowledge knowledge_;
    bool is_ending_ = false;
};

}  // namespace cli
