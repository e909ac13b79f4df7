// Names of enumerators as people see them.
#include <algorithm>
#include <array>

#include "sim/finding.hpp"
#include "sim/results.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

struct KindNames {
    FindingKind kind;
    std::string_view name;
    std::string_view title;
};

constexpr std::array<KindNames, kFindingKindCount> kKinds = {{
    {FindingKind::stale_read, "stale_read", "stale read"},
    {FindingKind::lost_write, "lost_write", "lost write"},
    {FindingKind::reverted_page, "reverted_page", "reverted page"},
    {FindingKind::torn_page, "torn_page", "torn page"},
    {FindingKind::misdirected_write, "misdirected_write", "misdirected write"},
    {FindingKind::misdirected_read, "misdirected_read", "misdirected read"},
    {FindingKind::zeroed_page, "zeroed_page", "zeroed page"},
    {FindingKind::bytes_not_read, "bytes_not_read", "bytes not read"},
    {FindingKind::bit_corruption, "bit_corruption", "bit corruption"},
    {FindingKind::foreign_page, "foreign_page", "foreign page"},
    {FindingKind::future_version, "future_version", "future version"},
    {FindingKind::short_transfer, "short_transfer", "short transfer"},
    {FindingKind::io_error, "io_error", "I/O error"},
    {FindingKind::stalled_io, "stalled_io", "stalled I/O"},
    {FindingKind::log_gap, "log_gap", "gap in the log"},
    {FindingKind::log_block_damaged, "log_block_damaged", "damaged log block"},
    {FindingKind::log_stale_block, "log_stale_block", "stale log block"},
    {FindingKind::wal_violation, "wal_violation", "write-ahead violation"},
}};

const KindNames& names_of(FindingKind kind) {
    const KindNames& names = kKinds.at(static_cast<std::size_t>(kind));
    UMS_ASSERT(names.kind == kind);
    return names;
}

}  // namespace

std::string_view name_of(FindingKind kind) { return names_of(kind).name; }
std::string_view title_of(FindingKind kind) { return names_of(kind).title; }

std::optional<FindingKind> finding_kind_of(std::string_view name) {
    for (const KindNames& names : kKinds) {
        if (names.name == name) return names.kind;
    }
    return std::nullopt;
}

std::string_view name_of(SectorState state) {
    switch (state) {
        case SectorState::expected: return "expected";
        case SectorState::older: return "older";
        case SectorState::newer: return "newer";
        case SectorState::other_page: return "other_page";
        case SectorState::foreign: return "foreign";
        case SectorState::zero: return "zero";
        case SectorState::not_read: return "not_read";
        case SectorState::damaged: return "damaged";
    }
    UMS_ASSERT(false && "unknown sector state");
}

std::string_view operation_of(const Finding& finding) {
    switch (finding.request.of_file) {
        case FileRequest::none: return finding.request.is_write ? "write" : "read";
        case FileRequest::sync: return "sync";
        case FileRequest::resize: return "resize";
        case FileRequest::open: return "open";
    }
    UMS_ASSERT(false && "unknown request");
}

bool holds_other_page(const Finding& finding) {
    const std::vector<SectorFact>& sectors = or_empty(finding.comparison).sectors;
    const auto is_other = [](const SectorFact& fact) { return fact.state == SectorState::other_page; };
    const auto is_zero = [](const SectorFact& fact) { return fact.state == SectorState::zero; };
    // Even if the page's own header is above it.
    if (std::any_of(sectors.begin(), sectors.end(), is_other)) return true;
    // Zeros from before the first write are of no page.
    if (!sectors.empty() && std::all_of(sectors.begin(), sectors.end(), is_zero)) return false;
    const ReceivedIdentity& received = or_empty(finding.received);
    return received.page_id != finding.place.page_id || received.file_id != finding.place.file_id;
}

bool has_partly_zeroed_sector(const ImageComparison& comparison) {
    return std::any_of(comparison.sectors.begin(), comparison.sectors.end(),
                       [](const SectorFact& fact) { return fact.state != SectorState::expected && fact.state != SectorState::zero; });
}

std::string_view name_of(RereadResult result) {
    switch (result) {
        case RereadResult::right: return "right";
        case RereadResult::same_image: return "same_image";
        case RereadResult::other_image: return "other_image";
        case RereadResult::short_transfer: return "short_transfer";
        case RereadResult::io_error: return "io_error";
    }
    UMS_ASSERT(false && "unknown reread result");
}

std::string_view name_of(IoClass io_class) {
    switch (io_class) {
        case IoClass::read: return "read";
        case IoClass::scatter_read: return "scatter_read";
        case IoClass::write: return "write";
        case IoClass::gather_write: return "gather_write";
        case IoClass::log_flush: return "log_flush";
    }
    UMS_ASSERT(false && "unknown class of I/O");
}

std::string_view name_of(Phase phase) {
    switch (phase) {
        case Phase::create: return "create files";
        case Phase::initial_update: return "initial update";
        case Phase::initial_checkpoint: return "initial checkpoint";
        case Phase::main_run: return "main run";
        case Phase::backup: return "backup";
        case Phase::final_checkpoint: return "final checkpoint";
        case Phase::final_audit: return "final audit";
        case Phase::log_analysis: return "log analysis";
        case Phase::page_verification: return "page verification";
        case Phase::redo: return "redo";
        case Phase::summary: return "summary";
    }
    UMS_ASSERT(false && "unknown phase");
}

std::string_view name_of(FileRole role) {
    switch (role) {
        case FileRole::test: return "test file";
        case FileRole::backup: return "backup";
        case FileRole::backup_chain: return "backup chain";
        case FileRole::restored: return "restored file";
    }
    UMS_ASSERT(false && "unknown role");
}

std::string_view name_of(PreflightGrade grade) {
    switch (grade) {
        case PreflightGrade::ok: return "OK";
        case PreflightGrade::warn: return "WARN";
        case PreflightGrade::fail: break;
    }
    return "FAIL";
}

}  // namespace sim
