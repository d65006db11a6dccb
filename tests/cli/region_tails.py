# SPDX-License-Identifier: MIT
"""A region whose average lies above its 90th percentile: the table says why."""

import re

import harness

WAITING = r"\nnote: threads were off a CPU for part of the time of: 'tail' \((\d+)% of "
NOTE = "note: avg is above p90 where a few calls took much of the time:"


class Tails(harness.TestCase):

    def setUp(self):
        super().setUp()
        if harness.SANITIZE != "none":
            self.skipTest("a sanitizer takes time within regions and outside")
        self.program = self.compile("tail.c", harness.compilers()[0])

    def test_who_waited(self):
        """As the program's own clocks have it: CLOCK_THREAD_CPUTIME_ID beside CLOCK_MONOTONIC."""
        for how in ("wait", "work"):
            with self.subTest(how=how):
                result = harness.regionstat("-e", "task-clock", self.program, how)
                self.assertEqual(result.status, 0, result)
                self.assertIn(NOTE, result.stderr)
                line = re.search(r"\n  'tail': the slowest tenth took at least (\d+)% of its time"
                                 r"(?:; on a CPU for (\d+)% of it"
                                 r"|; blocked for \d+% of it, preempted for \d+%)?\n",
                                 result.stderr + "\n")
                self.assertTrue(line, result)
                # five of a hundred calls take 100 ms together, the others nearly nothing
                self.assertGreaterEqual(int(line.group(1)), 50, result)
                if line.group(2):
                    working = int(line.group(2))
                    self.assertGreaterEqual(working, 90, result)
                else:
                    waiting = re.search(WAITING, result.stderr)
                    # just between the two nothing is said
                    working = 100 - int(waiting.group(1)) if waiting else 90
                self.assertLessEqual(abs(working - int(result.stdout)), 15, result)
                if how == "wait":
                    self.assertLess(working, 90, result)

    def test_without_task_clock(self):
        """Its on-CPU time says why; where that is not known the note names the event."""
        for rseq in ("1", "0"):
            env = harness.environment(GLIBC_TUNABLES="glibc.pthread.rseq=" + rseq)
            result = harness.regionstat("-e", "time", self.program, "wait", env=env)
            note = result.stderr.partition(NOTE)[2]
            is_known = "blocked" in note
            self.assertFalse(is_known and rseq == "0")
            self.assertRegex(note, r"\n  'tail': the slowest tenth took at least \d+% of its time"
                             + r"; blocked for \d+% of it, preempted for \d+%\n" * is_known)
            self.assertEqual("\n  try: -e task-clock, " in note, not is_known)

    def test_csv_has_no_notes(self):
        result = self.measure(self.program, "wait", events="time")
        self.assertNotIn("avg is above", result.stderr)
        row = result.report.region("tail")
        self.assertGreater(row.avg, row.p90)


if __name__ == "__main__":
    harness.main()
