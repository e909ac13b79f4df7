#include "sim/log/log_buffer.hpp"

#include <algorithm>
#include <cstring>

#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"

namespace sim {

void LogBuffer::open(const VirtualLogFile& in_vlf, std::uint32_t vlf_index, std::uint64_t block_sequence) {
    *this = LogBuffer{.data = data};
    file = in_vlf.file;
    file_offset_bytes = in_vlf.offset_bytes + in_vlf.end_bytes;
    vlf = vlf_index;
    vlf_sequence = in_vlf.sequence;
    vlf_sectors = static_cast<std::uint32_t>(in_vlf.size_bytes / kSectorBytes);
    vlf_offset_bytes = in_vlf.end_bytes;
    capacity_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(kLogBlockBytesMax, in_vlf.size_bytes - in_vlf.end_bytes));
    used_bytes = sizeof(LogBlockHeader);
    sequence = block_sequence;
    first_lsn = make_lsn(in_vlf.sequence, static_cast<std::uint32_t>(in_vlf.end_bytes / kSectorBytes), 0);
}

std::uint64_t LogBuffer::append(const LogChange& change, std::uint32_t record_bytes) {
    UMS_ASSERT(has_room(record_bytes) && record_bytes % 8 == 0 && record_bytes >= sizeof(LogRecordHeader));
    LogRecordHeader header{};
    header.size_bytes = record_bytes;
    header.kind = static_cast<std::uint16_t>(change.kind);
    header.slot = static_cast<std::uint16_t>(record_count++);
    header.file_id = change.file_id;
    header.page_id = change.page_id;
    header.version = change.version;
    header.page_count = change.page_count;
    header.lsn = first_lsn + header.slot;
    std::byte* const out = data + used_bytes;
    std::memcpy(out, &header, sizeof header);
    const std::size_t begin = sizeof header + change.payload.size();
    UMS_ASSERT(begin <= record_bytes);
    if (!change.payload.empty()) std::memcpy(out + sizeof header, change.payload.data(), change.payload.size());
    fill_from_seed(ums::mix64(header.lsn), out + begin, record_bytes - begin);
    used_bytes += record_bytes;
    last_lsn = header.lsn;
    return header.lsn;
}

void LogBuffer::finish(const LogMoment& moment) {
    UMS_ASSERT(size_bytes >= used_bytes);
    LogBlockHeader header{};
    header.magic = kLogMagic;
    header.format = kLogFormat;
    header.record_count = static_cast<std::uint16_t>(record_count);
    header.size_bytes = size_bytes;
    header.run_id = moment.run_id;
    header.sequence = sequence;
    header.first_lsn = first_lsn;
    header.vlf_sequence = vlf_sequence;
    header.used_bytes = used_bytes;
    header.file_id = file->id();
    header.vlf_sector = static_cast<std::uint32_t>(vlf_offset_bytes / kSectorBytes);
    header.hardened_sequence = moment.hardened_sequence;
    header.write_utc_us = moment.write_utc_us;
    header.incarnation = moment.incarnation;
    header.vlf_sectors = vlf_sectors;
    std::memset(data + used_bytes, 0, size_bytes - used_bytes);
    std::memcpy(data, &header, sizeof header);
    checksum = crc32c(data + sizeof header.checksum, size_bytes - sizeof header.checksum);
    std::memcpy(data, &checksum, sizeof checksum);
}

}  // namespace sim
