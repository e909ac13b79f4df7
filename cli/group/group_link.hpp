// A run's connection to its group, through the witness: reports what the run has reached, and holds what the others have reported. A thread
// of the link sends a beat several times a second and reconnects when the connection breaks; the run does not wait for it.
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
#include "cli/link/tls_link.hpp"
#include "cli/link/witness_address.hpp"
#include "ums/base/clock.hpp"

namespace cli {

class GroupLink {
public:
    struct Knowledge {
        GroupView view;               // complete: peers and turns are kept from earlier answers
        std::uint64_t beats = 0;      // answered ones
        std::uint64_t heard_ns = 0;   // time of the last answer, by the monotonic clock; before the first one: of the link's creation
        std::uint64_t failed_ns = 0;  // when the first beat failed since the last answer; 0: none has
        std::string trouble;          // why the witness does not answer now; otherwise empty
        std::string problem;          // permanent: the witness has another version, or the group has other terms
        std::int64_t clock_offset_us = 0;
        std::uint64_t round_trip_us = 0;
    };

    // Throws as tls_context() does; does not connect yet. The link's thread calls `on_beat` before each beat; it must not throw.
    GroupLink(WitnessAddress address, const TlsKeys& keys, GroupBeat first, std::function<void()> on_beat);
    ~GroupLink();
    GroupLink(const GroupLink&) = delete;
    GroupLink& operator=(const GroupLink&) = delete;

    // Starts the thread that connects and sends beats.
    void start();
    // Changes the next beat, which is sent at once. Any thread.
    void tell(const std::function<void(GroupBeat&)>& change);
    [[nodiscard]] GroupBeat beat() const;
    [[nodiscard]] Knowledge knowledge() const;
    // Waits until a beat that contains all changes made before this call has been answered. False if `patience` ran out first.
    bool wait_for_answer(std::chrono::milliseconds patience);
    // Closes the connection; the next beat reopens it. Only in `on_beat`.
    void hang_up() { link_.close(); }
    [[nodiscard]] std::string name() const;
    // Parts of the knowledge, without its lock, for frequent callers.
    [[nodiscard]] std::int64_t clock_offset_us() const { return clock_offset_us_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t released_stage() const { return released_stage_.load(std::memory_order_acquire); }
    // When the witness last answered this run as a member of the group; before the first time: when the link was created.
    [[nodiscard]] std::uint64_t heard_ns() const { return heard_ns_.load(std::memory_order_relaxed); }

private:
    void serve();
    [[nodiscard]] std::string say(const GroupBeat& beat, GroupView& view);
    [[nodiscard]] std::string greet();
    [[nodiscard]] std::string receive_view(GroupView& view, std::chrono::milliseconds patience);
    void measure(std::uint64_t before_us, std::uint64_t after_us, std::uint64_t utc_us);
    void take(GroupView view, std::uint64_t said);

    const WitnessAddress address_;
    boost::asio::ssl::context context_;
    TlsLink link_;
    const ums::RealClock clock_;
    const std::function<void()> on_beat_;
    std::atomic<std::int64_t> clock_offset_us_{0};
    std::atomic<std::uint32_t> released_stage_{0};
    std::atomic<std::uint64_t> heard_ns_{0};
    std::thread thread_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    GroupBeat beat_;
    std::uint64_t told_ = 1;      // number of changes to `beat_`
    std::uint64_t answered_ = 0;  // the last of these changes that was answered
    Knowledge knowledge_;
    bool is_ending_ = false;
};

}  // namespace cli
