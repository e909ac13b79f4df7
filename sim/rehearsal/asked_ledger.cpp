#include "sim/rehearsal/asked_ledger.hpp"

#include "sim/errors.hpp"
#include "ums/base/assert.hpp"

namespace sim {

std::optional<Promises> AskedLedger::load(const Wanted& wanted) {
    if (!answers_()) throw EnvironmentError(name() + ": no answer");
    std::optional<Promises> told = kept_.load(wanted);
    if (told) known_ = copy_of(*told);
    return told;
}

void AskedLedger::begin(const PromiseSection& /*section*/) { UMS_ASSERT(!"a reader promises nothing"); }
void AskedLedger::take_from(PromiseBook& /*book*/) { UMS_ASSERT(!"a reader promises nothing"); }
void AskedLedger::end(bool /*are_removed*/) { UMS_ASSERT(!"a reader promises nothing"); }

}  // namespace sim
