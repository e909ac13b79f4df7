#include "sim/verify/page_judge.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/diagnosis/finding_facts.hpp"
#include "sim/log/log_position.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

bool is_here(const PageHeader& header, const ProvenPage& proven) {
    return header.file_id == proven.file_id && header.page_id == proven.page_id;
}

// The version with which the sectors are compared: the header's if the log allows it, else one that the log allows.
ExpectedPage expected_of(const PageHeader& header, const ProvenPage& proven, const RecoveredLog& log) {
    const PageBounds::Bound bound = proven.bound;
    const bool is_plausible = header.magic == kPageMagic && header.run_id == log.run_id && is_here(header, proven) &&
                              header.version >= std::max<std::uint32_t>(proven.least(), 1) && header.version <= kVersionMax &&
                              (bound.newest == 0 || header.version <= bound.newest);
    ExpectedPage expected{log.run_id, proven.file_id, proven.page_id, {}};
    const std::uint32_t version = is_plausible ? header.version : proven.least() != 0 ? proven.least() : bound.newest;
    expected.entry.version = version & kVersionMax;
    expected.entry.lsn = header.lsn;
    expected.entry.checksum = header.checksum;
    // Zeros are what a page holds before anything was written: then all writes of the page are lost.
    expected.entry.first_write = 1;
    return expected;
}

WriteTimeRange around(const PageHeader& header) { return {header.write_utc_us, header.write_utc_us}; }

// Of a page that is not whole: the newest version of which a sector is there, as far as the log allows it. Otherwise a half of an older
// version would make the other half appear to be of the future.
std::uint32_t newest_of_sectors(const std::byte* page, const ExpectedPage& expected, const PageBounds::Bound& bound) {
    const WrittenImage written(page, expected, around(read_header(page)));
    std::uint32_t newest = expected.entry.version;
    for (const SectorFact& fact : map_sectors(page, expected, written)) {
        const bool is_allowed = bound.newest == 0 || fact.version <= bound.newest;
        if (fact.state == SectorState::newer && is_allowed) newest = std::max(newest, fact.version);
    }
    return newest;
}

// Of any version of this page, or never written.
bool is_of_any_write(const SectorFact& fact) {
    const bool is_of_another_write = fact.state == SectorState::damaged && fact.version != 0;
    return fact.state == SectorState::expected || fact.state == SectorState::older || fact.state == SectorState::newer ||
           fact.state == SectorState::zero || is_of_another_write;
}

// Each sector is of a version of this page, or was never written; some are newer than expected.
bool is_torn_ahead(const SectorMap& sectors) {
    const bool is_ahead =
        std::any_of(sectors.begin(), sectors.end(), [](const SectorFact& fact) { return fact.state == SectorState::newer; });
    return is_ahead && std::all_of(sectors.begin(), sectors.end(), is_of_any_write);
}

// --- torn by the cut ---

bool may_be_there(const SectorFact& fact, const ProvenPage& proven, const RecoveredLog& log) {
    const PageBounds::Bound bound = proven.bound;
    switch (fact.state) {
        case SectorState::expected:
        case SectorState::older: return fact.version >= proven.least();
        case SectorState::newer: return bound.is_any_legal != 0 || bound.newest == 0 || fact.version <= bound.newest || log.has_hole;
        case SectorState::zero: return proven.least() == 0;
        case SectorState::foreign: return proven.least() == 0 && fact.file_id == proven.file_id && fact.page_id == proven.page_id;
        // A sector of another write of the header's version: recovery rewrites a torn page, and may itself be cut off.
        case SectorState::damaged: return fact.version != 0 && fact.version >= proven.least();
        case SectorState::other_page:
        case SectorState::not_read: return false;
    }
    UMS_ASSERT(false && "unknown sector state");
}

// A cut of an earlier run tore the page, in a file that the run took over and in which it has not written this page. The header must be
// exactly what the earlier run wrote, and every other sector what it wrote there, or never wrote: damage is not excused.
bool is_torn_by_earlier_run(const std::byte* page, const PageHeader& header, const ProvenPage& proven, const RecoveredLog& log) {
    if (header.run_id == log.run_id || proven.least() != 0 || proven.bound.newest != 0) return false;
    if (header.magic != kPageMagic) return false;  // a device may be full of such pages, and what follows takes a millisecond for each
    ExpectedPage left{header.run_id, proven.file_id, proven.page_id, {}};
    left.entry.version = header.version & kVersionMax;
    left.entry.lsn = header.lsn;
    left.entry.checksum = header.checksum;
    const WrittenImage written(page, left, around(header));
    if (!written.is_exact()) return false;
    const SectorMap sectors = map_sectors(page, left, written);
    return sectors[0].state == SectorState::expected && std::all_of(sectors.begin() + 1, sectors.end(), is_of_any_write);
}

// Quick, unlike the map of the sectors. Other data may have the tag by chance.
bool has_tag_of_run(const std::byte* page, const RecoveredLog& log) {
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        if (read_stamp(page, sector).run_tag == static_cast<std::uint16_t>(log.run_id)) return true;
    }
    return false;
}

// Quick, too: a device may be full of such pages.
bool has_nothing_of_run(const std::byte* page, const RecoveredLog& log) {
    return count_not_read_bytes(page) == 0 && !has_tag_of_run(page, log);
}

// Of a page that is not whole and may hold what was there before the run. A sector that the run has written is there only if a write was in
// flight, or may have been, and then it is undamaged.
bool is_old_data(const std::byte* page, const PageHeader& header, const ProvenPage& proven, const RecoveredLog& log) {
    if (count_not_read_bytes(page) != 0) return false;
    const bool was_in_flight = proven.bound.has_changed != 0 || proven.bound.is_released != 0 || log.has_hole;
    const ExpectedPage expected = expected_of(header, proven, log);
    const WrittenImage written(page, expected, around(header));
    const SectorMap sectors = map_sectors(page, expected, written);
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(page, sector);
        const bool is_stamped_here = stamp.run_tag == static_cast<std::uint16_t>(log.run_id) && stamp.page_id == proven.page_id &&
                                     std::uint32_t{stamp.file_and_sector} == (proven.file_id << 4U | sector);
        const bool is_of_run = is_stamped_here || sectors[sector].state == SectorState::other_page;
        if (is_of_run && !(was_in_flight && may_be_there(sectors[sector], proven, log))) return false;
    }
    return true;
}

// Whoever writes the page next must give it a newer version than all that stand there.
std::uint32_t newest_of_run(const SectorMap& sectors) {
    std::uint32_t newest = 0;
    for (const SectorFact& fact : sectors) {
        if (fact.state != SectorState::foreign) newest = std::max(newest, fact.version);
    }
    return newest;
}

std::optional<PageJudgement> judge_torn(const std::byte* page, const PageHeader& header, const ProvenPage& proven,
                                        const RecoveredLog& log) {
    const bool was_in_flight = proven.bound.has_changed != 0 || proven.bound.is_released != 0;
    if (!was_in_flight && !log.has_hole) return std::nullopt;
    const ExpectedPage expected = expected_of(header, proven, log);
    const WrittenImage written(page, expected, around(header));
    const SectorMap sectors = map_sectors(page, expected, written);
    const bool is_legal =
        std::all_of(sectors.begin(), sectors.end(), [&](const SectorFact& fact) { return may_be_there(fact, proven, log); });
    if (!is_legal) return std::nullopt;
    // The change that was in flight is in the part of the log that is missing. What is left may not mention the page at all.
    const bool is_beyond_log = std::any_of(sectors.begin(), sectors.end(), [&](const SectorFact& fact) {
        return (fact.state == SectorState::newer || fact.state == SectorState::expected) && fact.version > proven.bound.newest;
    });
    if (!was_in_flight && is_beyond_log) return PageJudgement{PageCondition::beyond_log, 0, false};
    if (!was_in_flight) return std::nullopt;
    return PageJudgement{PageCondition::torn, newest_of_run(sectors), is_tear_on_4k_lines(sectors)};
}

// --- whole ---

enum class Flaw : std::uint8_t { none, beyond_log, older, other_history, newer, elsewhere, other_run };

// Of a page whose checksum is right.
Flaw flaw_of(const PageHeader& header, const ProvenPage& proven, const RecoveredLog& log) {
    const PageBounds::Bound bound = proven.bound;
    if (header.run_id != log.run_id) return proven.least() == 0 && is_here(header, proven) ? Flaw::none : Flaw::other_run;
    if (!is_here(header, proven)) return Flaw::elsewhere;
    if (header.version < proven.promised.version) return Flaw::older;
    if (header.version == proven.promised.version && header.checksum != proven.promised.checksum) return Flaw::other_history;
    if (header.lsn > log.last_lsn) return Flaw::beyond_log;
    if (header.version < bound.least) return Flaw::older;
    if (header.version > kVersionMax) return Flaw::newer;  // no run gets that far
    if (bound.is_released != 0) return Flaw::none;
    // The signature page has no LSN until it is changed.
    const bool is_unlogged = proven.page_id == 0 && header.lsn == 0;
    const bool is_unexplained = bound.newest == 0 ? header.lsn >= log.begin_lsn && !is_unlogged : header.version > bound.newest;
    return is_unexplained ? Flaw::newer : Flaw::none;
}

bool is_change_beyond_log(const std::byte* page, const ProvenPage& proven, const RecoveredLog& log) {
    const PageHeader header = read_header(page);
    return is_sound_page(page) && header.run_id == log.run_id && flaw_of(header, proven, log) == Flaw::beyond_log;
}

struct Name {
    FindingKind kind{};
    std::string description;
    std::string reason;
};

// Why the page must have had bound.least.
std::string proof_text(const ProvenPage& proven, const RecoveredLog& log) {
    const PageBounds::Bound bound = proven.bound;
    if (proven.page_id == 0 && bound.least == 1) return "the file was made and synced with it before the first change was logged";
    if (bound.has_changed == 0) return "the last complete checkpoint began after that change";
    if (log.begin_lsn == 0) return "the first change of the page in the log made its next version";
    return fmt::format(
        "the first change of the page since LSN 0x{:x} made its next version, and what had been changed before was in the data files",
        log.begin_lsn);
}

// Of a page that the log does not mention: where its changes would have to be.
std::string all_changes_text(const RecoveredLog& log) {
    return log.begin_lsn == 0 ? std::string("the log has every change of the run")
                              : fmt::format("the log has every change from LSN 0x{:x} on", log.begin_lsn);
}

std::string at_least_text(const ProvenPage& proven, const RecoveredLog& log) {
    const PageBounds::Bound bound = proven.bound;
    if (proven.promised.version != 0 && proven.promised.version >= bound.least) {
        return fmt::format(
            "According to the ledger outside of this storage, version {} of the page had been acknowledged, as durable as its file's "
            "Durability demands.",
            proven.promised.version);
    }
    if (bound.least == 0) return "Nothing proves that the page was ever written.";
    return fmt::format("The log proves that version {} of the page had been written and acknowledged: {}.", bound.least,
                       proof_text(proven, log));
}

// What is known of a version of which there is no image: nobody but the ledger keeps its checksum, and nobody its LSN.
ExpectedIdentity known_of(std::uint32_t version, const ProvenPage& proven) {
    return {.version = version, .checksum = version == proven.promised.version ? proven.promised.checksum : 0};
}

// `is_transient`: a later read returned what the log allows, so what came is not what stands there. `is_unsteady`: it need not stand there.
Name name_of_flaw(Flaw flaw, const PageHeader& header, const ProvenPage& proven, const RecoveredLog& log, bool is_transient,
                  bool is_unsteady) {
    const char* const is_seen = is_transient ? "came back" : "is there";
    switch (flaw) {
        case Flaw::beyond_log:
            return {FindingKind::wal_violation,
                    fmt::format("Version {} of the page {}, but the log, as it is now, does not have the change that made it.",
                                header.version, is_seen),
                    fmt::format("The page carries LSN 0x{:x}; the last record of the log has 0x{:x}.{}", header.lsn, log.last_lsn,
                                is_transient ? " A later read returned a page that the log allows."
                                             : " A page is written only after its log record is acknowledged: the log has lost an "
                                               "acknowledged write, or the write of the page overtook that of the log.")};
        case Flaw::older:
            return {is_transient ? FindingKind::stale_read : FindingKind::lost_write,
                    fmt::format("Version {} of the page had been written and acknowledged, but {}version {}{}.", proven.least(),
                                is_transient ? "" : "it still holds ", header.version, is_transient ? " came back" : ""),
                    at_least_text(proven, log)};
        case Flaw::other_history:
            return {is_transient ? FindingKind::stale_read : FindingKind::lost_write,
                    fmt::format("Version {} of the page {}, but not the image that was acknowledged.", header.version, is_seen),
                    fmt::format("According to the ledger outside of this storage, version {} was acknowledged with checksum 0x{:08x}, but "
                                "this one has 0x{:08x}: it is of another history of these files.",
                                header.version, proven.promised.checksum, header.checksum)};
        case Flaw::newer:
            return {FindingKind::future_version,
                    fmt::format("Version {} of the page {}, but no change in the log made it.", header.version, is_seen),
                    proven.bound.newest == 0
                        ? fmt::format("It carries LSN 0x{:x}. As far as it reaches, {}, and none of this page.", header.lsn,
                                      all_changes_text(log))
                        : fmt::format("The last change of the page in the log made version {}.", std::uint32_t{proven.bound.newest})};
        case Flaw::elsewhere:
            return {is_transient || is_unsteady ? FindingKind::misdirected_read : FindingKind::misdirected_write,
                    is_transient || is_unsteady
                        ? fmt::format("Page {} of file {}, version {}, came back.", header.page_id, header.file_id, header.version)
                        : fmt::format("The page holds page {} of file {}, version {}.", header.page_id, header.file_id, header.version),
                    "The image is whole, but belongs to another place."};
        case Flaw::other_run:
            if (!is_here(header, proven)) {
                return {FindingKind::foreign_page, "The page is of another run, and of another place.", at_least_text(proven, log)};
            }
            return {
                is_transient ? FindingKind::stale_read : FindingKind::lost_write,
                fmt::format("Version {} of the page had been written and acknowledged, but {}version {} of run {:016x}{}.", proven.least(),
                            is_transient ? "" : "it holds ", header.version, header.run_id, is_transient ? " came back" : ""),
                at_least_text(proven, log)};
        case Flaw::none: break;
    }
    UMS_ASSERT(false && "not a flaw");
}

// A page of which no version is known was compared with zeros, which it need not have held.
void forget_comparison(Finding& finding) {
    finding.expected.reset();
    if (!finding.comparison) return;
    finding.comparison->first_wrong_byte = 0;
    finding.comparison->wrong_bytes = 0;
    finding.comparison->wrong_bits = 0;
    finding.comparison->wrong_bit_positions.clear();
    finding.comparison->shift_bytes = 0;
}

// Of a page whose checksum does not match: its sectors say what it is.
Finding name_damaged_page(const Evidence& evidence, const ProvenPage& proven, const RecoveredLog& log) {
    const std::uint32_t version = evidence.expected.entry.version;
    Verdict verdict = classify(evidence);
    // There was no earlier content to which it could have gone back.
    const bool is_half_written = version == 0 && verdict.kind == FindingKind::reverted_page;
    // No rule of a run mixes older sectors, or zeros, with some that are newer than what is known.
    const bool is_unnamed = verdict.kind == FindingKind::foreign_page || verdict.kind == FindingKind::bit_corruption;
    if (is_unnamed && is_torn_ahead(evidence.sectors)) {
        verdict = {FindingKind::torn_page, {}, {"Its sectors are of several versions, some of them newer than any that the log has."}};
    }
    if (is_half_written) verdict = {FindingKind::torn_page, {}, {"Some of its sectors have been written, others never."}};
    Finding finding = make_finding(evidence, std::move(verdict));
    if (!evidence.written->is_exact()) finding.expected = known_of(version, proven);
    if (version == 0) forget_comparison(finding);
    if (finding.kind == FindingKind::torn_page) finding.description = "The page is torn: its sectors are of several versions.";
    finding.reasoning.push_back(at_least_text(proven, log));
    const bool was_in_flight = proven.bound.has_changed != 0 || proven.bound.is_released != 0 || log.has_hole;
    if (finding.kind == FindingKind::torn_page && !was_in_flight) {
        finding.reasoning.push_back(
            fmt::format("No write of it can have been in flight at the cut: {}, and none of this page.", all_changes_text(log)));
    }
    return finding;
}

std::uint32_t incarnation_of(std::uint64_t lsn) { return vlf_of_lsn(lsn) / kVlfsPerIncarnation; }

// The page was written in a later incarnation than any of which a block of the log could be read.
RecoveredLog log_for(const PageHeader& header, const RecoveredLog& log) {
    RecoveredLog seen = log;
    const bool is_of_run = header.magic == kPageMagic && header.run_id == log.run_id;
    const bool is_later = incarnation_of(header.lsn) > incarnation_of(log.last_lsn);
    seen.has_hole = log.has_hole || (log.is_partly_unread && is_of_run && is_later);
    return seen;
}

// A new page: zeros, on which any write may have been in flight.
ProvenPage as_new(ProvenPage proven) {
    proven.bound = {.least = 0, .newest = 0, .has_changed = 0, .is_released = 1, .is_any_legal = 1};
    return proven;
}

// The ledger may not have heard of the cut, nor of the new page.
ProvenPage without_void_promise(const std::byte* page, ProvenPage proven, const RecoveredLog& log) {
    const bool may_be_new = proven.may_be_cut_off && (!is_sound_page(page) || read_header(page).lsn > log.last_lsn);
    if (may_be_new) proven.promised = {};
    return proven;
}

}  // namespace

PageJudgement judge_page(const std::byte* page, const ProvenPage& wanted, const RecoveredLog& recovered) {
    const PageHeader header = read_header(page);
    const RecoveredLog log = log_for(header, recovered);
    const ProvenPage demanded = without_void_promise(page, wanted, log);
    const ProvenPage proven = demanded.may_be_cut_off && !is_sound_page(page) ? as_new(demanded) : demanded;
    if (!proven.is_made && !is_change_beyond_log(page, proven, log)) return {PageCondition::sound, 0, false};
    if (is_all_zero(page, kPageBytes)) return {proven.least() == 0 ? PageCondition::sound : PageCondition::wrong, 0, false};
    const bool may_be_old_data = proven.has_old_data && proven.least() == 0;
    if (!is_sound_page(page)) {
        if (may_be_old_data && has_nothing_of_run(page, log)) return {PageCondition::sound, 0, false};
        if (is_torn_by_earlier_run(page, header, proven, log)) return {PageCondition::sound, 0, false};
        if (const auto torn = judge_torn(page, header, proven, log)) return *torn;
        const bool is_old = may_be_old_data && is_old_data(page, header, proven, log);
        return {is_old ? PageCondition::sound : PageCondition::wrong, 0, false};
    }
    if (may_be_old_data && header.run_id != log.run_id) return {PageCondition::sound, 0, false};
    const std::uint32_t version = header.run_id == log.run_id ? header.version : 0;
    const Flaw flaw = flaw_of(header, proven, log);
    if (flaw == Flaw::none) return {PageCondition::sound, version, false};
    const bool is_log_to_blame = flaw == Flaw::beyond_log && log.has_hole;
    return {is_log_to_blame ? PageCondition::beyond_log : PageCondition::wrong, version, false};
}

Finding name_wrong_page(const std::byte* page, const ProvenPage& wanted, const RecoveredLog& log, bool is_transient, LaterReads later_reads,
                        bool is_unsteady) {
    const PageHeader header = read_header(page);
    const ProvenPage proven = without_void_promise(page, wanted, log);
    ExpectedPage expected = expected_of(header, proven, log);
    const bool is_whole = is_sound_page(page);
    if (is_whole && proven.least() != 0) expected.entry.version = proven.least() & kVersionMax;
    if (!is_whole) expected.entry.version = newest_of_sectors(page, expected, proven.bound) & kVersionMax;
    const WrittenImage written(page, expected, around(header));
    Evidence evidence = examine(page, expected, written);
    evidence.is_transient = is_transient;
    evidence.later_reads = later_reads;
    evidence.is_unsteady = is_unsteady;
    evidence.is_history_unknown = true;
    if (!is_whole) return name_damaged_page(evidence, proven, log);
    const Name name = name_of_flaw(flaw_of(header, proven, log), header, proven, log, is_transient, is_unsteady);
    // Page and log together show that it is too new.
    Verdict verdict{name.kind == FindingKind::wal_violation ? FindingKind::future_version : name.kind, {}, {name.reason}};
    const bool is_misdirected = name.kind == FindingKind::misdirected_write || name.kind == FindingKind::misdirected_read;
    if (is_misdirected) verdict.other = PagePlace{header.file_id, "", header.page_id, header.version};
    Finding finding = make_finding(evidence, std::move(verdict));
    finding.kind = name.kind;
    finding.expected = known_of(proven.least(), proven);
    // Then it is only what came back, made again, and equals it.
    if (written.is_exact() && expected.entry.version != 0) {
        finding.evidence.expected_image.clear();
        finding.comparison.reset();
    }
    finding.description = name.description;
    finding.description += later_reads_text(evidence);
    if (is_misdirected && is_unsteady && !is_transient) {
        finding.reasoning.emplace_back("The reads kept returning different images, so nothing shows that this one was written here.");
    }
    return finding;
}

}  // namespace sim
