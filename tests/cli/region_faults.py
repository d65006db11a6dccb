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

    def test_next_reads_once_and_stays_exact(self):
        report = self.measure(harness.app("rules"), "faults-next", "500", "3",
                              events="page-faults").report
        self.check_constant(report.region("touch", "page-faults"), 500, 3)
        self.check_constant(report.region("idle", "page-faults"), 501, 0)

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

    def test_distribution(self):
        """Call i has i faults, i = 0 .. n - 1, so every statistic has a closed form."""
        n = 400
        row = self.measure(harness.app("rules"), "faults-rising", n,
                           events="page-faults").report.region("rising", "page-faults")
        self.assertEqual((row.calls, row.counted, row.total), (n, n, n * (n - 1) // 2))
        self.assertEqual((row.min, row.max), (0, n - 1))
        self.assertAlmostEqual(row.avg, (n - 1) / 2, places=9)
        self.assertAlmostEqual(row.stddev, math.sqrt((n * n - 1) / 12), places=6)
        for quantile, value in ((0.5, row.p50), (0.9, row.p90), (0.99, row.p99)):
            nearest_rank = math.ceil(quantile * n) - 1  # the values equal their ranks, from 0
            self.assertLessEqual(abs(value - nearest_rank), 0.008 * nearest_rank, quantile)

    def test_small_values_have_exact_quantiles(self):
        n = 60  # below 64 every value has its own bucket
        row = self.measure(harness.app("rules"), "faults-rising", n,
                           events="page-faults").report.region("rising", "page-faults")
        self.assertEqual((row.p50, row.p90, row.p99), (29, 53, 59))

    def test_nested_is_inclusive_and_self(self):
        n, own, inner = 200, 3, 5
        report = self.measure(harness.app("rules"), "faults-nested", n, own, inner,
                              events="page-faults").report
        self.check_constant(report.region("inner", "page-faults"), n, inner)
        outer = report.region("outer", "page-faults")
        self.assertEqual(report.region("inner", "page-faults").self_total, n * inner)
        self.assertEqual((outer.calls, outer.min, outer.p50, outer.p90), (n, own + inner,) +
                         (own + inner,) * 2)
        self.check_constant(outer, n, own + inner)
        self.assertEqual(outer.self_total, n * own)

    def test_overlapping_is_inclusive_for_both(self):
        n, a, b, c = 200, 2, 3, 4
        report = self.measure(harness.app("rules"), "faults-overlapping", n, a, b, c,
                              events="page-faults").report
        first = report.region("first", "page-faults")
        second = report.region("second", "page-faults")
        self.check_constant(first, n, a + b)
        self.check_constant(second, n, b + c)
        # events during both count for the innermost region, the second
        self.assertEqual((first.self_total, second.self_total), (n * a, n * (b + c)))

    def test_three_calls_that_end_in_the_order_of_their_begins(self):
        n = 200
        report = self.measure(harness.app("rules"), "faults-in-turn", n, events="page-faults").report
        for region, own in (("first", 1), ("second", 1), ("third", 3)):
            row = report.region(region, "page-faults")
            self.check_constant(row, n, 3)
            self.assertEqual(row.self_total, n * own)

    def test_fibers_with_the_same_regions(self):
        """No stack frame of one fiber is gone because another fiber's stack is above it."""
        harness.need_no_sanitizer("AddressSanitizer does not follow swapcontext(3)", "address")
        n, faults = 200, 3
        report = self.measure(harness.app("rules"), "faults-fibers", n, faults,
                              events="page-faults").report
        step, inner = (report.region(name, "page-faults") for name in ("step", "yield"))
        self.assertEqual((step.calls, inner.calls), (2 * n, 2 * n))
        self.assertEqual((step.self_total, inner.self_total), (2 * n * faults, 0))

    def test_child_process(self):
        harness.need_no_sanitizer("AddressSanitizer's own memory faults after a fork", "address")
        report = self.measure(harness.app("rules"), "fork-faults", "100", "4",
                              events="page-faults").report
        self.check_constant(report.region("touch", "page-faults"), 100, 4)
