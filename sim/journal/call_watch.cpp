#include "sim/journal/call_watch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "sim/journal/journal.hpp"
#include "sim/limits.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kLongCallNs = kLongIoSeconds * ums::kNsPerSecond;

// A thread that has no CPU for so long, although it only has to look at a list, does not run at all.
constexpr std::uint64_t kStandstillNs = 6 * ums::kNsPerSecond;

std::string standstill_message(std::uint64_t standstill_ns) {
    return fmt::format(
        "This process did not run for about {} s, as if it had been stopped (Ctrl-Z, a paused container or virtual machine). Requests that "
        "were outstanding then may count as late, even if the storage answered in time.",
        standstill_ns / ums::kNsPerSecond);
}

std::uint64_t duration_between(std::uint64_t begin_ns, std::uint64_t end_ns) { return end_ns - std::min(begin_ns, end_ns); }

}  // namespace

// Reported without the lock: a sink may ask for the progress, which needs it.
void CallWatch::look() {
    std::vector<std::string> warnings;
    {
        const std::lock_guard guard(mutex_);
        const std::uint64_t now_ns = journal_.clock().now_ns();
        const std::uint64_t last_ns = std::exchange(last_look_ns_, now_ns);
        if (last_ns != 0 && duration_between(last_ns, now_ns) > kStandstillNs) warnings.push_back(standstill_message(now_ns - last_ns));
        for (auto call = calls_.begin(); call != calls_.end();) {
            const bool is_over = call->ended_ns != 0;
            const std::uint64_t taken_ns = duration_between(call->begun_ns, is_over ? call->ended_ns : now_ns);
            if (is_over) {
                warnings.push_back(fmt::format("Call took longer than {} seconds: {} of {} returned after {} ms.", kLongIoSeconds,
                                               call->name, call->path, taken_ns / ums::kNsPerMs));
                call = calls_.erase(call);
                continue;
            }
            if (!call->is_reported && taken_ns >= kLongCallNs) {
                call->is_reported = true;
                warnings.push_back(fmt::format("Call takes longer than {} seconds: {} of {} has not returned for {} ms.", kLongIoSeconds,
                                               call->name, call->path, taken_ns / ums::kNsPerMs));
            }
            ++call;
        }
    }
    for (std::string& warning : warnings) journal_.warning(std::move(warning));
}

void CallWatch::expect_looks(bool are_expected) {
    if (!are_expected) look();  // the process may have stood still before
    const std::lock_guard guard(mutex_);
    last_look_ns_ = are_expected ? journal_.clock().now_ns() : 0;
}

std::vector<Progress::Call> CallWatch::long_calls() const {
    std::vector<Progress::Call> calls;
    const std::lock_guard guard(mutex_);
    const std::uint64_t now_ns = journal_.clock().now_ns();
    for (const Call& call : calls_) {
        const std::uint64_t taken_ns = duration_between(call.begun_ns, now_ns);
        if (call.ended_ns == 0 && taken_ns >= kLongCallNs) calls.push_back({call.name, call.path, taken_ns / ums::kNsPerUs});
    }
    return calls;
}

WatchedCall::WatchedCall(Journal& journal, const char* name, const std::string& path) : watch_(journal.calls()) {
    const std::uint64_t begun_ns = journal.clock().now_ns();
    const std::lock_guard guard(watch_.mutex_);
    call_ = watch_.calls_.insert(watch_.calls_.end(), CallWatch::Call{.name = name, .path = path, .begun_ns = begun_ns});
}

// One that took long stays until it has been reported.
WatchedCall::~WatchedCall() {
    const std::lock_guard guard(watch_.mutex_);
    const std::uint64_t now_ns = watch_.journal_.clock().now_ns();
    if (duration_between(call_->begun_ns, now_ns) >= kLongCallNs) {
        call_->ended_ns = now_ns;
    } else {
        watch_.calls_.erase(call_);
    }
}

}  // namespace sim
