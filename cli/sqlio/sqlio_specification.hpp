// What SQLIO's command line means for the measuring engine, and for the head of its text. Pure.
#pragma once

#include "cli/sqlio/sqlio_arguments.hpp"
#include "reports/sqlio/sqlio_text.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

// `is_missing`: for each file whether it is to be made; it has the size of its line in the parameter file then, or what stripes and runs
// reach over.
sim::MeasureSpec sqlio_specification(const SqlioArguments& arguments, const std::vector<bool>& is_missing);

reports::SqlioHead sqlio_head(const SqlioArguments& arguments);

}  // namespace cli
