#include "reports/xml_entry.hpp"

#include <array>
#include <ctime>

#include <fmt/format.h>

#include "reports/time_text.hpp"
#include "reports/xml_text.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/calendar.hpp"

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

std::string local_time(std::uint64_t utc_us, const char* form) {
    const std::tm parts = ums::local_calendar(utc_us).fields;
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), form, &parts)};
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

}  // namespace reports
