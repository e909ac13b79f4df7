#include "sim/rehearsal/cut_findings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "sim/limits.hpp"

namespace sim {

namespace {

bool is_in_row(FindingKind kind) {
    return kind == FindingKind::log_gap || kind == FindingKind::log_block_damaged || kind == FindingKind::log_stale_block;
}

bool is_about_blocks(const CrashProof& proof) { return proof.rule == CrashRule::log_row || proof.rule == CrashRule::log_kept; }

bool share_a_block(const BlockRange& a, const BlockRange& b) { return a.first <= b.last && b.first <= a.last; }

bool names_block(const CrashProof& proof, const Finding& finding) {
    return finding.missing_blocks && finding.missing_blocks->first <= proof.sequence && proof.sequence <= finding.missing_blocks->last;
}

// If a hole breaks the last checkpoint, a verification takes an earlier one, which needs more blocks.
bool is_before_hole(const CrashProof& proof, const Finding& finding) {
    return finding.missing_blocks && proof.rule == CrashRule::log_row && finding.missing_blocks->last < proof.sequence;
}

bool is_of_pages(const Finding& finding) {
    return !finding.place.is_log && !finding.request.is_write && finding.request.of_file == FileRequest::none;
}

bool is_of_region(const Finding& finding) { return is_of_pages(finding) && finding.place.size_bytes > kPageBytes; }

bool is_there(const CrashProof& proof, const Finding& finding) {
    return proof.path == finding.place.path && finding.place.offset_bytes < proof.offset_bytes + proof.size_bytes &&
           proof.offset_bytes < finding.place.offset_bytes + finding.place.size_bytes;
}

// The device acknowledged these bytes, and they are gone, whatever the proof.
bool is_really_lost(const ums::LostWrite& lost, const Finding& finding) {
    if (lost.path != finding.place.path) return false;
    if (finding.request.of_file == FileRequest::open) return lost.part == ums::LostPart::name;
    if (finding.request.is_write) return lost.part == ums::LostPart::size;
    const bool is_lost_page = !finding.place.is_log && (finding.kind == FindingKind::lost_write || finding.kind == FindingKind::torn_page);
    const bool is_lost_block = finding.place.is_log && (is_in_row(finding.kind) || finding.kind == FindingKind::lost_write);
    const bool is_there = lost.offset_bytes < finding.place.offset_bytes + finding.place.size_bytes &&
                          finding.place.offset_bytes < lost.offset_bytes + lost.size_bytes;
    return (is_lost_page || is_lost_block) && (is_there || lost.part == ums::LostPart::name);
}

// If one page of a region is too old, or two are, its sums name them. So a finding about the region means that more are.
bool are_several_lost(const std::vector<ums::LostWrite>& lost, const Finding& finding) {
    std::uint64_t pages = 0;
    for (std::uint64_t at = 0; at < finding.place.size_bytes; at += kPageBytes) {
        const std::uint64_t begin = finding.place.offset_bytes + at;
        const bool is_lost = std::any_of(lost.begin(), lost.end(), [&](const ums::LostWrite& each) {
            return each.part == ums::LostPart::contents && each.path == finding.place.path && each.offset_bytes < begin + kPageBytes &&
                   begin < each.offset_bytes + each.size_bytes;
        });
        if (is_lost) ++pages;
    }
    return pages > 2;
}

// That it says to have been acknowledged. A region names none, and of a torn page it depends on the sectors.
bool has_right_version(const CrashProof& proof, const Finding& finding) {
    if (proof.is_torn || is_of_region(finding) || finding.kind != FindingKind::lost_write) return true;
    const std::uint32_t version = or_empty(finding.expected).version;
    return version >= proof.least_version && version <= proof.newest_version;
}

bool is_named_right(const CrashProof& proof, const Finding& finding) {
    const bool is_about_page = !finding.place.is_log && !finding.request.is_write;
    switch (proof.rule) {
        case CrashRule::log_row:
        case CrashRule::log_kept: return names_block(proof, finding);
        case CrashRule::file_there: return finding.request.of_file == FileRequest::open;
        case CrashRule::file_signed:
            return finding.place.is_log && finding.kind == FindingKind::lost_write && finding.place.offset_bytes == 0;
        case CrashRule::file_size: return finding.request.is_write && finding.kind == FindingKind::lost_write;
        case CrashRule::page_least:
            // Two writes of one version differ in bits only.
            return is_about_page && has_right_version(proof, finding) &&
                   (finding.kind == FindingKind::lost_write ||
                    (proof.is_torn && (finding.kind == FindingKind::torn_page || finding.kind == FindingKind::bit_corruption)));
        case CrashRule::page_in_log:
            return is_about_page &&
                   (finding.kind == FindingKind::wal_violation ||
                    (proof.is_torn && (finding.kind == FindingKind::torn_page || finding.kind == FindingKind::future_version)));
    }
    return false;
}

bool explains(const CrashProof& proof, const Finding& finding) {
    if (finding.transient || finding.is_warning) return false;
    // A page that is wrong by itself takes its region out of the comparison.
    if (is_of_region(finding) && (!proof.is_by_sums || proof.is_torn)) return false;
    if (!is_named_right(proof, finding)) return false;
    if (proof.rule == CrashRule::file_there) return proof.path == finding.place.path;
    // Where a missing block began is not known for certain: it may have been the first one of another part of the log.
    return is_there(proof, finding) || is_about_blocks(proof);
}

// Each page has one finding, or its region has; so have a block of the log, a file that is gone, a size, and the signature of a log.
bool is_said_again(const Finding& earlier, const Finding& finding) {
    if (earlier.missing_blocks && finding.missing_blocks) return share_a_block(*earlier.missing_blocks, *finding.missing_blocks);
    if (earlier.place.path != finding.place.path || is_of_pages(earlier) != is_of_pages(finding)) return false;
    if (is_of_pages(finding)) {
        return earlier.place.offset_bytes < finding.place.offset_bytes + finding.place.size_bytes &&
               finding.place.offset_bytes < earlier.place.offset_bytes + earlier.place.size_bytes;
    }
    return !is_in_row(earlier.kind) && !is_in_row(finding.kind) && earlier.request.is_write == finding.request.is_write &&
           earlier.request.of_file == finding.request.of_file;
}

// Acknowledged log that recovery needs is gone: a verification stops before the hole, and takes an earlier checkpoint.
bool has_hole(const CrashExplanation& explanation) {
    return std::any_of(explanation.proofs.begin(), explanation.proofs.end(),
                       [](const CrashProof& proof) { return proof.rule == CrashRule::log_row; });
}

bool is_right_finding(const CrashExplanation& explanation, const std::vector<ums::LostWrite>& lost, const Finding& finding) {
    if (is_of_region(finding)) return !finding.transient && finding.kind == FindingKind::lost_write && are_several_lost(lost, finding);
    const auto is_any = [&explanation](auto is_it) { return std::any_of(explanation.proofs.begin(), explanation.proofs.end(), is_it); };
    if (is_any([&finding](const CrashProof& proof) { return explains(proof, finding); })) return true;
    if (!finding.transient && is_any([&finding](const CrashProof& proof) { return is_before_hole(proof, finding); })) return true;
    // What the files prove of a page must be named as they prove it.
    const bool is_known = !has_hole(explanation) && is_of_pages(finding) && is_any([&finding](const CrashProof& proof) {
        return proof.rule == CrashRule::page_least && is_there(proof, finding);
    });
    return !is_known && !finding.transient &&
           std::any_of(lost.begin(), lost.end(), [&finding](const ums::LostWrite& each) { return is_really_lost(each, finding); });
}

std::string text_of_finding(const Finding& finding) {
    const std::uint32_t version = or_empty(finding.expected).version;
    return fmt::format("{}{}{} at byte {} of {}, {} bytes: {}", name_of(finding.kind), finding.transient ? " (transient)" : "",
                       version == 0 ? std::string() : fmt::format(" of version {}", version), finding.place.offset_bytes,
                       finding.place.path, finding.place.size_bytes, finding.description);
}

}  // namespace

std::vector<std::string> unexplained_findings(const CrashExplanation& explanation, const std::vector<ums::LostWrite>& lost,
                                              const std::vector<Finding>& findings) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const Finding& finding = findings[i];
        const bool is_repeated = std::any_of(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(i),
                                             [&finding](const Finding& earlier) { return is_said_again(earlier, finding); });
        if (is_repeated || !is_right_finding(explanation, lost, finding)) {
            texts.push_back(text_of_finding(finding) + (is_repeated ? ", a second time" : ""));
        }
    }
    return texts;
}

std::vector<std::string> proofs_without_finding(const CrashExplanation& explanation, const std::vector<Finding>& findings) {
    const bool is_holed = has_hole(explanation);
    // A page that breaks two rules has one finding.
    const auto is_found = [&](const CrashProof& proof) {
        const bool is_page = proof.rule == CrashRule::page_least || proof.rule == CrashRule::page_in_log;
        return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
            return explains(proof, finding) || (is_page && is_of_pages(finding) && !is_of_region(finding) && is_there(proof, finding));
        });
    };
    const auto is_beside_another = [&](const CrashProof& proof) {
        return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
            return finding.place.path == proof.path && finding.place.offset_bytes < proof.region_end_bytes &&
                   proof.region_begin_bytes < finding.place.offset_bytes + finding.place.size_bytes;
        });
    };
    std::vector<std::string> texts;
    // Of a log file that is gone, a block that another one shows to be missing may be missed.
    bool is_row_found = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.place.is_log && finding.request.of_file == FileRequest::open;
    });
    for (const CrashProof& proof : explanation.proofs) is_row_found |= is_about_blocks(proof) && is_found(proof);
    for (const CrashProof& proof : explanation.proofs) {
        if (is_found(proof) || (proof.is_found_by_any && is_row_found)) continue;
        if (proof.rule == CrashRule::page_in_log && is_holed) continue;
        // A log with a hole has another last complete checkpoint.
        const bool is_of_checkpoint = proof.rule == CrashRule::page_least || proof.rule == CrashRule::file_size;
        if (is_of_checkpoint && is_holed && !proof.is_by_ledger) continue;
        if (proof.is_excused || (proof.is_by_sums && is_beside_another(proof))) continue;
        texts.push_back(proof.text);
    }
    return texts;
}

}  // namespace sim
