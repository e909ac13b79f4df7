#include "sim/readers/reader_pass.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/files/rereader.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/page/page_image.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kReadTogetherPages = 128;
constexpr std::uint32_t kReadersOfFile = 4;  // like a report beside users that have their own work
// A host that sees an old volume has a hundred thousand wrong pages: the first are examined, and all are counted.
constexpr std::uint64_t kLookedIntoMax = 64;
constexpr std::uint64_t kFoundMax = 1000;
// A page that stays damaged for this much longer than re-reads take is not being written.
constexpr std::uint64_t kStillDamagedNs = 2 * ums::kNsPerSecond;
constexpr std::uint64_t kSizePauseNs = 100 * ums::kNsPerMs;
constexpr std::uint32_t kSizeLooks = 50;

bool is_whole_image(const std::byte* image) { return is_all_zero(image, kPageBytes) || is_sound_page(image); }

}  // namespace

ReaderPass::ReaderPass(const Setup& setup, const std::vector<SimFile*>& files, PromiseView& view, ToldImages& told,
                       ums::SchedulerGroup& schedulers, RunState& run, Journal& journal)
    : setup_(setup),
      owned_files_(files),
      view_(view),
      promised_sizes_(view.known()),
      told_(told),
      schedulers_(schedulers),
      run_(run),
      journal_(journal),
      every_change_{setup.run_id, ~std::uint64_t{0}, ~std::uint64_t{0}, false} {
    for (SimFile* file : files) {
        files_.push_back(std::make_unique<File>());
        files_.back()->file = file;
        total_pages_ += file->pages();
    }
}

double ReaderPass::done_fraction() const {
    if (total_pages_ == 0) return 0;
    return std::min(1.0, static_cast<double>(pages_.load(std::memory_order_relaxed)) / static_cast<double>(total_pages_));
}

void ReaderPass::add_to(ReaderResult& result) const {
    result.pages += pages_.load(std::memory_order_relaxed);
    result.promised_pages += promised_pages_.load(std::memory_order_relaxed);
    result.in_flight_pages += in_flight_pages_.load(std::memory_order_relaxed);
}

ums::Task<void> ReaderPass::run() {
    ums::TaskGroup readers;
    std::uint32_t cpu = 0;
    for (const auto& file : files_) {
        co_await demand_size(*file->file);
        for (std::uint32_t i = 0; i < kReadersOfFile; ++i) {
            schedulers_[cpu++ % schedulers_.size()].spawn(readers, "Reader", read_ranges(*file));
        }
    }
    co_await readers.join();
}

ums::Task<void> ReaderPass::read_ranges(File& file) {
    const ums::MemoryRegion buffer(std::uint64_t{kReadTogetherPages} * kPageBytes, ums::MemoryKind::plain);
    const std::uint32_t pages = file.file->pages();
    while (!run_.is_stopping() && !file.file->is_given_up()) {
        const std::optional<PageRanges::Range> range = file.ranges.take(kReadTogetherPages, pages);
        if (!range) break;
        if (setup_.asks_again) co_await view_.refresh_if_due();
        co_await read_range(*file.file, range->first, range->count, buffer.data());
        co_await ums::Scheduler::current().yield_if_due();
    }
}

ums::Task<void> ReaderPass::read_range(SimFile& file, std::uint32_t first_page, std::uint32_t count, std::byte* bytes) {
    const std::shared_ptr<const Promises> promised = view_.known();  // before the read begins
    const ums::IoSegment segment{bytes, std::uint64_t{count} * kPageBytes};
    stamp_not_read(bytes, segment.size_bytes);
    IoRetry retry(file, run_, journal_);
    const bool has_come = co_await retry.read(std::uint64_t{first_page} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion);
    for (std::uint32_t i = 0; has_come && i < count && !run_.is_stopping(); ++i) {
        ProvenPage proven{file.id(), first_page + i, {}, promised->page(file.id(), first_page + i), true};
        proven.bound.has_changed = setup_.is_last ? 0 : 1;  // a write of it may be under way
        co_await take_page(file, proven, bytes + std::size_t{i} * kPageBytes);
    }
    pages_.fetch_add(count, std::memory_order_relaxed);
}

// An owner that found a page wrong writes the same version again, with another time; it can be read before it is promised.
PageJudgement ReaderPass::judge(const std::byte* image, ProvenPage proven) const {
    const PageHeader header = read_header(image);
    if (header.version == proven.promised.version) proven.promised.checksum = header.checksum;
    return judge_page(image, proven, every_change_);
}

ums::Task<void> ReaderPass::take_page(SimFile& file, const ProvenPage& proven, const std::byte* image) {
    const PageJudgement judgement = judge(image, proven);
    if (judgement.condition == PageCondition::sound) {
        told_.forget(file.id(), proven.page_id);
    } else {
        co_await look_again(file, proven, image, judgement.condition);
    }
    file.local_counters().pages_verified.add(1);
    if (proven.promised.version != 0) promised_pages_.fetch_add(1, std::memory_order_relaxed);
}

bool ReaderPass::may_be_in_flight(const std::byte* image) const { return !setup_.is_last && !is_whole_image(image); }

// `first`: what the image is, torn as a write under way leaves it, or wrong.
ums::Task<void> ReaderPass::look_again(SimFile& file, const ProvenPage& proven, const std::byte* image, PageCondition first) {
    if (told_.has(file.id(), proven.page_id, image)) co_return;
    const std::uint64_t number = looked_into_.fetch_add(1, std::memory_order_relaxed);
    if (number >= kFoundMax) co_return;
    Rereader rereader(file, journal_, std::uint64_t{proven.page_id} * kPageBytes, kPageBytes);
    LaterReads later{.judgement = {first, 0, false}};
    const std::uint32_t attempts = number < kLookedIntoMax ? kRereadsMax : 1;
    const bool is_late_look_due = may_be_in_flight(image) && first == PageCondition::wrong;
    for (std::uint32_t attempt = 1; attempt <= attempts + (is_late_look_due ? 1 : 0); ++attempt) {
        const bool is_late_look = attempt > attempts;
        if (is_late_look) co_await ums::sleep_until(ums::Scheduler::current().now_ns() + kStillDamagedNs);
        Reread reread = co_await rereader.read(std::min(attempt, kRereadsMax), image);
        if (reread.has_come()) take_reread(proven, rereader.bytes(), reread, later);
        // Whole and yet wrong: no write in flight explains that, whatever came before.
        const bool is_another =
            may_be_in_flight(image) && later.judgement.condition == PageCondition::wrong && is_whole_image(rereader.bytes());
        if (is_another && reread.has_come()) {
            const PageImage shown(rereader.bytes());
            co_await look_again(file, proven, shown.bytes(), PageCondition::wrong);
            co_return;
        }
        later.rereads.push_back(reread);
        if (later.judgement.condition == PageCondition::sound || file.is_given_up()) break;
    }
    conclude(file, proven, image, first, std::move(later));
}

void ReaderPass::take_reread(const ProvenPage& proven, const std::byte* bytes, Reread& reread, LaterReads& later) const {
    const PageHeader header = read_header(bytes);
    reread.version = header.version;
    reread.checksum = header.checksum;
    later.is_same_image = reread.result == RereadResult::same_image;
    later.is_being_written = !setup_.is_last && !later.is_same_image && !is_whole_image(bytes);
    later.judgement = judge(bytes, proven);
    if (later.judgement.condition == PageCondition::sound) reread.result = RereadResult::right;
}

void ReaderPass::conclude(SimFile& file, const ProvenPage& proven, const std::byte* image, PageCondition first, LaterReads later) {
    const bool is_right = later.judgement.condition == PageCondition::sound;
    const bool is_newer = is_right ? later.judgement.version > proven.promised.version : !later.is_same_image;
    const bool was_written_meanwhile = may_be_in_flight(image) && is_newer;
    // This or a later pass will see what it becomes.
    if (was_written_meanwhile || (first == PageCondition::torn && !setup_.is_last)) {
        in_flight_pages_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    // A write in flight has started to replace the image, so it is gone, whatever the page becomes.
    const bool is_gone = is_right || later.is_being_written;
    report(file, proven, image, is_gone, std::move(later.rereads));
    if (!is_gone) told_.add(file.id(), proven.page_id, image);
}

void ReaderPass::report(SimFile& file, const ProvenPage& proven, const std::byte* image, bool is_transient, std::vector<Reread> rereads) {
    ProvenPage named = proven;
    named.bound.has_changed = 1;  // what the reasons say of a log is for a cut
    const bool is_unsteady = are_unsteady(read_header(image).checksum, rereads);
    Finding finding = name_wrong_page(image, named, every_change_, is_transient, later_reads_in(rereads), is_unsteady);
    finding.place.path = file.path();
    if (finding.other) finding.other->path = path_among(owned_files_, finding.other->file_id);
    finding.reads = 1 + static_cast<std::uint32_t>(rereads.size());
    finding.rereads = std::move(rereads);
    finding.reasoning.emplace_back(setup_.is_last ? "The owner of the files had ended in order: no write of the page was under way."
                                                  : "What counts is what the witness knew before this read, or this open, began.");
    file.report(std::move(finding));
}

// A file may be shorter than promised for a moment, or for good.
ums::Task<void> ReaderPass::demand_size(SimFile& file) {
    const std::uint32_t promised = promised_sizes_->page_count(file.id());
    const std::uint32_t found = file.pages();
    if (found >= promised || file.is_given_up() || told_.has_size(file.id(), found)) co_return;
    for (std::uint32_t look = 0; look < kSizeLooks && file.pages() < promised; ++look) {
        co_await ums::sleep_until(ums::Scheduler::current().now_ns() + kSizePauseNs);
        co_await file.look_at_size();
    }
    Finding finding;
    finding.transient = file.pages() >= promised;
    if (!finding.transient) told_.add_size(file.id(), found);
    finding.kind = finding.transient ? FindingKind::stale_read : FindingKind::lost_write;
    finding.request.is_write = !finding.transient;  // as in a verification: the file's end is missing, with what was written there
    finding.place.file_id = file.id();
    finding.place.path = file.path();
    finding.place.page_id = found;
    finding.place.offset_bytes = std::uint64_t{found} * kPageBytes;
    finding.place.size_bytes = std::uint64_t{promised - found} * kPageBytes;
    finding.description = fmt::format("The file has {} pages here; its owner had been promised {}, and that this size was durable.{}",
                                      found, promised, finding.transient ? " A later look found them." : "");
    file.report(std::move(finding));
}

}  // namespace sim
