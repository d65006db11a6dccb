# SPDX-License-Identifier: MIT
"""A region in which a few calls take nearly all of the time: the last lines of the table say so."""

import re

import harness

TAIL = re.compile(r"^- tail: 2 of its 100 calls \(over ([\d.]+) ms\) take (\d+)% of its time"
                  r"(, off-CPU)?$", re.MULTILINE)


class Tails(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("a sanitizer takes time within regions and outside")
        self.program = self.compile("tail.c", harness.compilers()[0])

    def show(self, how, rseq="1"):
        env = harness.environment(GLIBC_TUNABLES="glibc.pthread.rseq=" + rseq)
        return self.regionstat("-e", "time", self.program, how, env=env)

    def test_the_tail_of_calls_that_wait(self):
        """The values agree with the program's own clocks, CLOCK_THREAD_CPUTIME_ID and
        CLOCK_MONOTONIC. Five of a hundred calls take at least 20 ms each, and two of them at least
        a third of that."""
        for how in ("wait", "work"):
            with self.subTest(how=how):
                result = self.show(how)
                line = TAIL.search(result.stderr)
                self.assertTrue(line, result)
                self.assertGreaterEqual(float(line.group(1)), 19.9, result)
                self.assertGreaterEqual(int(line.group(2)), 33, result)
                if how == "wait" and "on-CPU time is unknown" not in result.stderr:
                    self.assertEqual(line.group(3), ", off-CPU", result)
                    self.assertRegex(result.stderr, r"(?m)^- blocked \(sleep, lock, I/O\): tail ")
                if int(result.stdout) > 50:  # percent of its time that it was on a CPU
                    self.assertIsNone(line.group(3), result)

    def test_where_it_is_not_known(self):
        result = self.show("wait", rseq="0")
        self.assertIsNone(TAIL.search(result.stderr).group(3), result)
        self.assertNotIn("- blocked", result.stderr)

    def test_csv_has_no_notes(self):
        result = self.measure(self.program, "wait", events="time")
        self.assertEqual(result.stderr, "")
        row = result.report.region("tail")
        self.assertGreater(row.avg, row.p90)
