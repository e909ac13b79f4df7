#include "reports/preflight_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/format.h>

#include "reports/json_text.hpp"
#include "reports/text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

constexpr int kPreflightVersion = 1;
constexpr std::size_t kGradeColumn = 2;
constexpr std::size_t kTopicColumn = 8;

std::size_t count_of(const std::vector<sim::PreflightLine>& lines, sim::PreflightGrade grade) {
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const sim::PreflightLine& line) { return line.grade == grade; }));
}

std::size_t topic_width(const std::vector<sim::PreflightLine>& lines) {
    std::size_t width = 0;
    for (const sim::PreflightLine& line : lines) width = std::max(width, line.topic.size());
    return width;
}

// `prefix`, padded to `column`, and the text beside it, in as many lines as it takes.
std::string hanging(const std::string& prefix, const std::string& text, std::size_t column, std::size_t width) {
    const std::string lines = wrapped(ums::printable(text), width > column ? width - column : 1, 0);
    std::string hung = pad_right(prefix, column);
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = lines.find('\n', begin) + 1;
        if (begin > 0) hung.append(column, ' ');
        hung += lines.substr(begin, end - begin);
        begin = end;
    }
    return hung;
}

// "why: text" below a line's own text; nothing if the text is empty.
std::string detail(std::string_view name, const std::string& text, std::size_t column, std::size_t width) {
    if (text.empty()) return {};
    return hanging(fmt::format("{:{}}{}:", "", column, name), text, column + 8, width);
}

std::string lower_name(sim::PreflightGrade grade) {
    switch (grade) {
        case sim::PreflightGrade::ok: return "ok";
        case sim::PreflightGrade::warn: return "warn";
        case sim::PreflightGrade::fail: break;
    }
    return "fail";
}

}  // namespace

std::string preflight_summary(const std::vector<sim::PreflightLine>& lines) {
    const std::size_t warnings = count_of(lines, sim::PreflightGrade::warn);
    const std::size_t failures = count_of(lines, sim::PreflightGrade::fail);
    const char* meaning = failures > 0   ? "do not put a database there before what FAILs is fixed"
                          : warnings > 0 ? "nothing there rules SQL Server out; look at what WARNs before measuring"
                                         : "no problem for SQL Server was found there";
    return fmt::format("{} OK, {} WARN, {} FAIL: {}.", count_of(lines, sim::PreflightGrade::ok), warnings, failures, meaning);
}

std::string preflight_text(const std::vector<sim::PreflightLine>& lines, std::size_t width) {
    const std::size_t text_column = kTopicColumn + topic_width(lines) + 2;
    std::string text;
    std::string folder;
    for (const sim::PreflightLine& line : lines) {
        if (line.folder != folder || text.empty()) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", ums::printable(line.folder));
        folder = line.folder;
        const std::string prefix =
            fmt::format("{:{}}{:<{}}{}", "", kGradeColumn, sim::name_of(line.grade), kTopicColumn - kGradeColumn, line.topic);
        text += hanging(prefix, line.found, text_column, width);
        text += detail("why", line.reason, text_column, width);
        text += detail("source", line.source, text_column, width);
        text += detail("fix", line.remedy, text_column, width);
    }
    return text + "\n" + wrapped(preflight_summary(lines), width, 0);
}

std::string preflight_sentence(const sim::PreflightLine& line) {
    std::string text = fmt::format("preflight {}: {} {}: {}", line.folder, sim::name_of(line.grade), line.topic, line.found);
    if (!line.reason.empty()) text += fmt::format(": {}", line.reason);
    if (!line.remedy.empty()) text += fmt::format(". Fix: {}", line.remedy);
    return ums::printable(text);
}

nlohmann::ordered_json preflight_lines_json(const std::vector<sim::PreflightLine>& lines) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const sim::PreflightLine& line : lines) {
        all.push_back({{"folder", line.folder},
                       {"topic", line.topic},
                       {"grade", lower_name(line.grade)},
                       {"found", line.found},
                       {"reason", line.reason},
                       {"source", line.source},
                       {"cure", line.remedy}});
    }
    return all;
}

std::string preflight_json(const std::vector<sim::PreflightLine>& lines) {
    using Json = nlohmann::ordered_json;
    const Json document{{"document", kPreflightDocument},
                        {"version", kPreflightVersion},
                        {"ok", count_of(lines, sim::PreflightGrade::ok)},
                        {"warn", count_of(lines, sim::PreflightGrade::warn)},
                        {"fail", count_of(lines, sim::PreflightGrade::fail)},
                        {"lines", preflight_lines_json(lines)}};
    return json_text(document);
}

}  // namespace reports
