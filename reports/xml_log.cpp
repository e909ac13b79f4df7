#include "reports/xml_log.hpp"

#include <fmt/format.h>

#include "reports/html/embedded.hpp"
#include "reports/log_events.hpp"
#include "reports/output_file.hpp"
#include "reports/time_text.hpp"
#include "reports/xml_text.hpp"
#include "sim/errors.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/calendar.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/os_thread.hpp"

namespace reports {
namespace {

const char* type_of(sim::Severity severity) {
    switch (severity) {
        case sim::Severity::info: return "INFO";
        case sim::Severity::warning: return "WARNING";
        case sim::Severity::error: return "ERROR";
    }
    UMS_ASSERT(false && "unknown severity");
}

std::string local_time(std::uint64_t utc_us, const char* form) { return calendar_text(ums::local_calendar(utc_us).fields, form); }

constexpr std::string_view kRoot = "ERRORLOG";
constexpr std::string_view kProlog =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"ErrorLog.xslt\"?>\n";

// Writes the style sheet into the folder of the log. Leaves a foreign file of that name as it is, and ignores a file that cannot be
// written, because the log does not depend on it.
void write_error_log_style(const std::string& log_path) {
    const OutputKind kind{.what = "style sheet", .refusal = "was not made by ioproof", .is_ours = [](std::string_view head) {
                              return head.find("<!-- ioproof ErrorLog.xslt") != std::string_view::npos;
                          }};
    try {
        OutputFile file(kind, error_log_style_path(log_path));
        static_cast<void>(file.write(embedded::kErrorLogStyle));
    } catch (const sim::RefusedError&) {
        return;
    } catch (const sim::EnvironmentError&) {
        return;
    }
}

}  // namespace

std::string xml_entry(const sim::Event& event) {
    return fmt::format(
        "<ENTRY TYPE='{}' TIME='{}' DATE='{}' TID='{}' User='{}' File='{}' Line='{}' Func='{}' HRESULT='{}' SYSTEXT='{}' "
        "TICK='{}' UTC='{}' LOCAL='{}' CPU='{}'>\n"
        "<EXTENDED_DESCRIPTION>{} </EXTENDED_DESCRIPTION>\n"
        "</ENTRY>\n",
        type_of(event.severity), local_time(event.utc_us, "%H:%M:%S"), local_time(event.utc_us, "%m/%d/%y"), event.thread_id,
        xml_escaped(event.user), xml_escaped(event.source_file), event.line, xml_escaped(event.function), xml_escaped(event.hresult),
        xml_escaped(event.system_text), event.tick_ms, utc_iso_text(event.utc_us), local_iso_text(event.utc_us), event.cpu,
        xml_escaped(event.description));
}

XmlLog::XmlLog(const std::string& path) : path_(path), file_(path), tail_(file_, kRoot) {
    ums::read_time_zone();
    std::error_code error = tail_.start(kProlog);
    if (!error && !file_.is_waiting()) error = file_.take_place();
    if (error) {
        throw sim::EnvironmentError(fmt::format("log file '{}': {}. {}", path_, ums::error_text(error), log_kind().advice));
    }
    write_error_log_style(path_);
}

void XmlLog::on_begin() {
    if (!file_.is_waiting()) return;
    if (const auto error = file_.take_place()) {
        lost_entries_ = entries_;
        first_error_ = error;
    }
}

void XmlLog::on_event(const sim::Event& event) {
    sim::Event entry = event;
    if (entry.thread_id == 0) entry.thread_id = ums::this_thread_id();
    ++entries_;
    if (const auto error = tail_.append(xml_entry(entry))) {
        if (lost_entries_++ == 0) first_error_ = error;
    }
}

void XmlLog::on_finding(const sim::Finding& finding) {
    on_begin();  // a finding is a result, whatever becomes of the run
    on_event(finding_event(finding));
    if (!finding.evidence.dump_path.empty()) on_event(dump_event(finding));
}

std::optional<std::string> XmlLog::failure() const {
    if (lost_entries_ == 0) return std::nullopt;
    return fmt::format("log file '{}': {} of {} entries could not be written: {}.", path_, lost_entries_, entries_,
                       ums::error_text(first_error_));
}

std::string error_log_style_path(const std::string& log_path) {
    return log_path.substr(0, log_path.find_last_of('/') + 1) + "ErrorLog.xslt";
}

}  // namespace reports
