// Every row of the table must be found by name, be consistent, and set exactly one field.
#include "config/parameter_table.hpp"

#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "config/value_text.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config;
using namespace config_test;

namespace {

const void* address_of(Field field) {
    return std::visit([](auto* target) { return static_cast<const void*>(target); }, field);
}

std::string row_name(const Parameter& row) { return qualified_name(row, Dialect::ini, 0); }

// The values of all keys of a complete configuration with three files, of which the third is to be changed.
class Sheet {
public:
    Sheet() {
        for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
            const bool ini = dialect == Dialect::ini;
            set(dialect, "CPUCyclesMax", Section::random_user, 0, "10");
            for (const std::size_t file : {1U, 2U, 3U}) {
                const std::string name = fmt::format("f{}.mdx", file);
                set(dialect, "FileName", Section::file, file, ini ? name : '"' + name + '"');
                set(dialect, "InitialSize", Section::file, file, "64");
                set(dialect, "MaxSize", Section::file, file, "100");
            }
            set(dialect, "LogFile", Section::file, 2, ini ? "TRUE" : "true");
            set(dialect, "Increment", Section::file, 3, "5");
        }
    }

    void set(Dialect dialect, const Parameter& row, std::size_t file, const std::string& value) {
        values_[{dialect, row.section, file}][&row] = value;
    }

    std::string text(Dialect dialect) const {
        std::string out;
        for (const auto& [where, keys] : values_) {
            const auto [of_dialect, section, file] = where;
            if (of_dialect != dialect) continue;
            const std::string name(name_of(section, dialect));
            out += section != Section::file  ? "[" + name + "]\n"
                   : dialect == Dialect::ini ? fmt::format("[{}{}]\n", name, file)
                                             : "[[" + name + "]]\n";
            for (const auto& [row, value] : keys) out += fmt::format("{} = {}\n", name_of(*row, dialect), value);
        }
        return out;
    }

private:
    void set(Dialect dialect, std::string_view ini_name, Section section, std::size_t file, const std::string& value) {
        set(dialect, *find_parameter(section, ini_name, Dialect::ini), file, value);
    }

    std::map<std::tuple<Dialect, Section, std::size_t>, std::map<const Parameter*, std::string>> values_;
};

// A value that differs from that of `field` and is valid alone and with those of the sheet; in both spellings.
struct OtherValue {
    std::string ini;
    std::string toml;
};

OtherValue other_number(const Parameter& row, std::int64_t value) {
    std::int64_t other = value + 1;
    if (!row.range.only.empty()) other = static_cast<std::int64_t>(row.range.only[0]);
    if (static_cast<std::uint64_t>(std::max<std::int64_t>(other, 0)) > row.range.max) other = value - 1;
    if (row.range.or_zero) other = row.range.min;
    if (row.ini_name == "MaxLogPerBuffer" || row.ini_name == "MaxTransferSize") other = 4096;
    const std::string text = fmt::format("{}", other);
    return {text, row.kind == Kind::ratio ? fmt::format("{}", static_cast<double>(other) / 100) : text};
}

OtherValue other_value(const Parameter& row, Field field) {
    if (const auto* flag = std::get_if<bool*>(&field)) return **flag ? OtherValue{"FALSE", "false"} : OtherValue{"TRUE", "true"};
    if (std::holds_alternative<sim::Durability*>(field)) return {"ForcedFlush", "\"ForcedFlush\""};
    if (std::holds_alternative<std::string*>(field)) return {"other name.mdx", "\"other name.mdx\""};
    return std::visit(
        [&row](auto* number) -> OtherValue {
            if constexpr (std::is_same_v<decltype(number), std::string*>)
                return {};
            else
                return other_number(row, static_cast<std::int64_t>(*number));
        },
        field);
}

}  // namespace

TEST_CASE("every key is found in its section, in any letter case, and in no other spelling") {
    for (const Parameter& row : parameter_table()) {
        INFO(row_name(row));
        std::string upper(row.ini_name);
        for (char& c : upper) c = static_cast<char>(std::toupper(c));
        CHECK(find_parameter(row.section, row.ini_name, Dialect::ini) == &row);
        CHECK(find_parameter(row.section, upper, Dialect::ini) == &row);
        CHECK(find_parameter(row.section, row.toml_name, Dialect::toml) == &row);
        CHECK(find_parameter(row.section, std::string(row.ini_name) + "x", Dialect::ini) == nullptr);
        CHECK(find_parameter(row.section, "", Dialect::ini) == nullptr);
        for (const char c : row.toml_name) CHECK(((c >= 'a' && c <= 'z') || c == '_'));
    }
}

TEST_CASE("every TOML name with a unit ends with it") {
    const std::map<std::string_view, std::string_view> suffixes = {
        {"ms", "_ms"}, {"s", "_s"}, {"MB", "_mb"}, {"pages", "_pages"}, {"bytes", "_bytes"}};
    for (const Parameter& row : parameter_table()) {
        INFO(row_name(row));
        if (row.kind == Kind::ratio) CHECK(row.toml_name.ends_with("_percent"));
        const auto suffix = suffixes.find(row.unit);
        if (suffix != suffixes.end()) CHECK(row.toml_name.ends_with(suffix->second));
    }
}

TEST_CASE("no two parameters share a field") {
    sim::Options options;
    options.files.resize(1);
    std::set<const void*> seen;
    for (const Parameter& row : parameter_table()) {
        INFO(row_name(row));
        CHECK(seen.insert(address_of(field_of(row, options, 0))).second);
    }
}

TEST_CASE("every default is allowed and reads back as itself, in both dialects") {
    for (const Parameter& row : parameter_table()) {
        if (row.required) continue;
        for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
            INFO(row_name(row));
            Sheet sheet;
            sheet.set(dialect, row, row.section == Section::file ? 3 : 0, default_text(row, dialect));
            const sim::Options options = load(dialect, sheet.text(dialect)).options;
            sim::Options changed = options;
            CHECK(value_text(row, dialect, field_of(row, changed, row.section == Section::file ? 2 : 0)) == default_text(row, dialect));
        }
    }
}

TEST_CASE("every parameter changes exactly its own field, through INI and through TOML alike") {
    const sim::Options base = load_ini(Sheet().text(Dialect::ini)).options;
    REQUIRE(load_toml(Sheet().text(Dialect::toml)).options == base);
    for (const Parameter& row : parameter_table()) {
        INFO(row_name(row));
        const std::size_t file = row.section == Section::file ? 3 : 0;
        const std::size_t index = file == 0 ? 0 : file - 1;
        sim::Options untouched = base;
        const OtherValue other = other_value(row, field_of(row, untouched, index));
        Sheet sheet;
        sheet.set(Dialect::ini, row, file, other.ini);
        sheet.set(Dialect::toml, row, file, other.toml);
        for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
            sim::Options changed = load(dialect, sheet.text(dialect)).options;
            INFO(sheet.text(dialect));
            CHECK_FALSE(changed == base);
            CHECK(value_text(row, Dialect::ini, field_of(row, changed, index)) == other.ini);
            // With only this field restored nothing differs.
            std::visit(
                [](auto* to, auto* from) {
                    if constexpr (std::is_same_v<decltype(to), decltype(from)>) *to = *from;
                },
                field_of(row, changed, index), field_of(row, untouched, index));
            CHECK(changed == base);
        }
    }
}
