#include "sim/log/checkpoint_records.hpp"

#include <algorithm>

namespace sim {

namespace {

constexpr std::size_t kSumsPerRecordMax = (kLogRecordBytesMax - sizeof(LogRecordHeader)) / sizeof(RegionSum);

std::size_t regions_in_use(const PageSums::File& file, std::uint32_t region_pages) {
    return std::min<std::size_t>((std::uint64_t{file.page_count} + region_pages - 1) / region_pages, file.regions.size());
}

// How many records log_sums() makes for them.
std::uint32_t sums_record_count(const PageSums& sums) {
    std::size_t count = 0;
    for (const auto& [file_id, file] : sums.files()) {
        count += (regions_in_use(file, sums.region_pages()) + kSumsPerRecordMax - 1) / kSumsPerRecordMax;
    }
    return static_cast<std::uint32_t>(count);
}

ums::Task<std::uint64_t> log_with_payload(LogManager& log, LogChange change, std::span<const std::byte> payload) {
    const std::uint64_t size_bytes = sizeof(LogRecordHeader) + payload.size();
    change.payload = payload;
    LogReservation reservation = log.space().reserve_for_system(size_bytes);
    co_return co_await log.append(reservation, change, size_bytes);
}

}  // namespace

ums::Task<void> log_sums(LogManager& log, const PageSums& sums) {
    for (const auto& [file_id, file] : sums.files()) {
        const std::span<const RegionSum> regions(file.regions.data(), regions_in_use(file, sums.region_pages()));
        for (std::size_t begin = 0; begin < regions.size(); begin += kSumsPerRecordMax) {
            const auto part = regions.subspan(begin, std::min(kSumsPerRecordMax, regions.size() - begin));
            co_await log_with_payload(log,
                                      {.kind = LogRecordKind::checkpoint_sums,
                                       .file_id = file_id,
                                       .page_id = static_cast<std::uint32_t>(begin * sums.region_pages()),
                                       .version = sums.region_pages(),
                                       .page_count = file.page_count},
                                      std::as_bytes(part));
        }
        if (file.cut_lsn == 0) continue;
        const FileCuts cuts{file.cut_lsn};
        co_await log_with_payload(log, {.kind = LogRecordKind::file_cuts, .file_id = file_id, .page_id = file.least_pages},
                                  std::as_bytes(std::span(&cuts, 1)));
    }
}

ums::Task<bool> log_resume(LogManager& log, const LogPosition& position) {
    const ResumePoint point{position.last_sequence, position.last_lsn};
    co_await log_with_payload(log, {.kind = LogRecordKind::resume}, std::as_bytes(std::span(&point, 1)));
    co_return co_await log.flush();
}

ums::Task<std::uint64_t> log_checkpoint_end(LogManager& log, const CheckpointBegin& begin, std::span<const UnknownPage> unknown,
                                            bool promises_nothing) {
    for (const UnknownPage& page : unknown) {
        co_await log_with_payload(
            log, {.kind = LogRecordKind::page_unknown, .file_id = page.file_id, .page_id = page.page_id, .version = page.version}, {});
    }
    const CheckpointEnd end{begin.lsn, sums_record_count(begin.sums),
                            promises_nothing ? kTooManyUnknown : static_cast<std::uint32_t>(unknown.size())};
    co_return co_await log_with_payload(log, {.kind = LogRecordKind::checkpoint_end}, std::as_bytes(std::span(&end, 1)));
}

}  // namespace sim
