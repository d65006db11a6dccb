# SPDX-License-Identifier: MIT
"""The markers' use of the program's stack. This may be an alternate stack of 8 KiB, of which the
kernel has used a part, or the stack of a user thread. A painted stack shows the use of every
marker."""

import re
from functools import partialmethod

import harness

MOST_BYTES = 1536
KINDS = ["first", "plain", "another", "by-name", "recursive", "overlapping", "asynchronous",
         "longer", "paused", "plain-again", "child"]


class Stack(harness.TestCase):

    def check(self, events, *options):
        harness.need_no_sanitizer("sanitizers take stack of their own")
        result = self.measure(harness.need_app("stack_use"), events=events, options=options)
        used = dict(re.findall(r"^(\S+) (\d+)$", result.stdout, re.MULTILINE))
        self.assertEqual(list(used), KINDS, result)
        harness.note("%s: %s" % (events, ", ".join("%s %s" % item for item in used.items())))
        for kind, n_bytes in used.items():
            with self.subTest(kind=kind):
                self.assertLessEqual(int(n_bytes), MOST_BYTES)

    test_time = partialmethod(check, "time")
    test_one_event = partialmethod(check, "page-faults")
    test_clocks = partialmethod(check, "task-clock,cpu-clock,page-faults")

    def test_many_events_in_several_groups(self):
        groups = "{page-faults,minor-faults,major-faults,context-switches}"
        self.check([groups, "{task-clock,cpu-migrations}", "alignment-faults"])

    test_hardware_events = partialmethod(check, "cycles,instructions")

    def test_sampled(self):
        self.check("page-faults", "--sample", "4")
        self.check("time", "--sample", "4")

    test_raw = partialmethod(check, "page-faults", "--raw")
