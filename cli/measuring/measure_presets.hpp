// Loads that represent SQL Server's work: what `ioproof bench --preset` and `--mix` measure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/bench/measure_spec.hpp"

namespace cli {

struct MeasurePreset {
    std::string_view name;
    std::string_view load;    // in a few words
    std::string_view work;    // of SQL Server
    std::string_view source;  // where that work is described
    std::uint32_t depth;      // outstanding requests, unless the user gives another number

    // As in sim::MeasureTarget.
    std::uint32_t block_bytes;
    std::uint32_t block_bytes_min = 0;
    std::uint32_t piece_bytes = 0;
    std::uint64_t alignment_bytes = 0;
    sim::MeasureAccess access = sim::MeasureAccess::interlocked;
    std::uint32_t write_percent = 0;
    bool write_through = false;
    sim::MeasureContents contents = sim::MeasureContents::pages;  // sectors if blocks are not complete pages, as those of the log

    void apply(sim::MeasureTarget& target) const;
};

[[nodiscard]] std::span<const MeasurePreset> measure_presets();
// Null if there is no such preset.
[[nodiscard]] const MeasurePreset* find_preset(std::string_view name);
// For --help: name, load, work and source of each preset.
[[nodiscard]] std::string_view presets_text();

}  // namespace cli
