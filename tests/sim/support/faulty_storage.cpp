#include "tests/sim/support/faulty_storage.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tests/support/catch.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/event.hpp"

namespace sim::testing {

class FaultyEngine final : public ums::IoEngine {
public:
    FaultyEngine(FaultyStorage& storage, std::unique_ptr<ums::IoEngine> inner) : storage_(storage), inner_(std::move(inner)) {}
    ~FaultyEngine() override {
        const std::lock_guard guard(storage_.mutex_);
        UMS_ASSERT(parked_.empty());
        storage_.engines_.erase(this);
    }

    [[nodiscard]] std::string_view name() const override { return inner_->name(); }

    void submit(ums::IoRequest& request) override {
        if (storage_.observer_ != nullptr) storage_.observer_->on_begin(request);
        const Fate fate = storage_.fate_of(request);
        if (fate.short_bytes != 0) request.short_bytes = fate.short_bytes;
        if (fate.error == 0) {
            if (fate.transferred_bytes || fate.delay_ns != 0 || fate.hold) fates_.emplace(&request, fate);
            inner_->submit(request);
            return;
        }
        request.error = std::error_code(fate.error, std::system_category());
        park(request, fate);
    }

    void poll(ums::IoRequestList& finished) override {
        ums::IoRequestList arrived;
        inner_->poll(arrived);
        while (ums::IoRequest* request = arrived.pop_front()) {
            const auto place = fates_.find(request);
            if (place == fates_.end()) {
                hand_back(*request, finished);
                continue;
            }
            const Fate fate = place->second;
            fates_.erase(place);
            if (fate.transferred_bytes) request->transferred_bytes = *fate.transferred_bytes;
            park(*request, fate);
        }
        hand_back_due(finished);
    }

    void wait(std::uint64_t timeout_ns) override {
        const std::uint64_t due_ns = parked_due_ns();
        const std::uint64_t now_ns = storage_.clock_.now_ns();
        if (due_ns > now_ns) inner_->wait(std::min(timeout_ns, due_ns == ums::kNever ? timeout_ns : due_ns - now_ns));
    }

    void wake() override { inner_->wake(); }

    [[nodiscard]] std::uint32_t in_flight() const override {
        const std::lock_guard guard(storage_.mutex_);
        return inner_->in_flight() + static_cast<std::uint32_t>(parked_.size());
    }

    [[nodiscard]] std::uint64_t next_completion_ns() const override { return std::min(inner_->next_completion_ns(), parked_due_ns()); }

    // With the storage's mutex held.
    void let_go(const ums::IoRequest& request) {
        for (Parked& parked : parked_) {
            if (parked.request == &request) parked.due_ns = storage_.clock_.now_ns();
        }
    }

private:
    struct Parked {
        ums::IoRequest* request;
        std::uint64_t due_ns;
    };

    void park(ums::IoRequest& request, const Fate& fate) {
        const std::lock_guard guard(storage_.mutex_);
        parked_.push_back({&request, fate.hold ? ums::kNever : storage_.clock_.now_ns() + fate.delay_ns});
        if (fate.hold) storage_.held_.push_back({this, &request});
    }

    void hand_back(ums::IoRequest& request, ums::IoRequestList& finished) {
        if (storage_.observer_ != nullptr) storage_.observer_->on_end(request);
        finished.push_back(request);
    }

    void hand_back_due(ums::IoRequestList& finished) {
        std::vector<ums::IoRequest*> due;
        {
            const std::lock_guard guard(storage_.mutex_);
            const std::uint64_t now_ns = storage_.clock_.now_ns();
            std::erase_if(parked_, [&](const Parked& parked) {
                if (parked.due_ns > now_ns) return false;
                parked.request->completed_ns = 0;  // the scheduler records the time
                due.push_back(parked.request);
                return true;
            });
        }
        for (ums::IoRequest* request : due) hand_back(*request, finished);
    }

    [[nodiscard]] std::uint64_t parked_due_ns() const {
        const std::lock_guard guard(storage_.mutex_);
        std::uint64_t due_ns = ums::kNever;
        for (const Parked& parked : parked_) due_ns = std::min(due_ns, parked.due_ns);
        return due_ns;
    }

    FaultyStorage& storage_;
    const std::unique_ptr<ums::IoEngine> inner_;
    std::unordered_map<ums::IoRequest*, Fate> fates_;  // of requests that the inner engine has
    std::vector<Parked> parked_;                       // completed there, but not yet reported
};

FaultyStorage::~FaultyStorage() { UMS_ASSERT(engines_.empty()); }

void FaultyStorage::set_rule(Rule rule) {
    const std::lock_guard guard(mutex_);
    rule_ = std::move(rule);
}

Fate FaultyStorage::fate_of(const ums::IoRequest& request) {
    const std::lock_guard guard(mutex_);
    return rule_ ? rule_(request) : Fate{};
}

void FaultyStorage::release(std::vector<Held>::iterator place) {
    place->engine->let_go(*place->request);
    place->engine->wake();
    held_.erase(place);
}

void FaultyStorage::release_held() {
    const std::lock_guard guard(mutex_);
    while (!held_.empty()) release(held_.begin());
}

bool FaultyStorage::release_first() {
    const std::lock_guard guard(mutex_);
    if (held_.empty()) return false;
    release(held_.begin());
    return true;
}

bool FaultyStorage::release_last() {
    const std::lock_guard guard(mutex_);
    if (held_.empty()) return false;
    release(held_.end() - 1);
    return true;
}

std::size_t FaultyStorage::held_count() const {
    const std::lock_guard guard(mutex_);
    return held_.size();
}

std::unique_ptr<ums::IoEngine> FaultyStorage::make_engine(const ums::EngineOptions& options, std::string& reason) {
    auto engine = std::make_unique<FaultyEngine>(*this, inner().make_engine(options, reason));
    const std::lock_guard guard(mutex_);
    engines_.insert(engine.get());
    return engine;
}

ums::Task<void> wait_for_held(const FaultyStorage& storage, const ums::Clock& clock) {
    const std::uint64_t end_ns = clock.now_ns() + ums::kNsPerSecond;
    while (storage.held_count() == 0 && clock.now_ns() < end_ns) co_await ums::sleep_until(clock.now_ns() + ums::kNsPerMs);
    CHECK(storage.held_count() > 0);
}

}  // namespace sim::testing
