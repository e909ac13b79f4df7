#include "sim/readers/promise_view.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "ums/base/units.hpp"
#include "ums/sched/blocking_call.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kOldNs = 500 * ums::kNsPerMs;
constexpr std::uint64_t kRestPerLoad = 10;

}  // namespace

PromiseView::PromiseView(PromiseKeeper& keeper, PromiseKeeper::Wanted wanted, const ums::Clock& clock)
    : keeper_(keeper), wanted_(std::move(wanted)), clock_(clock), known_(std::make_shared<const Promises>()) {}

// Without an answer, for whatever reason, what was known before stays.
PromiseView::Answer PromiseView::ask() const {
    Answer answer;
    try {
        answer.promises = keeper_.load(wanted_);
    } catch (const std::exception& error) {
        answer.trouble = error.what();
    }
    return answer;
}

ums::Task<void> PromiseView::refresh() {
    if (is_asking_.exchange(true)) co_return;
    const std::uint64_t begun_ns = clock_.now_ns();
    Answer answer = co_await ums::run_blocking([this] { return ask(); });
    const std::uint64_t now_ns = clock_.now_ns();
    const bool is_known = answer.promises && answer.promises->section().run_id == wanted_.run_id;
    if (answer.trouble.empty()) loads_.fetch_add(1, std::memory_order_relaxed);
    {
        const std::lock_guard guard(mutex_);
        // It has lost its disk, and with it what was promised since the last answer, and is promised from now on.
        const bool has_forgotten = !is_known && known_->section().run_id == wanted_.run_id;
        if (answer.trouble.empty() && has_forgotten) {
            answer.trouble = fmt::format("{} does not know the run of the owner any more", keeper_.name());
        }
        trouble_ = answer.trouble;
        if (is_known && !answer.promises->are_void()) known_ = std::make_shared<const Promises>(*std::move(answer.promises));
    }
    // What nobody has answered was no work for anybody.
    const std::uint64_t rest_ns = answer.trouble.empty() ? kRestPerLoad * (now_ns - begun_ns) : 0;
    due_ns_.store(now_ns + std::max(kOldNs, rest_ns), std::memory_order_relaxed);
    is_asking_.store(false);
}

ums::Task<void> PromiseView::refresh_if_due() {
    if (clock_.now_ns() >= due_ns_.load(std::memory_order_relaxed)) co_await refresh();
}

std::shared_ptr<const Promises> PromiseView::known() const {
    const std::lock_guard guard(mutex_);
    return known_;
}

std::string PromiseView::trouble() const {
    const std::lock_guard guard(mutex_);
    return trouble_;
}

}  // namespace sim
