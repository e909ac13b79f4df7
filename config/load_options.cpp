#include "config/load_options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/parameter_table.hpp"

namespace config {

namespace {

// An empty [FileN] of an INI file names none.
bool names_files(const RawConfig& raw) {
    const std::string_view name = name_of(Section::file, raw.dialect);
    return std::any_of(raw.sections.begin(), raw.sections.end(), [&](const RawSection& section) {
        if (!equal_ignoring_case(std::string_view(section.name).substr(0, name.size()), name)) return false;
        return raw.dialect == Dialect::toml ||
               std::any_of(section.entries.begin(), section.entries.end(), [](const RawEntry& entry) { return !entry.value.text.empty(); });
    });
}

}  // namespace

Configuration load_options(const RawConfig* profile, const RawConfig* raw, Problems problems, const CommandLineOverrides& overrides,
                           const MachineFacts& machine) {
    Draft draft(raw == nullptr ? std::string{} : raw->file_name, raw == nullptr ? Dialect::ini : raw->dialect);
    draft.problems = std::move(problems);
    if (profile != nullptr) {
        read_sections(draft, *profile, false);
        draft.take_as_defaults(profile->file_name);
        if (raw != nullptr && names_files(*raw)) draft.remove_files();
    }
    // The files of -dir replace those of the configuration, which may name drives of another machine.
    if (raw != nullptr) read_sections(draft, *raw, !overrides.directories.empty());
    draft.problems.throw_if_any();
    apply_overrides(draft, overrides);
    draft.problems.throw_if_any();
    check_options(draft, machine);
    check_files(draft);
    if (!overrides.allow_missing_files) {
        for (const std::string& missing : draft.missing_files) draft.problems.error(missing);
    }
    draft.problems.throw_if_any();
    sim::Options as_set = draft.options;
    adjust_to_machine(draft, machine);
    return {std::move(draft.options), draft.problems.warnings(), std::move(draft.missing_files), std::move(as_set)};
}

}  // namespace config
