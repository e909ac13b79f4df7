#include "sim/rehearsal/asked_ledger.hpp"

#include "ums/base/assert.hpp"

namespace sim {

std::optional<Promises> AskedLedger::load(const Wanted& wanted) {
    std::optional<Promises> told = kept_.load(wanted);
    if (told) known_ = copy_of(*told);
    return told;
}

void AskedLedger::begin(const PromiseSection& /*section*/) { UMS_ASSERT(!"a reader promises nothing"); }
void AskedLedger::take_from(PromiseBook& /*book*/) { UMS_ASSERT(!"a reader promises nothing"); }
void AskedLedger::end(bool /*are_removed*/) { UMS_ASSERT(!"a reader promises nothing"); }

}  // namespace sim
