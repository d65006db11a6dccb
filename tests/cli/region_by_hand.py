# SPDX-License-Identifier: MIT
"""A picture, measured for each pixel, line and picture by read() in the program
(tests/apps/by_hand.c) and by regionstat. The emulated machine compares instructions
(tests/guest/cases/by_hand.py). This test compares pages that are touched first: both ways touch the
same number, and reading adds none."""

import os
import sys

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "guest"))
import by_hand_table  # noqa: E402 pylint: disable=wrong-import-position

WIDTH, HEIGHT = 320, 24
CALLS = {"pixel": WIDTH * HEIGHT, "line": HEIGHT, "render": 1}
INNER = {"pixel": 0, "line": WIDTH, "render": HEIGHT + HEIGHT * WIDTH}
EVENTS = "page-faults,task-clock"
# Pages of the program's code, libraries and stack that one of the two ways may touch before the
# other.
OTHER_PAGES = 6


class ByHand(harness.TestCase):

    def test_pages_of_a_picture(self):
        harness.need_no_sanitizer()
        program = harness.app("by-hand")
        arguments = [EVENTS, "%dx%d" % (WIDTH, HEIGHT), "2"]
        alone = self.execute([program, "table", *arguments])
        rows, costs, picture = by_hand_table.read(alone.stdout)
        result = self.measure(program, "markers", *arguments, options=["-e", "{%s}" % EVENTS])
        self.assertEqual(result.stdout.split(), ["picture", picture])
        for line in by_hand_table.side_by_side(rows, costs, INNER, result.report):
            harness.note(line)
        pages = 3 * WIDTH * HEIGHT // 4096
        self.assertEqual(costs["page-faults"], (0, 0))
        for region, calls in CALLS.items():
            by_hand = rows[region, "page-faults"]
            row = result.report.region(region, "page-faults")
            with self.subTest(region=region):
                self.assertEqual((by_hand.calls, row.calls, row.counted), (calls,) * 3)
                self.assertGreaterEqual(row.total, pages)
                self.assertLessEqual(abs(row.total - round(by_hand.avg * calls)), OTHER_PAGES)
                self.assertLessEqual(abs(row.max - by_hand.max), OTHER_PAGES)
                if calls > 1:  # nearly all calls touch no other page
                    self.assertEqual(row.p90, by_hand.p90)


if __name__ == "__main__":
    harness.main()
