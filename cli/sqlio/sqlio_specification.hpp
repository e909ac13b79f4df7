// Translates SQLIO's command line for the measuring engine, and for the head of SQLIO's text. Pure.
#pragma once

#include <vector>

#include "cli/sqlio/sqlio_arguments.hpp"
#include "reports/sqlio/sqlio_text.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// `is_missing`: for each file, whether it must be created: with the size from its line in the parameter file, or else as far as stripes and
// runs reach.
sim::MeasureSpec sqlio_specification(const SqlioArguments& arguments, const std::vector<bool>& is_missing);

reports::SqlioHead sqlio_head(const SqlioArguments& arguments);

}  // namespace cli
