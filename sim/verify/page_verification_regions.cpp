// What the sums of the last complete checkpoint say about pages that the log no longer mentions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/ledger/page_ledger.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/verify/page_verification.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Read with one request.
constexpr std::uint32_t kSummedTogetherPages = 128;

// A volume that went back in time has thousands of regions that differ: the first are read again, and all are reported.
constexpr std::uint32_t kRegionsReadAgainMax = 64;

Finding finding_about_region(const SimFile& file, const RegionSums::Mismatch& mismatch, FindingKind kind) {
    Finding finding;
    finding.kind = kind;
    finding.place.file_id = file.id();
    finding.place.path = file.path();
    finding.place.page_id = mismatch.first_page;
    finding.place.offset_bytes = std::uint64_t{mismatch.first_page} * kPageBytes;
    finding.place.size_bytes = std::uint64_t{mismatch.page_count} * kPageBytes;
    return finding;
}

std::uint32_t last_page_of(const RegionSums::Mismatch& mismatch) { return mismatch.first_page + mismatch.page_count - 1; }

std::string only_page_text(std::uint32_t page) { return fmt::format("The sums differ as if only page {} had been too old.", page); }

}  // namespace

void PageVerification::add_to_sums(File& file, const ProvenPage& proven, const PageJudgement& judgement) {
    RegionSums& sums = file.proven->sums;
    const PageBounds::Bound bound = proven.bound;
    const bool is_as_logged = judgement.condition == PageCondition::sound || judgement.condition == PageCondition::torn;
    if (!is_as_logged || bound.is_released != 0) return sums.skip(proven.page_id);
    // If the log has changes after the checkpoint's begin, it says what the page was then; otherwise the page itself does.
    sums.add(proven.page_id, bound.has_changed != 0 ? bound.least : judgement.version);
}

ums::Task<void> PageVerification::compare_regions(File& file) {
    RegionSums& sums = file.proven->sums;
    sums.skip_from(std::min(file.proven->bounds.cut_from(), file.proven->bounds.hidden_cut_from()));
    if (file.file->pages() < sums.page_count()) sums.skip_from(file.file->pages());
    const RegionSums::Comparison comparison = sums.compare();
    regions_compared_ += comparison.compared;
    regions_skipped_ += comparison.skipped;
    for (const RegionSums::Mismatch& mismatch : comparison.mismatches) {
        if (run_.is_stopping()) co_return;
        co_await report_mismatch(file, mismatch);
    }
}

// A read that returned an old page once looks like a lost write, and its page, if it is right by now, like one that lacks versions which
// it never had. So the region is read again.
ums::Task<void> PageVerification::report_mismatch(File& file, const RegionSums::Mismatch& mismatch) {
    if (regions_read_again_ == kRegionsReadAgainMax) {
        report_region(file, mismatch, false);
        co_return;
    }
    ++regions_read_again_;
    const std::vector<std::uint32_t> versions = co_await sum_again(file, mismatch);
    const RegionSums& sums = file.proven->sums;
    if (sums.is_skipped(mismatch)) {
        report_region(file, mismatch, false);
        co_return;
    }
    const std::optional<RegionSums::Mismatch> staying = sums.compare_again(mismatch);
    if (!staying) {
        report_passing_mismatch(file, mismatch);
        co_return;
    }
    bool is_reported = false;
    if (staying->page) is_reported = co_await report_only_page(file, *staying, versions[*staying->page - staying->first_page]);
    if (!staying->page) is_reported = co_await report_two_pages(file, *staying, versions);
    if (!is_reported) report_region(file, *staying, true);
}

// Returns the version of each page of the region. The region is skipped if that is not known of all.
ums::Task<std::vector<std::uint32_t>> PageVerification::sum_again(File& file, const RegionSums::Mismatch& mismatch) {
    co_await file.file->drop_cache();
    file.proven->sums.begin_again(mismatch);
    std::vector<std::uint32_t> versions;
    versions.reserve(mismatch.page_count);
    const ums::MemoryRegion buffer(std::uint64_t{kSummedTogetherPages} * kPageBytes, ums::MemoryKind::plain);
    while (versions.size() < mismatch.page_count) {
        const auto done = static_cast<std::uint32_t>(versions.size());
        const std::uint32_t count = std::min(kSummedTogetherPages, mismatch.page_count - done);
        const std::uint32_t first_page = mismatch.first_page + done;
        const ums::IoSegment segment{buffer.data(), std::uint64_t{count} * kPageBytes};
        stamp_not_read(buffer.data(), segment.size_bytes);
        IoRetry retry(*file.file, run_, journal_);
        const bool has_come = co_await retry.read(std::uint64_t{first_page} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion);
        if (!has_come || run_.is_stopping()) {
            file.proven->sums.skip(first_page);
            break;
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            const ProvenPage proven = proven_page(file, first_page + i);
            const std::byte* const image = buffer.data() + std::size_t{i} * kPageBytes;
            const PageJudgement judgement = judge_page(image, proven, recovered_);
            add_to_sums(file, proven, judgement);
            take_later(proven, judgement, image);
            versions.push_back(judgement.version);
        }
        co_await ums::Scheduler::current().yield_if_due();
    }
    co_return versions;
}

// What came before may have been old.
void PageVerification::take_later(const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image) {
    if (take_ && judgement.condition == PageCondition::sound) take_(proven, judgement, image);
}

// If only one page of the region is too old, the two sums name it, and its version: then it is a page like any other that is wrong. False
// if that cannot be.
ums::Task<bool> PageVerification::report_only_page(File& file, const RegionSums::Mismatch& mismatch, std::uint32_t summed_version) {
    ProvenPage proven = proven_page(file, *mismatch.page);
    if (proven.bound.has_changed != 0 || mismatch.missing_versions + summed_version > kVersionMax) co_return false;
    proven.bound.least = summed_version + static_cast<std::uint32_t>(mismatch.missing_versions);
    const ums::MemoryRegion buffer(kPageBytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{buffer.data(), kPageBytes};
    IoRetry retry(*file.file, run_, journal_);
    const std::uint64_t offset_bytes = std::uint64_t{*mismatch.page} * kPageBytes;
    const bool has_come = co_await retry.read(offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    if (!has_come) co_return retry.has_reported();
    const PageJudgement judgement = judge_page(buffer.data(), proven, recovered_);
    if (judgement.condition != PageCondition::wrong) {
        take_later(proven, judgement, buffer.data());
        report_passing_mismatch(file, mismatch);
        co_return true;
    }
    WrongPage page(proven, buffer.data());
    co_await explain(file, {&page, 1});
    take_lacking({&page, 1});
    co_return true;
}

// Likewise if only two are. One that is right when it is read once more had come back old until then. One that cannot be read has that
// finding.
ums::Task<bool> PageVerification::report_two_pages(File& file, const RegionSums::Mismatch& mismatch,
                                                   const std::vector<std::uint32_t>& summed_versions) {
    const auto version_of = [&](const RegionSums::Lacking& lacking) {
        return std::uint64_t{summed_versions[lacking.page - mismatch.first_page]} + lacking.versions;
    };
    const std::optional<RegionSums::Pair> pair = file.proven->sums.pair_that_lacks(mismatch, [&](const RegionSums::Lacking& lacking) {
        return version_of(lacking) <= kVersionMax && proven_page(file, lacking.page).bound.has_changed == 0;
    });
    if (!pair) co_return false;
    const ums::MemoryRegion buffer(pair->size() * kPageBytes, ums::MemoryKind::plain);
    std::vector<WrongPage> pages;
    bool has_passed = false;
    for (const RegionSums::Lacking& lacking : *pair) {
        std::byte* const image = buffer.data() + pages.size() * kPageBytes;
        ProvenPage proven = proven_page(file, lacking.page);
        proven.bound.least = static_cast<std::uint32_t>(version_of(lacking));
        const ums::IoSegment segment{image, kPageBytes};
        IoRetry retry(*file.file, run_, journal_);
        const std::uint64_t offset_bytes = std::uint64_t{lacking.page} * kPageBytes;
        const bool has_come = co_await retry.read(offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
        if (!has_come && !retry.has_reported()) co_return false;
        if (!has_come) continue;
        const PageJudgement judgement = judge_page(image, proven, recovered_);
        take_later(proven, judgement, image);
        if (judgement.condition == PageCondition::wrong) {
            pages.emplace_back(proven, image);
        } else {
            has_passed = true;
        }
    }
    if (has_passed) report_passing_mismatch(file, mismatch);
    co_await explain(file, pages);
    take_lacking(pages);
    co_return true;
}

// By themselves they were sound.
void PageVerification::take_lacking(std::span<const WrongPage> pages) {
    for (const WrongPage& page : pages) {
        if (page.judgement.condition == PageCondition::wrong) wrong_pages_.fetch_add(1, std::memory_order_relaxed);
        if (take_) take_(page.proven, page.judgement, page.image);
    }
}

void PageVerification::report_region(File& file, const RegionSums::Mismatch& mismatch, bool was_read_again) {
    Finding finding =
        finding_about_region(*file.file, mismatch, mismatch.is_too_new() ? FindingKind::future_version : FindingKind::lost_write);
    finding.reads = was_read_again ? 2 : 1;
    finding.description =
        mismatch.is_too_new()
            ? fmt::format("Among the pages {} to {} there are changes that the log does not explain.", mismatch.first_page,
                          last_page_of(mismatch))
            : fmt::format("Among the pages {} to {} acknowledged writes are lost: each page is whole, but some are too old.",
                          mismatch.first_page, last_page_of(mismatch));
    if (was_read_again) finding.description += " Reading them again did not help.";
    finding.reasoning = {
        fmt::format("The last complete checkpoint recorded how new these pages were when it began, at LSN 0x{:x}, as sums of their "
                    "versions. The sums of the pages that are there differ.",
                    recovered_.begin_lsn),
        was_read_again ? "Several pages differ, and the sums do not say which."
                       : "Not all of these pages were read and judged again, so it is not certain which of them differ."};
    if (!was_read_again && mismatch.page) finding.reasoning.push_back(only_page_text(*mismatch.page));
    wrong_pages_.fetch_add(1, std::memory_order_relaxed);
    file.file->report(std::move(finding));
}

void PageVerification::report_passing_mismatch(File& file, const RegionSums::Mismatch& mismatch) {
    Finding finding =
        finding_about_region(*file.file, mismatch, mismatch.is_too_new() ? FindingKind::future_version : FindingKind::stale_read);
    finding.transient = true;
    finding.reads = 2;
    finding.description = fmt::format("Among the pages {} to {} a read returned {}; a later one returned what had been written.",
                                      mismatch.first_page, last_page_of(mismatch),
                                      mismatch.is_too_new() ? "changes that the log does not explain"
                                                            : "older versions than those that had been written and acknowledged");
    finding.reasoning = {
        fmt::format("The last complete checkpoint recorded how new these pages were when it began, at LSN 0x{:x}, as sums of their "
                    "versions. The sums of what came first differ, those of a later read agree.",
                    recovered_.begin_lsn)};
    if (mismatch.page) finding.reasoning.push_back(only_page_text(*mismatch.page));
    file.file->report(std::move(finding));
}

}  // namespace sim
