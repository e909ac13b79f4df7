// PrecreateFiles of a profile: creates files once, before the first time span, and not again in the spans that name them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reports/diskspd/diskspd_profile.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// By path, the size of each file that is created beforehand. Time spans create all other files. Pure.
//   UseMaxSize                                all with a size, as large as the largest that any target gives
//   CreateOnlyFilesWithConstantSizes          those for which all targets give the same size
//   CreateOnlyFilesWithConstantOrZeroSizes    those for which all targets that give a size give the same
[[nodiscard]] std::map<std::string, std::uint64_t> precreated_sizes(const reports::DiskspdProfile& profile);

// The work that creates them: one second with almost no load, whose results do not matter. `spec`: the profile's own work.
[[nodiscard]] sim::MeasureSpec precreation_of(const sim::MeasureSpec& spec, const std::map<std::string, std::uint64_t>& sizes);

// Marks them as created.
void take_as_made(sim::MeasureSpec& spec, const std::map<std::string, std::uint64_t>& sizes);

}  // namespace cli
