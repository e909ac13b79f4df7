// Where blocks were that are missing in the log that a crash left, as far as the blocks beside them tell. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/verify/log_extent.hpp"

namespace sim {

struct MissingPlace {
    std::uint32_t file_id = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;  // the block lies in there
    std::uint32_t vlf_sequence = 0;
    std::uint32_t vlf_sector = 0;  // of the offset
    bool begins_there = true;      // otherwise it may also begin later
    bool is_certain = true;        // otherwise it may have been elsewhere
};

// Of the first of these blocks: one if that is certain, otherwise those where it may have been, as far as they can be named.
[[nodiscard]] std::vector<MissingPlace> places_of_missing(const LogContents& contents, const BlockRange& missing);
// The one of them that is certain, if there is.
[[nodiscard]] std::optional<MissingPlace> certain_place(const std::vector<MissingPlace>& places);
// A later virtual log file has been begun there, so a checkpoint had freed this one, whether or not that checkpoint is still there.
[[nodiscard]] bool is_used_again(const LogContents& contents, const MissingPlace& place);

}  // namespace sim
