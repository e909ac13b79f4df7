#include "sim/verify/page_verification.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/files/rereader.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/verify/later_measurement.hpp"
#include "sim/verify/page_redo.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

namespace {

// 1 MB requests, enough of them outstanding to keep any storage busy.
constexpr std::uint32_t kVerifiedRangePages = 128;
constexpr std::uint32_t kReadersPerFile = 16;
constexpr std::uint32_t kVerificationReadersMax = 256;

// A volume that went back in time has a hundred thousand wrong pages: the first are examined, and all are counted.
constexpr std::uint64_t kDiagnosedMax = 64;
constexpr std::uint64_t kReportedMax = 1000;

// Of the wrong pages of a range; all re-reads of one take half a second, most of which is waiting.
constexpr std::size_t kExplainedAtATime = 16;

}  // namespace

PageVerification::PageVerification(const std::vector<SimFile*>& data_files, LogAnalysis& log, ums::SchedulerGroup& schedulers,
                                   RunState& run, Journal& journal, Take take)
    : data_files_(data_files),
      log_(log),
      recovered_(log.recovered()),
      schedulers_(schedulers),
      run_(run),
      journal_(journal),
      take_(std::move(take)) {
    for (SimFile* data : data_files) {
        files_.push_back(std::make_unique<File>());
        files_.back()->file = data;
        files_.back()->proven = &log_.file(data->id());
        total_pages_ += data->pages();
    }
}

double PageVerification::done_fraction() const {
    if (total_pages_ == 0) return 0;
    return std::min(1.0, static_cast<double>(done_pages_.load(std::memory_order_relaxed)) / static_cast<double>(total_pages_));
}

ums::Task<void> PageVerification::run() {
    ums::TaskGroup readers;
    const auto per_file = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(kVerificationReadersMax / std::max<std::size_t>(files_.size(), 1), 1, kReadersPerFile));
    std::uint32_t cpu = 0;
    for (const auto& file : files_) {
        if (file->file->pages() < promised_pages_of(*file)) report_short_file(*file);
        for (std::uint32_t i = 0; i < per_file; ++i) {
            schedulers_[cpu++ % schedulers_.size()].spawn(readers, "Page Verification", verify_ranges(*file));
        }
    }
    co_await readers.join();
    if (run_.is_stopping() || !log_.has_sums()) co_return;
    for (const auto& file : files_) co_await compare_regions(*file);
}

ums::Task<void> PageVerification::verify_ranges(File& file) {
    const ums::MemoryRegion buffer(std::uint64_t{kVerifiedRangePages} * kPageBytes, ums::MemoryKind::plain);
    const std::uint32_t pages = file.file->pages();
    std::uint64_t hole_end_bytes = 0;
    while (!run_.is_stopping()) {
        const std::optional<PageRanges::Range> range = file.ranges.take(kVerifiedRangePages, pages);
        if (!range) break;
        const bool is_hole = co_await is_legal_hole(file, range->first, range->count, hole_end_bytes);
        if (!is_hole) co_await verify_range(file, range->first, range->count, buffer.data());
        done_pages_.fetch_add(range->count, std::memory_order_relaxed);
        co_await ums::Scheduler::current().yield_if_due();
    }
}

ums::Task<void> PageVerification::verify_range(File& file, std::uint32_t first_page, std::uint32_t count, std::byte* bytes) {
    const ums::IoSegment segment{bytes, std::uint64_t{count} * kPageBytes};
    const std::uint64_t offset_bytes = std::uint64_t{first_page} * kPageBytes;
    stamp_not_read(bytes, segment.size_bytes);
    const TransferResult result =
        co_await file.file->transfer(ums::IoOperation::read, offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    const TransferFailure failure{ums::IoOperation::read, offset_bytes, segment.size_bytes, result.error, result.transferred_bytes};
    if (failure.is_complete()) {
        co_await verify_pages(file, first_page, count, bytes);
        co_return;
    }
    FailedRange range{first_page, bytes, std::vector<std::uint8_t>(count)};
    const bool is_explained = co_await verify_after_failure(file, range);
    if (!is_explained) report_recovered_transfer(*file.file, failure);
}

// Nothing is stored there, and nothing needs to be. `hole_end_bytes`: as for SimFile::is_hole().
ums::Task<bool> PageVerification::is_legal_hole(File& file, std::uint32_t first_page, std::uint32_t count, std::uint64_t& hole_end_bytes) {
    if (!file.file->options().sparse) co_return false;
    for (std::uint32_t page = first_page; page < first_page + count; ++page) {
        const PageBounds::Bound bound = file.proven->bounds[page];
        if (bound.least != 0 || bound.is_released != 0 || file.proven->promises[page].version != 0) co_return false;
    }
    const bool is_hole =
        co_await file.file->is_hole(std::uint64_t{first_page} * kPageBytes, std::uint64_t{count} * kPageBytes, hole_end_bytes);
    co_return is_hole;
}

ums::Task<void> PageVerification::verify_pages(File& file, std::uint32_t first_page, std::uint32_t count, const std::byte* images) {
    std::vector<WrongPage> wrong;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::byte* const image = images + std::size_t{i} * kPageBytes;
        const ProvenPage proven = proven_page(file, first_page + i);
        const PageJudgement judgement = judge(image, proven);
        if (judgement.condition == PageCondition::wrong) {
            wrong.emplace_back(proven, image);
        } else {
            take_verified(file, proven, judgement, image);
        }
    }
    co_await explain(file, wrong);
    for (const WrongPage& page : wrong) {
        if (!page.is_of_measurement) take_verified(file, page.proven, page.judgement, page.image);
    }
}

// Where the log proves little, it also allows what a measurement has written.
PageJudgement PageVerification::judge(const std::byte* image, const ProvenPage& proven) const {
    if (is_of_later_measurement(image, proven, recovered_)) return {PageCondition::wrong, 0, false};
    return judge_page(image, proven, recovered_);
}

void PageVerification::take_verified(File& file, const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image) {
    count(file, proven, judgement);
    if (take_) take_(proven, judgement, image);
}

void PageVerification::count(File& file, const ProvenPage& proven, const PageJudgement& judgement) {
    file.file->local_counters().pages_verified.add(1);
    const PageBounds::Bound bound = proven.bound;
    if (proven.promised.version != 0) pages_promised_.fetch_add(1, std::memory_order_relaxed);
    if (proven.least() != 0) pages_proven_.fetch_add(1, std::memory_order_relaxed);
    if (bound.is_released != 0) pages_released_.fetch_add(1, std::memory_order_relaxed);
    switch (judgement.condition) {
        case PageCondition::sound: break;
        case PageCondition::torn:
            torn_pages_.fetch_add(1, std::memory_order_relaxed);
            if (judgement.is_tear_on_4k_lines) torn_on_4k_lines_.fetch_add(1, std::memory_order_relaxed);
            break;
        case PageCondition::beyond_log: pages_beyond_log_.fetch_add(1, std::memory_order_relaxed); break;
        case PageCondition::wrong: wrong_pages_.fetch_add(1, std::memory_order_relaxed); break;
    }
    add_to_sums(file, proven, judgement);
}

// Reads several at a time, and reports them in the order of the pages.
ums::Task<void> PageVerification::explain(File& file, std::span<WrongPage> wrong) {
    while (!wrong.empty()) {
        const std::span<WrongPage> some = wrong.first(std::min(wrong.size(), kExplainedAtATime));
        ums::TaskGroup reads;
        for (WrongPage& page : some) ums::Scheduler::current().fork(reads, read_again(file, page));
        co_await reads.join();
        for (WrongPage& page : some) report_page(file, page);
        wrong = wrong.subspan(some.size());
    }
}

ums::Task<void> PageVerification::read_again(File& file, WrongPage& page) {
    const std::uint64_t number = diagnosed_.fetch_add(1, std::memory_order_relaxed);
    page.is_reported = number < kReportedMax;
    if (!page.is_reported) co_return;
    Rereader rereader(*file.file, journal_, std::uint64_t{page.proven.page_id} * kPageBytes, kPageBytes);
    const std::uint32_t attempts = number < kDiagnosedMax ? kRereadsMax : 1;
    for (std::uint32_t attempt = 1; attempt <= attempts && page.judgement.condition == PageCondition::wrong; ++attempt) {
        Reread reread = co_await rereader.read(attempt, page.image);
        if (reread.has_come()) {
            const PageHeader header = read_header(rereader.bytes());
            reread.version = header.version;
            reread.checksum = header.checksum;
            page.judgement = judge(rereader.bytes(), page.proven);
            if (page.judgement.condition != PageCondition::wrong) reread.result = RereadResult::right;
            page.last.clear();
            if (reread.result == RereadResult::other_image) page.last.assign(rereader.bytes(), rereader.bytes() + kPageBytes);
        }
        page.rereads.push_back(reread);
        if (file.file->is_given_up() || run_.is_stopping()) break;
    }
}

void PageVerification::report_page(File& file, WrongPage& page) {
    if (!page.is_reported) return;
    const bool is_transient = page.judgement.condition != PageCondition::wrong;
    const std::byte* const image = page.last.empty() ? page.image : page.last.data();
    if (is_of_later_measurement(image, page.proven, recovered_)) {
        page.is_of_measurement = !is_transient;
        if (page.is_of_measurement) return stop_for_measurement(file, page);
        if (judge_page(image, page.proven, recovered_).condition != PageCondition::wrong) return;
    }
    if (!is_transient) explain_wrong_pages();
    const bool is_unsteady = are_unsteady(read_header(page.image).checksum, page.rereads);
    Finding finding = name_wrong_page(image, page.proven, recovered_, is_transient, later_reads_in(page.rereads), is_unsteady);
    note_redo(finding, image, page.proven, recovered_);
    if (!page.last.empty()) finding.reasoning.emplace_back("The first read returned another image, which was wrong, too.");
    finding.place.path = file.file->path();
    if (finding.other) finding.other->path = path_among(data_files_, finding.other->file_id);
    finding.reads = 1 + static_cast<std::uint32_t>(page.rereads.size());
    finding.rereads = std::move(page.rereads);
    file.file->report(std::move(finding));
}

void PageVerification::stop_for_measurement(const File& file, const WrongPage& page) {
    run_.stop(Outcome::not_done, measured_since_text(file.file->path(), fmt::format("page {} is of one", page.proven.page_id)));
}

void PageVerification::explain_wrong_pages() {
    const std::lock_guard guard(explain_mutex_);
    if (explain_) std::exchange(explain_, {})();
}

// A file that was created has at least its signature page. If a part of the log is missing, the file may have been cut there.
std::uint32_t PageVerification::promised_pages_of(const File& file) const {
    const std::uint32_t made = file.proven->is_made && !log_.is_empty() ? 1 : 0;
    const PageBounds& bounds = file.proven->bounds;
    const std::uint32_t logged = std::min(bounds.promised_pages(), bounds.hidden_cut_from());
    return std::max({made, logged, file.proven->promises.page_count()});
}

ProvenPage PageVerification::proven_page(const File& file, std::uint32_t page) const {
    const ProvenFile& proven = *file.proven;
    return {file.file->id(),
            page,
            proven.bounds[page],
            proven.promises[page],
            proven.is_made,
            has_old_data(file, page),
            page >= proven.bounds.hidden_cut_from()};
}

// Without a complete checkpoint the log still has all changes, or nothing says how many it had; with one, its sums show where pages had not
// been written yet, or it excepts them: their first write failed, or an earlier incarnation had not come as far. The sums do not show that
// of a region where other pages have higher versions. A file grows by zeros.
bool PageVerification::has_old_data(const File& file, std::uint32_t page) const {
    const bool is_grown = page >= file.file->options().initial_size_mb * (ums::kMb / kPageBytes);
    if (!file.file->has_old_data() || is_grown) return false;
    return !log_.extent().checkpoint || file.proven->bounds[page].is_released != 0 || file.proven->sums.has_unwritten(page);
}

void PageVerification::report_short_file(File& file) {
    const std::uint32_t pages = file.file->pages();
    const std::uint32_t promised = promised_pages_of(file);
    const bool is_of_log = promised != file.proven->promises.page_count();
    Finding finding;
    finding.kind = FindingKind::lost_write;
    finding.request.is_write = true;
    finding.place.file_id = file.file->id();
    finding.place.path = file.file->path();
    finding.place.page_id = pages;
    finding.place.offset_bytes = std::uint64_t{pages} * kPageBytes;
    finding.place.size_bytes = std::uint64_t{promised - pages} * kPageBytes;
    const bool is_requested = file.file->requests_durability();
    finding.description = fmt::format("The file has {} pages; the {} that it had {}{}.", pages,
                                      is_of_log ? "log proves" : "ledger outside of this storage says", promised,
                                      is_requested ? ", and that its new size had been made durable" : "");
    finding.reasoning = {is_requested
                             ? "A growth is made and synced before it is logged, and a cut is logged before it is made: a file is never "
                               "shorter than the log says."
                             : "A growth is made before it is logged, and a cut is logged before it is made. With Durability=None, nothing "
                               "makes a growth durable."};
    if (is_of_log && pages >= pages_that_stay(file.file->options(), file.proven->bounds, promised)) {
        finding.reasoning.emplace_back(
            "If pages are ahead of the log, too (write-ahead violations), it may be the log that has lost its end, and with it a cut of "
            "this file.");
    }
    file.file->report(std::move(finding));
}

void PageVerification::describe(DurabilityResult& result) const {
    result.pages_proven = pages_proven_;
    if (result.promises) result.promises->pages = pages_promised_;
    result.pages_released = pages_released_;
    result.regions_compared = regions_compared_;
    result.regions_skipped = regions_skipped_;
    result.torn_pages = torn_pages_;
    result.torn_on_4k_lines = torn_on_4k_lines_;
    result.pages_beyond_log = pages_beyond_log_;
    result.wrong_pages = wrong_pages_;
    const std::uint64_t diagnosed = diagnosed_;
    result.unreported_pages = diagnosed - std::min(diagnosed, kReportedMax);
}

}  // namespace sim
