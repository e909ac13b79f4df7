#include "reports/xml_log.hpp"

#include <fmt/format.h>

#include "reports/error_log_style.hpp"
#include "reports/log_events.hpp"
#include "reports/xml_entry.hpp"
#include "sim/errors.hpp"
#include "ums/base/calendar.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/thread_id.hpp"

namespace reports {

namespace {

constexpr std::string_view kRoot = "ERRORLOG";
constexpr std::string_view kProlog =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"ErrorLog.xslt\"?>\n";

}  // namespace

XmlLog::XmlLog(const std::string& path) : path_(path), file_(path), tail_(file_, kRoot) {
    ums::read_time_zone();
    std::error_code error = tail_.start(kProlog);
    if (!error && !file_.is_waiting()) error = file_.take_place();
    if (error) throw sim::EnvironmentError(fmt::format("log file '{}': {}.", path_, ums::error_text(error)));
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
    on_begin();  // it is a result, whatever comes of the run
    on_event(finding_event(finding));
    if (!finding.evidence.dump_path.empty()) on_event(dump_event(finding));
}

std::optional<std::string> XmlLog::failure() const {
    if (lost_entries_ == 0) return std::nullopt;
    return fmt::format("log file '{}': {} of {} entries could not be written: {}.", path_, lost_entries_, entries_,
                       ums::error_text(first_error_));
}

}  // namespace reports
