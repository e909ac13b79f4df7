#!/usr/bin/env python3
"""The judge of the findings must itself be able to reject one. Needs no FUSE."""
import unittest

from judge import judge


def late_write(page, number=1):
    return {"event": "expose", "id": number, "effect": "stalled_io", "file": "one.mdx", "page": page, "is_write": True, "persistent": False,
            "time_s": 1.0, "request_offset": page * 8192, "request_size": 8192}


def late(page, operation="write", size=8192):
    return {"class": "stalled_io", "operation": operation, "warning": True, "transient": False, "file": "one.mdx", "page": page,
            "offset": page * 8192, "size": size, "other": None, "text": "late"}


class LateWrites(unittest.TestCase):
    def problems(self, truth, findings):
        return len(judge(truth, findings)[0])

    def test_a_late_write_holds_up_other_writes_of_its_file(self):
        self.assertEqual(self.problems([late_write(7)], [late(7), late(8), late(9)]), 0)
        self.assertEqual(self.problems([late_write(7)], [late(7), late(0, "sync", 0)]), 0)

    def test_a_late_write_is_itself_reported(self):
        self.assertEqual(self.problems([late_write(7)], []), 1)

    def test_each_late_write_holds_up_a_page_only_once(self):
        self.assertEqual(self.problems([late_write(7)], [late(7), late(8), late(8)]), 2)
        self.assertEqual(self.problems([late_write(7), late_write(20, 2)], [late(7), late(20), late(8), late(8)]), 0)

    def test_without_a_late_write_a_late_request_is_a_false_alarm(self):
        self.assertEqual(self.problems([], [late(8)]), 1)


if __name__ == "__main__":
    unittest.main()
