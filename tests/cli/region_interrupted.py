# SPDX-License-Identifier: MIT
"""Signal handlers that interrupt markers and do not simply return: they fork, run other user
threads, jump, or run on an alternate stack of unknown extent. The program runs as without
regionstat. Counted calls are complete, and messages count the others."""

import re
from collections import Counter

import harness

MS = 400
PERIOD_MS = 1  # period of the timer whose signal interrupts
# The most markers that are skipped after a jump, until the runtime is sure that none is in
# progress, or assumes so.
MOST_SKIPPED = 64
EVENTS = ("time", "page-faults")


class Interrupted(harness.TestCase):

    def interrupt(self, mode, events):
        """Run the program. Return the result, and the sums of what it printed, by name."""
        result = self.measure(harness.need_app("interrupted"), mode, MS, events=events)
        told = Counter()
        for name, number in re.findall(r"^(.+) (\d+)$", result.stdout, re.MULTILINE):
            told[name] += int(number)
        self.assertNotIn("no sense", result.stderr)
        self.assertNotIn("do not include all calls", result.stderr)
        # an interruption separates at most two calls from their ENDs: the one whose marker was
        # interrupted, and one of the code that ran instead
        n_interruptions = {
            "fork": lambda: told["most"] - told["least"],
            "users": lambda: MS // PERIOD_MS + 1,
            "anywhere": lambda: told["handler"],
            "inner": lambda: told["jumps"],
        }[mode]()
        self.assertLessEqual(self.count(result, "open"), 2 * n_interruptions, result)
        return result, told

    @staticmethod
    def count(result, *events):
        """Return how many calls have these diagnostics, in all regions."""
        return sum(row.calls for row in result.report.select(kind="diagnostic") if row.event in events)

    def test_fork_in_a_marker(self):
        harness.need_no_sanitizer("ThreadSanitizer reports fork() in a handler", "thread")
        for events in EVENTS:
            with self.subTest(events=events):
                result, told = self.interrupt("fork", events)
                calls = result.report.calls()["common"]
                self.assertTrue(told["least"] <= calls <= told["most"], (calls, told))

    def test_user_threads_switched_in_a_marker(self):
        harness.need_no_sanitizer("ThreadSanitizer needs a call at every switch of fibers", "thread")
        for events in EVENTS:
            with self.subTest(events=events):
                result, told = self.interrupt("users", events)
                calls = result.report.calls()
                for user, n in told.items():
                    self.assertLessEqual(calls.get(user, 0), n)
                n = sum(told.values())
                self.assertLessEqual(calls["common"], n)
                # a skipped round has four markers; the rounds at both ends are skipped in part, and
                # diagnostics count their calls
                (n_skipped,) = re.findall(r"([\d,]+) markers? skipped", result.stderr) or ["0"]
                self.assertGreaterEqual(
                    calls["common"],
                    n - int(n_skipped.replace(",", "")) / 4 - self.count(result, "lost", "open", "unmatched"), told)

    def test_an_alternate_stack_that_says_nothing(self):
        harness.need_no_sanitizer("ThreadSanitizer needs a call at every switch of fibers", "thread")
        for events in EVENTS:
            with self.subTest(events=events):
                result, told = self.interrupt("anywhere", events)
                calls = result.report.calls()
                # one guess of the runtime may be wrong, and loses one call
                self.assertTrue(told["main"] - 1 <= calls["main"] <= told["main"], (calls, told))
                self.assertLessEqual(calls.get("handler", 0), told["handler"])

    def test_jumps_to_a_frame_above(self):
        for events in EVENTS:
            with self.subTest(events=events):
                result, told = self.interrupt("inner", events)
                calls = result.report.calls()
                least = told["afterwards"] - MOST_SKIPPED * told["children"]
                self.assertTrue(least <= calls["afterwards"] <= told["afterwards"], (calls, told))
                self.assertGreater(told["jumps"], 0)
                # the call that a jump leaves may have ended or not
                self.assertLessEqual(calls["interrupted"], told["interrupted"] + told["jumps"])
                # with a sanitizer, frames are larger and more markers are skipped
                if harness.SANITIZE == "none":
                    self.assertGreaterEqual(
                        calls["interrupted"], told["interrupted"] - MOST_SKIPPED * told["jumps"])
