// What a power cut leaves of a VolatileStorage, and what the storage had promised but has lost. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ums/io/simulated_storage.hpp"

namespace ums {

// Which of the writes that the cache holds, or that are in flight, reach the medium at a cut. A unit is what the device writes atomically.
enum class CutMix : std::uint8_t {
    mostly_lost,  // at most one unit in sixteen is written
    mostly_kept,  // at most one unit in sixteen is lost
    by_request,   // all units of a request, or none
    by_unit,      // each unit by itself: torn writes
    by_file,      // everything of a file, or nothing
    by_time,      // everything that had completed up to a certain moment, nothing later
};

inline constexpr std::uint32_t kCutMixCount = 6;

[[nodiscard]] std::string_view name_of(CutMix mix);

enum class LostPart : std::uint8_t { contents, size, name };

// The device acknowledged it as durable, but it is gone: older bytes are there, or nothing.
struct LostWrite {
    std::string path;
    LostPart part = LostPart::contents;
    // contents: the bytes. size: from the smaller of promised and actual size to the larger. name: the entire file.
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const LostWrite&, const LostWrite&) = default;
};

// A write that was not promised, and of which only a part is there.
struct TornWrite {
    std::string path;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    bool was_in_flight = false;  // otherwise it had completed and was in the cache

    friend bool operator==(const TornWrite&, const TornWrite&) = default;
};

struct PowerCut {
    std::map<std::string, std::unique_ptr<SimulatedFile>> files;  // by path; SimulatedStorage::put takes them
    std::vector<LostWrite> lost;                                  // by path and offset; empty if the device is honest
    std::vector<TornWrite> torn;
    CutMix mix{};
    std::uint64_t at_ns = 0;
    std::uint64_t moment = 0;  // number of the last PowerMoment
};

}  // namespace ums
