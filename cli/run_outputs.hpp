// The files that a run writes besides its test files, checked together before the first of them is touched.
#pragma once

#include "cli/run_arguments.hpp"
#include "reports/output_door.hpp"
#include "sim/options.hpp"

namespace cli {

// -save replaces configurations that ioproof wrote; those that people wrote stay.
reports::OutputKind configuration_kind();

// Throws UsageError if two of them are the same file, or if one is also read or tested; sim::RefusedError or sim::EnvironmentError if one
// cannot be written.
void check_run_outputs(const RunArguments& arguments, const sim::Options& options);

}  // namespace cli
