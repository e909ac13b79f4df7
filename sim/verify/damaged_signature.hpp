// The signature page of a log in which a few bytes are wrong. It is written once, so all of it is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/finding.hpp"

namespace sim {

// `page`: kPageBytes, 8-aligned, the first page of a log file. Its header bears the run, but in `reads` reads it never was sound. Returns a
// finding without place, or nothing if more is wrong: then parts of it may be of another write, or were never written. Pure.
[[nodiscard]] std::optional<Finding> name_damaged_signature(const std::byte* page, std::uint32_t reads);

}  // namespace sim
