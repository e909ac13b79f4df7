#include "sim/diagnosis/image_search.hpp"

#include <algorithm>
#include <bit>

#include "sim/page/page_codec.hpp"
#include "sim/page/page_verifier.hpp"
#include "sim/pool/frame.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kScanPages = 128;
constexpr std::uint32_t kNeighbours = 64;
constexpr std::uint32_t kFullScansMax = 16;
constexpr std::uint64_t kFullScanBytesMax = std::uint64_t{4} << 30;  // a few seconds
// Searching a disk that takes seconds for each answer would take hours.
constexpr std::uint64_t kSearchNsMax = 10 * ums::kNsPerSecond;
constexpr std::size_t kCatalogMax = 100'000;
// Wrong pages that searches may meet; beyond that the fault is not confined to a page, and the audit finds them all.
constexpr std::uint64_t kSuspectsMax = 256;
// Unreadable pages that searches may meet; beyond that a range is abandoned where its request ends.
constexpr std::uint64_t kUnreadableMax = 256;

bool is_held(const HeldPage& page) { return page.frame != nullptr; }

}  // namespace

ums::Task<std::optional<PagePlace>> ImageSearch::find(DataFile& data, std::uint32_t page, std::uint32_t version, ScanHoldings& holdings) {
    const std::uint64_t asked_ns = ums::Scheduler::current().now_ns();
    const PageKey key{data.file.id(), page};
    co_await turn_.acquire(1, ums::WaitType::io_completion);
    deadline_ns_ = ums::Scheduler::current().now_ns() + kSearchNsMax;
    const bool was_scanned = last_full_scan_ns_ > asked_ns;
    if (!look_up(key, version) && !was_scanned) {
        co_await scan_likely_places(data, page, version, holdings);
        if (!look_up(key, version) && may_scan_everything()) co_await scan_everything(holdings);
    }
    const std::optional<PagePlace> place = look_up(key, version);
    turn_.release(1);
    co_return place;
}

ums::Task<void> ImageSearch::glance(DataFile& data, std::uint32_t page, std::uint32_t version, ScanHoldings& holdings) {
    co_await turn_.acquire(1, ums::WaitType::io_completion);
    deadline_ns_ = ums::Scheduler::current().now_ns() + kSearchNsMax;
    co_await scan_likely_places(data, page, version, holdings);
    turn_.release(1);
}

// Stops when the image is found; the cheapest places come first.
ums::Task<void> ImageSearch::scan_likely_places(DataFile& data, std::uint32_t page, std::uint32_t version, ScanHoldings& holdings) {
    const PageKey key{data.file.id(), page};
    if (!look_up(key, version)) co_await scan_other_files(data, page, holdings);
    if (!look_up(key, version)) co_await scan_neighbourhood(data, page, holdings);
    if (!look_up(key, version)) co_await scan_flipped_bits(data, page, holdings);
}

ums::Task<void> ImageSearch::remember(DataFile& data, std::uint32_t page, const std::byte* image) {
    co_await turn_.acquire(1, ums::WaitType::io_completion);
    note(data, page, image);
    turn_.release(1);
}

ums::Task<void> ImageSearch::forget(DataFile& data, std::uint32_t page, const std::byte* image) {
    const PageHeader header = read_header(image);
    co_await turn_.acquire(1, ums::WaitType::io_completion);
    const auto known = catalog_.find(PageKey{header.file_id, header.page_id}.packed());
    if (known != catalog_.end() && known->second.where.file_id == data.file.id() && known->second.where.page_id == page) {
        catalog_.erase(known);
    }
    turn_.release(1);
}

std::vector<DataFile*> ImageSearch::all_files() const {
    std::vector<DataFile*> all;
    for (const auto& data : files_) all.push_back(data.get());
    all.insert(all.end(), more_files_.begin(), more_files_.end());
    return all;
}

std::string ImageSearch::path_of(std::uint32_t file_id) const {
    for (const DataFile* data : all_files()) {
        if (data->file.id() == file_id) return data->file.path();
    }
    return {};
}

bool ImageSearch::may_scan_everything() const {
    std::uint64_t size_bytes = 0;
    for (const DataFile* data : all_files()) size_bytes += data->file.size_bytes();
    return full_scans_ < kFullScansMax && size_bytes <= kFullScanBytesMax;
}

std::optional<PagePlace> ImageSearch::look_up(PageKey page, std::uint32_t version) const {
    const auto place = catalog_.find(page.packed());
    if (place == catalog_.end() || place->second.version != version) return std::nullopt;
    return place->second.where;
}

ums::Task<void> ImageSearch::scan_neighbourhood(DataFile& data, std::uint32_t page, ScanHoldings& holdings) {
    const std::uint32_t first = page - std::min(page, kNeighbours);
    co_await scan(data, first, 2 * kNeighbours, holdings);
}

ums::Task<void> ImageSearch::scan_other_files(const DataFile& data, std::uint32_t page, ScanHoldings& holdings) {
    for (DataFile* const other : all_files()) {
        if (other != &data) co_await scan(*other, page, 1, holdings);
    }
}

// Pages that a flipped address bit would reach, outside the neighborhood.
ums::Task<void> ImageSearch::scan_flipped_bits(DataFile& data, std::uint32_t page, ScanHoldings& holdings) {
    for (std::uint32_t bit = std::countr_zero(kNeighbours); bit < 31; ++bit) co_await scan(data, page ^ (1U << bit), 1, holdings);
}

ums::Task<void> ImageSearch::scan_everything(ScanHoldings& holdings) {
    ++full_scans_;
    last_full_scan_ns_ = ums::Scheduler::current().now_ns();
    for (DataFile* const data : all_files()) {
        for (std::uint32_t first = 0; first < data->file.pages(); first += kScanPages) co_await scan(*data, first, kScanPages, holdings);
    }
}

ums::Task<void> ImageSearch::scan(DataFile& data, std::uint32_t first_page, std::uint32_t count, ScanHoldings& holdings) {
    if (suspects_ >= kSuspectsMax || ums::Scheduler::current().now_ns() >= deadline_ns_) co_return;
    const bool may_hold = holdings.hold_file(data);
    const std::uint32_t pages = data.file.pages();
    if (first_page >= pages) co_return;
    // In files apart, a latch does not exclude writers (snapshots copy without frames): their pages count only if no write was in flight.
    const bool may_hold_pages = may_hold && !data.is_apart;
    std::vector<HeldPage> run;  // neighbours, either all held or all not
    for (std::uint32_t page = first_page; page < first_page + std::min(count, pages - first_page); ++page) {
        HeldPage held = may_hold_pages ? holdings.hold_page(data, page) : HeldPage{};
        if (held.frame == nullptr) held = {.data = &data, .page = page, .is_file_held = may_hold};
        if (!run.empty() && is_held(run.back()) != is_held(held)) co_await read_run(run, holdings);
        run.push_back(held);
    }
    co_await read_run(run, holdings);
}

// One request for neighbors; if it ends early, the rest page by page, because the image may lie behind an unreadable page.
// `run` is empty afterwards.
ums::Task<void> ImageSearch::read_run(std::vector<HeldPage>& run, ScanHoldings& holdings) {
    if (run.empty()) co_return;
    for (std::size_t i = co_await read_some(run, holdings); i < run.size(); ++i) {
        bool is_read = false;
        if (run.size() > 1 && unreadable_ < kUnreadableMax) {
            is_read = co_await read_some({&run[i], 1}, holdings) == 1;
            if (!is_read) ++unreadable_;
        }
        if (!is_read && is_held(run[i])) holdings.release(run[i]);
    }
    run.clear();
}

// Examines the pages that one request returns. Returns their number; the other pages are still held.
ums::Task<std::size_t> ImageSearch::read_some(std::span<const HeldPage> pages, ScanHoldings& holdings) {
    DataFile& data = *pages.front().data;
    const ums::MemoryRegion buffer(pages.size() * kPageBytes, ums::MemoryKind::plain);
    const ums::IoSegment segment{buffer.data(), buffer.size_bytes()};
    stamp_not_read(segment.data, segment.size_bytes);
    ums::IoRequest request = data.file.diagnosis_read(std::uint64_t{pages.front().page} * kPageBytes, segment);
    request.is_search = true;
    std::vector<std::optional<std::uint64_t>> write_marks;
    for (const HeldPage& page : pages) write_marks.push_back(is_held(page) ? std::nullopt : data.writes.mark(page.page));
    co_await ums::Scheduler::current().io(request);
    data.file.report_if_long(request);
    const std::size_t count = request.error ? 0 : request.transferred_bytes / kPageBytes;
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const image = buffer.data() + i * kPageBytes;
        note(data, pages[i].page, image);
        if (is_held(pages[i])) {
            inspect(pages[i], image, holdings);
        } else if (pages[i].is_file_held && write_marks[i]) {
            inspect_unheld(pages[i], image, *write_marks[i], holdings);
        }
    }
    co_return count;
}

void ImageSearch::inspect(const HeldPage& held, const std::byte* image, ScanHoldings& holdings) {
    PageLedger& ledger = held.data->ledger;
    if (page_matches(image, {run_id_, held.data->file.id(), held.page, ledger[held.page]})) {
        if (ledger[held.page].unknown == 0) ledger.mark_read_back(held.page);
        holdings.release(held);
    } else {
        ++suspects_;
        holdings.keep({held, PageImage(image), ledger[held.page], std::nullopt});
    }
}

// Another task, or the one that started this search, holds the page and may have been writing it, so a half-written image is no finding.
// If no write was in flight, the ledger decides as usual.
void ImageSearch::inspect_unheld(const HeldPage& page, const std::byte* image, std::uint64_t write_mark, ScanHoldings& holdings) {
    const PageLedger::Entry entry = page.data->ledger[page.page];
    if (!page.data->writes.is_quiet_since(page.page, write_mark)) return;
    if (page_matches(image, {run_id_, page.data->file.id(), page.page, entry}) || !holdings.is_first_look(page)) return;
    ++suspects_;
    holdings.keep({page, PageImage(image), entry, write_mark});
}

void ImageSearch::note(DataFile& data, std::uint32_t page, const std::byte* image) {
    const PageHeader header = read_header(image);
    const bool is_at_home = header.file_id == data.file.id() && header.page_id == page;
    if (header.magic != kPageMagic || header.run_id != run_id_ || is_at_home || header.checksum != page_checksum(image)) return;
    if (catalog_.size() >= kCatalogMax) return;
    Image& known = catalog_[PageKey{header.file_id, header.page_id}.packed()];
    if (header.version < known.version) return;
    known = {header.version, {data.file.id(), data.file.path(), page, header.version}};
}

}  // namespace sim
