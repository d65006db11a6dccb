"""--sample: calls stay exact, the others are estimated without bias, and the report says so."""

import math

import harness

N_PERIODS = 64


class Sampling(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_exact_faults()

    def faults(self, *options, n=4000, k=2):
        return self.measure(harness.app("rules"), "faults", n, k, events="page-faults",
                            options=options)

    def check_sampled(self, row, calls, every):
        """Gaps between measured calls are uniform on 1 to 2 * every - 1: a renewal process."""
        variance = ((2 * every - 1) ** 2 - 1) / 12
        expected, deviation = calls / every, math.sqrt(calls * variance / every ** 3)
        self.assertEqual((row.status, row.calls), ("scaled", calls), row)
        self.assertLess(abs(row.counted - expected), 6 * deviation + 1, row)

    def test_all_regions(self):
        report = self.faults("--sample", 8).report
        for region, faults in (("touch", 2), ("idle", 0)):
            for event in ("time", "page-faults"):
                self.check_sampled(report.region(region, event), 4000, 8)
            row = report.region(region, "page-faults")
            self.assertEqual((row.min, row.avg, row.p90, row.max), (faults,) * 4)
            self.assertEqual((row.total, row.self_total), (4000 * faults,) * 2)

    def test_one_region(self):
        report = self.faults("--sample", "touch:8").report
        self.check_sampled(report.region("touch", "page-faults"), 4000, 8)
        idle = report.region("idle", "page-faults")
        self.assertEqual((idle.status, idle.calls, idle.counted), ("ok", 4000, 4000))

    def test_all_but_one_and_the_last_word_counts(self):
        report = self.faults("--sample=idle:3", "--sample=8", "--sample=touch:2",
                             "--sample=touch:1").report
        self.check_sampled(report.region("idle", "page-faults"), 4000, 3)
        touch = report.region("touch", "page-faults")
        self.assertEqual((touch.status, touch.counted, touch.total), ("ok", 4000, 8000))

    def test_a_lost_end_of_a_call_left_out(self):
        report = self.measure(harness.app("rules"), "lost-sometimes", "3000", events="time",
                              options=["--sample", 8]).report
        row = report.region("sometimes")
        self.assertEqual((row.calls, report.diagnostics("sometimes")), (2000, {"lost": 1000}))
        self.assertGreater(row.counted, 2000 / 8 / 2)

    def test_nothing_counts_while_paused(self):
        for _ in range(5):  # where a thread's first measured call lies is drawn
            report = self.measure(harness.app("rules"), "pause-nested", "50", events="time",
                                  options=["--sample", 8]).report
            self.assertEqual((report.calls().get("ignored", 0), report.region("counted").calls),
                             (0, 50))

    def test_every_call(self):
        touch = self.faults("--sample", 1).report.region("touch", "page-faults")
        self.assertEqual((touch.status, touch.calls, touch.counted), ("ok", 4000, 4000))

    def test_a_region_that_never_came(self):
        result = self.faults("--sample", "a:b:8", "--sample", "touch:2")
        self.assertIn("no region of a name that --sample gives was ever called: 'a:b'\n",
                      result.stderr)
        self.assertEqual(result.report.select(region="a:b"), [])

    def test_any_period_is_estimated_without_bias(self):
        """In region P each Pth call costs a fault. The estimates of all P together are as far from
        the truth as those of calls drawn at random would be, and on no side of it."""
        n = 3200
        report = self.measure(harness.app("rules"), "faults-periodic", n, events="page-faults",
                              options=("--sample", 4)).report
        scores = []
        for period in range(1, N_PERIODS + 1):
            row = report.region(str(period), "page-faults")
            self.check_sampled(row, n, 4)
            truth = math.ceil(n / period) / n
            self.assertAlmostEqual(row.total / n, row.avg, delta=1 / n)
            if period == 1:
                self.assertEqual(row.avg, 1)
                continue
            error = math.sqrt(truth * (1 - truth) / row.counted)
            scores.append((row.avg - truth) / error)
            self.assertLess(abs(scores[-1]), 6, row)
        # Sums of 63 squares with mean 1, and of 63 scores: 5 standard deviations of each. Random
        # gaps spread measured calls more evenly than chance, and at a few periods less.
        self.assertLess(sum(score ** 2 for score in scores), 63 + 5 * math.sqrt(2 * 63), scores)
        self.assertLess(abs(sum(scores)), 5 * math.sqrt(63), scores)

    def test_own_cost_is_in_the_report(self):
        result = self.faults()
        rows = {row.event: row for row in result.report.select(kind="metric")}
        cost, share = rows["own_cost"], rows["own_share"]
        self.assertEqual((cost.unit, share.unit, rows["own_setup"].unit), ("ns", "%", "ns"))
        self.assertGreater(cost.avg, 0)
        self.assertGreater(rows["own_setup"].avg, 0)
        self.assertTrue(0 < share.avg <= 100, share)
        text = harness.regionstat("-v", "-e", "page-faults", harness.app("rules"), "faults",
                                  "4000", "2").stderr
        self.assertRegex(text, r"(warning|note): markers took [\d.]+% of the marked threads' time: "
                               r"a BEGIN and its END cost [\d.]+ ns\n")
        self.assertRegex(text, r"\nnote: the threads' first markers, .* took [\d.]+ ms\n")

    def test_the_table_says_so(self):
        result = harness.regionstat("-e", "page-faults", "--sample", "8", harness.app("rules"),
                                    "faults", "4000", "2")
        self.assertRegex(result.stderr, r"\n +page-faults .* ~8,000\b")
        self.assertRegex(result.stderr,
                         r"note: calls were sampled, \d+ of \d+ measured: totals are estimates")


if __name__ == "__main__":
    harness.main()
