// Step 1 of load_options: stores every key of the file in its field.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "config/load_options.hpp"
#include "config/parameter_table.hpp"
#include "config/suggestion.hpp"
#include "config/value_text.hpp"
#include "ums/base/whole_number.hpp"

namespace config {

namespace {

// 7 for "File7", in any case. Nothing if the name does not have this form.
std::optional<std::size_t> file_number(std::string_view name) {
    const std::string_view prefix = name_of(Section::file, Dialect::ini);
    if (name.size() <= prefix.size() || !equal_ignoring_case(name.substr(0, prefix.size()), prefix)) return std::nullopt;
    return ums::whole_number<std::size_t>(name.substr(prefix.size()));
}

class SectionReader {
public:
    SectionReader(Draft& draft, const RawConfig& raw, bool files_replaced) : draft_(draft), raw_(raw), files_replaced_(files_replaced) {}

    void read() {
        for (const RawSection& section : raw_.sections) sort_in(section);
        for (const auto& [number, parts] : files_) read_file(number, parts);
    }

private:
    using Parts = std::vector<const RawSection*>;

    void sort_in(const RawSection& section) {
        if (raw_.dialect == Dialect::toml && section.name == name_of(Section::file, Dialect::toml)) {
            files_[files_.size() + 1] = {&section};
            return;
        }
        if (raw_.dialect == Dialect::ini) {
            if (const auto number = file_number(section.name)) {
                files_[*number].push_back(&section);
                return;
            }
        }
        for (const SectionInfo& info : section_table()) {
            if (info.section == Section::file) continue;
            const bool same =
                raw_.dialect == Dialect::toml ? section.name == info.toml_name : equal_ignoring_case(section.name, info.ini_name);
            if (!same) continue;
            for (const RawEntry& entry : section.entries) read_entry(info.section, entry, 0, 0);
            return;
        }
        const std::string suggestion = draft_.problems.shows_suggestions() ? "; " + suggest_section(section.name, raw_.dialect) : "";
        draft_.problems.error(
            fmt::format("{}: [{}]: unknown section{}", describe(raw_.file_name, section.place), shortened(section.name), suggestion),
            section.place);
    }

    // In an INI file, all sections of the same number are one file.
    void read_file(std::size_t number, const Parts& parts) {
        if (is_empty(parts)) return;
        const std::string name = raw_.dialect == Dialect::toml ? "[[file]]" : fmt::format("[{}]", shortened(parts.front()->name));
        const std::string place = fmt::format("{}: {}", describe(raw_.file_name, parts.front()->place), name);
        for (std::size_t i = 1; i < parts.size(); ++i) {
            draft_.problems.warning(fmt::format("{}: {} occurs again (first in line {}); both are taken as one file",
                                                describe(raw_.file_name, parts[i]->place), name, parts.front()->place.line));
        }
        const std::size_t errors_before = draft_.problems.error_count();
        const std::size_t index = draft_.add_file(place, number);
        for (const RawSection* part : parts) {
            for (const RawEntry& entry : part->entries) read_entry(Section::file, entry, index, number);
        }
        if (draft_.problems.error_count() == errors_before && !files_replaced_) require_all(index, parts.front()->place);
    }

    // SQLIOSim writes a last section with an empty FileName, which means nothing.
    bool is_empty(const Parts& parts) const {
        if (raw_.dialect == Dialect::toml) return false;
        return std::all_of(parts.begin(), parts.end(), [](const RawSection* part) {
            return std::all_of(part->entries.begin(), part->entries.end(), [](const RawEntry& entry) { return entry.value.text.empty(); });
        });
    }

    void require_all(std::size_t index, Place place) {
        for (const Parameter& parameter : parameter_table()) {
            if (!parameter.required || draft_.is_specified(parameter, index)) continue;
            draft_.problems.error(fmt::format("{} {} is missing; it has no default; allowed: {}", draft_.file_place(index),
                                              name_of(parameter, raw_.dialect), allowed_text(parameter, raw_.dialect)),
                                  place);
        }
    }

    void read_entry(Section section, const RawEntry& entry, std::size_t file_index, std::size_t number) {
        const std::string place = describe(raw_.file_name, entry.place);
        const Parameter* parameter = find_parameter(section, entry.key, raw_.dialect);
        if (parameter == nullptr) {
            const std::string suggestion = draft_.problems.shows_suggestions() ? suggest_key(section, entry.key, raw_.dialect) : "";
            draft_.problems.warning(
                fmt::format("{}: {}: unknown key, ignored{}{}", place, shortened(entry.key), suggestion.empty() ? "" : "; ", suggestion));
            return;
        }
        if (section == Section::file && files_replaced_ && parameter->required && parameter->kind != Kind::text) {
            // Not checked, but the MaxSize of a log may still count.
            static_cast<void>(store_value(*parameter, raw_.dialect, entry.value, field_of(*parameter, draft_.options, file_index)));
            return;
        }
        const std::string line =
            fmt::format("{}: {} = {}", place, qualified_name(*parameter, raw_.dialect, number), shortened(entry.value.text));
        if (raw_.dialect == Dialect::ini && entry.value.text.empty()) {
            // A missing name or size of a file is reported as missing.
            if (!parameter->required) draft_.problems.warning(fmt::format("{}: has no value, ignored", line));
            return;
        }
        if (draft_.is_specified(*parameter, file_index)) {
            draft_.problems.warning(
                fmt::format("{}: given again (first at {}); the last one counts", line, draft_.place_of(*parameter, file_index)));
        }
        const Field field = field_of(*parameter, draft_.options, file_index);
        if (const auto problem = store_value(*parameter, raw_.dialect, entry.value, field)) {
            draft_.problems.error(fmt::format("{}: {}; allowed: {}", line, *problem, allowed_text(*parameter, raw_.dialect)), entry.place);
            return;
        }
        draft_.set_origin(*parameter, file_index, place, shortened(entry.value.text));
    }

    Draft& draft_;
    const RawConfig& raw_;
    bool files_replaced_;
    std::map<std::size_t, Parts> files_;
};

}  // namespace

void read_sections(Draft& draft, const RawConfig& raw, bool files_replaced) { SectionReader(draft, raw, files_replaced).read(); }

}  // namespace config
