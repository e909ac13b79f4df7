#include "sim/verify/page_redo.hpp"

#include <cstdint>

#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

PageRedo redo_of(const std::byte* page, const ProvenPage& proven, const RecoveredLog& log) {
    const PageBounds::Bound bound = proven.bound;
    // Only the changes of a page that the checkpoint had made durable are all in the log.
    if (bound.has_changed == 0 || bound.is_released != 0) return PageRedo::none;
    const PageHeader header = read_header(page);
    const bool is_blank = is_all_zero(page, kPageBytes);
    const bool is_whole = is_sound_page(page) && header.run_id == log.run_id;
    if (!is_blank && !is_whole) return PageRedo::none;
    const std::uint32_t version = is_blank ? 0 : header.version;
    if (version < bound.least) return PageRedo::refused;
    const std::uint32_t promised = proven.promised.version;
    return version < promised && promised <= bound.newest ? PageRedo::complete : PageRedo::none;
}

}  // namespace

void note_redo(Finding& finding, const std::byte* page, const ProvenPage& proven, const RecoveredLog& log) {
    if (finding.kind != FindingKind::lost_write) return;
    finding.redo = redo_of(page, proven, log);
    if (finding.redo == PageRedo::complete) {
        finding.reasoning.emplace_back("The log still has every change that is missing, so recovery would make them again.");
    } else if (finding.redo == PageRedo::refused) {
        finding.reasoning.emplace_back("The log has later changes of the page, but not those that are missing before them.");
    }
}

}  // namespace sim
