#include "reports/lost_write_text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace reports {

namespace {

// A file that is too short was not read again, and a region not through a newly opened file.
bool was_read_through_new_file(const sim::Finding& finding) {
    return std::any_of(finding.rereads.begin(), finding.rereads.end(),
                       [](const sim::Reread& reread) { return reread.through_new_file && reread.has_come(); });
}

bool is_blank(const sim::Finding& finding) {
    const std::vector<sim::SectorFact>& sectors = or_empty(finding.comparison).sectors;
    const auto is_zero = [](const sim::SectorFact& fact) { return fact.state == sim::SectorState::zero; };
    return !sectors.empty() && std::all_of(sectors.begin(), sectors.end(), is_zero);
}

std::string_view consequence_of(const sim::Finding& finding) {
    using Redo = sim::PageRedo;
    const bool is_header = finding.place.is_log || (finding.place.page_id == 0 && is_blank(finding));
    if (is_header) return "SQL Server could not open the database: the first page of a file says what the file is.";
    if (finding.redo == Redo::complete) {
        return "The log still has what is missing, so SQL Server's recovery would make it again, but not after another checkpoint.";
    }
    if (is_blank(finding)) return "SQL Server reports error 824, because zeros do not name the page, and needs a restore of it.";
    if (finding.redo == Redo::refused) {
        return "The log has later changes of the page, which SQL Server's recovery cannot make on it: it reports error 3456, and the "
               "database does not come up without a restore.";
    }
    return "SQL Server would work with old data and could not repair it from the log.";
}

}  // namespace

std::string lost_write_meaning(const sim::Finding& finding) {
    const std::string_view stays =
        was_read_through_new_file(finding) ? ", even after the caches were flushed and dropped and the file was reopened" : "";
    return fmt::format(
        "The storage acknowledged a write that is not there: it never arrived, or was undone later. Its place holds what was there "
        "before{}. {}",
        stays, consequence_of(finding));
}

}  // namespace reports
