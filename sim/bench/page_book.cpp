#include "sim/bench/page_book.hpp"

#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/page/stamped_sector.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"

namespace sim {

PageBook::PageBook(std::uint64_t pages, std::uint32_t file_id, std::uint64_t run_id, BookUnit unit, BookPast past,
                   std::uint64_t first_run_id)
    : unit_(unit),
      pages_(pages),
      file_id_(file_id),
      run_id_(run_id),
      past_(past),
      first_run_id_(first_run_id),
      memory_((pages > 0 ? pages : 1) * kEntryBytes, ums::MemoryKind::huge_pages) {}

std::uint64_t PageBook::run_tag_of(std::uint64_t run_id) { return ums::mix64(run_id) & kTag; }

std::atomic<std::uint64_t>& PageBook::word(std::uint64_t page) const {
    UMS_ASSERT(page < pages_);
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data())[page];
}

void PageBook::make_image(std::uint64_t page, std::uint32_t version, std::uint64_t utc_us, std::byte* data) const {
    if (unit_ == BookUnit::page) {
        make_page({run_id_, file_id_, static_cast<std::uint32_t>(page), version, 0, utc_us}, data);
    } else {
        make_stamped_sector({run_id_, page, file_id_, version}, data);
    }
    // Without its mark, a mixed file would be taken for one that holds only pages.
    if (has_mark_of_file(page)) make_measure_mark(data);
}

UnitImage PageBook::look_at(const std::byte* image) const {
    if (unit_ == BookUnit::sector) {
        const StampedSector sector = read_stamped_sector(image);
        const SectorIdentity& says = sector.identity;
        return {sector.is_ours, sector.is_sound, says.run_id, says.number, says.file_id, says.version};
    }
    const PageHeader header = read_header(image);
    const bool is_ours = header.magic == kPageMagic;
    return {is_ours, is_ours && header.checksum == page_checksum(image), header.run_id, header.page_id, header.file_id, header.version};
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
        after &= ~(kContested | kOwn | kFound | kUnknown | kTag);
        after |= is_known ? kOwn | own_tag() : kUnknown;
    } while (!entry.compare_exchange_weak(before, after, std::memory_order_acq_rel));
}

// Whether nothing that was there before this process can look like this.
bool PageBook::cannot_be_older(std::uint64_t page, const UnitImage& says) const {
    if (!says.is_ours) return false;
    const bool is_here = says.number == number_of(page);
    switch (past_) {
        case BookPast::pages: return (is_here || unit_ == BookUnit::sector) ? !says.is_sound : says.run_id == first_run_id_;
        case BookPast::device: return is_here && !says.is_sound;
        case BookPast::mixed:
        case BookPast::foreign: break;
    }
    return false;
}

BookJudgement PageBook::judge(std::uint64_t page, const std::byte* image, Mark mark) {
    std::atomic<std::uint64_t>& entry = word(page);
    if (has_mark_of_file(page)) return BookJudgement::not_judged;
    // A write that has begun meanwhile has changed the version.
    if ((mark & (kInFlight | kUnknown)) != 0 || entry.load(std::memory_order_acquire) != mark) return BookJudgement::not_judged;
    const UnitImage says = look_at(image);
    const bool is_sound = says.is_sound && says.file_id == file_id_ && says.number == number_of(page) && says.version != 0;
    if ((mark & kOwn) != 0) {
        return is_sound && says.run_id == run_id_ && says.version == version_of(mark) ? BookJudgement::right : BookJudgement::wrong;
    }
    if (is_found(mark)) {
        const bool is_the_same = is_sound && says.version == version_of(mark) && is_found_of(mark, says.run_id);
        return is_the_same ? BookJudgement::right : BookJudgement::wrong;
    }
    if (cannot_be_older(page, says)) return BookJudgement::wrong;
    std::uint64_t expected = mark;
    const bool is_accepted = is_sound && says.version <= kVersion;
    const std::uint64_t found =
        is_accepted ? (mark & ~(kVersion | kTag)) | says.version | kFound | run_tag_of(says.run_id) : mark | kUnknown;
    entry.compare_exchange_strong(expected, found, std::memory_order_acq_rel);
    return is_accepted ? BookJudgement::right : BookJudgement::not_judged;
}

bool PageBook::give_up(std::uint64_t page, Mark mark) {
    return word(page).compare_exchange_strong(mark, (mark & ~(kOwn | kFound)) | kUnknown, std::memory_order_acq_rel);
}

}  // namespace sim
