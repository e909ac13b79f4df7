// PrecreateFiles of a profile: files are created before the first time span, each once, and not again by the spans that name them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reports/diskspd/diskspd_profile.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// By path, the size of each file that is created beforehand. Other files are created by their time span. Pure.
//   UseMaxSize                                all with a size, by the largest that any target gives
//   CreateOnlyFilesWithConstantSizes          those for which all targets give the same size
//   CreateOnlyFilesWithConstantOrZeroSizes    those for which all targets that give a size give the same
[[nodiscard]] std::map<std::string, std::uint64_t> precreated_sizes(const reports::DiskspdProfile& profile);

// The work that creates them: one second with almost no load, whose results do not matter. `spec` is what the profile means otherwise.
[[nodiscard]] sim::MeasureSpec precreation_of(const sim::MeasureSpec& spec, const std::map<std::string, std::uint64_t>& sizes);

// They now exist.
void take_as_made(sim::MeasureSpec& spec, const std::map<std::string, std::uint64_t>& sizes);

}  // namespace cli
