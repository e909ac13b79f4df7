// The moments of a run at which a loss of power is most likely to do harm. They are found by watching one run, and used to cut the next
// one, which is identical.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/options.hpp"
#include "sim/results.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/volatile_storage.hpp"

namespace sim {

// Why the power fails at this moment.
enum class CutReason : std::uint8_t {
    any_moment,      // drawn from all moments
    creation,        // the files are being created
    resize,          // a file grows or shrinks: requested, done, or just after
    sync,            // a sync: requested, done, or just after
    log_flush,       // a log write has just completed, and what waited for it begins
    checkpoint,      // between the first and the last record of a checkpoint
    checkpoint_end,  // the block with a checkpoint's last record: requested, done, or just after
};

inline constexpr std::size_t kCutReasonCount = 7;

[[nodiscard]] std::string_view name_of(CutReason reason);

class CutMoments {
public:
    // `phase` returns that of the run that is watched. `options` must outlive the object.
    CutMoments(const Options& options, std::function<Phase()> phase) : options_(options), phase_(std::move(phase)) {}

    // For VolatileStorage::set_observer.
    void observe(const ums::PowerMoment& moment);

    struct Choice {
        std::uint64_t moment = 0;
        CutReason reason{};
    };
    // In half of all cases, any moment. Otherwise a reason, all equally likely, then one of its moments. At least one must have been
    // observed.
    [[nodiscard]] Choice draw(ums::Prng& prng) const;

private:
    void add(CutReason reason, std::uint64_t moment);
    void observe_log_block(const ums::PowerMoment& moment);

    const Options& options_;
    const std::function<Phase()> phase_;
    std::array<std::vector<std::uint64_t>, kCutReasonCount> moments_;  // by reason; none for any_moment
    std::uint64_t count_ = 0;
    bool is_in_checkpoint_ = false;
    bool is_after_log_flush_ = false;
};

}  // namespace sim
