#include "sim/bench/measure_answer.hpp"

#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/files/transfer_failure.hpp"
#include "sim/finding.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {
namespace {

bool has_sector_not_read(const std::byte* image) {
    const ums::MemoryRegion stamped(kPageBytes, ums::MemoryKind::plain);
    stamp_not_read(stamped.data(), kPageBytes);
    for (std::size_t offset = 0; offset < kPageBytes; offset += kSectorBytes) {
        if (std::memcmp(image + offset, stamped.data() + offset, kSectorBytes) == 0) return true;
    }
    return false;
}

// Sectors of this page, but not all of one version.
bool is_torn_page(const std::byte* image, std::uint64_t page) {
    const std::uint32_t first = read_stamp(image, 0).version;
    bool differs = false;
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(image, sector);
        if (stamp.page_id != page || (stamp.file_and_sector & 0xf) != sector) return false;
        differs = differs || stamp.version != first;
    }
    return differs;
}

FindingKind wrong_page_kind(const std::byte* image, const PageHeader& header, bool is_sound, std::uint32_t file_id, std::uint64_t page,
                            std::uint32_t version, bool is_transient) {
    if (is_sound && (header.page_id != page || header.file_id != file_id)) {
        return is_transient ? FindingKind::misdirected_read : FindingKind::misdirected_write;
    }
    if (is_sound && header.version > version) return FindingKind::future_version;
    if (is_sound) return is_transient ? FindingKind::stale_read : FindingKind::lost_write;
    if (is_all_zero(image, kPageBytes)) return FindingKind::zeroed_page;
    if (has_sector_not_read(image)) return FindingKind::bytes_not_read;
    return is_torn_page(image, page) ? FindingKind::torn_page : FindingKind::bit_corruption;
}

std::string what_came(const PageHeader& header, bool is_sound) {
    if (!is_sound) return "its checksum does not fit its bytes";
    return fmt::format("it is version {} of page {} of file {}", header.version, header.page_id, header.file_id);
}

}  // namespace

bool is_answered(const MeasureFile& file, const ums::IoRequest& request, RunState& run, Journal& journal) {
    const bool is_complete = request.operation == ums::IoOperation::sync ? !request.error : request.is_complete_transfer();
    if (is_complete && !is_late(request) && !is_interrupted(request)) return true;
    FileOptions named;
    named.path = file.path;
    if (is_late(request)) {
        journal.warning(late_message(file.path, request));
        if (!request.reported_lost) journal.report(late_transfer(file.id, named, request));
    }
    if (is_interrupted(request)) journal.report(interrupted_transfer(file.id, named, request));
    if (is_complete) return true;
    std::string reason = fmt::format("{}: a {} failed: {}.", file.path, describe_request(request),
                                     request.error ? ums::error_text(request.error) : "it came back short");
    if (request.error && !is_about_storage(request.error)) {
        run.stop(Outcome::not_done, std::move(reason));
        return false;
    }
    journal.report(persistent_failure(
        file.id, named, {request.operation, request.offset_bytes, request.size_bytes, request.error, request.transferred_bytes}, 1));
    run.stop(Outcome::failed, std::move(reason));
    return false;
}

ums::Task<void> report_wrong_page(MeasureFile& file, ums::FileHandle handle, std::uint64_t page, const std::byte* image,
                                  PageBook::Mark mark, Journal& journal) {
    Finding finding;
    finding.place.file_id = file.id;
    finding.place.path = file.path;
    finding.place.page_id = static_cast<std::uint32_t>(page);
    finding.place.offset_bytes = page * kPageBytes;
    finding.place.size_bytes = kPageBytes;
    journal.begin(finding);
    finding.evidence.image.assign(image, image + kPageBytes);
    const ums::MemoryRegion again(kPageBytes, ums::MemoryKind::plain);
    stamp_not_read(again.data(), kPageBytes);
    const ums::IoSegment segment{again.data(), kPageBytes};
    ums::IoRequest request;
    request.file = handle;
    request.offset_bytes = page * kPageBytes;
    request.size_bytes = kPageBytes;
    request.segments = &segment;
    request.segment_count = 1;
    request.owner = &file;
    co_await ums::Scheduler::current().io(request);
    finding.reads = 2;
    finding.transient = request.is_complete_transfer() && file.pages->judge(page, again.data(), mark) == BookJudgement::right;
    const std::uint32_t version = PageBook::version_of(mark);
    const PageHeader header = read_header(finding.evidence.image.data());
    const std::uint32_t calculated = page_checksum(finding.evidence.image.data());
    const bool is_sound = header.magic == kPageMagic && header.checksum == calculated;
    finding.kind =
        wrong_page_kind(finding.evidence.image.data(), header, is_sound, file.pages->file_id(), page, version, finding.transient);
    finding.expected = {.version = version};
    finding.received = {.version = header.version,
                        .lsn = header.lsn,
                        .checksum = header.checksum,
                        .calculated_checksum = calculated,
                        .run_id = header.run_id,
                        .file_id = header.file_id,
                        .page_id = header.page_id};
    const std::string known = version == 0 ? std::string() : fmt::format("version {} was acknowledged, and ", version);
    finding.description = fmt::format("Page {} of {} came back wrong: {}{}. Read again it was {}.", page, file.path, known,
                                      what_came(header, is_sound), finding.transient ? "right" : "not right");
    if (!finding.transient) static_cast<void>(file.pages->give_up(page, mark));
    journal.report(std::move(finding));
}

}  // namespace sim
