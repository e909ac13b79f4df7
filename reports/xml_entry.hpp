// One element of the XML log, to the letter of SQLIOSim's. Pure but for the local time zone.
#pragma once

#include <string>

#include "sim/event.hpp"

namespace reports {

// <ENTRY TYPE='INFO' TIME='02:57:30' DATE='11/08/25' TID='9080' User='Monitor' File='FileIO.cpp' Line='587'
//  Func='CLogicalFile::OutputSummary' HRESULT='' SYSTEXT='' TICK='352700' UTC='2025-11-08T01:57:30.000000Z'
//  LOCAL='2025-11-08T02:57:30.000000+01:00' CPU='0'>                  (one line)
// <EXTENDED_DESCRIPTION>text </EXTENDED_DESCRIPTION>
// </ENTRY>
// Attributes in this order, in single quotes: SQLIOSim's original ones, then tick count (ms since the run began), moments and logical CPU;
// DATE is MM/DD/YY; date and time are local. A space follows the description, as in the original, so that the element always has a text
// node: a known reader takes the first one without looking. Plain ASCII, closed with
// '\n'; contains no "?>".
std::string xml_entry(const sim::Event& event);

}  // namespace reports
