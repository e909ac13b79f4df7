#include "reports/durability_text.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "reports/time_text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

std::string block_range(const sim::DurabilityResult& durability) {
    if (durability.log_blocks == 0) return "no block";
    return fmt::format("{}, number {} to {}, the last made at {}", counted(durability.log_blocks, "block"), durability.first_block,
                       durability.last_block, utc_iso_text(durability.last_write_utc_us));
}

std::string end_of_log(const sim::DurabilityResult& durability) {
    std::string text = fmt::format("acknowledged up to number {} at least", durability.hardened_block);
    if (durability.blocks_behind > 0) text += fmt::format("; {} after the end", counted(durability.blocks_behind, "block"));
    if (durability.missing_blocks > 0) text += fmt::format("; {} MISSING", count_text(durability.missing_blocks));
    return text;
}

std::string checkpoint(const sim::DurabilityResult& durability) {
    return durability.checkpoint_lsn == 0 ? std::string("no complete one in the log")
                                          : fmt::format("the last complete one began at LSN 0x{:x}", durability.checkpoint_lsn);
}

std::string pages(const sim::DurabilityResult& durability) {
    std::string text = fmt::format("{} whose version the log proves", count_text(durability.pages_proven));
    if (durability.pages_released > 0) text += fmt::format(", {} for which nothing is promised", count_text(durability.pages_released));
    if (durability.wrong_pages > 0) text += fmt::format(", {} WRONG", count_text(durability.wrong_pages));
    if (durability.pages_beyond_log > 0) text += fmt::format(", {} newer than the log", count_text(durability.pages_beyond_log));
    return text;
}

std::string regions(const sim::DurabilityResult& durability) {
    return fmt::format("{} compared with the checkpoint's sums, {} not", count_text(durability.regions_compared),
                       count_text(durability.regions_skipped));
}

std::string torn(const sim::DurabilityResult& durability) {
    std::string text = counted(durability.torn_pages, "page") + " in flight at the cut";  // others that are torn are findings
    if (durability.torn_on_4k_lines > 0) text += fmt::format(", {} on 4 KB lines", count_text(durability.torn_on_4k_lines));
    return text;
}

// How long before the end of the log the last promise was made.
std::string ledger(const sim::PromisesResult& promises, const sim::DurabilityResult& durability) {
    if (!promises.are_used) return fmt::format("{}: not used. {}", promises.keeper, promises.remark);
    std::string text = fmt::format("{}: {} and the log up to block {} demanded; its last promise was made at {}", promises.keeper,
                                   counted(promises.pages, "page"), promises.block, utc_iso_text(promises.last_utc_us));
    const auto difference_ms =
        (static_cast<std::int64_t>(durability.last_write_utc_us) - static_cast<std::int64_t>(promises.last_utc_us)) / 1000;
    if (durability.log_blocks > 0) {
        text += fmt::format(", {} ms {} the last block of the log", std::abs(difference_ms), difference_ms >= 0 ? "before" : "after");
    }
    return promises.remark.empty() ? text : fmt::format("{}. {}", text, promises.remark);
}

std::string line(std::string_view name, const std::string& value) {
    return fmt::format("  {:<16}{}", name, wrapped(ums::printable(value), kReportColumns - 18, 18));
}

}  // namespace

std::string resume_text(const sim::Results& results) {
    if (!results.resumed) return {};
    const sim::ResumeResult& resumed = *results.resumed;
    std::string pages = fmt::format("{} rewritten from the log", count_text(resumed.pages_redone));
    if (resumed.torn_pages > 0) pages += fmt::format(", {} torn by the cut", count_text(resumed.torn_pages));
    if (resumed.pages_given_up > 0) pages += fmt::format(", {} GIVEN UP: nothing says what they held", count_text(resumed.pages_given_up));
    std::string log = fmt::format("continues after block {}", resumed.last_block);
    if (resumed.blocks_given_up > 0) log += fmt::format("; {} after it given up", counted(resumed.blocks_given_up, "block"));
    return fmt::format("What the crash had left (incarnation {} of the run begins)\n", resumed.incarnation) + line("log", log) +
           line("pages", pages);
}

std::string promising_text(const sim::Results& results) {
    if (!results.promising) return {};
    const sim::PromiseKeepingResult& promising = *results.promising;
    std::string text =
        fmt::format("{} page writes in {}, the last at {}", count_text(promising.pages),
                    promising.batches == 1 ? "1 batch" : count_text(promising.batches) + " batches", utc_iso_text(promising.last_utc_us));
    if (promising.batches == 0) text = "nothing";
    if (promising.dropped_pages > 0) text += fmt::format("; {} NOT PROMISED: there was no room", count_text(promising.dropped_pages));
    if (promising.breaks > 0) text += fmt::format("; promises were interrupted {}", counted(promising.breaks, "time"));
    if (!promising.stopped_because.empty()) text += fmt::format(", and did not continue: {}", promising.stopped_because);
    return fmt::format("Promised to {}\n", ums::printable(promising.keeper)) + line("promises", text);
}

std::string durability_text(const sim::Results& results) {
    if (!results.durability) return {};
    const sim::DurabilityResult& durability = *results.durability;
    std::string text = "What the files prove\n";
    const auto add = [&](std::string_view name, const std::string& value) { text += line(name, value); };
    add("log", block_range(durability));
    add("end of the log", end_of_log(durability));
    add("checkpoint", checkpoint(durability));
    add("pages", pages(durability));
    add("regions", regions(durability));
    add("torn", torn(durability));
    if (durability.promises) add("ledger", ledger(*durability.promises, durability));
    return text;
}

}  // namespace reports
