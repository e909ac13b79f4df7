#include "config/suggestion.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/parameter_table.hpp"
#include "ums/base/edit_distance.hpp"

namespace config {

namespace {

bool matches_any_name(const Parameter& parameter, std::string_view key) {
    return equal_ignoring_case(key, parameter.ini_name) || equal_ignoring_case(key, parameter.ini_alias) ||
           equal_ignoring_case(key, parameter.toml_name);
}

std::string bracketed(Section section, Dialect dialect) {
    const std::string_view name = name_of(section, dialect);
    if (section != Section::file) return fmt::format("[{}]", name);
    return dialect == Dialect::ini ? "[File1]" : "[[file]]";
}

const Parameter* nearest(std::string_view key, Dialect dialect, const Section* only) {
    const Parameter* best = nullptr;
    std::size_t best_distance = 0;
    for (const Parameter& parameter : parameter_table()) {
        if (only != nullptr && parameter.section != *only) continue;
        const std::size_t distance = ums::edit_distance(key, name_of(parameter, dialect));
        if (is_near(distance, key) && (best == nullptr || distance < best_distance)) {
            best = &parameter;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace

bool is_near(std::size_t distance, std::string_view word) {
    return distance <= std::max<std::size_t>(2, word.size() / 3) && distance < word.size();
}

std::string suggest_key(Section section, std::string_view key, Dialect dialect) {
    constexpr std::size_t kKeyLengthMax = 64;  // no parameter's name is that long
    if (key.empty() || key.size() > kKeyLengthMax) return {};
    for (const Parameter& parameter : parameter_table()) {
        if (parameter.section == section && matches_any_name(parameter, key)) {
            return fmt::format("it is written {} here", name_of(parameter, dialect));
        }
    }
    std::string others;
    for (const Parameter& parameter : parameter_table()) {
        if (!matches_any_name(parameter, key)) continue;
        others += fmt::format("{}{}", others.empty() ? "" : " or ", bracketed(parameter.section, dialect));
    }
    if (!others.empty()) return fmt::format("it belongs to {}", others);
    if (const Parameter* near = nearest(key, dialect, &section)) return fmt::format("did you mean {}?", name_of(*near, dialect));
    if (const Parameter* near = nearest(key, dialect, nullptr)) {
        return fmt::format("did you mean {} of {}?", name_of(*near, dialect), bracketed(near->section, dialect));
    }
    return {};
}

std::string suggest_section(std::string_view name, Dialect dialect) {
    constexpr std::size_t kNameLengthMax = 64;
    std::string all;
    const SectionInfo* best = nullptr;
    std::size_t best_distance = 0;
    for (const SectionInfo& info : section_table()) {
        all += fmt::format("{}{}", all.empty() ? "" : ", ", bracketed(info.section, dialect));
        if (name.size() > kNameLengthMax) continue;
        const std::size_t distance = std::min(ums::edit_distance(name, info.ini_name), ums::edit_distance(name, info.toml_name));
        if (is_near(distance, name) && (best == nullptr || distance < best_distance)) {
            best = &info;
            best_distance = distance;
        }
    }
    if (best != nullptr) return fmt::format("did you mean {}?", bracketed(best->section, dialect));
    return fmt::format("sections are {}{}", all, dialect == Dialect::ini ? ", [File2], ..." : "");
}

}  // namespace config
