#include "config/toml_reader.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "config/parameter_table.hpp"
#include "config/problems.hpp"
#include "config/text_decoding.hpp"
#include "config/text_limits.hpp"
#include "config/toml_masking.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/utf8.hpp"

namespace config {

namespace {

Place place_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

std::string text_of(const toml::node& node) {
    std::ostringstream out;
    node.visit([&out](const auto& concrete) { out << concrete; });
    return unmask_from_toml(out.str());
}

// 5.0 has its point in messages, too: "5: is not a whole number" would be absurd.
std::string float_text(double number) {
    const std::string text = fmt::format("{}", number);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

RawValue value_of(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) return {RawType::boolean, flag->get() ? "true" : "false", 0};
    if (const auto* number = node.as_integer()) return {RawType::integer, fmt::format("{}", number->get()), 0};
    if (const auto* number = node.as_floating_point()) return {RawType::floating, float_text(number->get()), number->get()};
    if (const auto* text = node.as_string()) return {RawType::string, unmask_from_toml(text->get()), 0};
    return {RawType::other, text_of(node), 0};
}

void refuse_unreadable(std::string_view text, const std::string& file_name) {
    for (std::uint32_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view part = text.substr(0, end);
        if (!ums::is_utf8(part)) throw ConfigError(fmt::format("{}: not valid UTF-8, which TOML must be", describe(file_name, {line, 0})));
        if (!can_be_masked(part)) {
            throw ConfigError(fmt::format("{}: characters U+100000 and above are not supported", describe(file_name, {line, 0})));
        }
        text.remove_prefix(end);
    }
}

bool is_toml_section(std::string_view name) {
    const auto& table = section_table();
    return std::any_of(table.begin(), table.end(), [&](const SectionInfo& info) { return info.toml_name == name; });
}

class TomlReader {
public:
    TomlReader(const std::string& file_name, Problems& problems) : problems_(problems) {
        result_.file_name = file_name;
        result_.dialect = Dialect::toml;
    }

    RawConfig read(const toml::table& root) {
        for (const auto& [key, node] : root) read_top(unmask_from_toml(key.str()), place_of(key.source()), node);
        // toml++ sorts keys by name, but messages should follow the order of the file.
        std::stable_sort(result_.sections.begin(), result_.sections.end(),
                         [](const RawSection& a, const RawSection& b) { return a.place < b.place; });
        return std::move(result_);
    }

private:
    void read_top(const std::string& name, Place place, const toml::node& node) {
        const bool is_file = name == name_of(Section::file, Dialect::toml);
        const auto* array = node.as_array();
        if (array != nullptr && is_file) {
            for (const toml::node& element : *array) {
                const auto* table = element.as_table();
                if (table == nullptr) return complain(name, place, "files are written as tables, [[file]]");
                read_table(name, place_of(table->source()), *table);
            }
            return;
        }
        const auto* table = node.as_table();
        if (table != nullptr && !is_file) return read_table(name, place, *table);
        if (is_file) return complain(name, place, "files are written as tables, [[file]]");
        if (node.is_array_of_tables()) {
            if (is_toml_section(name)) return complain(name, place, fmt::format("only [[file]] may occur several times; write [{}]", name));
            result_.sections.push_back({name, place, {}});  // to be reported as an unknown one
            return;
        }
        complain(name, place, "a key outside of a table; write it below a [section]");
    }

    void read_table(const std::string& name, Place place, const toml::table& table) {
        RawSection section{name, place, {}};
        for (const auto& [key, node] : table) {
            section.entries.push_back({unmask_from_toml(key.str()), value_of(node), place_of(key.source())});
        }
        std::stable_sort(section.entries.begin(), section.entries.end(),
                         [](const RawEntry& a, const RawEntry& b) { return a.place < b.place; });
        result_.sections.push_back(std::move(section));
    }

    void complain(const std::string& name, Place place, std::string_view what) {
        problems_.error(fmt::format("{}: {}: {}", describe(result_.file_name, place), shortened(name), what), place);
    }

    Problems& problems_;
    RawConfig result_;
};

}  // namespace

RawConfig read_toml(std::string_view bytes, const std::string& file_name, Problems& problems) {
    const std::string text = decode_text(bytes, file_name);
    refuse_unreadable(text, file_name);
    refuse_excessive_toml(text, file_name);
    try {
        const toml::table root = toml::parse(mask_for_toml(text), file_name);
        return TomlReader(file_name, problems).read(root);
    } catch (const toml::parse_error& error) {
        throw ConfigError(fmt::format("{}: not valid TOML: {}", describe(file_name, place_of(error.source())),
                                      ums::printable(unmask_from_toml(error.description()))));
    }
}

}  // namespace config
