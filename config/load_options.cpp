#include "config/load_options.hpp"

#include <utility>

namespace config {

Configuration load_options(const RawConfig* raw, Problems problems, const CommandLineOverrides& overrides, const MachineFacts& machine) {
    Draft draft(raw == nullptr ? std::string{} : raw->file_name, raw == nullptr ? Dialect::ini : raw->dialect);
    draft.problems = std::move(problems);
    // The files of -dir replace those of the configuration, which may well name drives of another machine.
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
    adjust_to_machine(draft, machine);
    return {std::move(draft.options), draft.problems.warnings(), std::move(draft.missing_files)};
}

}  // namespace config
