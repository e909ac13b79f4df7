#!/usr/bin/env python3
"""What a kill or a cut left can be verified if files and log are those of one run; otherwise nothing need be said about them."""
import struct
import unittest

from crash_run import BLOCK_HEADER_BYTES, PAGE_BYTES, SECTOR_BYTES, can_be_verified, crc32c
from check_files import expected_image

RUN, OTHER_RUN = 77, 78


def data_of(run_id):
    return expected_image(1, run_id, 0, 1, 0, 1)


def block_of(run_id, size_bytes=1024):
    rest = struct.pack("<4sHHIQ", b"IOPL", 4, 1, size_bytes, run_id).ljust(size_bytes - 4, b"\0")
    return struct.pack("<I", crc32c(rest)) + rest


def log_of(run_id, block):
    return expected_image(2, run_id, 0, 1, 0, 1) + bytes(SECTOR_BYTES) + block + bytes(4096)


class WhatIsLeft(unittest.TestCase):
    def test_files_and_a_block_of_one_run_can_be_verified(self):
        self.assertTrue(can_be_verified(data_of(RUN), log_of(RUN, block_of(RUN))))

    def test_an_empty_or_torn_log_says_nothing(self):
        block = block_of(RUN)
        self.assertFalse(can_be_verified(data_of(RUN), log_of(RUN, b"")))
        self.assertFalse(can_be_verified(data_of(RUN), log_of(RUN, block[:SECTOR_BYTES] + bytes(SECTOR_BYTES - 1) + b"x")))
        self.assertFalse(can_be_verified(data_of(RUN), log_of(RUN, block)[:PAGE_BYTES + SECTOR_BYTES + BLOCK_HEADER_BYTES]))

    def test_a_run_that_was_about_to_replace_another_one_says_nothing(self):
        self.assertFalse(can_be_verified(data_of(OTHER_RUN), log_of(RUN, block_of(RUN))))
        self.assertFalse(can_be_verified(data_of(RUN), log_of(RUN, block_of(OTHER_RUN))))
        self.assertFalse(can_be_verified(b"", log_of(RUN, block_of(RUN))))
        self.assertFalse(can_be_verified(bytes(PAGE_BYTES), log_of(RUN, block_of(RUN))))


if __name__ == "__main__":
    unittest.main()
