// Names of what several hosts make of a finding, and what usually causes it.
#include <array>

#include "sim/group_fact.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

struct FactWords {
    GroupFactKind kind;
    std::string_view name;
    std::string_view title;
    std::string_view hint;
};

constexpr std::array<FactWords, kGroupFactKindCount> kWords = {{
    {GroupFactKind::other_host, "other_host", "another host's page",
     "Two volumes of the array share a place, or a path leads to the wrong one. Compare the LUN or namespace numbers and the device ids on "
     "both hosts (multipath -ll, nvme list-subsys), look for clones and snapshots that were mounted under the same name, and for thin "
     "pools or RBD images that were restored or copied while in use."},
    {GroupFactKind::missing_after_hand_over, "missing_after_hand_over", "promised write missing after the hand-over",
     "The write was acknowledged before it was on storage that both hosts share: a write cache on the host or in its virtual machine, an "
     "NFS export with async, a Gluster volume with write-behind and no flush, an RBD cache that was not flushed, an SMB server without "
     "continuous availability. A write that was sent twice and landed late, before this host looked, leaves the same picture."},
    {GroupFactKind::stale_on_new_owner, "stale_on_new_owner", "stale read on the new owner",
     "This host answered from a cache that was older than the hand-over. NFS: attribute cache (mount with actimeo=0 or noac, open with "
     "O_DIRECT) and delegations that were not recalled; SMB: leases (mount with cache=none); Gluster: performance.quick-read, io-cache and "
     "md-cache; FUSE: kernel_cache or writeback_cache; block volumes: the device stayed open or mounted here while the other host wrote."},
    {GroupFactKind::late_write, "late_write", "late write of an earlier owner",
     "A write that had been sent once more, or held back, landed after a newer one. NVMe-oF and iSCSI: a path failed over and the old path "
     "still delivered its copy (look at ctrl_loss_tmo, fast_io_fail_tmo, and whether the target aborts what the old path has); NFS: a "
     "retransmission that missed the server's reply cache; SMB: a replayed request; RBD: a client that was not blocklisted."},
    {GroupFactKind::zombie_owner, "zombie_owner", "zombie owner",
     "The old owner still wrote after the files had been given away: it was not fenced. iSCSI, FC, NVMe-oF: use persistent reservations or "
     "remove its access before the hand-over; RBD: exclusive lock with blocklisting; Kubernetes: a ReadWriteOnce volume that was force "
     "detached, or a deleted pod on a node that still runs (use ReadWriteOncePod, and the out-of-service taint only for a node that is "
     "really off); NFS, SMB, Gluster: only a lock or a cluster manager keeps an old client away."},
    {GroupFactKind::torn_by_hand_over, "torn_by_hand_over", "page torn by the hand-over",
     "Of a write that had been acknowledged as a whole, only a part is there: it was split on the way (wsize of NFS or SMB below 8 KB, "
     "stripes or shards of Gluster, RBD or RAID, 512-byte sectors) and one part was lost or overtaken when the path or the owner changed."},
    {GroupFactKind::stale_on_reader, "stale_on_reader", "stale read on a reader",
     "The reader's cache did not hear of the write. NFS promises this only from close to open (--coherence close-to-open); SMB needs a "
     "broken lease (cache=none); cluster file systems and FUSE need their caches off or invalidated; a block volume without a cluster file "
     "system must not be read by a second host at all."},
}};

const FactWords& words_of(GroupFactKind kind) {
    const FactWords& words = kWords.at(static_cast<std::size_t>(kind));
    UMS_ASSERT(words.kind == kind);
    return words;
}

}  // namespace

std::string_view name_of(GroupFactKind kind) { return words_of(kind).name; }
std::string_view title_of(GroupFactKind kind) { return words_of(kind).title; }
std::string_view hint_of(GroupFactKind kind) { return words_of(kind).hint; }

}  // namespace sim
