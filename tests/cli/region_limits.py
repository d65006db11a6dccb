# SPDX-License-Identifier: MIT
"""Programs that restrict themselves: closed descriptors, resource limits, locked memory, and no
debugging (PR_SET_DUMPABLE). Calls and time stay exact, and a message names what cannot be
counted."""

import harness

LIMITS = ("none", "closed", "file-size", "locked-memory", "mlockall", "hidden", "closed-hidden")
REGIONS = ["region %d" % i for i in range(20)]
N = 100
CALLS = {name: 3 * N for name in REGIONS}  # in the main thread, a new thread, and a child


class Limits(harness.TestCase):

    def check(self, program, how, events="page-faults,task-clock"):
        result = self.measure(harness.app(program), "limited", how, N, events=events,
                              env=harness.without_leak_check())
        self.assertEqual(result.report.calls(), CALLS)
        self.assertClean(result.report)
        return result

    def test_everything_is_counted(self):
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            for how in LIMITS:
                with self.subTest(program=program, how=how):
                    result = self.check(program, how)
                    for name in REGIONS:
                        for event in ("page-faults", "task-clock"):
                            row = result.report.region(name, event)
                            self.assertEqual((row.status, row.counted), ("ok", 3 * N), row)

    def test_a_daemon_without_descriptors_and_rights(self):
        """It can neither use the descriptor of the shared memory nor open that of regionstat."""
        harness.need_root("only root can become another user")
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            with self.subTest(program=program):
                self.check(program, "closed-dropped", "time")

    def test_no_descriptors_left(self):
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            with self.subTest(program=program):
                result = self.check(program, "descriptors")
                row = result.report.region("region 0", "page-faults")
                self.assertEqual((row.status, row.counted, row.avg), ("not-counted", 0, None))
                self.assertRegex(result.stderr, r"3 threads measured time only")
                self.assertIn("ulimit -n", result.stderr)

    def test_a_quarter_of_the_descriptors(self):
        """Counters use at most a quarter of RLIMIT_NOFILE. Further threads measure only time, and a
        message says so."""
        harness.need_no_sanitizer("sanitizers need descriptors of their own")
        result = self.measure("sh", "-c", "ulimit -n 256; exec %s threads 100 3"
                              % harness.app("rules"), events="page-faults")
        self.assertEqual(result.report.region("call").calls, 300)
        row = result.report.region("call", "page-faults")
        self.assertEqual((row.calls, row.counted, row.max), (300, 64 * 3, 0))
        self.assertIn("36 threads measured time only", result.stderr)

    @harness.steady
    def test_totals_of_all_where_not_all_count(self):
        """Counts of threads without a counter are estimated from their time, and a message says
        so."""
        harness.need_no_sanitizer("sanitizers need descriptors of their own")
        harness.need_exact_faults()
        threads, n, k = 40, 200, 20
        result = self.measure("sh", "-c", "ulimit -n 64; exec %s faults-threads %d %d %d"
                              % (harness.app("rules"), threads, n, k), events="page-faults")
        row = result.report.region("touch", "page-faults")
        self.assertEqual((row.status, row.calls, row.counted),
                         ("scaled", threads * n, 16 * n))
        self.assertEqual((row.min, row.avg, row.max), (k, k, k))
        self.assertIn("24 threads measured time only", result.stderr)
        self.assertNotIn("PMU", result.stderr)
        # the estimate follows the threads' time, which varies; the threads that counted have
        # 0.4 of the total
        ratio = row.total / (threads * n * k)
        if not 0.5 < ratio < 1.5:
            raise harness.TimeMissing("total is %.2f of the truth" % ratio)

    def test_fewer_descriptors_where_threads_are_many(self):
        """Threads keep one descriptor for each event until all together have half of their limit,
        and then one for each group. With a limit of 64, ten threads have 3 each, and 34 threads
        one."""
        harness.need_no_sanitizer("sanitizers need descriptors of their own")
        harness.need_root("without CAP_IPC_LOCK the kernel lets map few events")
        events = "task-clock,page-faults,context-switches"
        result = self.measure("sh", "-c", "ulimit -n 256; exec %s threads 100 3"
                              % harness.app("rules"), events=events)
        row = result.report.region("call", "page-faults")
        self.assertEqual((row.calls, row.counted), (300, (10 + 34) * 3))
        self.assertIn("56 threads measured time only", result.stderr)
