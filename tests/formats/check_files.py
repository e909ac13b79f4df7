#!/usr/bin/env python3
"""Reads data and log files by docs/page_format.md and docs/log_format.md alone, and checks every byte of them.

    check_files.py FILE...                      files of one run, data and log
    check_files.py --program IOPROOF FOLDER     makes a short run in a new folder below FOLDER first; exit 77 if it cannot be done there
"""
import os
import struct
import subprocess
import sys
import tempfile

MASK = (1 << 64) - 1
BLOCK_HEADER_BYTES = 80
PAGE_BYTES, SECTOR_BYTES, MB = 8192, 512, 1 << 20
SIGNATURE = (b"\n\nThis is a test file of ioproof, the SQL Server I/O simulator.\n"
             b"It contains no user data and can be deleted when no test is running.\n\n")


def splitmix64(state):
    state = (state + 0x9e3779b97f4a7c15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
    return state, z ^ (z >> 31)


def mix64(value):
    return splitmix64(value & MASK)[1]


def rotl(value, count):
    return ((value << count) | (value >> (64 - count))) & MASK


def make_noise(words):
    s, state = [], 0x696f70726f6f6631
    for _ in range(4):
        state, value = splitmix64(state)
        s.append(value)
    noise = bytearray()
    for _ in range(words):
        noise += struct.pack("<Q", (rotl((s[1] * 5) & MASK, 7) * 9) & MASK)
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
    return bytes(noise)


NOISE = make_noise(9216)


def fill(seed, size_bytes):
    out = bytearray()
    while len(out) < size_bytes:
        count = min(1024 * 8, size_bytes - len(out))
        begin, key = (seed >> 51) * 8, mix64(seed)
        source = int.from_bytes(NOISE[begin:begin + count], "little")
        out += (source ^ int.from_bytes(struct.pack("<Q", key) * (count // 8), "little")).to_bytes(count, "little")
        seed = key
    return bytes(out)


# CRC-32C, eight bytes at a time: CRC_TABLES[k][b] is the change of the checksum by byte b followed by k zero bytes.
CRC_TABLES = [[0] * 256 for _ in range(8)]
for index in range(256):
    crc = index
    for _ in range(8):
        crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    CRC_TABLES[0][index] = crc
for row in range(1, 8):
    for index in range(256):
        crc = CRC_TABLES[row - 1][index]
        CRC_TABLES[row][index] = (crc >> 8) ^ CRC_TABLES[0][crc & 0xff]


def crc32c(data):
    t0, t1, t2, t3, t4, t5, t6, t7 = CRC_TABLES
    crc, whole = 0xffffffff, len(data) // 8 * 8
    for a, b, c, d, e, f, g, h in struct.iter_unpack("8B", data[:whole]):
        crc = (t7[a ^ (crc & 255)] ^ t6[b ^ (crc >> 8 & 255)] ^ t5[c ^ (crc >> 16 & 255)] ^ t4[d ^ (crc >> 24)] ^
               t3[e] ^ t2[f] ^ t1[g] ^ t0[h])
    for byte in data[whole:]:
        crc = (crc >> 8) ^ t0[(crc ^ byte) & 255]
    return crc ^ 0xffffffff


def expect(condition, path, offset, text):
    if not condition:
        sys.exit(f"{path}: at {offset:#x}: {text}")


def expected_image(file_id, run_id, page_id, version, lsn, write_utc_us):
    seed = mix64(mix64(run_id ^ (file_id << 32 | page_id)) + version)
    page = bytearray(fill(seed, PAGE_BYTES))
    kind = 2 if page_id == 0 else 1
    page[0:96] = struct.pack("<I4sHHIQIIQQQ40x", 0, b"IOPF", 1, kind, file_id, run_id, page_id, version, lsn, seed, write_utc_us)
    if page_id == 0:
        page[96:96 + len(SIGNATURE)] = SIGNATURE
    for sector in range(16):
        end = (sector + 1) * SECTOR_BYTES
        page[end - 16:end] = struct.pack("<IIIHH", page_id, version, write_utc_us & 0xffffffff, run_id & 0xffff, file_id << 4 | sector)
    page[0:4] = struct.pack("<I", crc32c(page[4:]))
    return bytes(page)


def check_page(path, data, number):
    """Returns the page's (file_id, run_id, version, lsn), or None for zeros."""
    offset = number * PAGE_BYTES
    page = data[offset:offset + PAGE_BYTES]
    if page == bytes(PAGE_BYTES):
        expect(number != 0, path, offset, "no signature")
        return None
    _, _, _, _, file_id, run_id, page_id, version, lsn, _, write_utc_us = struct.unpack_from("<I4sHHIQIIQQQ", page)
    expect(page_id == number and version > 0, path, offset, f"is page {page_id}, version {version}")
    image = expected_image(file_id, run_id, page_id, version, lsn, write_utc_us)
    if page != image:
        wrong = next(i for i in range(PAGE_BYTES) if page[i] != image[i])
        expect(False, path, offset + wrong, f"page {number} is not as the document says")
    return file_id, run_id, version, lsn


def virtual_log_files(size_bytes, alignment):
    number = max(4 if size_bytes < 64 * MB else 8 if size_bytes <= 1024 * MB else 16, -(-size_bytes // (512 * MB)))
    length = (size_bytes - PAGE_BYTES) // number // alignment * alignment
    return {PAGE_BYTES + i * length for i in range(number)}


def check_records(path, offset, block, record_count, used_bytes, first_lsn):
    records, at = [], BLOCK_HEADER_BYTES
    for slot in range(record_count):
        size_bytes, kind, number, file_id, page_id, version, page_count, lsn = struct.unpack_from("<IHHIIIIQ", block, at)
        expect(size_bytes >= 32 and size_bytes % 8 == 0 and at + size_bytes <= used_bytes, path, offset + at, "size of the record")
        expect(1 <= kind <= 9 and number == slot and lsn == first_lsn + slot, path, offset + at, "kind, slot or LSN of the record")
        body = block[at + 32:at + size_bytes]
        if kind not in (4, 6, 8, 9):
            expect(body == fill(mix64(lsn), size_bytes - 32), path, offset + at, "noise of the record")
        expect((version > 0) == (kind in (1, 2, 6)) and (file_id > 0) == (kind in (1, 2, 5, 6, 7, 9)) and (page_count > 0) == (kind in (5, 6)),
               path, offset + at, f"fields of a record of kind {kind}")
        expect(kind not in (4, 8) or len(body) == 16, path, offset + at, f"size of a record of kind {kind}")
        expect(kind != 9 or (len(body) == 8 and page_id > 0), path, offset + at, "cuts of a file")
        expect(kind != 5 or page_id > 0, path, offset + at, "a file_resize that does not say how long the file was")
        expect(kind != 6 or (len(body) % 16 == 0 and page_id % version == 0 and version & version - 1 == 0), path, offset + at, "sums")
        records.append((kind, file_id, page_id, version, lsn, page_count, body))
        at += size_bytes
    expect(at == used_bytes and not any(block[at:]), path, offset + at, "end of the records, or padding")
    return records


def check_log(path, data, identity, blocks):
    """Finds the VLFs by their first blocks, and checks them and their places."""
    begins = set()
    for begin in range(PAGE_BYTES, len(data), SECTOR_BYTES):
        if data[begin + 4:begin + 8] == b"IOPL" and data[begin + 52:begin + 56] == bytes(4):
            if check_vlf(path, data, begin, identity, blocks):
                begins.add(begin)
    # VLFs of the initial size are where the document says; a grown part begins with a VLF. The file does not say its initial size.
    expect(any(begins <= virtual_log_files(size * MB, alignment) | set(range(size * MB, len(data), MB))
               for alignment in (512, 4096) for size in range(len(data) // MB, 0, -1)), path, 0, "the VLFs are not where they should be")


def check_vlf(path, data, begin, identity, blocks):
    """Returns the number of blocks."""
    at, turn, last, length, count_found = 0, None, None, len(data) - begin, 0
    while at + BLOCK_HEADER_BYTES <= length:
        offset = begin + at
        (checksum, magic, version, count, size_bytes, run_id, sequence, first_lsn, vlf_sequence, used_bytes, file_id, sector,
         hardened, write_utc_us, incarnation, vlf_sectors) = struct.unpack_from("<I4sHHIQQQIIIIQQII", data, offset)
        if magic != b"IOPL" or not BLOCK_HEADER_BYTES <= size_bytes <= min(61440, length - at) or size_bytes % SECTOR_BYTES:
            break
        block = data[offset:offset + size_bytes]
        if crc32c(block[4:]) != checksum or sector * SECTOR_BYTES != at:
            break
        if turn is not None and ((run_id, vlf_sequence) != turn or sequence != last + 1):
            break
        turn, last = (run_id, vlf_sequence), sequence
        expect((file_id, run_id) == identity and version == 4 and hardened < sequence and write_utc_us > 0 and incarnation >= 1,
               path, offset, "fields of the block")
        expect(at + size_bytes <= vlf_sectors * SECTOR_BYTES <= length, path, offset, "size of the VLF")
        expect(first_lsn == vlf_sequence << 32 | sector << 12, path, offset, "first LSN of the block")
        expect(sequence not in blocks, path, offset, f"block {sequence} twice")
        blocks[sequence] = check_records(path, offset, block, count, used_bytes, first_lsn)
        at += size_bytes
        count_found += 1
    return count_found


def check_checkpoints(path, records, versions):
    """Every complete checkpoint in the log must have recorded the page versions at its beginning."""
    begins = {r[4]: i for i, r in enumerate(records) if r[0] == 3}
    ends = [(i, *struct.unpack("<QII", r[6])) for i, r in enumerate(records) if r[0] == 4]
    complete = [end for end in ends if end[1] in begins]
    expect(ends and complete, path, 0, "no complete checkpoint in the log")
    for end, begin_lsn, sums_count, unknown_count in complete:
        begin = begins[begin_lsn]
        within = records[begin:end]
        sums = [r for r in within if r[0] == 6]
        expect(len(sums) == sums_count and sum(r[0] == 7 for r in within) == unknown_count, path, 0, "records of the checkpoint")
        if any(r[0] == 5 for r in records[begin:]):
            continue
        first_after = {}
        for r in records[begin:]:
            if r[0] == 1:
                first_after.setdefault((r[1], r[2]), r[3])
        for _, file_id, first_page, region_pages, _, page_count, body in sums:
            for number, (total, weighted) in enumerate(struct.iter_unpack("<QQ", body)):
                pages = range(first_page + number * region_pages, min(first_page + (number + 1) * region_pages, page_count))
                then = {p: first_after.get((file_id, p), versions.get((file_id, p), (0,))[0] + 1) - 1 for p in pages}
                expect(total == sum(then.values()) and weighted == sum(mix64(p % region_pages + 1) * v for p, v in then.items()) % 2**64,
                       path, 0, f"sums of the region from page {pages[0]} of file {file_id} on")


def check(paths):
    blocks, versions, runs, files = {}, {}, set(), []
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        expect(len(data) % MB == 0, path, len(data), "not whole megabytes")
        file_id, run_id, _, _ = check_page(path, data, 0)
        runs.add(run_id)
        files.append(file_id)
        first = data[PAGE_BYTES + 4:PAGE_BYTES + 8]
        if first == b"IOPL":
            check_log(path, data, (file_id, run_id), blocks)
            continue
        for number in range(len(data) // PAGE_BYTES):
            page = check_page(path, data, number)
            if page is not None:
                expect(page[:2] == (file_id, run_id), path, number * PAGE_BYTES, "page of another file or run")
                versions[file_id, number] = page[2:]
    expect(len(runs) == 1 and len(set(files)) == len(files), paths[0], 0, "not the files of one run")

    # The log and the pages must agree: after a complete run the disk holds the newest versions in the log.
    sequence = max(blocks, default=0)
    records = []
    while sequence in blocks:
        records[:0] = blocks[sequence]
        kind, body = blocks[sequence][0][0], blocks[sequence][0][6]
        sequence = struct.unpack("<Q", body[:8])[0] if kind == 8 else sequence - 1
    expect([r[4] for r in records] == sorted({r[4] for r in records}), paths[0], 0, "LSNs do not grow")
    newest = {(r[1], r[2]): (r[3], r[4]) for r in records if r[0] in (1, 2)}
    resized = {r[1] for r in records if r[0] == 5}
    for page, logged in newest.items():
        if page[0] not in resized:
            expect(versions.get(page) == logged, paths[0], page[1] * PAGE_BYTES, f"log says {logged}, page says {versions.get(page)}")
    expect(len(versions) > 0 and len(records) > 0, paths[0], 0, "nothing to check")
    check_checkpoints(paths[0], records, versions)
    print(f"{len(versions)} pages, {len(blocks)} log blocks, {sum(map(len, blocks.values()))} records are as the documents say; "
          f"{len(newest)} pages hold what the log says")


def execute(program, folder, *arguments):
    result = subprocess.run([program, "run", *arguments, "-log", os.path.join(folder, "log.xml"), "--quiet"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, check=False)
    if result.returncode == 3:
        print("skipped:", result.stdout)
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"the run failed with {result.returncode}:\n{result.stdout}")


def run(program, folder, *more):
    execute(program, folder, "-dir", folder, "-size", "4", "-d", "1", *more)


def run_and_check(program, folder):
    """Checks the files of a run, then of a run that resumes with them."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        for more in ((), ("--resume",)):
            run(program, made, *more)
            check([os.path.join(made, name) for name in ("sqliosim.mdx", "sqliosim.ldx")])


if crc32c(b"123456789") != 0xe3069283 or mix64(0) != 0xe220a8397b1dcdaf:
    sys.exit("this reader's own arithmetic is wrong")
if __name__ == "__main__":
    if len(sys.argv) < 2 or (sys.argv[1] == "--program" and len(sys.argv) != 4):
        sys.exit(__doc__)
    if sys.argv[1] == "--program":
        run_and_check(sys.argv[2], sys.argv[3])
    else:
        check(sys.argv[1:])
