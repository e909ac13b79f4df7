#include "sim/diagnosis/page_diagnosis.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/diagnosis/finding_facts.hpp"
#include "sim/files/io_retry.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

namespace {

// By then a stale read has usually gone away, while a misdirected write usually has not.
constexpr std::uint32_t kRereadsBeforeGlance = 2;
// All re-reads together take half a second. If the disk is slow, a run that stops does not wait for the rest.
constexpr std::uint64_t kStoppingDiagnosisUs = 2'000'000;

constexpr std::size_t kSuspectsAtATime = 32;

// Returns its index among the images; adds it if it is new.
std::size_t keep_image(std::vector<PageImage>& images, const std::byte* bytes) {
    std::size_t index = 0;
    while (index < images.size() && std::memcmp(images[index].bytes(), bytes, kPageBytes) != 0) ++index;
    if (index == images.size()) images.emplace_back(bytes);
    return index;
}

}  // namespace

WriteTimeRange PageDiagnosis::write_times() const {
    const std::uint64_t now_us = journal_.clock().utc_us();
    const std::uint64_t elapsed_us = (journal_.clock().now_ns() - journal_.start_ns()) / 1000;
    return {now_us - std::min(now_us, elapsed_us), now_us};
}

// In parallel, because each takes half a second.
ums::Task<void> PageDiagnosis::diagnose(DataFile& data, std::span<const ReadPage> wrong) {
    ums::TaskGroup diagnoses;
    for (const ReadPage& read : wrong) ums::Scheduler::current().fork(diagnoses, diagnose_page(data, read, wrong));
    co_await diagnoses.join();
}

ums::Task<void> PageDiagnosis::diagnose_page(DataFile& data, const ReadPage& read, std::span<const ReadPage> in_hand) {
    ScanHoldings holdings(pool_, data, in_hand);
    co_await diagnose_one(data, read.page, read.image, holdings);
    // Diagnoses the wrong pages that the search met; their searches may meet more.
    for (bool has_more = true; has_more;) {
        std::vector<std::unique_ptr<SuspectPage>> suspects;
        while (suspects.size() < kSuspectsAtATime) {
            std::unique_ptr<SuspectPage> suspect = holdings.next_suspect();
            if (!suspect) break;
            suspects.push_back(std::move(suspect));
        }
        ums::TaskGroup diagnoses;
        for (const auto& suspect : suspects) ums::Scheduler::current().fork(diagnoses, diagnose_suspect(*suspect, holdings));
        co_await diagnoses.join();
        has_more = !suspects.empty();
    }
}

ums::Task<void> PageDiagnosis::diagnose_suspect(const SuspectPage& suspect, ScanHoldings& holdings) {
    HeldPage held = suspect.held;
    DataFile& data = *held.data;
    // The task that held the page may have released it by now. In files apart, a latch does not keep writers away.
    if (held.frame == nullptr && !data.is_apart) held = holdings.hold_page(data, held.page);
    const bool is_as_seen = held.frame != nullptr && (!suspect.write_mark || data.writes.is_quiet_since(held.page, *suspect.write_mark));
    if (is_as_seen && !page_matches(suspect.image.bytes(), {run_id_, data.file.id(), held.page, data.ledger[held.page]})) {
        co_await diagnose_one(data, held.page, suspect.image.bytes(), holdings);
    } else {
        co_await diagnose_unheld(suspect, holdings);
    }
    if (held.frame != nullptr) holdings.release(held);
}

// Only reported: the ledger entry and the page belong to the task that holds it. If that task meets the same fault, it is reported once.
ums::Task<void> PageDiagnosis::diagnose_unheld(const SuspectPage& suspect, ScanHoldings& holdings) {
    DataFile& data = *suspect.held.data;
    const ExpectedPage expected{run_id_, data.file.id(), suspect.held.page, suspect.entry};
    Observation observation = co_await observe(data, expected, PageImage(suspect.image.bytes()), suspect.write_mark, holdings);
    if (observation.fate == Fate::overwritten && is_missed_at_home(suspect.image)) observation.fate = Fate::stood_till_written;
    std::vector<Finding> findings = co_await classify_all(data, expected, observation, holdings);
    if (note_reported(expected, suspect.image, false)) co_return;
    for (Finding& finding : findings) report(data, std::move(finding), observation);
}

ums::Task<void> PageDiagnosis::diagnose_one(DataFile& data, std::uint32_t page, const std::byte* image, ScanHoldings& holdings) {
    const ExpectedPage expected{run_id_, data.file.id(), page, data.ledger[page]};
    // Copied, because the frame's memory may be reused and the first image is the evidence.
    PageImage first(image);
    // Immediately: other diagnoses that miss this image may already be searching for it.
    co_await search_.remember(data, page, first.bytes());
    const Observation observation = co_await observe(data, expected, std::move(first), std::nullopt, holdings);
    if (!observation.stays(0)) co_await search_.forget(data, page, observation.images[0].bytes());
    const bool will_repair = observation.stays_wrong() && repairs_;
    std::vector<Finding> findings = co_await classify_all(data, expected, observation, holdings);
    const std::optional<Reported> reported = note_reported(expected, observation.images[0], true);
    const bool is_known = reported && !reported->was_held && reported->checksum == page_checksum(observation.images[0].bytes());
    for (Finding& finding : findings) {
        if (is_known) break;
        finding.repaired = will_repair && !finding.transient;
        report(data, std::move(finding), observation);
    }
    if (!observation.stays_wrong()) co_return;
    data.ledger.mark_unknown(page);
    if (will_repair) co_await repair(data, expected, observation.images[observation.last]);
}

ums::Task<PageDiagnosis::Observation> PageDiagnosis::observe(DataFile& data, const ExpectedPage& expected, PageImage first,
                                                             std::optional<std::uint64_t> write_mark, ScanHoldings& holdings) {
    Observation observation;
    observation.images.push_back(std::move(first));
    Rereader rereader(data.file, journal_, std::uint64_t{expected.page_id} * kPageBytes, kPageBytes);
    for (std::uint32_t attempt = 1; attempt <= kRereadsMax && observation.stays_wrong(); ++attempt) {
        Reread reread = co_await rereader.read(attempt, observation.images[0].bytes());
        if (write_mark && !data.writes.is_quiet_since(expected.page_id, *write_mark)) {
            // What had stayed wrong until then did not pass by itself.
            const bool has_stayed = std::any_of(observation.rereads.begin(), observation.rereads.end(),
                                                [](const Reread& earlier) { return earlier.has_come(); });
            if (!has_stayed) observation.fate = Fate::overwritten;
            break;
        }
        if (reread.has_come()) {
            const PageHeader header = read_header(rereader.bytes());
            reread.version = header.version;
            reread.checksum = header.checksum;
            if (page_matches(rereader.bytes(), expected)) {
                observation.right = PageImage(rereader.bytes());
                reread.result = RereadResult::right;
            } else {
                const std::size_t index = keep_image(observation.images, rereader.bytes());
                observation.times_last = index == observation.last ? observation.times_last + 1 : 1;
                observation.last = index;
            }
        }
        observation.rereads.push_back(reread);
        if (data.file.is_given_up()) break;  // the storage is gone
        if (run_.is_stopping() && reread.after_us > kStoppingDiagnosisUs) break;
        if (attempt == kRereadsBeforeGlance && observation.stays(0) && is_image_missing(data, observation.images[0], expected)) {
            co_await search_.glance(data, expected.page_id, expected.entry.version, holdings);
        }
    }
    co_return observation;
}

// One finding for each fault, however many images it has: transient ones first, the persistent one last.
ums::Task<std::vector<Finding>> PageDiagnosis::classify_all(DataFile& data, const ExpectedPage& expected, const Observation& observation,
                                                            ScanHoldings& holdings) {
    const auto& images = observation.images;
    std::vector<Finding> findings;
    std::optional<Finding> staying;
    if (observation.stays_wrong()) {
        staying = co_await judge(data, expected, images[observation.last], observation, false, holdings);
    }
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (observation.stays(i)) continue;
        Finding finding = co_await judge(data, expected, images[i], observation, true, holdings);
        if (staying && is_same_fault(finding, *staying)) {
            // The first image is the one that the run met.
            if (i == 0) staying = co_await judge(data, expected, images[i], observation, false, holdings);
            continue;
        }
        const bool is_known =
            std::any_of(findings.begin(), findings.end(), [&](const Finding& other) { return other.kind == finding.kind; });
        if (!is_known) findings.push_back(std::move(finding));
    }
    if (staying) findings.push_back(*std::move(staying));
    co_return findings;
}

// The page to which this image belongs has already been reported, because of this image.
bool PageDiagnosis::is_missed_at_home(const PageImage& image) {
    const PageHeader header = read_header(image.bytes());
    if (header.magic != kPageMagic || header.run_id != run_id_) return false;
    return was_reported({header.file_id, header.page_id}, header.version);
}

bool PageDiagnosis::was_reported(PageKey page, std::uint32_t version) {
    const std::lock_guard lock(mutex_);
    const auto reported = reported_.find(page.packed());
    return reported != reported_.end() && reported->second.version == version;
}

// One that was met without being held does not replace another: the holder reports a fault that has come back.
std::optional<PageDiagnosis::Reported> PageDiagnosis::note_reported(const ExpectedPage& expected, const PageImage& image, bool was_held) {
    const std::uint32_t checksum = page_checksum(image.bytes());
    const std::lock_guard lock(mutex_);
    const auto [last, is_first] = reported_.try_emplace(PageKey{expected.file_id, expected.page_id}.packed());
    std::optional<Reported> before;
    if (!is_first && last->second.version == expected.entry.version) before = last->second;
    if (was_held || !before) last->second = {expected.entry.version, checksum, was_held};
    return before;
}

bool PageDiagnosis::is_image_missing(const DataFile& data, const PageImage& image, const ExpectedPage& expected) {
    const WrittenImage written(image.bytes(), expected, write_times());
    return sim::is_image_missing(examine_image(data, image, expected, written));
}

Evidence PageDiagnosis::examine_image(const DataFile& data, const PageImage& image, const ExpectedPage& expected,
                                      const WrittenImage& written) {
    Evidence evidence = examine(image.bytes(), expected, written);
    evidence.is_first_write_over_old = expected.entry.first_write != 0 && !data.file.was_created();
    const std::lock_guard lock(mutex_);
    const auto before = superseded_.find(PageKey{expected.file_id, expected.page_id}.packed());
    evidence.is_before_repair = before != superseded_.end() && before->second.version == expected.entry.version &&
                                before->second.checksum == page_checksum(image.bytes());
    return evidence;
}

ums::Task<Finding> PageDiagnosis::judge(DataFile& data, const ExpectedPage& expected, const PageImage& image,
                                        const Observation& observation, bool transient, ScanHoldings& holdings) {
    const PageImage& right = observation.right;
    const std::byte* const known = right.is_none() ? image.bytes() : right.bytes();
    WrittenImage written(known, expected, write_times());
    if (knows_all_writes_) written.find_time_by_checksum(known, write_times());
    Evidence evidence = examine_image(data, image, expected, written);
    evidence.is_transient = transient;
    evidence.became_right = !right.is_none();
    evidence.later_reads = later_reads_in(observation.rereads);
    evidence.is_unsteady = observation.is_unsteady();
    evidence.was_overwritten = observation.fate != Fate::left_alone;
    evidence.has_stood = observation.fate == Fate::stood_till_written;
    const bool is_missing = !transient && sim::is_image_missing(evidence);
    if (is_missing) evidence.found_elsewhere = co_await search_.find(data, expected.page_id, expected.entry.version, holdings);
    Finding finding = make_finding(evidence, classify(evidence));
    if (finding.kind == FindingKind::misdirected_write) co_await search_.remember(data, expected.page_id, image.bytes());
    finding.place.path = data.file.path();
    co_return finding;
}

void PageDiagnosis::report(DataFile& data, Finding finding, const Observation& observation) {
    finding.rereads = observation.rereads;
    finding.reads = 1 + static_cast<std::uint32_t>(observation.rereads.size());
    if (finding.other) finding.other->path = search_.path_of(finding.other->file_id);
    data.file.report(std::move(finding));
}

// Rewrites the expected version, identical to the original if its time is known. The log already has it.
ums::Task<void> PageDiagnosis::repair(DataFile& data, const ExpectedPage& expected, const PageImage& image) {
    const WrittenImage written(image.bytes(), expected, write_times());
    const ums::MemoryRegion buffer(kPageBytes, ums::MemoryKind::plain);
    const PageLedger::Entry& entry = expected.entry;
    std::uint32_t checksum = entry.checksum;
    if (written.is_exact()) {
        std::memcpy(buffer.data(), written.bytes(), kPageBytes);
    } else {
        const std::lock_guard lock(mutex_);
        superseded_[PageKey{expected.file_id, expected.page_id}.packed()] = {entry.version, entry.checksum};
        checksum =
            make_page({run_id_, expected.file_id, expected.page_id, entry.version, entry.lsn, journal_.clock().utc_us()}, buffer.data());
    }
    // The promised image may no longer exist from here on.
    if (promises_ != nullptr) promises_->void_page(expected.file_id, expected.page_id);
    const ums::IoSegment segment{buffer.data(), kPageBytes};
    const WatchedWrite write(data.writes, expected.page_id, 1);
    IoRetry retry(data.file, run_, journal_);
    if (!co_await retry.write(std::uint64_t{expected.page_id} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion)) co_return;
    if (entry.version == 0) {
        data.ledger.forget(expected.page_id);
    } else {
        data.ledger.acknowledge(expected.page_id, entry.version, entry.lsn, checksum);
        if (promises_ != nullptr) promises_->page_written({expected.file_id, expected.page_id, entry.version, checksum});
    }
    journal_.info(fmt::format("Page {} of {} was written again after the finding.", expected.page_id, data.file.path()));
}

}  // namespace sim
