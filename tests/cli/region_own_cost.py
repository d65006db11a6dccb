# SPDX-License-Identifier: MIT
"""One run of overhead.py, or REGIONSTAT_RUNS of them, and the message if calibration fails."""

import os

import harness
import overhead

RUNS = int(os.environ.get("REGIONSTAT_RUNS", "1"))


class OwnCost(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer()
        self.program = self.compile("own_cost.c", harness.compilers()[0], "-std=gnu11", "-O2")

    def check(self):
        for run in range(RUNS):
            with self.subTest(run=run):
                try:
                    errors = overhead.errors_of_a_run(self.program, self.directory)
                except overhead.Noise as noise:
                    self.skipTest(str(noise))
                for clock, error in errors.items():
                    harness.note("%s %s" % (clock, error))
                    self.assertTrue(error.is_small(), (clock, error))

    def test_alone(self):
        self.check()

    def test_beside_busy_neighbours(self):
        with overhead.busy_neighbours(2):
            self.check()

    def test_little_address_space(self):
        """The result is as exact, or a message says that it is not. The overhead is never taken as
        0."""
        n_ran = n_judged = 0
        for kib in (16000, 64000, 66000, 70000, 76000, 128000):
            result, report, truths = overhead.one_run(
                self.program, self.directory,
                ("sh", "-c", 'ulimit -v %d; exec "$0" "$@"' % kib))
            if result.status != 0 or not truths:
                continue  # too little for the program itself
            n_ran += 1
            with self.subTest(kib=kib):
                calls = report.calls()
                if not calls:
                    self.assertRegex(result.stderr, "address space|memory")
                    continue
                try:
                    error = overhead.error_of(report, truths, "cpu")
                except overhead.Noise as noise:
                    harness.note("%d KiB: %s" % (kib, noise))
                    continue
                n_judged += 1
                harness.note("%d KiB: %s" % (kib, error or "not counted"))
                if not error or not error.is_small():
                    self.assertRegex(result.stderr, r"cost|memory|address space")
        self.assertGreater(n_ran, 3)
        if not n_judged:
            self.skipTest("too noisy to tell in all of %d runs" % n_ran)


class LostTheCpu(harness.TestCase):
    """A thread's off-CPU time within a marker is no overhead."""

    DELAY_NS = 200 * 1000 * 1000

    def test_stopped_in_first_markers(self):
        """strace(1) stops the program in system calls of regions' first markers, and for that long
        none of them runs."""
        harness.need_no_sanitizer("sanitizers do not like to be traced")
        log, program = self.path("strace.log"), harness.app("firsts")
        result = self.measure(
            harness.need_tool("strace"), "-f", "-o", log, "-e", "trace=fallocate",
            "-e", "inject=fallocate:delay_exit=%d" % (self.DELAY_NS // 1000), program, 300,
            events="time")
        rows = [row for row in result.report.select(kind="info", event="overhead") if row.region]
        self.assertGreater(len(rows), 100)
        n_delays = harness.read_text(log).count("DELAYED")
        self.assertGreater(n_delays, 3)
        self.assertLess(result.report.markers_ns(), self.DELAY_NS, "%d delays" % n_delays)
