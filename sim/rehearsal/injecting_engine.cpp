#include "sim/rehearsal/injecting_engine.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ums/base/assert.hpp"
#include "ums/base/units.hpp"
#include "ums/io/forwarding_engine.hpp"

namespace sim {

namespace {

// A request that fails at once still takes some time.
constexpr std::uint64_t kErrorNs = 100 * ums::kNsPerUs;

class InjectingEngine final : public ums::ForwardingEngine {
public:
    InjectingEngine(FaultInjector& injector, std::unique_ptr<ums::IoEngine> inner)
        : ForwardingEngine(std::move(inner)), injector_(injector) {}
    ~InjectingEngine() override { UMS_ASSERT(parked_.empty()); }

    void submit(ums::IoRequest& request) override {
        RequestFate fate = injector_.fate_of(request);
        if (fate.error_code != 0) {
            request.error = std::error_code(fate.error_code, std::system_category());
            request.transferred_bytes = 0;
            park(request, kErrorNs);
            return;
        }
        if (!fate.is_good()) fates_.emplace(&request, std::move(fate));
        inner().submit(request);
    }

    void poll(ums::IoRequestList& finished) override {
        ums::IoRequestList arrived;
        inner().poll(arrived);
        while (ums::IoRequest* request = arrived.pop_front()) {
            RequestFate fate;
            const auto known = fates_.find(request);
            if (known != fates_.end()) {
                fate = std::move(known->second);
                fates_.erase(known);
            }
            injector_.carry_out(*request, fate);
            if (fate.delay_ns == 0) {
                finished.push_back(*request);
            } else {
                park(*request, fate.delay_ns);
            }
        }
        hand_back_due(finished);
    }

    void wait(std::uint64_t timeout_ns) override {
        const std::uint64_t now_ns = injector_.clock().now_ns();
        const std::uint64_t due_ns = parked_due_ns();
        if (due_ns > now_ns) inner().wait(std::min(timeout_ns, due_ns - now_ns));
    }

    [[nodiscard]] std::uint32_t in_flight() const override { return inner().in_flight() + static_cast<std::uint32_t>(parked_.size()); }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return std::min(inner().next_completion_ns(), parked_due_ns()); }

private:
    struct Parked {
        ums::IoRequest* request;
        std::uint64_t due_ns;
    };

    void park(ums::IoRequest& request, std::uint64_t delay_ns) { parked_.push_back({&request, injector_.clock().now_ns() + delay_ns}); }

    void hand_back_due(ums::IoRequestList& finished) {
        if (parked_.empty()) return;
        const std::uint64_t now_ns = injector_.clock().now_ns();
        std::erase_if(parked_, [&](const Parked& parked) {
            if (parked.due_ns > now_ns) return false;
            parked.request->completed_ns = 0;  // the scheduler sets the time
            finished.push_back(*parked.request);
            return true;
        });
    }

    [[nodiscard]] std::uint64_t parked_due_ns() const {
        std::uint64_t due_ns = ums::kNever;
        for (const Parked& parked : parked_) due_ns = std::min(due_ns, parked.due_ns);
        return due_ns;
    }

    FaultInjector& injector_;
    std::unordered_map<const ums::IoRequest*, RequestFate> fates_;  // of requests that the inner engine has
    std::vector<Parked> parked_;                                    // returned by the inner engine, but not handed back yet
};

}  // namespace

std::unique_ptr<ums::IoEngine> make_injecting_engine(FaultInjector& injector, std::unique_ptr<ums::IoEngine> inner) {
    return std::make_unique<InjectingEngine>(injector, std::move(inner));
}

}  // namespace sim
