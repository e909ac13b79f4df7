#include "reports/group_text.hpp"

#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "reports/time_text.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

std::string group_line(std::string_view name, const std::string& text) {
    return fmt::format("  {:<16}{}", name, wrapped(ums::printable(text), kReportColumns - 18, 18));
}

std::string plan_line(const sim::GroupResult& group) {
    std::string text =
        fmt::format("{}, rank {} of {} on {}, by the witness {}", group.plan, group.rank, group.of, group.host, group.witness);
    if (!group.bursts.empty()) text += fmt::format("; bursts {}", group.bursts);
    if (!group.coherence.empty()) text += fmt::format("; coherence {}", group.coherence);
    return text;
}

// No host's clock is trusted, so the report says how far it was off.
std::string clock_line(const sim::GroupResult& group) {
    if (group.round_trip_us == 0) return "not compared with the witness's";
    return fmt::format("the witness's is {:+.3f} ms off this host's, give or take {:.3f} ms",
                       static_cast<double>(group.clock_offset_us) / 1e3, static_cast<double>(group.round_trip_us) / 2e3);
}

std::string turn_line(const sim::TurnResult& turn) {
    std::string text = fmt::format("{} of {}, incarnation {} of the run", turn.number, turn.turns, turn.incarnation);
    if (!turn.previous) return text + "; the files were made";
    const sim::EarlierOwnerResult& before = *turn.previous;
    return text + fmt::format("; before: rank {} on {}, incarnation {}, until {} (ended: {})", before.rank, before.host, before.incarnation,
                              utc_iso_text(before.ended_utc_us), before.ended_by);
}

std::string verified_line(const sim::TakeOverResult& verified) {
    std::string text = fmt::format("{} pages, {} of them promised by the owner before, and {} blocks of the log, before the first write",
                                   count_text(verified.pages), count_text(verified.promised_pages), count_text(verified.log_blocks));
    if (verified.torn_pages > 0) text += fmt::format("; {} in flight then, and torn", count_text(verified.torn_pages));
    if (verified.findings > 0) text += "; " + counted(verified.findings, "FINDING");
    return text;
}

std::string reader_line(const sim::ReaderResult& reader) {
    std::string text = fmt::format("{} over the files, {} read, {} of them promised to the owner before",
                                   fmt::format("{} {}", count_text(reader.passes), reader.passes == 1 ? "pass" : "passes"),
                                   counted(reader.pages, "page"), count_text(reader.promised_pages));
    if (reader.in_flight_pages > 0) text += fmt::format("; {} being written at that moment", count_text(reader.in_flight_pages));
    return text;
}

std::string missing_line(const std::vector<std::uint32_t>& ranks) {
    const bool is_one = ranks.size() == 1;
    return fmt::format("{} {} did not come, or {} lost or cut off", is_one ? "rank" : "ranks", fmt::join(ranks, ", "),
                       is_one ? "was" : "were");
}

// The verdict says what they mean.
std::string facts_text(const sim::Results& results) {
    std::map<sim::GroupFactKind, std::uint64_t> counts;
    std::uint64_t kept = 0;
    for (const sim::Finding& finding : results.findings) {
        kept += finding.is_warning ? 0 : 1;
        if (finding.group_fact) ++counts[finding.group_fact->kind];
    }
    const std::string_view bound = results.finding_count > kept ? "at least " : "";
    std::string text;
    for (const auto& [kind, count] : counts) {
        text += group_line("FOUND", fmt::format("{}{} x {}", bound, count_text(count), sim::title_of(kind)));
    }
    return text;
}

}  // namespace

std::string_view hint_of(sim::GroupFactKind kind) {
    switch (kind) {
        case sim::GroupFactKind::other_host:
            return "Two volumes share blocks, or an array mixes them up: compare LUN maps and namespace identifiers (iSCSI, NVMe-oF, FC), "
                   "look for a thin pool or RAID that is rebuilt, for one RBD image or one claim mounted twice, and for a bind mount to "
                   "the same folder.";
        case sim::GroupFactKind::missing_after_hand_over:
            return "The previous owner was told that the data was written, but another host cannot see it. NFS: export with sync, not "
                   "async; mount hard. SMB: continuous availability, no write-back leases. iSCSI, NVMe-oF: the target's write cache must "
                   "be off or obey flushes. RBD: rbd_cache writethrough, or flushes that reach it. Gluster: performance.write-behind and "
                   "flush-behind off. Kubernetes: the claim may be another volume, or a snapshot.";
        case sim::GroupFactKind::stale_on_new_owner:
            return "The new host's cache is stale, or writes are acknowledged before other hosts can see them. NFS: actimeo, lookupcache, "
                   "and whether the files were closed and opened again. SMB: cache=none or leases that are broken in time. Gluster and "
                   "other FUSE clients: performance.io-cache, md-cache, kernel page cache without invalidation. iSCSI, RBD with a local "
                   "file system: it was mounted on two hosts at once.";
        case sim::GroupFactKind::late_write:
            return "A write that had been sent twice arrived twice: the second time after a newer one. NVMe-oF and iSCSI multipath: a path "
                   "that failed over while its requests were still on their way; the target must drop them (keep-alive timeout shorter "
                   "than the host's, CCR, task management). NFS: a retransmission that the server's reply cache did not know after a "
                   "failover.";
        case sim::GroupFactKind::zombie_owner:
            return "Nothing fences the old owner from the storage. iSCSI, FC, NVMe-oF: SCSI-3 or NVMe reservations that preempt it. RBD: "
                   "the exclusive lock with blocklisting. NFS: a server that revokes the lease, or exports changed by the cluster. "
                   "Kubernetes: ReadWriteOnce keeps nobody out: wait for the volume attachment, use ReadWriteOncePod, or the "
                   "node.kubernetes.io/out-of-service taint.";
        case sim::GroupFactKind::torn_by_hand_over:
            return "A page that had been acknowledged as a whole now holds older parts. Look for caches that hold parts of a page (4 KB "
                   "clients over 8 KB pages, RAID stripes, Gluster shards), and for two paths that disagree.";
        case sim::GroupFactKind::stale_on_reader:
            return "The reader's cache is older than what had been promised before the read began, or writes are acknowledged before "
                   "other hosts can see them. NFS promises newer data only after close and open: --coherence close-to-open. SMB: leases "
                   "and oplocks. FUSE, Gluster, MooseFS: caches without invalidation.";
    }
    UMS_ASSERT(false && "unknown fact");
}

std::string group_text(const sim::Results& results) {
    if (!results.group) return {};
    const sim::GroupResult& group = *results.group;
    std::string text = fmt::format("Group {}\n", ums::printable(group.name));
    text += group_line("plan", plan_line(group)) + group_line("clock", clock_line(group));
    if (group.turn) {
        text += group_line("turn", turn_line(*group.turn));
        if (group.turn->previous) text += group_line("verified", verified_line(group.turn->verified));
    }
    if (group.reader) text += group_line("reader", reader_line(*group.reader));
    for (const sim::GroupMemberResult& member : group.members) {
        text +=
            group_line(fmt::format("rank {}", member.rank), fmt::format("{}, run {:016x}, {}", member.host, member.run_id, member.state));
    }
    if (!group.missing_ranks.empty()) text += group_line("MISSING", missing_line(group.missing_ranks));
    return text + facts_text(results);
}

}  // namespace reports
