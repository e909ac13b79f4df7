#include "sim/bench/measured_page.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/finding.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

bool has_sector_not_read(const std::byte* image, std::size_t size_bytes) {
    const ums::MemoryRegion stamped(kSectorBytes, ums::MemoryKind::plain);
    stamp_not_read(stamped.data(), kSectorBytes);
    for (std::size_t offset = 0; offset < size_bytes; offset += kSectorBytes) {
        if (std::memcmp(image + offset, stamped.data(), kSectorBytes) == 0) return true;
    }
    return false;
}

// All sectors belong to this page, but not to the same version, or not to that of the same measurement.
bool is_torn_page(const std::byte* image, std::uint64_t page) {
    const SectorStamp first = read_stamp(image, 0);
    bool differs = false;
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(image, sector);
        if (stamp.page_id != page || (stamp.file_and_sector & 0xf) != sector) return false;
        differs = differs || stamp.version != first.version || stamp.run_tag != first.run_tag;
    }
    return differs;
}

// Another measurement, or a run, wrote it than the one whose version is known. It counted its versions for itself.
bool is_of_another(const PageBook& book, const UnitImage& says, PageBook::Mark mark) {
    if (!says.is_sound) return false;
    return PageBook::is_own(mark) ? says.run_id != book.run_id() : PageBook::is_found(mark) && !PageBook::is_found_of(mark, says.run_id);
}

FindingKind wrong_page_kind(const PageBook& book, const std::byte* image, const UnitImage& says, std::uint64_t page, PageBook::Mark mark,
                            bool is_transient) {
    if (says.is_sound && (says.number != book.number_of(page) || says.file_id != book.file_id())) {
        return is_transient ? FindingKind::misdirected_read : FindingKind::misdirected_write;
    }
    const bool is_newer = says.version > PageBook::version_of(mark) && !is_of_another(book, says, mark);
    if (says.is_sound && is_newer) return FindingKind::future_version;
    if (says.is_sound) return is_transient ? FindingKind::stale_read : FindingKind::lost_write;
    if (is_all_zero(image, book.unit_bytes())) return FindingKind::zeroed_page;
    if (has_sector_not_read(image, book.unit_bytes())) return FindingKind::bytes_not_read;
    if (book.unit() == BookUnit::sector) return FindingKind::bit_corruption;
    return is_torn_page(image, book.number_of(page)) ? FindingKind::torn_page : FindingKind::bit_corruption;
}

std::string what_came(const PageBook& book, const UnitImage& says, PageBook::Mark mark) {
    if (!says.is_sound) return "its checksum does not match its bytes";
    std::string text = fmt::format("it is version {} of {} {} of file {}", says.version, book.unit() == BookUnit::page ? "page" : "sector",
                                   says.number, says.file_id);
    if (!is_of_another(book, says, mark)) return text;
    return text + (PageBook::is_own(mark) ? ", of an earlier measurement" : ", of another measurement or run");
}

// What the page must hold; empty if nothing is known of it.
std::string what_was_known(PageBook::Mark mark) {
    const std::uint32_t version = PageBook::version_of(mark);
    if (version == 0) return {};
    return fmt::format("version {} was {}, but ", version, PageBook::is_own(mark) ? "acknowledged" : "read there before");
}

ReceivedIdentity received_of(const PageBook& book, const std::byte* image, const UnitImage& says) {
    ReceivedIdentity received{.version = says.version, .run_id = says.run_id, .file_id = says.file_id};
    received.page_id = static_cast<std::uint32_t>(says.number * book.unit_bytes() / kPageBytes);
    if (book.unit() == BookUnit::sector) return received;
    const PageHeader header = read_header(image);
    received.lsn = header.lsn;
    received.checksum = header.checksum;
    received.calculated_checksum = page_checksum(image);
    return received;
}

const char* second_read(bool has_come, BookJudgement judgement) {
    if (!has_come) return "failed, so nobody knows whether the fault stays";
    switch (judgement) {
        case BookJudgement::right: return "was right";
        case BookJudgement::not_judged: return "was too late: the page was being written again";
        case BookJudgement::wrong: break;
    }
    return "was not right";
}

// Up to where the file can be read in complete sectors of its device. A unit behind that has been read through the system's cache, where
// sectors have 512 bytes.
std::uint64_t readable_bytes(const MeasureFile& file, std::uint64_t unit_end_bytes) {
    const std::uint64_t whole_bytes = file.size_bytes / file.sector_bytes * file.sector_bytes;
    return whole_bytes >= unit_end_bytes ? whole_bytes : file.size_bytes / kSectorBytes * kSectorBytes;
}

// Reads the page that contains the unit, as far as the file has it, into `memory`: devices have sectors of 512 or 4096 bytes.
ums::Task<bool> read_page_again(const MeasureFile& file, ums::FileHandle handle, std::uint64_t offset_bytes, std::byte* memory) {
    ums::IoRequest request;
    request.file = handle;
    request.offset_bytes = offset_bytes / kPageBytes * kPageBytes;
    const std::uint64_t end_bytes = readable_bytes(file, offset_bytes + file.pages->unit_bytes());
    request.size_bytes = std::min<std::uint64_t>(kPageBytes, end_bytes - request.offset_bytes);
    const ums::IoSegment segment{memory, request.size_bytes};
    request.segments = &segment;
    request.segment_count = 1;
    request.owner = &file;
    co_await ums::Scheduler::current().io(request);
    co_return request.is_complete_transfer();
}

}  // namespace

ums::Task<void> report_wrong_page(MeasureFile& file, ums::FileHandle handle, std::uint64_t page, const std::byte* image,
                                  PageBook::Mark mark, Journal& journal) {
    PageBook& book = *file.pages;
    const std::uint64_t offset_bytes = page * book.unit_bytes();
    Finding finding;
    finding.place.file_id = file.id;
    finding.place.path = file.path;
    finding.place.page_id = static_cast<std::uint32_t>(offset_bytes / kPageBytes);
    finding.place.offset_bytes = offset_bytes;
    finding.place.size_bytes = book.unit_bytes();
    journal.begin(finding);
    const ums::MemoryRegion first(kPageBytes, ums::MemoryKind::plain);
    std::memcpy(first.data(), image, book.unit_bytes());
    finding.evidence.image.assign(first.data(), first.data() + book.unit_bytes());
    const ums::MemoryRegion again(kPageBytes, ums::MemoryKind::plain);
    stamp_not_read(again.data(), kPageBytes);
    const bool has_come = co_await read_page_again(file, handle, offset_bytes, again.data());
    finding.reads = 2;
    const BookJudgement second = has_come ? book.judge(page, again.data() + offset_bytes % kPageBytes, mark) : BookJudgement::wrong;
    // As in a run, a page that was overwritten before it was known whether the fault stays is not called persistent.
    finding.transient = second != BookJudgement::wrong;
    const std::uint32_t version = PageBook::version_of(mark);
    const UnitImage says = book.look_at(first.data());
    finding.kind = wrong_page_kind(book, first.data(), says, page, mark, finding.transient);
    finding.expected = {.version = version};
    finding.received = received_of(book, first.data(), says);
    finding.description =
        fmt::format("{} {} of {} came back wrong: {}{}. A second read {}.", book.unit() == BookUnit::page ? "Page" : "Sector", page,
                    file.path, what_was_known(mark), what_came(book, says, mark), second_read(has_come, second));
    if (!finding.transient) static_cast<void>(book.give_up(page, mark));
    journal.report(std::move(finding));
}

}  // namespace sim
