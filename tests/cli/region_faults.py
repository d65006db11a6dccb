# SPDX-License-Identifier: MIT
"""Counts that follow by arithmetic: page faults that a program causes exactly, in every statistic.

Each call touches a known number of fresh pages. Before that the program touches everything else
that could fault in it (tests/apps/rules/pages.h), so every call must be exact."""

import math

import harness


class Faults(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_exact_faults()

    def check_constant(self, row, calls, value):
        self.assertEqual((row.status, row.calls, row.counted), ("ok", calls, calls), row)
        self.assertEqual((row.min, row.avg, row.p50, row.p90, row.p99, row.max, row.stddev),
                         (value, value, value, value, value, value, 0), row)
        self.assertEqual(row.total, calls * value, row)

    def test_every_call_is_exact(self):
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            for n, k in ((1000, 1), (1000, 7), (300, 100), (20, 2000), (1, 5)):
                with self.subTest(program=program, n=n, k=k):
                    result = self.measure(harness.app(program), "faults", n, k,
                                          events="page-faults")
                    report = result.report
                    self.assertClean(report)
                    self.check_constant(report.region("touch", "page-faults"), n, k)
                    self.check_constant(report.region("idle", "page-faults"), n, 0)
                    self.assertEqual(report.region("touch", "page-faults").self_total, n * k)
                    self.assertGreaterEqual(report.run("page-faults").total, n * k)

    def test_several_events_in_one_group_and_in_several(self):
        for events in ("page-faults,minor-faults,major-faults,task-clock",
                       "{page-faults,minor-faults},{major-faults,task-clock}",
                       ["page-faults", "minor-faults", "{major-faults,task-clock}"]):
            with self.subTest(events=events):
                report = self.measure(harness.app("rules"), "faults", "200", "5",
                                      events=events).report
                self.check_constant(report.region("touch", "page-faults"), 200, 5)
                self.check_constant(report.region("touch", "minor-faults"), 200, 5)
                self.check_constant(report.region("touch", "major-faults"), 200, 0)
                self.check_constant(report.region("idle", "minor-faults"), 200, 0)

    def rising(self, n):
        """Return a row whose call i has i faults, i = 0 .. n - 1."""
        script = "".join("r%dR" % i for i in range(n))
        return self.measure(harness.app("rules"), "markers", 1, script,
                            events="page-faults").report.region("r", "page-faults")

    def test_distribution(self):
        """Every statistic has a closed form."""
        n = 400
        row = self.rising(n)
        self.assertEqual((row.calls, row.counted, row.total), (n, n, n * (n - 1) // 2))
        self.assertEqual((row.min, row.max), (0, n - 1))
        self.assertAlmostEqual(row.avg, (n - 1) / 2, places=9)
        self.assertAlmostEqual(row.stddev, math.sqrt((n * n - 1) / 12), places=6)
        for quantile, value in ((0.5, row.p50), (0.9, row.p90), (0.99, row.p99)):
            nearest_rank = math.ceil(quantile * n) - 1  # the values equal their ranks, from 0
            self.assertLessEqual(abs(value - nearest_rank), 0.008 * nearest_rank, quantile)

    def test_small_values_have_exact_quantiles(self):
        row = self.rising(60)  # below 64 every value has its own bucket
        self.assertEqual((row.p50, row.p90, row.p99), (29, 53, 59))

    def test_inclusive_and_self(self):
        """Events during several calls are in all of them, and own events of the innermost one: of the
        one that began last. NEXT reads once for both regions. For each region there are the faults of a
        call, and those of its own."""
        n = 200
        for what, script, regions in (
                ("b within a", "a3b5BA", {"a": (8, 3), "b": (5, 5)}),
                ("b ends after a", "a2b3A4B", {"a": (5, 2), "b": (7, 7)}),
                ("three end in the order of their begins", "a1b1c1A1B1C",
                 {"a": (3, 1), "b": (3, 1), "c": (3, 3)}),
                ("NEXT", "aA/b3B/aA", {"a": (0, 0), "b": (3, 3)})):
            with self.subTest(what):
                report = self.measure(harness.app("rules"), "markers", n, script,
                                      events="page-faults").report
                for region, (faults, own) in regions.items():
                    row, calls = report.region(region, "page-faults"), n * script.count(region)
                    self.check_constant(row, calls, faults)
                    self.assertEqual(row.self_total, calls * own)

    def test_fibers_with_the_same_regions(self):
        """No stack frame of one fiber is gone because another fiber's stack is above it."""
        harness.need_no_sanitizer("AddressSanitizer does not follow swapcontext(3)", "address")
        n, faults = 200, 3
        report = self.measure(harness.app("rules"), "fibers", n, *["s%dy|YS" % faults] * 2,
                              events="page-faults").report
        step, inner = (report.region(name, "page-faults") for name in "sy")
        self.assertEqual((step.calls, inner.calls), (2 * n, 2 * n))
        self.assertEqual((step.self_total, inner.self_total), (2 * n * faults, 0))

    def test_child_process(self):
        harness.need_no_sanitizer("AddressSanitizer's own memory faults after a fork", "address")
        report = self.measure(harness.app("rules"), "markers", 1, "{" + "t4T" * 100 + "}",
                              events="page-faults").report
        self.check_constant(report.region("t", "page-faults"), 100, 4)
