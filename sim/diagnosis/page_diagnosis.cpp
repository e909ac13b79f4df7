#include "sim/diagnosis/page_diagnosis.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sim/diagnosis/finding_facts.hpp"
#include "sim/files/io_retry.hpp"

namespace sim {

WriteTimeRange PageDiagnosis::write_times() const {
    const std::uint64_t now_us = journal_.clock().utc_us();
    const std::uint64_t elapsed_us = (journal_.clock().now_ns() - journal_.start_ns()) / 1000;
    return {now_us - std::min(now_us, elapsed_us), now_us};
}

ums::Task<void> PageDiagnosis::diagnose(DataFile& data, std::uint32_t page, const std::byte* image) {
    ScanHoldings holdings(pool_, data);
    co_await diagnose_one(data, page, image, holdings);
    while (const std::unique_ptr<SuspectPage> suspect = holdings.next_suspect()) {
        const HeldPage& held = suspect->held;
        co_await diagnose_one(*held.data, held.page, reinterpret_cast<const std::byte*>(suspect->image.get()), holdings);
        holdings.release(held);
    }
}

ums::Task<void> PageDiagnosis::diagnose_one(DataFile& data, std::uint32_t page, const std::byte* image, ScanHoldings& holdings) {
    const ExpectedPage expected{run_id_, data.file.id(), page, data.ledger[page]};
    // The frame's memory may be used again, and the first image is the evidence.
    const auto first = std::make_unique<std::uint64_t[]>(kPageBytes / 8);
    std::memcpy(first.get(), image, kPageBytes);
    const auto* const first_image = reinterpret_cast<const std::byte*>(first.get());
    // At once: whoever misses this image elsewhere looks for it in the meantime.
    co_await search_.remember(data, page, first_image);
    const Observation observation = co_await observe(data, expected, first_image);
    const auto* const last = reinterpret_cast<const std::byte*>(observation.last.get());
    const bool will_repair = !observation.became_right && repairs_;
    const bool is_transient = observation.became_right || (last != nullptr && !observation.first_stays);
    if (is_transient) co_await search_.forget(data, page, first_image);
    Finding finding = co_await judge(data, expected, first_image, observation.became_right ? last : nullptr, is_transient, holdings);
    if (is_transient && !observation.became_right) {
        // Something else is on the disk than what came first: the same fault, if it has the same name, or a second one.
        Finding staying = co_await judge(data, expected, last, nullptr, false, holdings);
        if (is_same_fault(finding, staying)) {
            finding = co_await judge(data, expected, first_image, nullptr, false, holdings);
            report(data, std::move(finding), observation, will_repair);
        } else {
            report(data, std::move(finding), observation, false);
            report(data, std::move(staying), observation, will_repair);
        }
    } else {
        report(data, std::move(finding), observation, will_repair);
    }
    if (observation.became_right) co_return;
    data.ledger.mark_unknown(page);
    if (will_repair) co_await repair(data, expected, last != nullptr ? last : first_image);
}

ums::Task<PageDiagnosis::Observation> PageDiagnosis::observe(DataFile& data, const ExpectedPage& expected, const std::byte* image) {
    Observation observation;
    observation.first_stays = true;
    Rereader rereader(data.file, journal_, std::uint64_t{expected.page_id} * kPageBytes, kPageBytes);
    for (std::uint32_t attempt = 1; attempt <= kRereadsMax && !observation.became_right; ++attempt) {
        Reread reread = co_await rereader.read(attempt, image);
        if (reread.result == RereadResult::same_image || reread.result == RereadResult::other_image) {
            observation.first_stays = reread.result == RereadResult::same_image;
            if (!observation.last) observation.last = std::make_unique<std::uint64_t[]>(kPageBytes / 8);
            std::memcpy(observation.last.get(), rereader.bytes(), kPageBytes);
            const PageHeader header = read_header(rereader.bytes());
            reread.version = header.version;
            reread.checksum = header.checksum;
            observation.became_right = is_page_right(rereader.bytes(), expected);
            if (observation.became_right) reread.result = RereadResult::right;
        }
        observation.rereads.push_back(reread);
        if (run_.outcome() == Outcome::not_done) break;  // the storage is gone
    }
    co_return observation;
}

// `right`: the page as a later read returned it, or null.
ums::Task<Finding> PageDiagnosis::judge(DataFile& data, const ExpectedPage& expected, const std::byte* image, const std::byte* right,
                                        bool transient, ScanHoldings& holdings) {
    const WrittenImage written(right != nullptr ? right : image, expected, write_times());
    Evidence evidence = examine(image, expected, written);
    evidence.is_transient = transient;
    evidence.is_first_write_over_old = expected.entry.first_write != 0 && !data.file.was_created();
    const bool is_missing = !transient && is_older_image(evidence);
    if (is_missing) evidence.found_elsewhere = co_await search_.find(data, expected.page_id, expected.entry.version, holdings);
    Finding finding = make_finding(evidence, classify(evidence));
    if (finding.kind == FindingKind::misdirected_write) co_await search_.remember(data, expected.page_id, image);
    finding.path = data.file.path();
    co_return finding;
}

void PageDiagnosis::report(DataFile& data, Finding finding, const Observation& observation, bool will_repair) {
    finding.rereads = observation.rereads;
    finding.reads = 1 + static_cast<std::uint32_t>(observation.rereads.size());
    finding.repaired = will_repair;
    if (finding.other) finding.other->path = search_.path_of(finding.other->file_id);
    data.file.report(std::move(finding));
}

// The version that should be there is written again, as it was where its time is known. It is in the log already.
ums::Task<void> PageDiagnosis::repair(DataFile& data, const ExpectedPage& expected, const std::byte* image) {
    const WrittenImage written(image, expected, write_times());
    const ums::MemoryRegion buffer(kPageBytes, ums::MemoryKind::plain);
    const PageLedger::Entry& entry = expected.entry;
    std::uint32_t checksum = entry.checksum;
    if (written.is_exact()) {
        std::memcpy(buffer.data(), written.bytes(), kPageBytes);
    } else {
        checksum =
            make_page({run_id_, expected.file_id, expected.page_id, entry.version, entry.lsn, journal_.clock().utc_us()}, buffer.data());
    }
    const ums::IoSegment segment{buffer.data(), kPageBytes};
    IoRetry retry(data.file, run_, journal_);
    if (!co_await retry.write(std::uint64_t{expected.page_id} * kPageBytes, {&segment, 1}, ums::WaitType::io_completion)) co_return;
    if (entry.version == 0) {
        data.ledger.forget(expected.page_id);
    } else {
        data.ledger.acknowledge(expected.page_id, entry.version, entry.lsn, checksum);
    }
    journal_.info(fmt::format("Page {} of {} was written again after the finding.", expected.page_id, data.file.path()));
}

}  // namespace sim
