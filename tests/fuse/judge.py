"""Compares what ioproof found with what happened: the rules of docs/fault_model.md, written without looking at ioproof's code.

An episode is one exposed fault at one place, from its injection until the place is written again. Each must be found once, with the right
name, and nothing else may be found.
"""
REQUEST_EFFECTS = ("io_error", "short_transfer", "stalled_io")
TRIES = 5  # a failed request is retried four times
PAGE_BYTES = 8192
SPLIT_BYTES = 1 << 20  # longer requests arrive in parts
SEARCH_SECONDS = 0.5  # for searching the likely places, with four runs on two CPUs
AFTER_REPAIR_SECONDS = 0.1  # what a search found is diagnosed and repaired, then the search goes on
REREADS_SECONDS = 2  # fifteen re-reads with their pauses take half of that


class Episode:
    def __init__(self, entry):
        self.entry = entry
        self.effect = entry["effect"]
        self.file = entry["file"]
        self.page = entry["page"]
        self.is_request = self.effect in REQUEST_EFFECTS
        self.is_log = entry.get("is_log", False)
        self.is_sync = entry.get("is_sync", False)  # a sync concerns the whole file
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
        """The kinds of finding that the fault model allows."""
        entry, effect, persistent = self.entry, self.effect, self.is_persistent()
        if self.is_log:
            # With nothing sound after it, and pages that depend on it, a missing block is the graver fault.
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
            # The kernel turns a short result of an asynchronous write into EIO (fuse_get_res_by_io).
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
    episodes, by_key, others = [], {}, {}
    for entry in truth:
        if entry["event"] == "inject" and "other_file" in entry:
            others[entry["id"]] = {key: entry[key] for key in ("other_file", "other_page")}
        if entry["event"] != "expose":
            continue
        if entry["effect"] == "misdirected_read":
            entry = {**others.get(entry["id"], {}), **entry}
        # The tries of one failing request belong together, although each try of a write is a separate fault, and a read may be retried page
        # by page.
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
    """If a later part of a read that the kernel splits fails, the preceding parts are returned as a short read."""
    return episode.effect == "io_error" and not episode.entry["is_write"] and finding["class"] == "short_transfer" and \
        finding["size"] > SPLIT_BYTES and finding["offset"] < episode.ranges[0][0]


def has_right_other(episode, finding):
    """A misdirected transfer must be reported with the right place at its other end."""
    if not finding["class"].startswith("misdirected_") or "other_file" not in episode.entry:
        return True
    return finding["other"] == (episode.entry["other_file"], episode.entry["other_page"])


def is_right(episode, finding):
    if finding["class"] not in episode.names() and not is_cut_by_kernel(episode, finding):
        return False
    if not has_right_other(episode, finding):
        return False
    # For a late request, persistent or transient means nothing.
    return episode.effect == "stalled_io" or finding["transient"] in (not episode.is_persistent(), None)


def heal_times(truth):
    return {(entry["id"], entry["file"], entry["page"]): entry["time_s"] for entry in truth if entry["event"] == "heal"}


def search_windows(truth, episodes):
    """When ioproof may have searched for a missing image: from the first wrong answer until shortly after the repair. During a search it
    also reads other pages, without knowing what they must hold."""
    heals = heal_times(truth)
    old = ("lost_write", "reverted_page", "misdirected_write", "stale_read", "zeroed_page")
    return [(episode, episode.times[0], heals.get((episode.entry["id"], episode.file, episode.page), float("inf")) + AFTER_REPAIR_SECONDS)
            for episode in episodes if episode.effect in old and episode.is_persistent() and not episode.is_log]


def mark_searched(truth, episodes):
    """Marks episodes that perhaps only such a search has read."""
    windows = search_windows(truth, episodes)
    for episode in episodes:
        if episode.is_request or episode.is_log:
            continue
        times = [episode.entry["read_back_s"]] if episode.effect == "reverted_page" else episode.times
        episode.maybe_searched = all(any(other is not episode and begin <= at <= end for other, begin, end in windows) for at in times)


def mark_overwritten(truth, episodes):
    """Marks misdirected writes whose image was overwritten before ioproof could search for it."""
    for episode in episodes:
        entry = episode.entry
        if episode.effect == "misdirected_write" and entry["role"] == "source":
            episode.is_soon_overwritten = any(
                heal["event"] == "heal" and (heal["id"], heal["file"], heal["page"]) == (entry["id"], entry["other_file"], entry["other_page"])
                and 0 <= heal["time_s"] - episode.times[0] < SEARCH_SECONDS for heal in truth)


def is_same_transfer(episode, episodes, findings):
    """Faults that make one finding: a transfer that is cut short, continues, and is cut short again; a scatter read that fails, and one of
    its pages in the retry page by page."""
    return episode.effect in ("short_transfer", "io_error") and \
        any(finding["class"] == episode.effect and episode.fits(finding) for finding in findings) and \
        any(other is not episode and (other.effect, other.file) == (episode.effect, episode.file) and
            (0 <= episode.times[0] - other.times[-1] < 0.1 or 0 <= other.times[0] - episode.times[-1] < 0.1) for other in episodes)


def overlaps(one, other):
    return one.file == other.file and any(begin < stop and start < end for begin, end in one.ranges for start, stop in other.ranges)


def is_held_up(finding, episodes, findings):
    """By a late write to the file: the kernel allows only one write to a file at a time. Two writes of a page are never under way at the
    same time, so each late write holds up one of them at most."""
    if finding["class"] != "stalled_io":
        return False
    late = sum(episode.seen for episode in episodes
               if episode.effect == "stalled_io" and episode.file == finding["file"] and episode.entry["is_write"])
    said = sum(other["class"] == "stalled_io" and other["operation"] == "write" and other["file"] == finding["file"] and
               other["offset"] < finding["offset"] + max(finding["size"], 1) and
               finding["offset"] < other["offset"] + max(other["size"], 1) for other in findings)
    return late > 0 and (finding["operation"] != "write" or said <= late)


def is_said_again(finding, episodes, findings):
    """Findings that may repeat: a damaged log block, which cannot be repaired, in the audit of each cycle; a transient wrong answer, from
    each reader that got it; a write that fails as a whole and page by page; writes queued behind a late one."""
    if is_held_up(finding, episodes, findings):
        return True
    for episode in episodes:
        if finding["class"] not in episode.names() or not episode.fits(finding):
            continue
        if episode.is_log and episode.is_persistent():
            return True
        if not episode.is_request:
            # Two readers that both got the transient wrong answer each report it.
            said = sum(finding["class"] == other["class"] and episode.fits(other) for other in findings)
            if not episode.is_persistent() and finding["transient"] and said <= episode.seen:
                return True
            continue
        # A page that fails in a write of many, and again alone in the retry, is in the range of both requests, and so are their findings.
        said = sum(finding["class"] == other["class"] and episode.fits(other) for other in findings)
        failed = sum(other.seen for other in episodes if other.effect == episode.effect and overlaps(other, episode))
        if said <= failed:
            return True
    return False


def is_told_by_other_end(episode, findings):
    """The page that a misdirected write overwrote may have been read only by the search for its image."""
    entry = episode.entry
    return entry.get("role") == "target" and any(
        finding["other"] == (episode.file, episode.page) and finding["page"] == entry["other_page"] for finding in findings)


def is_spoilt_repair(episode, episodes, findings, heals):
    """The write that was to repair the page suffered the same fault: a page that stays wrong in spite of the repair is one finding."""
    return not episode.is_request and not episode.is_log and episode.is_persistent() and \
        any(finding["class"] in episode.names() and episode.fits(finding) for finding in findings) and \
        any(other is not episode and (other.effect, other.file, other.page) == (episode.effect, episode.file, episode.page) and
            0 <= episode.times[0] - heals.get((other.entry["id"], other.file, other.page), float("inf")) < REREADS_SECONDS
            for other in episodes)


def is_said_by_two(finding, episodes, findings):
    """Two readers met the page before either had reported it: both are right, but one finding is redundant."""
    return any(not episode.is_request and not episode.is_log and finding["class"] in episode.names() and episode.fits(finding) and
               episode.seen > 1 and sum(finding["class"] == other["class"] and episode.fits(other) for other in findings) == 2
               for episode in episodes)


def is_reread(episode, episodes, findings):
    """A read of the single page, shortly after it was wrong in the same way, is one of the re-reads of that finding."""
    return not episode.is_request and not episode.is_log and episode.entry["request_size"] == PAGE_BYTES and \
        any(finding["class"] == episode.effect and episode.fits(finding) for finding in findings) and \
        any(other is not episode and (other.effect, other.file, other.page) == (episode.effect, episode.file, episode.page) and
            0 <= episode.times[0] - other.times[-1] < REREADS_SECONDS for other in episodes)


def judge(truth, findings, checks_names=True):
    """Returns (problems, notes, number of episodes); the first two are lists of sentences. Faults that perhaps only a search met, and
    faults that two readers reported, become notes."""
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

    # Pairs exact matches first, so that neither a wrongly named neighbor nor an overlapping request takes the finding of another episode.
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
                            f"other {found['other']}, allowed {'/'.join(sorted(episode.names()))}: {found['text']}")
    has_log_episode = any(episode.file.endswith(".ldx") for episode in episodes)
    for finding in left:
        # A log that cannot be read to its end also lacks everything after the fault. A restored file must not: nothing wrong is copied.
        if has_log_episode and finding["class"] == "wal_violation" and finding["file"].endswith(".ldx"):
            continue
        if is_said_again(finding, episodes, findings):
            continue
        sentence = f"{finding['class']} in {finding['file']} page {finding['page']}: {finding['text']}"
        if is_said_by_two(finding, episodes, findings):
            notes.append(f"said twice: {sentence}")
            continue
        problems.append(f"FALSE ALARM: {sentence}")
    return problems, notes, len(episodes)
