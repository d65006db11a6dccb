# SPDX-License-Identifier: MIT
"""The clock reading that ends a call waits for the work before it. A call with 10 to 1,000 ns of
dependent work is reported as long as the thread's CPU clock says over a million calls."""

from functools import partialmethod

import harness

# A pair of markers takes 15 ns with a warm cache, and 36 ns otherwise. The overhead is wrong by at
# most that, and by a share if the CPU's frequency changes. Without waiting, most of the work would
# be missing.
LACK_NS, SLACK_NS, SLACK_RATIO = 15, 36, 0.03
CALLS = 1000000


class DependentWork(harness.TestCase):

    def check(self, duration_ns):
        harness.need_no_sanitizer()
        program = self.compile("chain.c", harness.compilers()[0], "-std=gnu11", "-O2")
        result = self.measure(program, duration_ns, CALLS, events="time")
        truth_ns = float(result.stdout)
        # also on-CPU time, because other tasks preempt some calls
        row = result.report.region("chain", "cpu-time")
        if row.status == "not-supported":
            self.skipTest("this kernel does not tell a thread that it was switched out (rseq)")
        self.assertEqual(row.calls, CALLS)
        error_ns = row.avg - truth_ns
        harness.note("%.1f ns, reported %+.1f" % (truth_ns, error_ns))
        # the program calibrates its number of steps, and the CPU's frequency may change
        self.assertTrue(duration_ns / 2 < truth_ns < 2 * duration_ns, truth_ns)
        self.assertLessEqual(error_ns, SLACK_NS + SLACK_RATIO * truth_ns, row)
        self.assertGreaterEqual(error_ns, -LACK_NS - SLACK_RATIO * truth_ns, row)

    test_10_ns = partialmethod(check, 10)
    test_50_ns = partialmethod(check, 50)
    test_100_ns = partialmethod(check, 100)
    test_1000_ns = partialmethod(check, 1000)
