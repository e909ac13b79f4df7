#include "config/ini_reader.hpp"

#include <fmt/format.h>

#include "config/text_decoding.hpp"
#include "config/text_limits.hpp"

namespace config {

namespace {

constexpr std::string_view kBlanks = " \t\v\f";
constexpr char kEndOfText = '\x1A';  // Ctrl-Z, which copy appends on Windows

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view unquoted(std::string_view text) {
    const bool quoted = text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
    return quoted ? text.substr(1, text.size() - 2) : text;
}

// Also nothing at all.
bool is_comment(std::string_view line) { return line.empty() || line.front() == ';' || line.front() == '#'; }

// Removes the first line from `rest` and returns it without its end.
std::string_view take_line(std::string_view& rest) {
    const std::size_t end = rest.find_first_of("\r\n");
    const std::string_view line = rest.substr(0, end);
    if (end == std::string_view::npos) {
        rest = {};
    } else {
        rest.remove_prefix(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
    }
    return line;
}

class IniReader {
public:
    IniReader(const std::string& file_name, Problems& problems) : problems_(problems), limits_(file_name) {
        result_.file_name = file_name;
        result_.dialect = Dialect::ini;
    }

    RawConfig read(std::string_view text) {
        while (!text.empty()) {
            ++place_.line;
            limits_.begin_line(text);
            read_line(trimmed(take_line(text)));
        }
        return std::move(result_);
    }

private:
    void read_line(std::string_view line) {
        if (is_comment(line)) return;
        if (line.front() == '[') {
            read_header(line);
        } else {
            read_entry(line);
        }
    }

    void read_header(std::string_view line) {
        const std::size_t end = line.find(']');
        const std::string_view name = end == std::string_view::npos ? std::string_view{} : trimmed(line.substr(1, end - 1));
        if (name.empty() || !is_comment(trimmed(line.substr(end + 1)))) {
            return complain(line, "a section is written as [Name], and only a comment that begins with ; or # may follow it");
        }
        limits_.count_section();
        result_.sections.push_back({std::string(name), place_, {}});
    }

    void read_entry(std::string_view line) {
        const std::size_t equals = line.find('=');
        const std::string_view key = trimmed(line.substr(0, equals));
        if (equals == std::string_view::npos || key.empty()) {
            return complain(line, "expected Key=Value, a [Section], or a comment that begins with ; or #");
        }
        if (result_.sections.empty()) return complain(line, "a key before the first [Section]");
        limits_.count_key();
        const std::string_view value = unquoted(trimmed(line.substr(equals + 1)));
        result_.sections.back().entries.push_back({std::string(key), {RawType::untyped, std::string(value), 0}, place_});
    }

    void complain(std::string_view line, std::string_view what) {
        problems_.error(fmt::format("{}: {}: {}", describe(result_.file_name, place_), shortened(line), what), place_);
    }

    Problems& problems_;
    TextLimits limits_;
    RawConfig result_;
    Place place_;
};

}  // namespace

std::string describe(const std::string& file_name, Place place) {
    return place.column == 0 ? fmt::format("{}:{}", file_name, place.line) : fmt::format("{}:{}:{}", file_name, place.line, place.column);
}

RawConfig read_ini(std::string_view bytes, const std::string& file_name, Problems& problems) {
    std::string text = decode_text(bytes, file_name);
    if (text.ends_with(kEndOfText)) text.pop_back();
    return IniReader(file_name, problems).read(text);
}

}  // namespace config
