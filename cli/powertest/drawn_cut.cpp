#include "cli/powertest/drawn_cut.hpp"

#include "cli/run/moment_pipe.hpp"
#include "ums/base/prng.hpp"

namespace cli {
namespace {

constexpr std::uint64_t kLateUsMax = 3000;

}  // namespace

DrawnCut drawn_cut(const CampaignPlan& plan, std::uint32_t cycle) {
    ums::Prng draw(ums::mix64(plan.seed) + cycle);
    DrawnCut cut;
    cut.after_ms = draw.between(plan.least_s * 1000, plan.most_s * 1000);
    cut.moment = plan.moments.at((cycle - 1) % plan.moments.size());
    cut.late_us = draw.between(0, kLateUsMax);
    return cut;
}

char letter_of_moment(const std::string& moment) {
    if (moment == "checkpoint") return kCheckpointMoment;
    return moment == "growth" ? kGrowthMoment : kFlushMoment;
}

}  // namespace cli
