#include "sim/bench/log_stream.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "sim/files/io_retry.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// The largest power of two, from one sector to 4 KB, that divides the smallest block.
std::uint32_t unit_of(std::uint32_t block_bytes_min) { return std::min(block_bytes_min & (~block_bytes_min + 1), 4096U); }

}  // namespace

LogStream::Block::Block(const LogStream& log) : memory(std::size_t{log.units_max_} * log.unit_bytes_, ums::MemoryKind::plain) {
    log.maker_.prepare(memory.data());
}

LogStream::LogStream(SimFile& file, std::uint64_t run_id, const BenchOptions& options, RunState& run, Journal& journal)
    : file_(file),
      run_id_(run_id),
      unit_bytes_(unit_of(options.block_bytes_min)),
      units_min_(options.block_bytes_min / unit_bytes_),
      units_max_(options.block_bytes_max / unit_bytes_),
      maker_(unit_bytes_, options.block_bytes_min, options.block_bytes_max / unit_bytes_ * unit_bytes_),
      run_(run),
      journal_(journal) {
    UMS_ASSERT(unit_bytes_ >= kSectorBytes && units_min_ <= units_max_ && file.size_bytes() >= kPageBytes + options.block_bytes_max);
}

std::uint64_t LogStream::take_place(std::uint32_t size_bytes, std::uint64_t& sequence, std::uint64_t& lap) {
    const std::lock_guard guard(lock_);
    if (next_offset_bytes_ + size_bytes > file_.size_bytes()) {
        next_offset_bytes_ = kPageBytes;
        ++lap_;
        written_.clear();
        stragglers_.clear();
    }
    const std::uint64_t offset_bytes = next_offset_bytes_;
    next_offset_bytes_ += size_bytes;
    sequence = next_sequence_++;
    lap = lap_;
    return offset_bytes;
}

std::uint32_t LogStream::make_block(std::byte* data, std::uint32_t size_bytes, std::uint64_t offset_bytes, std::uint64_t sequence) const {
    LogBlockHeader header{};
    header.magic = kLogMagic;
    header.format = kLogFormat;
    header.size_bytes = size_bytes;
    header.used_bytes = size_bytes;
    header.run_id = run_id_;
    header.sequence = sequence;
    header.file_id = file_.id();
    header.vlf_sector = static_cast<std::uint32_t>(offset_bytes / kSectorBytes);
    return maker_.make(header, ums::mix64(run_id_ + sequence), data);
}

ums::Task<bool> LogStream::write_next(Block& block, ums::Prng& prng) {
    // Tasks that have a block ready start its write before the next block is made.
    co_await ums::Scheduler::current().before_computing(file_.has_device());
    const auto size_bytes = static_cast<std::uint32_t>(prng.between(units_min_, units_max_)) * unit_bytes_;
    std::uint64_t sequence = 0;
    std::uint64_t lap = 0;
    const std::uint64_t offset_bytes = take_place(size_bytes, sequence, lap);
    std::byte* const data = block.memory.data();
    const std::uint32_t checksum = make_block(data, size_bytes, offset_bytes, sequence);
    const ums::IoSegment segment{data, size_bytes};
    IoRetry retry(file_, run_, journal_);
    const bool is_written = co_await retry.write(offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
    const std::lock_guard guard(lock_);
    if (lap != lap_) {
        stragglers_.push_back({offset_bytes, size_bytes, checksum});
    } else if (is_written) {
        written_.push_back({offset_bytes, size_bytes, checksum});
    }
    co_return is_written;
}

bool LogStream::was_overlapped(const Written& written) const {
    return std::any_of(stragglers_.begin(), stragglers_.end(), [&](const Written& straggler) {
        return straggler.offset_bytes < written.offset_bytes + written.size_bytes &&
               written.offset_bytes < straggler.offset_bytes + straggler.size_bytes;
    });
}

ums::Task<std::uint64_t> LogStream::read_back() {
    const ums::MemoryRegion memory(std::size_t{units_max_} * unit_bytes_, ums::MemoryKind::plain);
    IoRetry retry(file_, run_, journal_);
    std::uint64_t bytes = 0;
    for (const Written& written : written_) {
        if (run_.is_stopping()) break;
        if (was_overlapped(written)) continue;
        const ums::IoSegment segment{memory.data(), written.size_bytes};
        stamp_not_read(memory.data(), written.size_bytes);
        if (!co_await retry.read(written.offset_bytes, {&segment, 1}, ums::WaitType::io_completion)) continue;
        const std::uint32_t calculated = crc32c(memory.data() + sizeof(std::uint32_t), written.size_bytes - sizeof(std::uint32_t));
        std::uint32_t stored = 0;
        std::memcpy(&stored, memory.data(), sizeof stored);
        if (calculated != written.checksum || stored != written.checksum) report_wrong(written, memory.data(), calculated);
        bytes += written.size_bytes;
    }
    co_return (bytes + kPageBytes - 1) / kPageBytes;
}

void LogStream::report_wrong(const Written& written, const std::byte* data, std::uint32_t calculated) {
    Finding finding;
    finding.kind = FindingKind::log_block_damaged;
    finding.place.file_id = file_.id();
    finding.place.path = file_.path();
    finding.place.is_log = true;
    finding.place.size_bytes = written.size_bytes;
    finding.place.offset_bytes = written.offset_bytes;
    finding.expected = {.checksum = written.checksum};
    finding.received = {.calculated_checksum = calculated};
    finding.evidence.image.assign(data, data + written.size_bytes);
    finding.description = fmt::format("The log block of {} bytes at offset 0x{:x} is not the one that was acknowledged.",
                                      written.size_bytes, written.offset_bytes);
    file_.report(std::move(finding));
}

}  // namespace sim
