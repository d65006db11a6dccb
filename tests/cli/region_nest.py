"""Sampling of regions that nest, as in a ray tracer: what is called a few times is measured every
time, shares and percentiles are those of a run in which everything is."""

import functools
import statistics

import harness

N_LINES, N_PIXELS = 256, 640
FIRST_CALLS = 32  # of each thread and region, always measured
SAMPLING = (("--sample", 10), ("--sample", 100), ("--budget", "0.5%"))
# A machine that does something else makes a pixel of milliseconds: of some runs those that were
# through first, if they took as long as each other; and of them the median.
RUNS, BEST_RUNS = 5, 3
STEADY_RATIO = 0.06
# By arithmetic (nest.c): rounds of work of a line's pixels, of a line, and of all lines.
PIXELS_ROUNDS = 480 * 1500 + 134 * 2250 + 26 * 4500
LINE_ROUNDS = PIXELS_ROUNDS + 180000
RENDER_ROUNDS = N_LINES * LINE_ROUNDS + N_LINES // 16 * 180000
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
        for name in SHARES:
            row = report.region(name)
            self.assertTrue(0 <= row.self_total <= row.total, row)
        return report

    @functools.lru_cache(maxsize=None)
    def medians(self, *options):
        """Medians over the best runs: shares, and percentiles of the pixels and lines."""
        def whole(report):
            return report.region("render").total
        reports = sorted((self.render(*options) for _ in range(RUNS)), key=whole)[:BEST_RUNS]
        least, most = whole(reports[0]), whole(reports[-1])
        if most > (1 + STEADY_RATIO) * least:
            self.skipTest("the machine is busy: the same picture takes %d to %d us"
                          % (least / 1000, most / 1000))
        found = {name: statistics.median(shares(report)[name] for report in reports)
                 for name in SHARES}
        # all self time is the picture's
        found["self times"] = statistics.median(
            sum(report.region(name).self_total for name in SHARES) / report.region("render").total
            for report in reports)
        # a machine's speed changes from run to run: percentiles beside their run
        for name in ("line", "pixel"):
            for percentile in ("p50", "p90", "p99") if name == "pixel" else ("p50",):
                found[name, percentile] = statistics.median(
                    getattr(report.region(name), percentile) / whole(report)
                    for report in reports)
        return found

    def check(self, *options):
        truth, sampled = self.medians(), self.medians(*options)
        failed = []
        for what in truth:
            limit = 0.02 if isinstance(what, tuple) else {"pixel": 0.05, "self times": 0.02}.get(
                what, 0.02)
            error = sampled[what] / truth[what] - 1
            text = "%s: %+.2f %%" % (" ".join(what) if isinstance(what, tuple) else what,
                                     100 * error)
            harness.note(text)
            if abs(error) > limit:
                failed.append(text)
        self.assertEqual(failed, [])

    def test_unsampled_shares_are_those_of_arithmetic(self):
        found = self.medians()
        self.assertLess(abs(found["self times"] - 1), 0.01)
        for name, share in SHARES.items():
            self.assertLess(abs(found[name] / share - 1), 0.03, (name, found))
        for percentile, rounds in (("p90", 2250), ("p99", 4500)):
            self.assertLess(abs(found["pixel", percentile] / found["pixel", "p50"] /
                                (rounds / 1500) - 1), 0.05, found)

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
        self.assertEqual(report.calls(), {"setup": 1, "pixel": self.N})
        self.assertEqual((report.region("setup").status, report.region("setup").counted), ("ok", 1))
        return report

    def test_pixels(self):
        harness.need_undisturbed()
        for options in SAMPLING:
            runs = [(self.render().region("pixel"), self.render(*options).region("pixel"))
                    for _ in range(BEST_RUNS)]
            self.assertLess(runs[0][1].counted, self.N / 2)
            # what pixels differ by leaves this much of chance in so few of them
            n = statistics.median(sampled.counted for _, sampled in runs)
            spread = statistics.median(truth.stddev / truth.avg for truth, _ in runs)
            limits = {"p50": 0.05 + 4 / n ** 0.5, "total": 0.05 + 4 * spread / n ** 0.5}
            for what, limit in limits.items():
                error = statistics.median(getattr(sampled, what) for _, sampled in runs) / \
                    statistics.median(getattr(truth, what) for truth, _ in runs) - 1
                harness.note("%s %s: %+.2f %%, at most %.1f" % (
                    " ".join(map(str, options)), what, 100 * error, 100 * limit))
                # where some pixels took milliseconds no share of them tells the total
                if what == "p50" or spread < 1.5:
                    with self.subTest(options, what=what):
                        self.assertLessEqual(abs(error), limit)


if __name__ == "__main__":
    harness.main()
