// Turns keys and values of a file, and the switches, into checked options.
#pragma once

#include "config/config.hpp"
#include "config/draft.hpp"
#include "config/raw_config.hpp"

namespace config {

// `raw` may be nullptr (no configuration file), and so may `profile`, which replaces the defaults. `problems`: what the reader has already
// found. Throws ConfigError with every error of the first of these steps that finds any: text and values; switches; relations between
// parameters.
Configuration load_options(const RawConfig* profile, const RawConfig* raw, Problems problems, const CommandLineOverrides& overrides,
                           const MachineFacts& machine);

// The steps of load_options, in this order. They add to the draft's problems and throw nothing.
//
// `files_replaced`: names and sizes of files will be replaced, so they may be missing or invalid. Of a log that grows as in SQL Server 2022
// a valid MaxSize still counts.
void read_sections(Draft& draft, const RawConfig& raw, bool files_replaced);
void apply_overrides(Draft& draft, const CommandLineOverrides& overrides);
void adjust_to_machine(Draft& draft, const MachineFacts& machine);
void check_options(Draft& draft, const MachineFacts& machine);
void check_files(Draft& draft);

}  // namespace config
