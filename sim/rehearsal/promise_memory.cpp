#include "sim/rehearsal/promise_memory.hpp"

#include "sim/errors.hpp"
#include "ums/base/assert.hpp"

namespace sim {

// Through the records, as a store or the wire carries them.
Promises copy_of(const Promises& promises) {
    Promises copy;
    promises.for_each_record([&copy](std::span<const std::byte> record) {
        if (const auto section = decode_section(record)) return copy.begin(*section);
        const auto batch = decode_batch(record);
        UMS_ASSERT(batch && copy.add(*batch));
    });
    return copy;
}

std::optional<Promises> PromiseMemory::load(const Wanted& /*wanted*/) {
    if (promises_.section().run_id == 0) return std::nullopt;
    return copy_of(promises_);
}

void PromiseMemory::begin(const PromiseSection& section) {
    const auto read = decode_section(encode(section));
    UMS_ASSERT(read && *read == section);
    waiting_ = *read;
    begin_waiting();
}

// A run that cannot report its first, empty section does not begin at all.
void PromiseMemory::begin_waiting() {
    if (!waiting_ || (waiting_->incarnation > 0 && !is_reached_())) return;
    promises_.begin(*std::exchange(waiting_, std::nullopt));
}

void PromiseMemory::take() {
    if (!is_reached_()) return;
    begin_waiting();
    if (book_ == nullptr || !book_->has_news()) return;
    PromiseBatch batch = book_->take_batch();
    batch.run_id = promises_.section().run_id;
    batch.section_id = promises_.section().section_id;
    batch.number = promises_.last_number() + 1;
    const bool is_taken = promises_.add(batch);
    UMS_ASSERT(is_taken);
    ++status_.batches;
    status_.pages += batch.pages.size();
}

void PromiseMemory::end(bool are_removed) {
    const bool is_reached = is_reached_();
    while (book_ != nullptr && is_reached && book_->has_news()) take();
    book_ = nullptr;
    if (!are_removed || !is_reached) return;
    PromiseSection nothing = promises_.section();
    nothing.incarnation = 0;
    nothing.files.clear();
    promises_.begin(nothing);
}

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
