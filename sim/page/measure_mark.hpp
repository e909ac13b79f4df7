// The mark of a file into which a measurement wrote data other than pages: its first 512 bytes. Such a file is ours, may be measured again
// and replaced by a run, and holds nothing that could be verified.
//
//   0   4  CRC-32C of bytes 4 … 511
//   4   4  magic "IOPM"
//   8   2  format, 1
//   10     kMeasureMarkText, or kUnfinishedMarkText while the file is being made; zeros after it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/limits.hpp"

namespace sim {

inline constexpr std::uint32_t kMeasureMarkMagic = 0x4d504f49;
inline constexpr std::uint16_t kMeasureMarkFormat = 1;
inline constexpr std::size_t kMeasureMarkBytes = kSectorBytes;
inline constexpr std::string_view kMeasureMarkText = "ioproof: data of a measurement, of no value";
inline constexpr std::string_view kUnfinishedMarkText = "ioproof: unfinished file of a measurement, of no value";

// Writes kMeasureMarkBytes.
void make_measure_mark(std::byte* sector);
void make_unfinished_mark(std::byte* sector);
// `sector`: kMeasureMarkBytes. Either mark.
[[nodiscard]] bool has_measure_mark(const std::byte* sector);
[[nodiscard]] bool has_unfinished_mark(const std::byte* sector);
// Puts the part of the mark that lies in [offset_bytes, offset_bytes + size_bytes) of a file into the data that is to be written there.
void keep_measure_mark(std::byte* data, std::uint64_t offset_bytes, std::size_t size_bytes);

}  // namespace sim
