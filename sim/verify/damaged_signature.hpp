// Signature pages that came wrong. That of a log is written once, so all of it is known, and a few wrong bytes can be named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/finding.hpp"

namespace sim {

// `page`: kPageBytes, 8-aligned, the first page of a log file. Its header bears the run, but in `reads` reads it never was sound. Returns a
// finding without place, or nothing if more is wrong: then parts of it may be of another write, or were never written. Pure.
[[nodiscard]] std::optional<Finding> name_damaged_signature(const std::byte* page, std::uint32_t reads);

// Of any file: what came first, in place of the sound signature page that a later read returned. Both kPageBytes, 8-aligned. Returns a
// finding without place. Pure.
[[nodiscard]] Finding name_late_signature(const std::byte* first, const std::byte* signature);

}  // namespace sim
