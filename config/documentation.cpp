// docs/configuration.md, from the table of parameters.
#include <fmt/format.h>

#include "config/config.hpp"
#include "config/parameter_table.hpp"
#include "config/value_text.hpp"
#include "ums/base/text_wrap.hpp"

namespace config {

namespace {

constexpr std::size_t kPageColumns = 120;

std::string paragraph(std::string_view text) { return ums::wrap(text, kPageColumns, "", 0) + '\n'; }

std::string item(std::string_view text) { return ums::wrap(text, kPageColumns, "- ", 2); }

constexpr std::string_view kIntroduction[] = {
    ("ioproof reads SQLIOSim's configuration files as they are, and files in TOML whose names include the units. A file whose name "
     "ends in `.toml` is TOML; every other file is INI. Both hold the same parameters. `-save FILE` writes all of them, in the form "
     "that the name implies. Command-line switches override the file; a parameter that neither sets has its default."),
    "A configuration file is a regular file (no pipe, no device) of at most 4 MB, with at most 16 KB in a line, 10,000 sections and "
    "100,000 keys.",
    "`ioproof config explain` lists the parameters in the terminal, `ioproof config explain KEY` says all about one of them.",
};

constexpr std::string_view kIniRules[] = {
    "Sections are in brackets, with `Key=Value` below them. Sections, keys and booleans are not case-sensitive.",
    "A line that begins with `;` or `#` is a comment; one may also follow a `[Section]`, but not a value.",
    "Lines end in LF, CRLF or CR. The text is UTF-8, with or without a byte order mark, or UTF-16 with one.",
    "Booleans are `TRUE` or `FALSE`, or `1`/`0`, `YES`/`NO`, `ON`/`OFF`.",
    "Ratios and chances are in hundredths of a percent: 1000 = 10 %, 10000 = 100 %.",
    "Matching quotes around a value are removed. An empty value is ignored, and so is a `[FileN]` section with nothing but empty values.",
    "If a key is given twice, the last one counts, with a warning.",
};

constexpr std::string_view kTomlRules[] = {
    "Tables are `[config]`, `[random_user]`, ... and one `[[file]]` table per file. Names are in lower case and end with the unit.",
    "Ratios and chances are in percent with at most two decimals: `10.0`, `0.05`.",
    "Masks above 63 bits are strings: `\"0x8000000000000000\"`.",
};

constexpr std::string_view kErrorRules[] = {
    ("A value that is not allowed, an unknown section, a missing file and contradictory parameters are errors, shown with file, line, "
     "key, value and what is allowed. All wrong values and sections of the file are shown together (the first 20), and once there are "
     "none, all contradictions. The exit code is 2, and nothing has been touched."),
    "An unknown key is a warning with a suggestion.",
    "If a maximum is given that is below the default of its minimum, the minimum is lowered to it, with a warning.",
    ("`-dir DIR` puts the files into a folder, as `DIR/sqliosim.mdx` and `DIR/sqliosim.ldx`; it may be repeated. The names and sizes of "
     "the configuration are then ignored: the data file has the size of `-size` (4096 MB without it) and may grow to twice that; the log "
     "file is half as large, at most 50 MB and at least 4 MB. Only with LogInstantGrowth and an Increment does the log grow, up to the "
     "MaxSize of the configuration's first log file. Increment, Shrinkable, Sparse and Durability are those of the first data file and "
     "the first log file of the configuration, and the replica of that data file comes along."),
    "`-size` without `-dir` sets the sizes of the configuration's files in the same way.",
    "A Windows path is an error on Linux: as FileName (`f:\\sqliosim.mdx`), unless `-dir` is given, as ErrorFile, unless `-log` is.",
    "There may be at most CPUCount x 1023 - 100 users in all.",
    "MaxMemoryMB is limited to 15/16 of the machine's memory, with a warning.",
    ("Increment, and if necessary MaxExtends, is reduced until Increment x MaxExtends < MaxMemoryMB / number of data files, with a "
     "warning. If MaxMemoryMB is 0, half of the free memory counts instead."),
};

template <std::size_t N>
std::string items(const std::string_view (&rules)[N]) {
    std::string out;
    for (const std::string_view rule : rules) out += item(rule);
    return out + '\n';
}

// Escapes bars, which would end the table cell.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string code_or_none(const std::string& text) { return text.empty() ? "none" : fmt::format("`{}`", text); }

std::string section_heading(const SectionInfo& info) {
    if (info.section == Section::file) return "## [File1], [File2], ...\n\n";
    return fmt::format("## [{}]\n\n", info.ini_name);
}

std::string overview_row(const Parameter& parameter) {
    const std::string alias = parameter.ini_alias.empty() ? std::string{} : fmt::format(", `{}`", parameter.ini_alias);
    return fmt::format("| `{}`{} | `{}` | {} | {} | {} |\n", parameter.ini_name, alias, parameter.toml_name,
                       code_or_none(default_text(parameter, Dialect::ini)), cell(allowed_text(parameter, Dialect::ini)),
                       cell(parameter.help));
}

std::string details_of(const Parameter& parameter) {
    std::string text = fmt::format("**{}**: {}", parameter.ini_name, parameter.details);
    if (parameter.kind == Kind::ratio)
        text += fmt::format(" TOML: {}, default `{}`.", allowed_text(parameter, Dialect::toml), default_text(parameter, Dialect::toml));
    if (!parameter.background.empty()) text += fmt::format(" *SQL Server: {}*", parameter.background);
    return item(text);
}

std::string section_part(const SectionInfo& info) {
    std::string out = section_heading(info);
    const std::string toml = info.section == Section::file ? "`[[file]]`" : fmt::format("`[{}]`", info.toml_name);
    out += paragraph(fmt::format("{} SQL Server: {} TOML: {}.", info.help, info.background, toml));
    out += "| INI | TOML | Default (INI) | Allowed (INI) | Meaning |\n|---|---|---|---|---|\n";
    std::string details;
    for (const Parameter& parameter : parameter_table()) {
        if (parameter.section != info.section) continue;
        out += overview_row(parameter);
        details += details_of(parameter);
    }
    return out + '\n' + details + '\n';
}

}  // namespace

std::string documentation_page() {
    std::string out =
        "# Configuration\n\n<!-- Made from the table of parameters in config/parameters; a test compares. Change it there. -->\n\n";
    for (const std::string_view text : kIntroduction) out += paragraph(text);
    out += "## INI\n\n" + items(kIniRules) + "## TOML\n\n" + items(kTomlRules) + "## What is checked\n\n" + items(kErrorRules);
    for (const SectionInfo& info : section_table()) out += section_part(info);
    out.pop_back();
    return out;
}

}  // namespace config
