#include "sim/group/group_explanation.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

struct FactNames {
    GroupFactKind kind;
    std::string_view name;
    std::string_view title;
};

constexpr std::array<FactNames, 7> kFacts{
    {{GroupFactKind::other_host, "other_host", "another host's page"},
     {GroupFactKind::missing_after_hand_over, "missing_after_hand_over", "missing after the hand-over"},
     {GroupFactKind::stale_on_new_owner, "stale_on_new_owner", "stale read on the new owner"},
     {GroupFactKind::late_write, "late_write", "late write"},
     {GroupFactKind::zombie_owner, "zombie_owner", "zombie owner"},
     {GroupFactKind::torn_by_hand_over, "torn_by_hand_over", "torn by the hand-over"},
     {GroupFactKind::stale_on_reader, "stale_on_reader", "stale read on a reader"}}};

const FactNames& names_of(GroupFactKind kind) {
    const auto* const found = std::find_if(kFacts.begin(), kFacts.end(), [kind](const FactNames& names) { return names.kind == kind; });
    UMS_ASSERT(found != kFacts.end());
    return *found;
}

// The error of a host's clock against the witness's is at most half a round trip, which is short of this, or the host is of no use.
constexpr std::uint64_t kClockErrorUs = 1'000'000;

// What an image of a page or a log block says about itself.
struct ImageIdentity {
    std::uint64_t run_id = 0;
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
    std::uint64_t write_utc_us = 0;
    std::uint32_t incarnation = 0;  // of a block of the log; a page does not say it
    bool is_block = false;
};

std::optional<ImageIdentity> identity_in(const std::vector<std::byte>& image) {
    if (image.size() >= sizeof(LogBlockHeader)) {
        LogBlockHeader block;
        std::memcpy(&block, image.data(), sizeof block);
        if (block.magic == kLogMagic) {
            return ImageIdentity{block.run_id, block.file_id, 0, 0, block.first_lsn, block.write_utc_us, block.incarnation, true};
        }
    }
    if (image.size() < kPageBytes) return std::nullopt;
    PageHeader page;
    std::memcpy(&page, image.data(), sizeof page);
    if (page.magic != kPageMagic) return std::nullopt;
    return ImageIdentity{page.run_id, page.file_id, page.page_id, page.version, page.lsn, page.write_utc_us, 0, false};
}

// Of a block that only a later read returned, nothing else is kept: an owner that still writes may have made it after the first read.
std::optional<ImageIdentity> identity_of(const Finding& finding) {
    const bool is_late_block = finding.kind == FindingKind::log_gap && finding.transient && finding.evidence.image.empty();
    return identity_in(is_late_block ? finding.evidence.expected_image : finding.evidence.image);
}

// 0: the image does not say, or says something impossible.
std::uint64_t by_witness(std::uint64_t utc_us, std::int64_t offset_us) {
    const std::uint64_t distance_us = offset_us < 0 ? 0 - static_cast<std::uint64_t>(offset_us) : static_cast<std::uint64_t>(offset_us);
    if (utc_us == 0 || (offset_us < 0 && utc_us < distance_us)) return 0;
    return offset_us < 0 ? utc_us - distance_us : utc_us + distance_us;
}

std::string path_of(const GroupMemberResult& member, std::uint32_t file_id) {
    return file_id >= 1 && file_id <= member.files.size() ? member.files[file_id - 1] : fmt::format("file {}", file_id);
}

// --- another host's page ---

const GroupMemberResult* member_of_run(const GroupKnowledge& group, std::uint64_t run_id) {
    const auto found = std::find_if(group.members.begin(), group.members.end(), [&](const GroupMemberResult& member) {
        return member.run_id == run_id && member.run_id != group.run_id && run_id != 0;
    });
    return found == group.members.end() ? nullptr : &*found;
}

// Even if the header is ours, or belongs to no run, a sector may be another run's: each names its run in 16 bits, with page and file.
struct ForeignSector {
    const GroupMemberResult* member = nullptr;
    SectorStamp stamp{};
};

ForeignSector foreign_sector(const Finding& finding, const GroupKnowledge& group) {
    const std::vector<SectorFact>& sectors = or_empty(finding.comparison).sectors;
    if (finding.evidence.image.size() < kPageBytes || sectors.size() != kSectorsPerPage) return {};
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        if (sectors[sector].state != SectorState::foreign) continue;
        const SectorStamp stamp = read_stamp(finding.evidence.image.data(), sector);
        for (const GroupMemberResult& member : group.members) {
            if (member.run_id == group.run_id || (member.run_id & 0xffff) != stamp.run_tag) continue;
            if ((stamp.file_and_sector & 15U) == sector && std::size_t{stamp.file_and_sector} >> 4 <= member.files.size()) {
                return {&member, stamp};
            }
        }
    }
    return {};
}

// A chunk of a chain of backups is no image, but names its run.
std::uint64_t run_of_chunk(const Finding& finding) {
    return finding.place.role == FileRole::backup_chain ? or_empty(finding.received).run_id : 0;
}

bool explain_other_host(Finding& finding, const GroupKnowledge& group, const std::optional<ImageIdentity>& image) {
    GroupFact fact;
    fact.kind = GroupFactKind::other_host;
    const GroupMemberResult* member = member_of_run(group, image ? image->run_id : run_of_chunk(finding));
    std::string what;
    if (member != nullptr && !image) {
        what = "a chunk of its chain of backups";
    } else if (member != nullptr) {
        fact.path = path_of(*member, image->file_id);
        fact.page_id = image->page_id;
        fact.utc_us = by_witness(image->write_utc_us, member->clock_offset_us);
        what = image->is_block ? fmt::format("a block of the log {}", fact.path)
                               : fmt::format("page {} of {}, version {}", fact.page_id, fact.path, image->version);
    } else {
        const ForeignSector sector = foreign_sector(finding, group);
        if (sector.member == nullptr) return false;
        member = sector.member;
        fact.path = path_of(*member, sector.stamp.file_and_sector >> 4U);
        fact.page_id = sector.stamp.page_id;
        what = fmt::format("sectors of page {} of {}, version {}", fact.page_id, fact.path, sector.stamp.version);
    }
    fact.rank = member->rank;
    fact.host = member->host;
    fact.run_id = member->run_id;
    fact.text = fmt::format("This place holds what rank {} on {} wrote: {}. The write went to a volume other than its own.", fact.rank,
                            fact.host, what);
    finding.group_fact = std::move(fact);
    return true;
}

// --- owners of one run's files ---

// Null: an owner before those that are still known. Only the first incarnation has all that is older than its log.
const KnownOwner* owner_of_lsn(const GroupKnowledge& group, std::uint64_t lsn) {
    const KnownOwner* last = nullptr;
    for (const KnownOwner& owner : group.owners) {
        const bool has_all_before = last == nullptr && owner.incarnation == 1;
        if (has_all_before || vlf_of_lsn(lsn) >= owner.first_vlf) last = &owner;
    }
    return last;
}

const KnownOwner* owner_of_incarnation(const GroupKnowledge& group, std::uint32_t incarnation) {
    const auto found =
        std::find_if(group.owners.begin(), group.owners.end(), [&](const KnownOwner& owner) { return owner.incarnation == incarnation; });
    return found == group.owners.end() ? nullptr : &*found;
}

// About the place of the finding, and what that owner had to do with it. The text is for the caller to add.
GroupFact fact_of_owner(GroupFactKind kind, const Finding& finding, const KnownOwner& owner, const GroupKnowledge& group) {
    GroupFact fact;
    fact.kind = kind;
    fact.rank = owner.rank;
    fact.host = owner.host;
    fact.run_id = group.run_id;
    fact.incarnation = owner.incarnation;
    fact.path = finding.place.path;
    fact.page_id = finding.place.page_id;
    return fact;
}

std::string owner_text(const KnownOwner& owner) {
    return fmt::format("rank {} on {}, incarnation {} of the run", owner.rank, owner.host, owner.incarnation);
}

// Changes that the log of that owner, as it was when the next one took over, does not have. Before anybody has taken over the last log,
// what is behind its end may only be what the log has lost, unless its owner had closed it.
bool is_behind_its_log(const ImageIdentity& image, const GroupKnowledge& group, const KnownOwner& owner) {
    if (image.lsn == 0) return false;  // of no change
    const bool is_last = &owner == &group.owners.back();
    if (is_last && group.taken_over) return image.lsn > group.taken_over->last_lsn && vlf_of_lsn(image.lsn) < group.taken_over->first_vlf;
    const bool is_over = !is_last || owner.ended_in_order;
    return is_over && owner.last_lsn != 0 && image.lsn > owner.last_lsn;
}

bool was_made_after_the_end(const ImageIdentity& image, const GroupKnowledge& group, const KnownOwner& owner) {
    // Pages keep the LSN of their last change: if others have owned the files since, their redo may have made this image.
    if (!image.is_block && &owner != &group.owners.back()) return false;
    return owner.ended_utc_us != 0 && by_witness(image.write_utc_us, owner.clock_offset_us) > owner.ended_utc_us + kClockErrorUs;
}

std::uint32_t version_taken_over(const Finding& finding, const GroupKnowledge& group) {
    if (!group.taken_over) return 0;
    const auto file = group.taken_over->versions.find(finding.place.file_id);
    return file == group.taken_over->versions.end() || finding.place.page_id >= file->second.size() ? 0
                                                                                                    : file->second[finding.place.page_id];
}

// Whether the image may have been there when the files had been taken over. Images that redo wrote have an earlier owner's LSN and this
// host's time; all others have the time of their owner, whose clock may be slow or fast.
bool may_be_of_the_takeover(const Finding& finding, const GroupKnowledge& group, const KnownOwner& owner, const ImageIdentity& image) {
    if (image.is_block || !group.taken_over || image.version != version_taken_over(finding, group)) return false;
    const TakeOver& taken = *group.taken_over;
    const bool may_be_redone = image.write_utc_us >= taken.redo_utc_us && image.write_utc_us <= taken.utc_us;
    const std::uint64_t end_utc_us = by_witness(taken.utc_us, group.clock_offset_us) + kClockErrorUs;
    return may_be_redone || by_witness(image.write_utc_us, owner.clock_offset_us) <= end_utc_us;
}

void blame_zombie(Finding& finding, const GroupKnowledge& group, const KnownOwner& owner, const ImageIdentity& image) {
    GroupFact fact = fact_of_owner(GroupFactKind::zombie_owner, finding, owner, group);
    fact.page_id = image.page_id;
    fact.utc_us = by_witness(image.write_utc_us, owner.clock_offset_us);
    fact.text =
        fmt::format("An earlier owner of the files, {}, wrote here after they had been taken from it: nothing kept it from the storage.",
                    owner_text(owner));
    finding.group_fact = std::move(fact);
}

bool explain_zombie(Finding& finding, const GroupKnowledge& group, const ImageIdentity& image) {
    if (image.run_id != group.run_id || group.owners.empty()) return false;
    const KnownOwner* const owner = image.is_block ? owner_of_incarnation(group, image.incarnation) : owner_of_lsn(group, image.lsn);
    if (owner == nullptr) return false;
    const bool is_ours = group.taken_over && vlf_of_lsn(image.lsn) >= group.taken_over->first_vlf;
    if (is_ours) return false;
    const bool was_made_later = was_made_after_the_end(image, group, *owner) && !may_be_of_the_takeover(finding, group, *owner, image);
    if (!is_behind_its_log(image, group, *owner) && !was_made_later) return false;
    blame_zombie(finding, group, *owner, image);
    return true;
}

// The storage holds something older than promised, or nothing.
bool is_about_what_was_promised(FindingKind kind) {
    switch (kind) {
        case FindingKind::stale_read:
        case FindingKind::lost_write:
        case FindingKind::reverted_page:
        case FindingKind::zeroed_page:
        case FindingKind::log_gap:
        case FindingKind::log_block_damaged:
        case FindingKind::log_stale_block:
        case FindingKind::wal_violation: return true;
        default: return false;
    }
}

// The files belong to another host throughout.
void explain_reading(Finding& finding, const GroupKnowledge& group) {
    if (!is_about_what_was_promised(finding.kind) || group.owners.empty()) return;
    const KnownOwner& owner = group.owners.back();
    GroupFact fact = fact_of_owner(GroupFactKind::stale_on_reader, finding, owner, group);
    fact.text = fmt::format("The reader, rank {} on {}, was given less than the owner, rank {} on {}, had been promised before: {}",
                            group.rank, group.host, owner.rank, owner.host,
                            finding.transient ? "a later read did not return it, so a cache on the reader's way to the files is stale, or "
                                                "the write was acknowledged before the reader could see it."
                                              : "and reading again did not help.");
    finding.group_fact = std::move(fact);
}

// While the files are being taken over.
void explain_taking_over(Finding& finding, const GroupKnowledge& group) {
    const bool is_torn = finding.kind == FindingKind::torn_page && !finding.transient;
    if (!is_torn && !is_about_what_was_promised(finding.kind)) return;  // damaged bytes need no second host
    const KnownOwner& owner = group.owners.back();
    GroupFact fact = fact_of_owner(GroupFactKind::missing_after_hand_over, finding, owner, group);
    if (finding.transient) {
        fact.kind = GroupFactKind::stale_on_new_owner;
        // Nobody need have been promised the last blocks of the log.
        fact.text = finding.kind == FindingKind::log_gap
                        ? "The first read on the new owner did not return a block of the log that was there; a later read did."
                        : fmt::format("The first read on the new owner returned less than {} had been promised; a later read was right.",
                                      owner_text(owner));
    } else if (is_torn) {
        fact.kind = GroupFactKind::torn_by_hand_over;
        fact.text = fmt::format("The page was whole on {}, but has been of several versions since the hand-over.", owner_text(owner));
    } else {
        fact.text = fmt::format("The new owner does not find what {} had been promised.", owner_text(owner));
    }
    finding.group_fact = std::move(fact);
}

// While the new owner works.
void explain_own_work(Finding& finding, const GroupKnowledge& group, const ImageIdentity& image) {
    const KnownOwner* const owner = image.is_block ? owner_of_incarnation(group, image.incarnation) : owner_of_lsn(group, image.lsn);
    const bool is_ours = vlf_of_lsn(image.lsn) >= group.taken_over->first_vlf;
    if (image.run_id != group.run_id || owner == nullptr || is_ours || image.is_block) return;
    const bool is_of_this_page = image.file_id == finding.place.file_id && image.page_id == finding.place.page_id;
    if (!is_of_this_page) return;
    GroupFact fact = fact_of_owner(GroupFactKind::stale_on_new_owner, finding, *owner, group);
    fact.utc_us = by_witness(image.write_utc_us, owner->clock_offset_us);
    if (finding.transient) {
        // A page that was overwritten before it was read again, or came back wrong in another way, is called transient, too.
        const bool became_right = std::any_of(finding.rereads.begin(), finding.rereads.end(),
                                              [](const Reread& reread) { return reread.result == RereadResult::right; });
        fact.text = fmt::format("A read on the new owner returned what {} had written earlier{}.", owner_text(*owner),
                                became_right ? "; a later read was right" : "");
        finding.group_fact = std::move(fact);
        return;
    }
    // The image may have been there since the takeover: that is a lost write, not another host's doing.
    const std::uint32_t taken_over = version_taken_over(finding, group);
    const bool is_older_than_taken_over = image.version < taken_over;
    // Redo made the image once more, at another time: this is the one that was under way before.
    const bool is_the_one_before_redo = finding.kind == FindingKind::future_version && image.version == taken_over;
    if (!is_older_than_taken_over && !is_the_one_before_redo && finding.kind != FindingKind::reverted_page) return;
    fact.kind = GroupFactKind::late_write;
    fact.text = fmt::format(
        "Version {} that {} had sent is here, although a newer one had since been read from this place: it landed late, over the newer "
        "one.",
        image.version, owner_text(*owner));
    finding.group_fact = std::move(fact);
}

void find_fact(Finding& finding, const GroupKnowledge& group) {
    const std::optional<ImageIdentity> image = identity_of(finding);
    if (explain_other_host(finding, group, image)) return;
    if (group.is_reading) return explain_reading(finding, group);
    if (!group.is_taking_over || group.owners.empty()) return;
    if (image && explain_zombie(finding, group, *image)) return;
    if (!group.taken_over) return explain_taking_over(finding, group);
    if (image) explain_own_work(finding, group, *image);
}

}  // namespace

std::string_view name_of(GroupFactKind kind) { return names_of(kind).name; }
std::string_view title_of(GroupFactKind kind) { return names_of(kind).title; }

void explain(Finding& finding, const GroupKnowledge& group) {
    if (finding.is_warning || finding.group_fact) return;
    find_fact(finding, group);
    if (!finding.group_fact) return;
    // This text accompanies the finding wherever it is reported.
    const std::string text = fmt::format("In the group: {}. {}", title_of(finding.group_fact->kind), finding.group_fact->text);
    if (!finding.description.empty()) finding.description += " " + text;
    finding.reasoning.push_back(text);
}

}  // namespace sim
