#include "cli/measuring/measure_presets.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "sim/limits.hpp"
#include "ums/base/units.hpp"

namespace cli {
namespace {

using sim::MeasureAccess;
using sim::MeasureContents;

constexpr std::uint32_t kPresetPage = sim::kPageBytes;
constexpr auto kPresetMb = static_cast<std::uint32_t>(ums::kMb);

constexpr std::array kPresets{
    MeasurePreset{.name = "oltp",
                  .load = "8K, random, 70 % reads",
                  .work = "single pages that queries read and the lazy writer writes",
                  .source = "Microsoft: Page and extent architecture guide; the usual mix of DiskSpd guides",
                  .depth = 32,
                  .block_bytes = kPresetPage,
                  .access = MeasureAccess::random,
                  .write_percent = 30},
    MeasurePreset{.name = "log",
                  .load = "512 bytes to 60K, sequential durable writes; --depth up to 112",
                  .work = "the log writer, for which every commit waits",
                  .source = "Microsoft: Transaction log architecture guide; SQLCAT: Diagnosing transaction log performance issues",
                  .depth = 1,
                  .block_bytes = sim::kLogBlockBytesMax,
                  .block_bytes_min = sim::kSectorBytes,
                  .write_percent = 100,
                  .write_through = true},
    MeasurePreset{.name = "read-ahead",
                  .load = "512K, sequential reads",
                  .work = "read-ahead of scans, 64 pages at a time",
                  .source = "Microsoft: Reading pages",
                  .depth = 4,
                  .block_bytes = sim::kReadAheadPages * kPresetPage,
                  .piece_bytes = kPresetPage},
    MeasurePreset{.name = "scan",
                  .load = "1M to 8M, sequential reads",
                  .work = "scans of columnstore indexes",
                  .source = "N. Neugebauer: Columnstore indexes, part 50",
                  .depth = 4,
                  .block_bytes = 8 * kPresetMb,
                  .block_bytes_min = kPresetMb},
    MeasurePreset{.name = "backup",
                  .load = "1M to 4M, sequential, half reads, half writes",
                  .work = "BACKUP: data files are read, the backup is written",
                  .source = "Microsoft: BACKUP (Transact-SQL), MAXTRANSFERSIZE and BUFFERCOUNT",
                  .depth = 8,
                  .block_bytes = 4 * kPresetMb,
                  .block_bytes_min = kPresetMb,
                  .write_percent = 50},
    MeasurePreset{.name = "checkpoint",
                  .load = "8K to 256K, random writes of pages gathered from all over memory",
                  .work = "checkpoints and the lazy writer",
                  .source = "Microsoft: Writing pages; Database checkpoints",
                  .depth = 32,
                  .block_bytes = 32 * kPresetPage,
                  .block_bytes_min = kPresetPage,
                  .piece_bytes = kPresetPage,
                  .alignment_bytes = kPresetPage,
                  .access = MeasureAccess::random,
                  .write_percent = 100},
    MeasurePreset{.name = "tempdb",
                  .load = "64K, random, half reads, half writes",
                  .work = "spills of sorts and hashes, and the version store",
                  .source = "Microsoft: tempdb database; Page and extent architecture guide (extents of 64K)",
                  .depth = 32,
                  .block_bytes = sim::kExtentPages * kPresetPage,
                  .access = MeasureAccess::random,
                  .write_percent = 50},
    MeasurePreset{.name = "restore",
                  .load = "1M to 4M, sequential writes",
                  .work = "RESTORE: data files are written from a backup",
                  .source = "Microsoft: RESTORE (Transact-SQL), MAXTRANSFERSIZE and BUFFERCOUNT",
                  .depth = 8,
                  .block_bytes = 4 * kPresetMb,
                  .block_bytes_min = kPresetMb,
                  .write_percent = 100},
    MeasurePreset{.name = "file-init",
                  .load = "1M, sequential writes of zeros",
                  .work = "zeroing of logs and of data files without instant initialization",
                  .source = "Microsoft: Database instant file initialization",
                  .depth = 8,
                  .block_bytes = kPresetMb,
                  .write_percent = 100,
                  .contents = MeasureContents::zeros},
};

}  // namespace

void MeasurePreset::apply(sim::MeasureTarget& target) const {
    target.block_bytes = block_bytes;
    target.block_bytes_min = block_bytes_min;
    target.piece_bytes = piece_bytes;
    target.alignment_bytes = alignment_bytes;
    target.access = access;
    target.write_percent = write_percent;
    target.write_through = write_through;
    target.source.contents = contents;
}

std::span<const MeasurePreset> measure_presets() { return kPresets; }

const MeasurePreset* find_preset(std::string_view name) {
    const auto* const found =
        std::find_if(kPresets.begin(), kPresets.end(), [&](const MeasurePreset& preset) { return preset.name == name; });
    return found == kPresets.end() ? nullptr : found;
}

std::string_view presets_text() {
    static const std::string text = [] {
        std::string lines;
        for (const MeasurePreset& preset : kPresets) {
            lines += fmt::format("{}{}: {}, depth {}. Stands for {}. Source: {}.", lines.empty() ? "" : "\n", preset.name, preset.load,
                                 preset.depth, preset.work, preset.source);
        }
        return lines;
    }();
    return text;
}

}  // namespace cli
