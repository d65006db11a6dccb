# SPDX-License-Identifier: MIT
"""The markers' use of the program's stack. This may be an alternate stack of 8 KiB, of which the
kernel has used a part, or the stack of a user thread. A painted stack shows the use of every
marker."""

import re

import harness

MOST_BYTES = 1536
KINDS = ["first", "plain", "another", "by-name", "recursive", "overlapping", "asynchronous",
         "longer", "paused", "plain-again", "child"]


class Stack(harness.TestCase):

    def test_each_kind_of_marker(self):
        harness.need_no_sanitizer("sanitizers take stack of their own")
        groups = ["{page-faults,minor-faults,major-faults,context-switches}",
                  "{task-clock,cpu-migrations}", "alignment-faults"]
        for events, *options in (("time",), ("page-faults",), ("task-clock,cpu-clock,page-faults",),
                                 (groups,), ("cycles,instructions",), ("time", "--sample", "4"),
                                 ("page-faults", "--sample", "4"), ("page-faults", "--raw")):
            result = self.measure(harness.need_app("stack_use"), events=events, options=options)
            used = dict(re.findall(r"^(\S+) (\d+)$", result.stdout, re.MULTILINE))
            self.assertEqual(list(used), KINDS, result)
            harness.note("%s: %s" % (events, ", ".join("%s %s" % item for item in used.items())))
            for kind, n_bytes in used.items():
                with self.subTest(events=events, options=options, kind=kind):
                    self.assertLessEqual(int(n_bytes), MOST_BYTES)
