// The help of `ioproof config explain`, from the table of parameters.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "config/config.hpp"
#include "config/parameter_table.hpp"
#include "config/suggestion.hpp"
#include "config/value_text.hpp"
#include "ums/base/edit_distance.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/text_wrap.hpp"

namespace config {

namespace {

std::string header_of(Section section) {
    const std::string_view ini = name_of(section, Dialect::ini);
    return section == Section::file ? fmt::format("[{0}1], [{0}2], ...", ini) : fmt::format("[{}]", ini);
}

std::string default_or_required(const Parameter& parameter, Dialect dialect) {
    return parameter.required ? "none, must be given" : default_text(parameter, dialect);
}

// Two columns: names, and their one-line help.
std::string key_list(Section section, std::size_t columns) {
    std::size_t width = 0;
    for (const Parameter& parameter : parameter_table()) width = std::max(width, parameter.ini_name.size());
    std::string out;
    for (const Parameter& parameter : parameter_table()) {
        if (parameter.section != section) continue;
        out += ums::wrap(parameter.help, columns, fmt::format("  {:<{}}  ", parameter.ini_name, width), width + 4);
    }
    return out;
}

std::string overview(std::size_t columns) {
    std::string out = ums::wrap(
        "Parameters of a configuration file, in SQLIOSim's INI or in TOML. \"ioproof config explain KEY\" or \"... SECTION\" says more.",
        columns, "", 0);
    for (const SectionInfo& info : section_table()) {
        out += fmt::format("\n{}\n", header_of(info.section)) + ums::wrap(info.help, columns, "  ", 2) + key_list(info.section, columns);
    }
    return out;
}

std::string section_help(const SectionInfo& info, std::size_t columns) {
    std::string out = info.section == Section::file ? fmt::format("{}   (TOML: [[{}]])\n", header_of(info.section), info.toml_name)
                                                    : fmt::format("{}   (TOML: [{}])\n", header_of(info.section), info.toml_name);
    out += ums::wrap(info.help, columns, "  ", 2);
    out += ums::wrap(info.background, columns, "  SQL Server: ", 14);
    return out + '\n' + key_list(info.section, columns);
}

std::string fact(std::string_view label, std::string_view text, std::size_t columns) {
    constexpr std::size_t kLabelWidth = 14;
    return ums::wrap(text, columns, fmt::format("  {:<{}}", label, kLabelWidth - 2), kLabelWidth);
}

std::string parameter_help(const Parameter& parameter, std::size_t columns) {
    std::string out = qualified_name(parameter, Dialect::ini, 0) + '\n';
    out += ums::wrap(parameter.help, columns, "  ", 2) + ums::wrap(parameter.details, columns, "  ", 2) + '\n';
    if (!parameter.ini_alias.empty()) out += fact("Also", parameter.ini_alias, columns);
    const std::string_view unit = unit_text(parameter, Dialect::ini);
    if (!unit.empty()) out += fact("Unit", unit, columns);
    out += fact("Allowed", allowed_text(parameter, Dialect::ini), columns);
    out += fact("Default", default_or_required(parameter, Dialect::ini), columns);
    out += fact("TOML", qualified_name(parameter, Dialect::toml, 0), columns);
    if (parameter.kind == Kind::ratio) {
        out += fact("", fmt::format("{}; default {}", allowed_text(parameter, Dialect::toml), default_text(parameter, Dialect::toml)),
                    columns);
    }
    if (!parameter.background.empty()) out += fact("SQL Server", parameter.background, columns);
    return out;
}

bool names_section(const SectionInfo& info, std::string_view topic) {
    if (equal_ignoring_case(topic, info.ini_name) || equal_ignoring_case(topic, info.toml_name)) return true;
    // File1, File2, ...
    return info.section == Section::file && topic.size() > info.ini_name.size() &&
           equal_ignoring_case(topic.substr(0, info.ini_name.size()), info.ini_name) &&
           topic.find_first_not_of("0123456789", info.ini_name.size()) == std::string_view::npos;
}

bool names_parameter(const Parameter& parameter, std::string_view key) {
    return equal_ignoring_case(key, parameter.ini_name) || equal_ignoring_case(key, parameter.toml_name) ||
           (!parameter.ini_alias.empty() && equal_ignoring_case(key, parameter.ini_alias));
}

std::vector<const Parameter*> parameters_named(std::string_view section, std::string_view key) {
    std::vector<const Parameter*> found;
    for (const Parameter& parameter : parameter_table()) {
        const bool in_section = section.empty() || names_section(info_of(parameter.section), section);
        if (in_section && names_parameter(parameter, key)) found.push_back(&parameter);
    }
    return found;
}

// Empty if none is near.
std::string nearest_topic(std::string_view topic) {
    std::string_view best;
    std::size_t best_distance = 0;
    const auto consider = [&](std::string_view name) {
        const std::size_t distance = ums::edit_distance(topic, name);
        if (is_near(distance, topic) && (best.empty() || distance < best_distance)) {
            best = name;
            best_distance = distance;
        }
    };
    for (const SectionInfo& info : section_table()) consider(info.ini_name);
    for (const Parameter& parameter : parameter_table()) {
        consider(parameter.ini_name);
        consider(parameter.toml_name);
    }
    return std::string(best);
}

std::string_view without_brackets(std::string_view text) {
    while (text.starts_with('[')) text.remove_prefix(1);
    while (text.ends_with(']')) text.remove_suffix(1);
    return text;
}

}  // namespace

std::string explain(std::string_view topic, std::size_t columns) {
    if (topic.empty()) return overview(columns);
    for (const SectionInfo& info : section_table()) {
        if (names_section(info, without_brackets(topic))) return section_help(info, columns);
    }
    const std::size_t dot = topic.find('.');
    const std::string_view section = dot == std::string_view::npos ? std::string_view{} : without_brackets(topic.substr(0, dot));
    std::string out;
    for (const Parameter* parameter : parameters_named(section, dot == std::string_view::npos ? topic : topic.substr(dot + 1))) {
        if (!out.empty()) out += '\n';
        out += parameter_help(*parameter, columns);
    }
    if (!out.empty()) return out;
    const std::string near = nearest_topic(dot == std::string_view::npos ? topic : topic.substr(dot + 1));
    throw ConfigError(fmt::format("{}: no such section or key; {}\"ioproof config explain\" lists all", ums::printable(topic),
                                  near.empty() ? "" : fmt::format("did you mean {}? ", near)));
}

}  // namespace config
