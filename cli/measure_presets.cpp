#include "cli/measure_presets.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "sim/limits.hpp"
#include "ums/base/size.hpp"

namespace cli {
namespace {

using sim::MeasureAccess;
using sim::MeasureContents;
using sim::MeasureTarget;

constexpr std::array kPresets{
    MeasurePreset{"oltp", "8K, random, 70 % reads", "single pages that queries read and the lazy writer writes",
                  "Microsoft: Page and extent architecture guide; the usual mix of DiskSpd guides", 32,
                  [](MeasureTarget& target) {
                      target.block_bytes = sim::kPageBytes;
                      target.access = MeasureAccess::random;
                      target.write_percent = 30;
                      target.source.contents = MeasureContents::pages;
                  }},
    MeasurePreset{"log", "512 bytes to 60K, sequential durable writes; --depth up to 112", "the log writer, for which every commit waits",
                  "Microsoft: Transaction log architecture guide; SQLCAT: Diagnosing transaction log performance issues", 1,
                  [](MeasureTarget& target) {
                      target.block_bytes = sim::kLogBlockBytesMax;
                      target.block_bytes_min = sim::kSectorBytes;
                      target.access = MeasureAccess::interlocked;
                      target.write_percent = 100;
                      target.write_through = true;
                  }},
    MeasurePreset{"read-ahead", "512K, sequential reads", "read-ahead of scans, 64 pages at a time", "Microsoft: Reading pages", 4,
                  [](MeasureTarget& target) {
                      target.block_bytes = sim::kReadAheadPages * sim::kPageBytes;
                      target.piece_bytes = sim::kPageBytes;
                      target.access = MeasureAccess::interlocked;
                      target.source.contents = MeasureContents::pages;
                  }},
    MeasurePreset{"scan", "1M to 8M, sequential reads", "scans of columnstore indexes", "N. Neugebauer: Columnstore indexes, part 50", 4,
                  [](MeasureTarget& target) {
                      target.block_bytes = 8 * ums::kMb;
                      target.block_bytes_min = ums::kMb;
                      target.access = MeasureAccess::interlocked;
                      target.source.contents = MeasureContents::pages;
                  }},
    MeasurePreset{"backup", "1M to 4M, sequential, half reads, half writes", "BACKUP: data files are read, the backup is written",
                  "Microsoft: BACKUP (Transact-SQL), MAXTRANSFERSIZE and BUFFERCOUNT", 8,
                  [](MeasureTarget& target) {
                      target.block_bytes = 4 * ums::kMb;
                      target.block_bytes_min = ums::kMb;
                      target.access = MeasureAccess::interlocked;
                      target.write_percent = 50;
                  }},
    MeasurePreset{"checkpoint", "8K to 256K, random writes of pages gathered from all over memory", "checkpoints and the lazy writer",
                  "Microsoft: Writing pages; Database checkpoints", 32,
                  [](MeasureTarget& target) {
                      target.block_bytes = 32 * sim::kPageBytes;
                      target.block_bytes_min = sim::kPageBytes;
                      target.piece_bytes = sim::kPageBytes;
                      target.alignment_bytes = sim::kPageBytes;
                      target.access = MeasureAccess::random;
                      target.write_percent = 100;
                      target.source.contents = MeasureContents::pages;
                  }},
    MeasurePreset{"tempdb", "64K, random, half reads, half writes", "spills of sorts and hashes, and the version store",
                  "Microsoft: tempdb database; Page and extent architecture guide (extents of 64K)", 32,
                  [](MeasureTarget& target) {
                      target.block_bytes = sim::kExtentPages * sim::kPageBytes;
                      target.access = MeasureAccess::random;
                      target.write_percent = 50;
                      target.source.contents = MeasureContents::pages;
                  }},
    MeasurePreset{"restore", "1M to 4M, sequential writes", "RESTORE: data files are written from a backup",
                  "Microsoft: RESTORE (Transact-SQL), MAXTRANSFERSIZE and BUFFERCOUNT", 8,
                  [](MeasureTarget& target) {
                      target.block_bytes = 4 * ums::kMb;
                      target.block_bytes_min = ums::kMb;
                      target.access = MeasureAccess::interlocked;
                      target.write_percent = 100;
                      target.source.contents = MeasureContents::pages;
                  }},
    MeasurePreset{"file-init", "1M, sequential writes of zeros", "zeroing of logs and of data files without instant initialization",
                  "Microsoft: Database instant file initialization", 8,
                  [](MeasureTarget& target) {
                      target.block_bytes = ums::kMb;
                      target.access = MeasureAccess::interlocked;
                      target.write_percent = 100;
                      target.source.contents = MeasureContents::zeros;
                  }},
};

}  // namespace

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
