// The table of all parameters, in the order in which files are written. Both readers, the writer, `config explain` and
// docs/configuration.md use it, so that they cannot disagree. Defaults are those of a default-constructed sim::Options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/parameter.hpp"

namespace config {

// Built on first use, then constant: a row's address identifies it.
const std::vector<Parameter>& parameter_table();
const std::vector<SectionInfo>& section_table();
const SectionInfo& info_of(Section section);

std::string_view name_of(Section section, Dialect dialect);
std::string_view name_of(const Parameter& parameter, Dialect dialect);

// "[RandomUser] UserCount" or "[random_user] user_count"; for a file "[File2] MaxSize" or "[[file]] max_size_mb" (file_number from 1;
// 0 = any file).
std::string qualified_name(const Parameter& parameter, Dialect dialect, std::size_t file_number);

// The row for a key as written in a file of this dialect (INI: any case, aliases too); nullptr if there is none.
const Parameter* find_parameter(Section section, std::string_view key, Dialect dialect);

Field field_of(const Parameter& parameter, sim::Options& options, std::size_t file_index);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace config
