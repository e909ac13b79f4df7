#include "config/options_writer.hpp"

#include <utility>

#include <fmt/format.h>

#include "config/parameter_table.hpp"
#include "config/problems.hpp"
#include "config/toml_masking.hpp"
#include "config/value_text.hpp"

namespace config {

namespace {

// The INI reader removes blanks around a value and one pair of quotes.
std::string quoted_for_ini(const std::string& text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; };
    const auto is_quote = [](char c) { return c == '"' || c == '\''; };
    if (text.empty()) return text;
    const bool needs_quotes = is_blank(text.front()) || is_blank(text.back()) || (is_quote(text.front()) && text.front() == text.back());
    return needs_quotes ? '"' + text + '"' : text;
}

void check_text(const Parameter& parameter, Dialect dialect, const std::string& text, std::size_t file_number) {
    const bool fits = dialect == Dialect::ini ? text.find_first_of("\r\n") == std::string::npos : can_be_masked(quoted_for_toml(text));
    if (fits) return;
    Problems problems;
    problems.error(fmt::format("{} = {}: cannot be written to {}", qualified_name(parameter, dialect, file_number), text,
                               dialect == Dialect::ini ? "an INI file, whose values are one line; write TOML"
                                                       : "TOML, which is UTF-8, here without U+100000 and above; write INI"));
    problems.throw_if_any();
}

std::string entry(const Parameter& parameter, Dialect dialect, sim::Options& options, std::size_t file_index) {
    const Field field = field_of(parameter, options, file_index);
    std::string value = value_text(parameter, dialect, field);
    if (const auto* text = std::get_if<std::string*>(&field)) {
        check_text(parameter, dialect, **text, file_index + 1);
        if (dialect == Dialect::ini) value = quoted_for_ini(value);
    }
    return fmt::format("{}{}{}\n", name_of(parameter, dialect), dialect == Dialect::ini ? "=" : " = ", value);
}

// "CONFIG", "File2".
std::string section_name(Section section, std::size_t file_index) {
    const std::string_view name = name_of(section, Dialect::ini);
    return section == Section::file ? fmt::format("{}{}", name, file_index + 1) : std::string(name);
}

std::string section_text(Section section, Dialect dialect, sim::Options& options, std::size_t file_index) {
    const std::string_view name = name_of(section, dialect);
    std::string text = dialect == Dialect::ini    ? fmt::format("\n[{}]\n", section_name(section, file_index))
                       : section == Section::file ? fmt::format("\n[[{}]]\n", name)
                                                  : fmt::format("\n[{}]\n", name);
    for (const Parameter& parameter : parameter_table()) {
        if (parameter.section != section) continue;
        // INI cannot express an empty text.
        const std::string value = value_text(parameter, Dialect::ini, field_of(parameter, options, file_index));
        if (!parameter.may_be_empty || !value.empty()) text += entry(parameter, dialect, options, file_index);
    }
    return text;
}

}  // namespace

std::string first_line(Dialect dialect) {
    const char comment = dialect == Dialect::ini ? ';' : '#';
    return fmt::format("{} Written by ioproof. \"ioproof config explain KEY\" says what a key means.\n", comment);
}

std::string write_options(sim::Options options, Dialect dialect) {
    std::string text = first_line(dialect);
    for (const SectionInfo& info : section_table()) {
        const std::size_t copies = info.section == Section::file ? options.files.size() : 1;
        for (std::size_t i = 0; i < copies; ++i) text += section_text(info.section, dialect, options, i);
    }
    return text;
}

std::vector<RawSection> listed_options(sim::Options options) {
    std::vector<RawSection> sections;
    for (const SectionInfo& info : section_table()) {
        const std::size_t copies = info.section == Section::file ? options.files.size() : 1;
        for (std::size_t i = 0; i < copies; ++i) {
            RawSection& section = sections.emplace_back(RawSection{section_name(info.section, i), {}, {}});
            for (const Parameter& parameter : parameter_table()) {
                if (parameter.section != info.section) continue;
                std::string value = value_text(parameter, Dialect::ini, field_of(parameter, options, i));
                if (parameter.may_be_empty && value.empty()) continue;
                section.entries.push_back({std::string(name_of(parameter, Dialect::ini)), {RawType::untyped, std::move(value), 0}, {}});
            }
        }
    }
    return sections;
}

}  // namespace config
