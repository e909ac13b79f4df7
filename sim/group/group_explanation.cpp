#include "sim/group/group_explanation.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

using Owner = GroupKnowledge::Owner;
using Role = GroupKnowledge::Role;

// What came back is a whole page of ioproof, whosever.
bool is_whole_page(const ReceivedIdentity& received) {
    return received.run_id != 0 && received.version != 0 && received.checksum == received.calculated_checksum;
}

bool is_older_kind(FindingKind kind) {
    return kind == FindingKind::stale_read || kind == FindingKind::lost_write || kind == FindingKind::reverted_page;
}

bool is_log_kind(FindingKind kind) {
    return kind == FindingKind::log_gap || kind == FindingKind::log_block_damaged || kind == FindingKind::log_stale_block;
}

std::string owner_words(const Owner& owner) {
    return fmt::format("rank {}{}{} (incarnation {} of the run)", owner.rank, owner.host.empty() ? "" : " on ", owner.host,
                       owner.incarnation);
}

class Explainer {
public:
    Explainer(const Finding& finding, const GroupKnowledge& knowledge)
        : finding_(finding), knowledge_(knowledge), received_(or_empty(finding.received)) {}

    [[nodiscard]] std::optional<GroupFact> fact() const {
        if (auto other = other_host()) return other;
        switch (knowledge_.role) {
            case Role::side_by_side: return std::nullopt;
            case Role::reader: return on_reader();
            case Role::owner: break;
        }
        if (knowledge_.owners.empty()) return std::nullopt;
        return knowledge_.has_taken_over ? while_owner() : at_hand_over();
    }

private:
    // --- whose it is ---

    [[nodiscard]] std::optional<GroupFact> other_host() const {
        const bool is_other_run = is_whole_page(received_) && received_.run_id != knowledge_.run_id;
        if (!is_other_run) return std::nullopt;
        const auto& members = knowledge_.members;
        const auto member =
            std::find_if(members.begin(), members.end(), [this](const auto& each) { return each.run_id == received_.run_id; });
        if (member == members.end()) return std::nullopt;
        GroupFact fact{.kind = GroupFactKind::other_host, .rank = member->rank, .host = member->host, .run_id = member->run_id};
        const auto file = member->files.find(received_.file_id);
        fact.path = file == member->files.end() ? fmt::format("file {}", received_.file_id) : file->second;
        fact.page_id = received_.page_id;
        fact.text = fmt::format("Here stands page {} of {}, version {}, that rank {}{}{} has written: it belongs to another volume.",
                                fact.page_id, fact.path, received_.version, fact.rank, fact.host.empty() ? "" : " on ", fact.host);
        return stamped(std::move(fact));
    }

    // A whole image of this page, by whatever owner.
    [[nodiscard]] bool is_of_this_page() const {
        return is_whole_page(received_) && received_.run_id == knowledge_.run_id && received_.file_id == finding_.place.file_id &&
               received_.page_id == finding_.place.page_id;
    }

    [[nodiscard]] const Owner* owner_of(std::uint64_t lsn) const {
        for (const Owner& owner : knowledge_.owners) {
            if (lsn >= owner.first_lsn && lsn <= owner.last_lsn) return &owner;
        }
        return nullptr;
    }

    // Who has gone on behind the end of his time.
    [[nodiscard]] const Owner& zombie_of(std::uint64_t lsn) const {
        const Owner* zombie = &knowledge_.owners.front();
        for (const Owner& owner : knowledge_.owners) {
            if (owner.first_lsn <= lsn) zombie = &owner;
        }
        return *zombie;
    }

    // --- the rules ---

    // Before this process has written anything: the last owner is the one before it.
    [[nodiscard]] std::optional<GroupFact> at_hand_over() const {
        const Owner& before = knowledge_.owners.back();
        const bool is_of_nobodys_time =
            is_of_this_page() && received_.lsn != 0 && received_.lsn < before.first_lsn && owner_of(received_.lsn) == nullptr;
        if (is_of_nobodys_time) return zombie(zombie_of(received_.lsn));
        const bool is_lost = is_older_kind(finding_.kind) || is_log_kind(finding_.kind);
        if (is_lost && finding_.transient) {
            return about(GroupFactKind::stale_on_new_owner, before,
                         "What {} had been promised was not there at the first read, and came with a later one.");
        }
        if (finding_.kind == FindingKind::torn_page && !finding_.transient) {
            return about(GroupFactKind::torn_by_hand_over, before,
                         "The page is of two versions, and no write of {} can have been under way at the hand-over.");
        }
        if (finding_.kind == FindingKind::wal_violation && before.ended_in_order) return zombie(before);
        if (finding_.kind == FindingKind::wal_violation) {
            return about(GroupFactKind::missing_after_hand_over, before,
                         "The page holds a change whose log, which {} had been promised, is not there.");
        }
        if (!is_lost) return std::nullopt;
        return about(GroupFactKind::missing_after_hand_over, before, "What {} had been promised is not there.");
    }

    // This process is the last owner: what bears the mark of an earlier one has come later.
    [[nodiscard]] std::optional<GroupFact> while_owner() const {
        if (finding_.place.is_log) return of_log_block();
        if (!is_of_this_page()) return std::nullopt;
        const Owner* const owner = owner_of(received_.lsn);
        const bool is_signature = received_.lsn == 0;  // of no change
        if (owner == nullptr) return is_signature ? std::nullopt : std::optional(zombie(zombie_of(received_.lsn)));
        if (owner == &knowledge_.owners.back()) return std::nullopt;
        if (finding_.transient) {
            return about(GroupFactKind::stale_on_new_owner, *owner,
                         "An older image, of the time when {} owned the files, came back once: it is in a cache of this host.");
        }
        if (!has_come_late()) return std::nullopt;
        return about(GroupFactKind::late_write, *owner, "An image that {} had written stands again where a newer one had been.");
    }

    // Else it may be what stood there when this owner's own write was lost.
    [[nodiscard]] bool has_come_late() const {
        if (finding_.kind == FindingKind::reverted_page) return true;
        const std::uint32_t promised =
            knowledge_.at_hand_over == nullptr ? 0 : knowledge_.at_hand_over->page(finding_.place.file_id, finding_.place.page_id).version;
        if (received_.version < promised) return true;
        // The image was made once more by whoever took over: this is the one of the owner before.
        return finding_.kind == FindingKind::future_version && received_.version == or_empty(finding_.expected).version;
    }

    // A block says itself whose it is.
    [[nodiscard]] std::optional<GroupFact> of_log_block() const {
        if (finding_.transient || finding_.evidence.image.size() < sizeof(LogBlockHeader)) return std::nullopt;
        LogBlockHeader header;
        std::memcpy(&header, finding_.evidence.image.data(), sizeof header);
        if (header.magic != kLogMagic || header.run_id != knowledge_.run_id) return std::nullopt;
        const Owner& self = knowledge_.owners.back();
        if (header.incarnation >= self.incarnation || owner_of(header.first_lsn) != nullptr) return std::nullopt;
        return zombie(zombie_of(header.first_lsn));
    }

    [[nodiscard]] std::optional<GroupFact> on_reader() const {
        if (!is_older_kind(finding_.kind)) return std::nullopt;
        GroupFact fact{.kind = GroupFactKind::stale_on_reader, .run_id = knowledge_.run_id};
        if (!knowledge_.owners.empty()) {
            const Owner& owner = knowledge_.owners.back();
            fact.rank = owner.rank;
            fact.host = owner.host;
            fact.incarnation = owner.incarnation;
        }
        fact.page_id = finding_.place.page_id;
        fact.text = fmt::format("Version {} had been promised to rank {} before this read began, and version {} came back.",
                                or_empty(finding_.expected).version, fact.rank, received_.version);
        return stamped(std::move(fact));
    }

    // --- the words ---

    [[nodiscard]] GroupFact zombie(const Owner& owner) const {
        return about(GroupFactKind::zombie_owner, owner, "What stands there was made by {} after it had given the files away.");
    }

    [[nodiscard]] GroupFact about(GroupFactKind kind, const Owner& owner, fmt::format_string<std::string> sentence) const {
        GroupFact fact{.kind = kind, .rank = owner.rank, .host = owner.host, .run_id = knowledge_.run_id, .incarnation = owner.incarnation};
        fact.page_id = finding_.place.page_id;
        fact.text = fmt::format(sentence, owner_words(owner));
        return stamped(std::move(fact));
    }

    [[nodiscard]] GroupFact stamped(GroupFact fact) const {
        const bool has_page = is_whole_page(received_) && finding_.evidence.image.size() >= sizeof(PageHeader);
        if (has_page) fact.utc_us = read_header(finding_.evidence.image.data()).write_utc_us;
        return fact;
    }

    const Finding& finding_;
    const GroupKnowledge& knowledge_;
    const ReceivedIdentity& received_;
};

}  // namespace

void explain(Finding& finding, const GroupKnowledge& knowledge) {
    if (finding.is_warning) return;
    if (std::optional<GroupFact> fact = Explainer(finding, knowledge).fact()) finding.group_fact = std::move(fact);
}

}  // namespace sim
