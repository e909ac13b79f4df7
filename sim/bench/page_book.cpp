#include "sim/bench/page_book.hpp"

#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"

namespace sim {

PageBook::PageBook(std::uint64_t pages, std::uint32_t file_id, std::uint64_t run_id, BookPast past)
    : pages_(pages),
      file_id_(file_id),
      run_id_(run_id),
      past_(past),
      memory_((pages > 0 ? pages : 1) * sizeof(std::atomic<std::uint64_t>), ums::MemoryKind::huge_pages) {}

std::atomic<std::uint64_t>& PageBook::word(std::uint64_t page) const {
    UMS_ASSERT(page < pages_);
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data())[page];
}

std::uint32_t PageBook::begin_write(std::uint64_t page) {
    std::atomic<std::uint64_t>& entry = word(page);
    std::uint64_t before = entry.load(std::memory_order_relaxed);
    std::uint64_t after = 0;
    do {
        const std::uint64_t version = (before & kVersion) == kVersion ? 1 : (before & kVersion) + 1;
        after = (before & ~kVersion) + version + kOneInFlight;
        if ((before & kInFlight) != 0) after |= kContested;
    } while (!entry.compare_exchange_weak(before, after, std::memory_order_acq_rel));
    return version_of(after);
}

void PageBook::end_write(std::uint64_t page, bool succeeded) {
    std::atomic<std::uint64_t>& entry = word(page);
    std::uint64_t before = entry.load(std::memory_order_relaxed);
    std::uint64_t after = 0;
    do {
        after = before - kOneInFlight;
        if (!succeeded) after |= kContested;
        if ((after & kInFlight) != 0) continue;
        const bool is_known = (after & kContested) == 0;
        after &= ~(kContested | kOwn | kFound | kUnknown);
        after |= is_known ? kOwn : kUnknown;
    } while (!entry.compare_exchange_weak(before, after, std::memory_order_acq_rel));
}

BookJudgement PageBook::judge(std::uint64_t page, const std::byte* image, Mark mark) {
    std::atomic<std::uint64_t>& entry = word(page);
    if (past_ == BookPast::mixed && page == 0) return BookJudgement::not_judged;
    // A write that began meanwhile has changed the version.
    if ((mark & (kInFlight | kUnknown)) != 0 || entry.load(std::memory_order_acquire) != mark) return BookJudgement::not_judged;
    const PageHeader header = read_header(image);
    const bool is_sound = header.magic == kPageMagic && header.checksum == page_checksum(image) && header.file_id == file_id_ &&
                          header.page_id == page && header.version != 0;
    if ((mark & kOwn) != 0) {
        return is_sound && header.run_id == run_id_ && header.version == version_of(mark) ? BookJudgement::right : BookJudgement::wrong;
    }
    if ((mark & kFound) != 0) return is_sound && header.version == version_of(mark) ? BookJudgement::right : BookJudgement::wrong;
    // Where there were only pages of ours, one that contradicts itself is wrong, whatever stood there before.
    const bool is_damaged = header.magic == kPageMagic && header.checksum != page_checksum(image);
    if (is_damaged && past_ == BookPast::pages) return BookJudgement::wrong;
    std::uint64_t expected = mark;
    const std::uint64_t found = is_sound && header.version <= kVersion ? ((mark & ~kVersion) | header.version | kFound) : mark | kUnknown;
    entry.compare_exchange_strong(expected, found, std::memory_order_acq_rel);
    return (found & kFound) != 0 ? BookJudgement::right : BookJudgement::not_judged;
}

bool PageBook::give_up(std::uint64_t page, Mark mark) {
    return word(page).compare_exchange_strong(mark, (mark & ~(kOwn | kFound)) | kUnknown, std::memory_order_acq_rel);
}

}  // namespace sim
