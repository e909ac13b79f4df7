#include "reports/xml_log.hpp"
#include "tests/reports/time_zone.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/xml_checker.hpp"

namespace {

sim::Event example_event() {
    sim::Event event;
    event.utc_us = 1'762'567'050'999'999;  // 2025-11-08 01:57:30.999999 UTC
    event.tick_ms = 120'500;
    event.cpu = 3;
    event.thread_id = 9080;
    event.user = "Monitor";
    event.source_file = "FileIO.cpp";
    event.line = 587;
    event.function = "CLogicalFile::OutputSummary";
    event.description = "Target IO Duration (ms) = 100, Running Average IO Duration (ms) = 15";
    return event;
}

}  // namespace

TEST_CASE("an entry has exactly SQLIOSim's form, in local time, followed by the columns of newer versions") {
    const TimeZone zone("CET-1");
    CHECK(reports::xml_entry(example_event()) ==
          "<ENTRY TYPE='INFO' TIME='02:57:30' DATE='11/08/25' TID='9080' User='Monitor' File='FileIO.cpp' Line='587' "
          "Func='CLogicalFile::OutputSummary' HRESULT='' SYSTEXT='' "
          "TICK='120500' UTC='2025-11-08T01:57:30.999999Z' LOCAL='2025-11-08T02:57:30.999999+01:00' CPU='3'>\n"
          "<EXTENDED_DESCRIPTION>Target IO Duration (ms) = 100, Running Average IO Duration (ms) = 15 </EXTENDED_DESCRIPTION>\n"
          "</ENTRY>\n");
}

TEST_CASE("local dates differ from UTC dates") {
    const TimeZone zone("PST8");
    CHECK_THAT(reports::xml_entry(example_event()), ContainsSubstring("TIME='17:57:30' DATE='11/07/25'"));
}

TEST_CASE("severities have SQLIOSim's names") {
    sim::Event event = example_event();
    event.severity = sim::Severity::warning;
    CHECK_THAT(reports::xml_entry(event), ContainsSubstring("<ENTRY TYPE='WARNING' "));
    event.severity = sim::Severity::error;
    CHECK_THAT(reports::xml_entry(event), ContainsSubstring("<ENTRY TYPE='ERROR' "));
}

TEST_CASE("hostile texts in every field keep an entry well-formed") {
    sim::Event event = example_event();
    for (std::string* text : {&event.user, &event.source_file, &event.function, &event.hresult, &event.system_text, &event.description}) {
        *text = "'><ENTRY TYPE='ERROR'> ?> --> ]]> \x01 \xff &amp; \n";
    }
    const std::string entry = reports::xml_entry(event);
    CHECK(test::xml_error(entry) == "");
    CHECK(entry.find("?>") == std::string::npos);
    CHECK(entry.find("TYPE='ERROR'") == std::string::npos);
}

TEST_CASE("an empty description still gives a text node") {
    sim::Event event = example_event();
    event.description.clear();
    CHECK_THAT(reports::xml_entry(event), ContainsSubstring("<EXTENDED_DESCRIPTION> </EXTENDED_DESCRIPTION>"));
}
