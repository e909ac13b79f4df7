#!/usr/bin/env python3
"""Reads a backup by docs/backup_format.md alone, computes what a restore of it gives, and compares that with the restored file.

    check_backup.py --program IOPROOF FOLDER    makes a run in a new folder below FOLDER; exit 77 if it cannot be done there
"""
import os
import struct
import sys
import tempfile

from check_files import BLOCK_HEADER_BYTES, PAGE_BYTES, check_page, check_records, crc32c, execute, expect

SET_BEGIN, PAGES, LOG, SET_END = 1, 2, 3, 4
FULL, DIFFERENTIAL, LOG_BACKUP = 1, 2, 3
HEADER = "<I4sHHIQQIIQQQ"
STRIPES, TRANSFER_BYTES = 2, 64 * 1024

# Even on a slow machine the log must have room for everything that is logged until it has been copied.
CONFIGURATION = """
[config]
test_cycles = 1
test_cycle_duration_s = 4
[[file]]
path = "{0}/a.mdx"
initial_size_mb = 2
max_size_mb = 8
increment_mb = 1
shrinkable = true
[[file]]
path = "{0}/a.ldx"
initial_size_mb = 256
max_size_mb = 256
log_file = true
[random_user]
user_count = 1
[shrink_user]
min_interval_s = 1
max_interval_s = 1
max_extends = 2
[backup_user]
backup_folder = "{0}/backups"
restore_folder = "{0}/restored"
keep_files = true
stripes = 2
max_transfer_kb = 64
differential_interval_s = 1
log_interval_s = 1
"""


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Chain:
    """The contents of a chain: its backups, the places of their pages, and its log."""

    def __init__(self, path):
        self.path, self.data = path, read(path)
        self.sets, self.blocks, self.run_id, self.number = [], [], None, 0
        check_page(path, self.data, 0)
        at = PAGE_BYTES
        while self.is_next(at):
            at += self.take(at)
        expect(self.sets and self.sets[-1]["end"], path, at, "no backup, or one that has no end")

    def is_next(self, at):
        """Whether the chain continues here; it is followed by the remains of an older one, or by nothing."""
        if self.data[at + 4:at + 8] != b"IOPB":
            return False
        fields = struct.unpack_from(HEADER, self.data, at)
        return self.number == 0 or (fields[5] == self.run_id and fields[6] == self.number + 1 and fields[9] == self.chain)

    def take(self, at):
        (checksum, _, version, kind, size_bytes, run_id, number, used_bytes, set_number, chain, utc_us,
         reserved) = struct.unpack_from(HEADER, self.data, at)
        chunk = self.data[at:at + size_bytes]
        expect(version == 1 and size_bytes % 4096 == 0 and 64 <= used_bytes <= size_bytes <= TRANSFER_BYTES, self.path, at, "sizes")
        expect(len(chunk) == size_bytes and crc32c(chunk[4:]) == checksum, self.path, at, "the checksum is wrong")
        expect(utc_us > 0 and reserved == 0 and not any(chunk[used_bytes:]), self.path, at, "time, reserved field or padding")
        expect(number == self.number + 1, self.path, at, f"chunk {number} behind chunk {self.number}")
        self.number, self.run_id, self.chain = number, run_id, chain
        body = chunk[64:used_bytes]
        if kind == SET_BEGIN:
            expect(set_number == len(self.sets) + 1, self.path, at, f"backup {set_number} behind {len(self.sets)} others")
            backup, files, stripes, block_pages = struct.unpack_from("<IIII", body)
            expect((backup == FULL) == (set_number == 1) and backup <= LOG_BACKUP, self.path, at, "kind of the backup")
            expect((stripes, block_pages) == (STRIPES, TRANSFER_BYTES // PAGE_BYTES), self.path, at, "stripes or pages of a block")
            sizes = dict(struct.unpack_from("<II", body, 16 + 8 * i) for i in range(files))
            self.sets.append({"kind": backup, "sizes": sizes, "runs": [], "end": None})
        expect(self.sets and set_number == len(self.sets) and kind <= SET_END, self.path, at, "a chunk of no backup")
        if kind == PAGES:
            expect(self.sets[-1]["kind"] != LOG_BACKUP, self.path, at, "pages in a log backup")
            self.sets[-1]["runs"] += struct.iter_unpack("<IIIII", body)
        elif kind == LOG:
            self.take_log(at + 64, body)
        elif kind == SET_END:
            self.sets[-1]["end"] = struct.unpack("<QQQ", body)
            pages = sum(run[2] for run in self.sets[-1]["runs"])
            expect(self.sets[-1]["end"][1] == pages, self.path, at, f"{self.sets[-1]['end'][1]} pages are said, {pages} are there")
        return size_bytes

    def take_log(self, place, body):
        at = 0
        while at < len(body):
            checksum, magic, _, count, size_bytes, run_id, sequence, first_lsn, _, used_bytes = struct.unpack_from("<I4sHHIQQQII", body, at)
            block = body[at:at + size_bytes]
            expect(magic == b"IOPL" and BLOCK_HEADER_BYTES <= size_bytes == len(block) and run_id == self.run_id, self.path, place + at, "no block")
            expect(crc32c(block[4:]) == checksum, self.path, place + at, "the block's checksum is wrong")
            expect(not self.blocks or sequence == self.blocks[-1][0] + 1, self.path, place + at, f"block {sequence} is not the next one")
            self.blocks.append((sequence, check_records(self.path, place + at, block, count, used_bytes, first_lsn)))
            at += size_bytes


def pages_of(backup, stripes):
    """The pages of a backup: (file id, page) -> (version, LSN), or None for a page that was never written."""
    pages, places = {}, set()
    for file_id, first_page, count, stripe, place in backup["runs"]:
        path, data = stripes[stripe]
        for i in range(count):
            expect((stripe, place + i) not in places and place + i > 0, path, (place + i) * PAGE_BYTES, "two pages in one place")
            places.add((stripe, place + i))
            page = check_page(path, data, place + i)
            pages[file_id, first_page + i] = page and page[2:]
    return pages


def restore(chain, stripes):
    """The pages and sizes of the files as a restore of the whole chain leaves them, and how many changes and cuts of the log it took."""
    last_with_pages = [backup for backup in chain.sets if backup["kind"] != LOG_BACKUP][-1]
    pages, sizes = pages_of(chain.sets[0], stripes), dict(last_with_pages["sizes"])
    for (file_id, first_page, size) in ((f, 0, s) for f, s in chain.sets[0]["sizes"].items()):
        expect(all((file_id, page) in pages for page in range(first_page, size)), chain.path, 0, "a full backup without all pages")
    if last_with_pages is not chain.sets[0]:
        pages = {(file_id, number): page for (file_id, number), page in pages.items() if number < sizes[file_id]}
        pages.update(pages_of(last_with_pages, stripes))
    end_lsn, changed, cuts = chain.sets[-1]["end"][0], 0, 0
    for record in (record for _, records in chain.blocks for record in records if record[4] <= end_lsn):
        kind, file_id, page_id, version, lsn, page_count, _ = record
        page = pages.get((file_id, page_id))
        if kind in (1, 2) and (page is None or lsn > page[1]):
            pages[file_id, page_id] = (version, lsn)
            changed += 1
        if kind == 5:
            sizes[file_id] = page_count
        if kind == 5 and page_count < page_id:
            pages = {key: page for key, page in pages.items()
                     if key[0] != file_id or key[1] < page_count or (page is not None and page[1] > lsn)}
            cuts += 1
    return pages, sizes, changed, cuts


def check(folder):
    chain = Chain(os.path.join(folder, "backups", "ioproof_backup.trn"))
    paths = [os.path.join(folder, "backups", f"ioproof_backup_{number}.bak") for number in range(1, STRIPES + 1)]
    pages, sizes, changed, cuts = restore(chain, [(path, read(path)) for path in paths])
    path = os.path.join(folder, "restored", "restored_1_a.mdx")
    restored, written = read(path), 0
    expect(len(restored) == sizes[1] * PAGE_BYTES, path, 0, f"has {len(restored) // PAGE_BYTES} pages, not {sizes[1]}")
    for number in range(1, len(restored) // PAGE_BYTES):
        page = check_page(path, restored, number)
        expected = pages.get((1, number))
        expect((page and page[2:]) == expected, path, number * PAGE_BYTES, f"holds {page and page[2:]}, the backup {expected}")
        written += page is not None
    expect(written > 0 and chain.blocks, path, 0, "nothing to check")
    kinds = [backup["kind"] for backup in chain.sets]
    expect(kinds[-1] == LOG_BACKUP, path, 0, f"backups of kinds {kinds}")
    print(f"{len(kinds)} backups, {len(chain.blocks)} log blocks in {chain.number} chunks are as the document says; {written} restored pages "
          f"hold what they say, {changed} changes of the log among them, and {cuts} cuts")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "--program":
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as made:
        for folder in ("backups", "restored"):
            os.mkdir(os.path.join(made, folder))
        with open(os.path.join(made, "backup.toml"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(made))
        execute(sys.argv[2], made, "-cfg", os.path.join(made, "backup.toml"))
        check(made)
