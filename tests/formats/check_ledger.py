#!/usr/bin/env python3
"""Reads a ledger by docs/ledger_format.md alone, and checks that the files of its run hold what it says.

    check_ledger.py --program IOPROOF FOLDER    makes runs in a new folder below FOLDER; exit 77 if it cannot be done there
"""
import os
import struct
import sys
import tempfile

from check_files import PAGE_BYTES, crc32c, expect, run

HEADER = "<I4sHHIQQQQ"
CUT, SIZE, VOID_PAGE, VOID_FILE = 1, 2, 3, 4


def padded(size_bytes):
    return (size_bytes + 7) // 8 * 8


class Ledger:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.path, self.sections, self.files, self.pages, self.number = path, [], {}, {}, 0
        self.hardened = 0
        at = 0
        while at < len(self.data):
            at += self.take(at)

    def take(self, at):
        checksum, magic, version, kind, size_bytes, run_id, section, number, utc_us = struct.unpack_from(HEADER, self.data, at)
        record = self.data[at:at + size_bytes]
        expect(magic == b"IOPP" and version == 1 and size_bytes % 8 == 0 and len(record) == size_bytes, self.path, at, "no record")
        expect(crc32c(record[4:]) == checksum and utc_us > 0, self.path, at, "the checksum or the time is wrong")
        if kind == 1:
            self.begin(at, record, run_id, section)
        else:
            expect(kind == 2 and (run_id, section) == self.sections[-1][:2] and number == self.number + 1, self.path, at, "no next batch")
            self.number = number
            self.add(at, record)
        return size_bytes

    def begin(self, at, record, run_id, section):
        keeps_section, keeps_number, incarnation, host_bytes, file_count, zero = struct.unpack_from("<QQIIII", record, 48)
        if self.sections and (run_id, section, incarnation) == self.sections[-1][:3]:
            return
        keeps = bool(self.sections) and (keeps_section, keeps_number) == (self.sections[-1][1], self.number)
        if not keeps:
            self.pages, self.hardened = {}, 0
        at_file = 80 + padded(host_bytes)
        self.files = {}
        for _ in range(file_count):
            file_id, is_log, pages, path_bytes = struct.unpack_from("<IIII", record, at_file)
            path = record[at_file + 16:at_file + 16 + path_bytes].decode()
            self.files[file_id] = [is_log, pages, path]
            at_file += 16 + padded(path_bytes)
        expect(zero == 0 and at_file == len(record), self.path, at, "a section of another length")
        expect(file_count > 0, self.path, at, "a section without files")
        self.sections.append((run_id, section, incarnation, keeps))
        self.number = 0

    def add(self, at, record):
        sequence, _, _, controls, pages = struct.unpack_from("<QQQII", record, 48)
        expect(len(record) == 80 + 24 * controls + 16 * pages, self.path, at, "a batch of another length")
        self.hardened = max(self.hardened, sequence)
        for kind, file_id, count, _ in struct.iter_unpack("<IIQQ", record[80:80 + 24 * controls]):
            if kind == CUT:
                self.void(lambda page, f=file_id, n=count: page[0] == f and page[1] >= n)
                self.files[file_id][1] = min(self.files[file_id][1], count)
            elif kind == SIZE:
                self.files[file_id][1] = count
            else:
                expect(kind in (VOID_PAGE, VOID_FILE), self.path, at, f"a control of kind {kind}")
                self.void(lambda page, k=kind, f=file_id, n=count: page[0] == f and (k == VOID_FILE or page[1] == n))
        for file_id, page, version, checksum in struct.iter_unpack("<IIII", record[80 + 24 * controls:]):
            self.pages[file_id, page] = (version, checksum)

    def void(self, is_void):
        self.pages = {page: promise for page, promise in self.pages.items() if not is_void(page)}


def newest_block(path):
    """The highest sequence number of a block in the log; blocks are found by their magic alone."""
    with open(path, "rb") as file:
        data = file.read()
    return max(struct.unpack_from("<Q", data, at + 24)[0] for at in range(PAGE_BYTES, len(data), 512) if data[at + 4:at + 8] == b"IOPL")


def check(path):
    ledger = Ledger(path)
    expect(len(ledger.pages) > 100, path, 0, f"only {len(ledger.pages)} pages are promised")
    equal = 0
    for file_id, (is_log, count, name) in ledger.files.items():
        if is_log:
            expect(ledger.hardened <= newest_block(name), name, 0, f"block {ledger.hardened} is promised")
            continue
        with open(name, "rb") as file:
            data = file.read()
        expect(len(data) >= count * PAGE_BYTES > 0, name, 0, f"{count} pages are promised")
        for (owner, page), (version, checksum) in ledger.pages.items():
            if owner != file_id:
                continue
            found_checksum, found = struct.unpack_from("<I24xI", data, page * PAGE_BYTES)
            expect(found >= version, name, page * PAGE_BYTES, f"version {version} is promised, {found} is there")
            expect(found > version or found_checksum == checksum, name, page * PAGE_BYTES, "another page of the promised version")
            equal += found == version
    expect(equal > 0 and ledger.hardened > 0, path, 0, "nothing to compare")
    print(f"{len(ledger.sections)} sections, {len(ledger.pages)} pages promised, {equal} of them the newest, log up to block {ledger.hardened}")
    return ledger


if len(sys.argv) != 4 or sys.argv[1] != "--program":
    sys.exit(__doc__)
with tempfile.TemporaryDirectory(dir=sys.argv[3]) as folder:
    path = os.path.join(folder, "ledger")
    run(sys.argv[2], folder, "--ledger", path)
    expect([section[2] for section in check(path).sections] == [0, 1], path, 0, "a new run has two sections")
    run(sys.argv[2], folder, "--ledger", path, "--resume")
    last = check(path).sections[-1]
    expect(last[2] == 2 and last[3], path, 0, "a run that goes on keeps what was promised and verified")
