#include "sim/rehearsal/stale_log.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/page/checksum.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kBlockBytes = 4096;
constexpr std::uint32_t kRecordBytes = 128;
constexpr std::uint32_t kFirstVlf = 1000;
constexpr std::uint64_t kFirstSequence = 1'000'000;

using Block = std::array<std::byte, kBlockBytes>;

void add_record(Block& block, LogBlockHeader& header, std::uint64_t seed) {
    LogRecordHeader record{};
    record.size_bytes = kRecordBytes;
    record.slot = header.record_count;
    record.kind = static_cast<std::uint16_t>(header.record_count == 0 ? LogRecordKind::checkpoint_end : LogRecordKind::page_update);
    record.file_id = 1;
    record.page_id = static_cast<std::uint32_t>(seed % 128);
    record.version = 1'000'000;
    record.lsn = header.first_lsn + header.record_count;
    std::byte* const out = block.data() + header.used_bytes;
    fill_from_seed(seed, out, kRecordBytes);
    std::memcpy(out, &record, sizeof record);
    const CheckpointEnd end{header.first_lsn, 0, 0};
    if (header.record_count == 0) std::memcpy(out + sizeof record, &end, sizeof end);
    header.used_bytes += kRecordBytes;
    ++header.record_count;
}

Block make_block(std::uint64_t number, std::uint64_t vlf_bytes, std::uint32_t file_id, std::uint64_t seed) {
    Block block{};
    LogBlockHeader header{};
    header.magic = kLogMagic;
    header.format = kLogFormat;
    header.size_bytes = kBlockBytes;
    header.run_id = ums::mix64(seed ^ 0x7374616c65);
    header.sequence = kFirstSequence + number;
    header.hardened_sequence = header.sequence - 1;
    header.vlf_sequence = kFirstVlf;
    header.vlf_sector = static_cast<std::uint32_t>(number * kBlockBytes / kSectorBytes);
    header.vlf_sectors = static_cast<std::uint32_t>(vlf_bytes / kSectorBytes);
    header.first_lsn = make_lsn(kFirstVlf, header.vlf_sector, 0);
    header.used_bytes = sizeof header;
    header.file_id = file_id;
    header.incarnation = 1;
    while (header.used_bytes + kRecordBytes <= kBlockBytes)
        add_record(block, header, ums::mix64(seed ^ number << 16 ^ header.record_count));
    std::memcpy(block.data(), &header, sizeof header);
    header.checksum = crc32c(block.data() + sizeof header.checksum, kBlockBytes - sizeof header.checksum);
    std::memcpy(block.data(), &header.checksum, sizeof header.checksum);
    return block;
}

}  // namespace

void fill_with_stale_log(ums::SimulatedFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes, std::uint32_t file_id,
                         std::uint64_t seed) {
    for (std::uint64_t vlf = begin_bytes; vlf + ums::kMb <= end_bytes; vlf += ums::kMb) {
        for (std::uint64_t number = 0; number < ums::kMb / kBlockBytes; ++number) {
            const Block block = make_block(number, ums::kMb, file_id, seed ^ vlf);
            file.write(vlf + number * kBlockBytes, block.data(), block.size());
        }
    }
}

std::function<ums::SimulatedFile::NewSpace(const std::string& path)> stale_log_space(const Options& options, std::uint64_t seed) {
    return [files = options.files, seed](const std::string& path) -> ums::SimulatedFile::NewSpace {
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (!files[i].is_log || files[i].path != path) continue;
            return [id = static_cast<std::uint32_t>(i + 1), made_bytes = files[i].initial_size_mb * ums::kMb, seed](
                       ums::SimulatedFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
                fill_with_stale_log(file, std::max(begin_bytes, made_bytes), end_bytes, id, seed);
            };
        }
        return {};
    };
}

}  // namespace sim
