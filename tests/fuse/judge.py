"""Compares what ioproof found with what happened: docs/fault_model.md, put into rules, without a look at ioproof's code.

An episode is one fault at one place that has been seen: from its injection until the place is written again. Each must be found once and
named right, and nothing else may be found.
"""
REQUEST_EFFECTS = ("io_error", "short_transfer", "stalled_io")
TRIES = 5  # a failed request is tried again four times
PAGE_BYTES = 8192
SPLIT_BYTES = 1 << 20  # longer requests come in parts
SEARCH_SECONDS = 0.5  # until the likely places have been looked at, where four runs share two CPUs
REREADS_SECONDS = 2  # fifteen of them, with their pauses, take half of that


class Episode:
    def __init__(self, entry):
        self.entry = entry
        self.effect = entry["effect"]
        self.file = entry["file"]
        self.page = entry["page"]
        self.is_request = self.effect in REQUEST_EFFECTS
        self.is_log = entry.get("is_log", False)
        self.is_sync = entry.get("is_sync", False)  # of the file as a whole
        self.seen = 1
        self.ranges = []
        self.times = []
        self.maybe_searched = False
        self.is_soon_overwritten = False
        self.add(entry)

    def add(self, entry):
        self.times.append(entry["time_s"])
        if self.is_request or self.is_log:
            self.ranges.append((entry["request_offset"], entry["request_offset"] + entry["request_size"]))

    def is_persistent(self):
        if self.is_request:
            return self.entry["persistent"] or self.seen >= TRIES
        return self.entry["persistent"]

    def names(self):
        """The kinds that the fault model allows."""
        entry, effect, persistent = self.entry, self.effect, self.is_persistent()
        if self.is_log:
            # With nothing sound behind it, and pages that depend on it, a missing block is the worse thing.
            at_end = {"wal_violation"} if persistent else set()
            return {"lost_write": {"log_gap"} | at_end, "zeroed_page": {"log_gap"} | at_end, "bit_corruption": {"log_block_damaged"},
                    "stale_block": {"log_stale_block"} | at_end}[effect]
        if effect == "stale_read" and persistent:
            return {"reverted_page"} if entry["read_back"] else {"lost_write"}
        if effect == "reverted_page" and self.maybe_searched:
            return {"reverted_page", "lost_write"}
        if effect == "misdirected_write":
            gone = {"lost_write"} if self.is_soon_overwritten else set()
            return {"misdirected_write"} | gone if entry["role"] == "target" or entry["elsewhere"] else {"lost_write"}
        if effect == "misdirected_read" and persistent:
            return {"misdirected_write"}
        if effect == "zeroed_page" and entry["writes"] == 1 and not entry["read_back"]:
            return {"lost_write"} if persistent else {"stale_read", "zeroed_page"}
        if effect == "short_transfer" and entry.get("is_write"):
            # The kernel turns a short answer to an asynchronous write into EIO (fuse_get_res_by_io).
            return {"short_transfer", "io_error"}
        return {effect}

    def fits(self, finding):
        if finding["file"] != self.file or (finding["operation"] == "sync") != self.is_sync:
            return False
        if self.is_sync:
            return True
        if self.is_log or self.is_request:
            begin, end = finding["offset"], finding["offset"] + max(finding["size"], 1)
            return any(begin < stop and start < end for start, stop in self.ranges)
        return finding["page"] == self.page

    def starts_with(self, finding):
        return not self.ranges or finding["offset"] == self.ranges[0][0]

    def __str__(self):
        entry = self.entry
        facts = [f"{key}={entry[key]}" for key in ("role", "other_file", "other_page", "elsewhere", "writes", "read_back", "is_write")
                 if key in entry]
        return (f"{self.effect} {'persistent' if self.is_persistent() else 'transient'} in {self.file} page {self.page} "
                f"(fault {entry['id']}, {' '.join(facts)}, read with {entry['request_size']} bytes at {entry['request_offset']})")


def episodes_of(truth):
    episodes, by_key = [], {}
    for entry in truth:
        if entry["event"] != "expose":
            continue
        # The tries of one failing request belong together: a write's, although each is a fault of its own; a read's, although it may be
        # tried again page by page.
        if entry["effect"] in REQUEST_EFFECTS:
            key = (entry["effect"], entry["file"], entry["page"]) if entry["is_write"] else entry["id"]
        else:
            key = (entry["id"], entry["file"], entry["page"])
        if key in by_key:
            by_key[key].seen += 1
            by_key[key].add(entry)
            continue
        by_key[key] = Episode(entry)
        episodes.append(by_key[key])
    return episodes


def is_cut_by_kernel(episode, finding):
    """A read that the kernel divides: where a later part of it fails, what came before it is returned as a short read."""
    return episode.effect == "io_error" and not episode.entry["is_write"] and finding["class"] == "short_transfer" and \
        finding["size"] > SPLIT_BYTES and finding["offset"] < episode.ranges[0][0]


def is_right(episode, finding):
    if finding["class"] not in episode.names() and not is_cut_by_kernel(episode, finding):
        return False
    # A request that is late has nothing that stays or does not.
    return episode.effect == "stalled_io" or finding["transient"] in (not episode.is_persistent(), None)


def heal_times(truth):
    return {(entry["id"], entry["file"], entry["page"]): entry["time_s"] for entry in truth if entry["event"] == "heal"}


def search_windows(truth, episodes):
    """When ioproof may have been looking for images that are not where they belong: from the first wrong answer to the repair. It then reads
    other pages, too, at any time and without knowing what they must hold."""
    heals = heal_times(truth)
    old = ("lost_write", "reverted_page", "misdirected_write", "stale_read", "zeroed_page")
    return [(episode, episode.times[0], heals.get((episode.entry["id"], episode.file, episode.page), float("inf")))
            for episode in episodes if episode.effect in old and episode.is_persistent() and not episode.is_log]


def mark_searched(truth, episodes):
    """Where what was read may have been read by such a search only."""
    windows = search_windows(truth, episodes)
    for episode in episodes:
        if episode.is_request or episode.is_log:
            continue
        times = [episode.entry["read_back_s"]] if episode.effect == "reverted_page" else episode.times
        episode.maybe_searched = all(any(other is not episode and begin <= at <= end for other, begin, end in windows) for at in times)


def mark_overwritten(truth, episodes):
    """Where a misdirected image was gone before anybody had the time to look for it."""
    for episode in episodes:
        entry = episode.entry
        if episode.effect == "misdirected_write" and entry["role"] == "source":
            episode.is_soon_overwritten = any(
                heal["event"] == "heal" and (heal["id"], heal["file"], heal["page"]) == (entry["id"], entry["other_file"], entry["other_page"])
                and 0 <= heal["time_s"] - episode.times[0] < SEARCH_SECONDS for heal in truth)


def is_same_transfer(episode, episodes, findings):
    """One finding: a transfer that is cut short, goes on, and is cut short again; a scatter read that fails, and when it is tried again page
    by page, a page of it."""
    return episode.effect in ("short_transfer", "io_error") and \
        any(finding["class"] == episode.effect and episode.fits(finding) for finding in findings) and \
        any(other is not episode and (other.effect, other.file) == (episode.effect, episode.file) and
            (0 <= episode.times[0] - other.times[-1] < 0.1 or 0 <= other.times[0] - episode.times[-1] < 0.1) for other in episodes)


def overlaps(one, other):
    return one.file == other.file and any(begin < stop and start < end for begin, end in one.ranges for start, stop in other.ranges)


def is_said_again(finding, episodes, findings):
    """A damaged log block, which cannot be repaired, by the audit of each cycle. A wrong answer that passes, by each who got it. A write that
    fails as a whole and page by page. Writes that the kernel holds back behind one that is late: it lets one write a file at a time."""
    for episode in episodes:
        if episode.effect == finding["class"] == "stalled_io" and episode.file == finding["file"] and episode.entry["is_write"]:
            return True
        if finding["class"] not in episode.names() or not episode.fits(finding):
            continue
        if episode.is_log and episode.is_persistent():
            return True
        if not episode.is_request:
            # Two readers that both got the wrong answer before it passed each say so.
            said = sum(finding["class"] == other["class"] and episode.fits(other) for other in findings)
            if not episode.is_persistent() and finding["transient"] and said <= episode.seen:
                return True
            continue
        # A page that fails in a write of many, and alone when it is tried again, is in the range of both: so are their findings.
        said = sum(finding["class"] == other["class"] and episode.fits(other) for other in findings)
        failed = sum(other.seen for other in episodes if other.effect == episode.effect and overlaps(other, episode))
        if said <= failed:
            return True
    return False


def is_told_by_other_end(episode, findings):
    """The overwritten page of a misdirected write may have been read while its image was looked for only."""
    entry = episode.entry
    return entry.get("role") == "target" and any(
        finding["other"] == (episode.file, episode.page) and finding["page"] == entry["other_page"] for finding in findings)


def is_spoilt_repair(episode, episodes, findings, heals):
    """The write that was to mend the page was spoilt in the same way: a page that stays wrong although it was repaired is one finding."""
    return not episode.is_request and not episode.is_log and episode.is_persistent() and \
        any(finding["class"] in episode.names() and episode.fits(finding) for finding in findings) and \
        any(other is not episode and (other.effect, other.file, other.page) == (episode.effect, episode.file, episode.page) and
            0 <= episode.times[0] - heals.get((other.entry["id"], other.file, other.page), float("inf")) < REREADS_SECONDS
            for other in episodes)


def is_said_by_two(finding, episodes, findings):
    """Two readers met the page before either had said so: both are right, and it is one too many."""
    return any(not episode.is_request and not episode.is_log and finding["class"] in episode.names() and episode.fits(finding) and
               episode.seen > 1 and sum(finding["class"] == other["class"] and episode.fits(other) for other in findings) == 2
               for episode in episodes)


def is_reread(episode, episodes, findings):
    """The read of the page alone, shortly after it was wrong in the same way: one of the re-reads that belong to that finding."""
    return not episode.is_request and not episode.is_log and episode.entry["request_size"] == PAGE_BYTES and \
        any(finding["class"] == episode.effect and episode.fits(finding) for finding in findings) and \
        any(other is not episode and (other.effect, other.file, other.page) == (episode.effect, episode.file, episode.page) and
            0 <= episode.times[0] - other.times[-1] < REREADS_SECONDS for other in episodes)


def judge(truth, findings, checks_names=True):
    """Returns (problems, notes, number of episodes); the first two are sentences. What only a search may have met, or two
    said, is a note."""
    notes = []
    problems = [f"a mistake of the faulty file system: {entry}" for entry in truth if entry["event"] == "unexplained"]
    episodes, left, open_episodes = episodes_of(truth), list(findings), []
    mark_searched(truth, episodes)
    mark_overwritten(truth, episodes)

    def take(episode, want):
        match = next((finding for finding in left if episode.fits(finding) and want(episode, finding)), None)
        if match:
            left.remove(match)
        return match

    # Exact pairs first, so that a wrong name of one does not spoil the neighbour's, nor a request that reaches into the next one's range.
    unpaired = [episode for episode in episodes if not take(episode, lambda e, f: is_right(e, f) and e.starts_with(f))]
    for episode in unpaired:
        exact = take(episode, is_right)
        if not exact:
            open_episodes.append(episode)
    for episode in open_episodes:
        found = take(episode, lambda e, f: True)
        if found is None:
            is_said = is_told_by_other_end(episode, findings) or is_same_transfer(episode, episodes, findings) or \
                is_reread(episode, episodes, findings) or is_spoilt_repair(episode, episodes, findings, heal_times(truth))
            if not is_said:
                if episode.maybe_searched:
                    notes.append(f"not found, but perhaps met by a search only: {episode}")
                else:
                    problems.append(f"MISSED: {episode}")
        elif checks_names:
            problems.append(f"WRONG NAME: {episode}: found as {'transient' if found['transient'] else 'persistent'} {found['class']}, "
                            f"allowed {'/'.join(sorted(episode.names()))}: {found['text']}")
    has_log_episode = any(episode.file.endswith(".ldx") for episode in episodes)
    for finding in left:
        # A log that cannot be read to its end also lacks what is behind the fault.
        if has_log_episode and finding["class"] == "wal_violation":
            continue
        if is_said_again(finding, episodes, findings):
            continue
        sentence = f"{finding['class']} in {finding['file']} page {finding['page']}: {finding['text']}"
        if is_said_by_two(finding, episodes, findings):
            notes.append(f"said twice: {sentence}")
            continue
        problems.append(f"FALSE ALARM: {sentence}")
    return problems, notes, len(episodes)
