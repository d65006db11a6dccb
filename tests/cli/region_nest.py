"""Sampling of regions that nest, as in a ray tracer: what is called a few times is measured every
time, shares and percentiles are those of a run in which everything is."""

import statistics

import harness

N_LINES, N_PIXELS = 480, 640
FIRST_CALLS = 32  # of each thread and region, always measured
SAMPLING = (("--sample", 10), ("--sample", 100), ("--budget", "0.5%"))
# A machine's speed changes within a run: of several runs the median.
RUNS = 3
# By arithmetic (nest.c): rounds of work of a line's pixels, of a line, and of 480 lines.
PIXELS_ROUNDS = 420 * 500 + 170 * 750 + 50 * 1500
LINE_ROUNDS = PIXELS_ROUNDS + 60000
RENDER_ROUNDS = N_LINES * LINE_ROUNDS + N_LINES // 16 * 60000
SHARES = {"render": 1, "line": N_LINES * LINE_ROUNDS / RENDER_ROUNDS,
          "pixel": N_LINES * PIXELS_ROUNDS / RENDER_ROUNDS}


def shares(report):
    """Each region's part of the picture."""
    whole = report.region("render").total
    return {name: report.region(name).total / whole for name in SHARES}


class Nest(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_undisturbed()
        self.program = self.compile("nest.c", harness.compilers()[0], "-std=gnu11", "-O2")

    def render(self, *options, lines=N_LINES):
        report = self.measure(self.program, lines, events="time", options=options).report
        self.assertClean(report)
        self.assertEqual(report.calls(), {"render": 1, "line": lines, "pixel": lines * N_PIXELS})
        # shares sum to 100 %: all self time is the picture's
        own = sum(report.region(name).self_total for name in SHARES)
        whole = report.region("render").total
        self.assertLess(abs(own - whole), 0.01 * whole, [report.region(name) for name in SHARES])
        for name in SHARES:
            row = report.region(name)
            self.assertTrue(0 <= row.self_total <= row.total, row)
        return report

    def medians(self, *options):
        """Medians over some runs: shares, and percentiles of the pixels and lines."""
        reports = [self.render(*options) for _ in range(RUNS)]
        found = {name: statistics.median(shares(report)[name] for report in reports)
                 for name in SHARES}
        for name in ("line", "pixel"):
            for percentile in ("p50", "p90", "p99") if name == "pixel" else ("p50",):
                found[name, percentile] = statistics.median(
                    getattr(report.region(name), percentile) for report in reports)
        return found

    def check(self, *options):
        truth, sampled = self.medians(), self.medians(*options)
        for what in truth:
            limit = 0.02 if isinstance(what, tuple) else {"pixel": 0.03}.get(what, 0.01)
            error = sampled[what] / truth[what] - 1
            harness.note("%s: %+.2f %%" % (" ".join(what) if isinstance(what, tuple) else what,
                                           100 * error))
            self.assertLessEqual(abs(error), limit, (what, truth, sampled))

    def test_unsampled_shares_are_those_of_arithmetic(self):
        found = self.medians()
        for name, share in SHARES.items():
            self.assertLess(abs(found[name] / share - 1), 0.03, (name, found))
        for percentile, rounds in (("p90", 750), ("p99", 1500)):
            self.assertLess(abs(found["pixel", percentile] / found["pixel", "p50"] /
                                (rounds / 500) - 1), 0.05, found)

    def test_sample_10(self):
        self.check("--sample", 10)

    def test_sample_100(self):
        self.check("--sample", 100)

    def test_budget(self):
        self.check("--budget", "0.5%")

    def test_few_calls_are_all_measured(self):
        for options in SAMPLING:
            with self.subTest(options):
                report = self.render(*options, lines=FIRST_CALLS)
                for name, calls in (("render", 1), ("line", FIRST_CALLS)):
                    row = report.region(name)
                    self.assertEqual((row.status, row.calls, row.counted), ("ok", calls, calls))
                pixel = report.region("pixel")
                self.assertLess(pixel.counted, pixel.calls / 2)
                self.assertGreater(pixel.counted, FIRST_CALLS)

    def test_a_budget_leaves_long_calls_alone(self):
        """A line takes hundreds of microseconds: markers are far below the budget."""
        row = self.render("--budget", "0.5%").region("line")
        self.assertEqual((row.status, row.counted), ("ok", N_LINES))


class Tracer(harness.TestCase):
    """The same of the ray tracer, whose pixels are what they are."""

    N = 320 * 240

    def render(self, *options):
        report = self.measure(harness.app("tracer"), "-s", "320x240", "-t", "2", events="time",
                              options=options).report
        self.assertClean(report)
        self.assertEqual(report.calls(), {"setup": 1, "pixel": self.N, "write": 1})
        for name in ("setup", "write"):
            self.assertEqual((report.region(name).status, report.region(name).counted), ("ok", 1))
        return report

    def test_pixels(self):
        harness.need_undisturbed()
        for options in SAMPLING:
            truth, sampled = [], []
            for _ in range(RUNS):
                truth.append(self.render().region("pixel"))
                sampled.append(self.render(*options).region("pixel"))
            with self.subTest(options):
                self.assertLess(sampled[0].counted, self.N / 2)
                n = statistics.median(row.counted for row in sampled)
                for what in ("total", "p50"):
                    median = statistics.median(getattr(row, what) for row in truth)
                    error = statistics.median(getattr(row, what) for row in sampled) / median - 1
                    # what the pixels' own spread makes of so few of them, and the machine's
                    spread = statistics.median(row.stddev / row.avg for row in truth)
                    limit = 0.05 + 4 * min(spread, 1.5) / n ** 0.5
                    harness.note("%s %s: %+.2f %%, at most %.1f" % (" ".join(map(str, options)),
                                                                 what, 100 * error, 100 * limit))
                    self.assertLessEqual(abs(error), limit, (options, what))


if __name__ == "__main__":
    harness.main()
