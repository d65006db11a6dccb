# SPDX-License-Identifier: MIT
"""--sample: the number of calls and their diagnostics stay exact. The first calls are always
measured. The others are estimated without bias, and the report says so."""

import math

import harness

N_PERIODS = 64
FIRST_CALLS = 32  # of each thread and region: always measured
STEP = 16  # measured calls until the weight doubles


class Sampling(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_exact_faults()

    def faults(self, *options, n=4000, k=2):
        return self.measure(harness.app("rules"), "faults", n, k, events="page-faults",
                            options=options)

    def check_sampled(self, row, calls, every):
        """Check the number of measured calls. After the first calls one of each block of 3, 7, 15,
        ... is measured, 16 times each, until it is one of each block of `every`, or of one more: an
        odd number."""
        self.assertEqual((row.status, row.calls), ("scaled", calls), row)
        measured, rest, block, every = FIRST_CALLS, calls - FIRST_CALLS, 3, every | 1
        while block < every:
            measured, rest, block = measured + STEP, rest - STEP * block, 2 * block + 1
        n_blocks = rest // every
        self.assertIn(row.counted - measured, (n_blocks, n_blocks + 1), row)

    def test_all_regions_one_or_all_but_one(self):
        """The last option for a region counts, and it comes before one for all. 1 measures every
        call."""
        for options, every in ((["--sample", 8], {"touch": 8, "idle": 8}),
                               (["--sample", 1], {"touch": 1, "idle": 1}),
                               (["--sample", "touch:8"], {"touch": 8, "idle": 1}),
                               (["--sample=idle:3", "--sample=8", "--sample=touch:2",
                                 "--sample=touch:1"], {"touch": 1, "idle": 3})):
            with self.subTest(options):
                report = self.faults(*options).report
                for region, faults in (("touch", 2), ("idle", 0)):
                    for event in ("time", "page-faults"):
                        row = report.region(region, event)
                        if every[region] > 1:
                            self.check_sampled(row, 4000, every[region])
                        else:
                            self.assertEqual((row.status, row.calls, row.counted), ("ok", 4000, 4000))
                    self.assertEqual((row.min, row.avg, row.p90, row.max, row.stddev),
                                     (faults,) * 4 + (0,))
                    self.assertEqual((row.total, row.self_total), (4000 * faults,) * 2)

    def test_recursion_and_overlap(self):
        """Totals and self totals are near the truth, which follows from the program."""
        n, depth = 4000, 10
        for every, *options in ((1,), (2, "--sample", 2), (10, "--sample", 10),
                                (1, "--sample", "a:5"), (1, "--sample", "b:5")):
            with self.subTest(options):
                # only outermost calls are in the total, and sampling is random
                strays = 5 * math.sqrt((every - 1) / n)
                report = self.measure(harness.app("rules"), "markers", n,
                                      "[d1" * depth + "]" * depth, events="page-faults",
                                      options=options).report
                self.assertEstimate(report, "d", n * depth, n * depth, n * depth, strays)
                report = self.measure(harness.app("rules"), "markers", n, "a1b1A1B",
                                      events="page-faults", options=options).report
                self.assertEstimate(report, "a", n, 2 * n, n)
                self.assertEstimate(report, "b", n, 2 * n, 2 * n)

    def test_self_of_calls_that_a_skipped_one_is_in(self):
        """In A B C /A /B /C each call has three faults. Those of C are no self faults of A and B,
        also if B is skipped and C is not."""
        n, every = 4000, 3
        report = self.measure(harness.app("rules"), "markers", n, "a1b1c1A1B1C", events="page-faults",
                              options=["--sample", every]).report
        # Two faults of the next call are within each call. A call has the weight `every` in one of
        # `every` cases, else 0, so the variance of a weight is every - 1: 5 standard deviations.
        strays = 5 * 2 * math.sqrt((every - 1) / n)
        for region, own in (("a", 1), ("b", 1), ("c", 3)):
            row = report.region(region, "page-faults")
            self.assertEqual(row.calls, n)
            self.assertLessEqual(abs(row.self_total / n - own), strays, row)

    def test_scopes_of_a_region_that_end_in_the_order_of_their_begins(self):
        """Some of the K scopes that are open at a time are skipped. All faults are in one of them.
        From each end to the next there is one fault, except for the first and the last K scopes,
        which may have the weight `every`."""
        n = 2000
        for k in (1, 2, 3, 5):
            for every in (1, 3, 15):
                with self.subTest(k=k, every=every):
                    script = "a" + "[s1" * k + "[s_1" * (n - k) + "_" * k + "A"
                    report = self.measure(harness.app("rules"), "markers", 1, script,
                                          events="page-faults", options=["--sample", every]).report
                    row = report.region("s", "page-faults")
                    self.assertEqual((row.calls, row.p50, row.max), (n, k, k))
                    self.assertLessEqual(abs(row.total - n), (every - 1) * k, row)
                    self.assertLessEqual(abs(row.self_total - n), (every - 1) * k, row)
                    self.assertEqual(report.diagnostics(), {"recursive": n - 1})

    def assertEstimate(self, report, region, calls, total, self_total, strays=0.05):
        row = report.region(region, "page-faults")
        self.assertEqual(row.calls, calls)
        self.assertLessEqual(abs(row.total - total), strays * total, row)
        self.assertLessEqual(abs(row.self_total - self_total), strays * total, row)

    def test_exact_regions_within_a_sampled_one(self):
        """Two of three faults are in one of 50 calls of outer. A sample of outer often misses these
        calls, so its estimate is below the exact totals of the regions in it."""
        for _ in range(6):
            result = self.measure(harness.app("estimated"), "nest", 1, 200, 1, 50, 1300,
                                  events="page-faults",
                                  options=("--sample", "outer:1000", "--sample", "inner:1"))
            outer, *exact = (result.report.region(name, "page-faults")
                             for name in ("outer", "middle", "inner"))
            truths = dict(line.split()[::2] for line in result.stdout.splitlines())
            for row in exact:
                self.assertEqual((row.status, row.total), ("ok", int(truths[row.region])), row)
                self.assertGreaterEqual(outer.total, row.total)
            self.assertLessEqual(abs(outer.total - sum(
                row.self_total for row in (outer, *exact))), 2)

    def test_a_lost_end_of_a_skipped_call(self):
        report = self.measure(harness.app("rules"), "markers", 1000, "ssSsS", events="time",
                              options=["--sample", 8]).report
        row, found = report.region("s"), report.diagnostics("s")
        self.assertEqual((row.calls, found.get("lost", 0) + found.get("open", 0)), (2000, 1000))
        # one of eight calls is measured, and two of three calls end
        self.assertGreater(row.counted, 2000 / 8 / 2)

    def test_the_first_calls_are_measured_every_time(self):
        for n in (1, 5, FIRST_CALLS):
            with self.subTest(n=n):
                report = self.faults("--sample", 1000, n=n, k=3).report
                touch = report.region("touch", "page-faults")
                self.assertEqual((touch.status, touch.calls, touch.counted), ("ok", n, n))
                self.assertEqual((touch.total, touch.min, touch.max), (3 * n, 3, 3))

    def test_the_first_calls_of_every_thread(self):
        report = self.measure(harness.app("rules"), "threads", 8, FIRST_CALLS, events="time",
                              options=["--sample", 100]).report
        row = report.region("call")
        self.assertEqual((row.status, row.calls, row.counted), ("ok",) + (8 * FIRST_CALLS,) * 2)

    def test_slow_first_calls(self):
        """The first 100 calls of 4,000 have 50 faults, the others one, so the 32 that are always
        measured must have the weight 1. After them one of every block of calls is drawn. Only in
        the block that has both kinds does it matter which."""
        n, slow, n_slow, runs = 4000, 50, 100, 20
        truth = slow * n_slow + n - n_slow
        for every in (10, 40):
            totals = []
            for _ in range(runs):
                script = "s%dS" % slow * n_slow + "s1S" * (n - n_slow)
                row = self.measure(harness.app("rules"), "markers", 1, script, events="page-faults",
                                   options=("--sample", every)).report.region("s", "page-faults")
                self.check_sampled(row, n, every)
                self.assertEqual((row.p50, row.p90, row.max), (1, 1, slow))
                totals.append(row.total)
            part = (n_slow - FIRST_CALLS) % every / every  # this share of the block's calls is slow
            deviation = (slow - 1) * every * math.sqrt(part * (1 - part))
            # an incomplete block at the end has the weight of a whole block
            limit = 5 * deviation / math.sqrt(runs) + every + 0.002 * truth
            mean = sum(totals) / runs
            harness.note("every %d: %.1f, truly %d, limit %.0f" % (every, mean, truth, limit))
            self.assertLess(abs(mean - truth), limit, totals)
            self.assertLess(max(totals) - truth, (slow - 1) * every + every + 0.002 * truth)

    def test_a_region_that_never_came(self):
        result = self.faults("--sample", "a:b:8", "--sample", "touch:2", "--sample", "Touch:2")
        self.assertIn("no region has the name that --sample gives: 'a:b', 'Touch'; "
                      "use the exact names of this report", result.stderr)
        self.assertEqual(result.report.select(region="a:b"), [])

    def test_any_period_is_estimated_without_bias(self):
        """In region P each Pth call causes a fault. The estimates of all P together are no farther
        from the truth than random samples would be, and have no bias."""
        n = 3200
        report = self.measure(harness.app("rules"), "faults-periodic", n, events="page-faults",
                              options=("--sample", 4)).report
        scores = []
        for period in range(1, N_PERIODS + 1):
            row = report.region(str(period), "page-faults")
            self.check_sampled(row, n, 4)
            truth = math.ceil(n / period) / n
            self.assertAlmostEqual(row.total / n, row.avg, delta=0.01 * row.avg + 1 / n)
            if period == 1:
                self.assertEqual(row.avg, 1)
                continue
            # the counts of the first calls are known; this many of the others were drawn
            left = math.ceil(n / period) - math.ceil(FIRST_CALLS / period)
            ratio, n_left = left / (n - FIRST_CALLS), n - FIRST_CALLS
            error = math.sqrt(ratio * (1 - ratio) / (row.counted - FIRST_CALLS)) * n_left / n
            scores.append((row.avg - truth) / error)
            self.assertLess(abs(scores[-1]), 6, row)
        # Sums of at most 63 squares with mean 1, and of 63 scores: 5 standard deviations of each.
        squares = sum(score ** 2 for score in scores)
        self.assertLess(squares, 63 + 5 * math.sqrt(2 * 63), scores)
        self.assertGreater(squares, 1, "calls were not drawn: %r" % scores)
        self.assertLess(abs(sum(scores)), 5 * math.sqrt(63), scores)

    def test_a_budget_is_of_the_program_not_of_its_markers(self):
        """Calls of some 100 ns, whose markers take some us for system calls. The known overhead is at
        most half of the budget, and the first calls are measured every time."""
        harness.need_no_sanitizer("markers of sanitizers take more than the budget for skipped calls")
        report = self.measure(harness.app("sampled"), "100", "1000000", "0", "1", "0",
                              events="page-faults", options=["--budget", "5%"]).report
        self.assertLess(float(report.one(kind="info", region="", event="overhead_share").value), 5)

    def test_overhead_is_in_the_report(self):
        result = self.faults()
        rows = {row.event: row for row in result.report.select(kind="info")}
        cost, share = rows["overhead"], rows["overhead_share"]
        self.assertEqual((cost.unit, share.unit, rows["overhead_setup"].unit), ("ns", "%", "ns"))
        # at most the time of the run, in which one thread did this
        took = result.report.run().total
        calls = sum(result.report.calls().values())
        self.assertTrue(0 < float(cost.value) * calls < took, (cost, took))
        self.assertTrue(0 < float(rows["overhead_setup"].value) < took, (rows, took))
        self.assertTrue(0 < float(share.value) <= 100, share)
        text = harness.regionstat("-v", "-e", "page-faults", harness.app("rules"), "faults",
                                  "4000", "2").stderr
        self.assertRegex(text, r"- markers take at least [\d.]+% of the CPU time, ")
        self.assertRegex(text, r"\n- the threads' first markers, .* took [\d.]+ [mu]s\n")

    def test_the_table_says_so(self):
        result = harness.regionstat("-v", "-e", "page-faults", "--sample", "8", harness.app("rules"),
                                    "faults", "4000", "2")
        self.assertRegex(result.stderr, r"\n +page-faults .* ~8,000\b")
        self.assertRegex(result.stderr,
                         r"- calls were sampled, [\d,]+ of [\d,]+ measured: totals are estimates")
