// The error log of a run: SQLIOSim's sqliosim.log.xml, one element for each event, well-formed at any time (see XmlTail).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "reports/log_file.hpp"
#include "reports/xml_tail.hpp"
#include "sim/event.hpp"

namespace reports {

// One element of the log, to the letter of SQLIOSim's. Pure except for the local time zone.
// <ENTRY TYPE='INFO' TIME='02:57:30' DATE='11/08/25' TID='9080' User='Monitor' File='FileIO.cpp' Line='587'
//  Func='CLogicalFile::OutputSummary' HRESULT='' SYSTEXT='' TICK='352700' UTC='2025-11-08T01:57:30.000000Z'
//  LOCAL='2025-11-08T02:57:30.000000+01:00' CPU='0'>                  (one line)
// <EXTENDED_DESCRIPTION>text </EXTENDED_DESCRIPTION>
// </ENTRY>
// Attributes in this order, in single quotes: SQLIOSim's original ones, then tick count (ms since the run began), moments and logical CPU;
// DATE is MM/DD/YY; date and time are local. A space follows the description, as in the original, so that the element always has a text
// node, because a known reader takes the first one without checking. Plain ASCII, ends with '\n', contains no "?>".
std::string xml_entry(const sim::Event& event);

// One call at a time (the contract of EventSink); any thread. Only the constructor throws.
class XmlLog final : public sim::EventSink {
public:
    // Creates the file. An existing log of ioproof or SQLIOSim is replaced, as by SQLIOSim, but only when the run begins or has a finding:
    // a run that is refused leaves it as it is. The file stays locked for the life of the object. Throws as LogFile does, without touching
    // the file.
    explicit XmlLog(const std::string& path);

    void on_begin() override;

    // A thread_id of 0 becomes the calling thread.
    void on_event(const sim::Event& event) override;
    void on_finding(const sim::Finding& finding) override;

    // One sentence if something could not be written (a full disk does not stop the run), otherwise nothing. Ask at the end.
    [[nodiscard]] std::optional<std::string> failure() const;

    [[nodiscard]] const std::string& path() const { return path_; }
    // The log of an earlier run has not been replaced yet.
    [[nodiscard]] bool is_waiting() const { return file_.is_waiting(); }

private:
    const std::string path_;
    LogFile file_;
    XmlTail tail_;
    std::uint64_t entries_ = 0;
    std::uint64_t lost_entries_ = 0;
    std::error_code first_error_;
};

// ErrorLog.xslt, which makes browsers show the XML log as a table. SQLIOSim has one, too, hence the name.
[[nodiscard]] std::string error_log_style_path(const std::string& log_path);

}  // namespace reports
