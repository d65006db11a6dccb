# SPDX-License-Identifier: MIT
"""Sampling of nested regions, as in a ray tracer. Regions with few calls are always measured, and
shares equal those of a run without sampling."""

import harness

N_LINES, N_PIXELS = 256, 640
FIRST_CALLS = 32  # of each thread and region, always measured
SAMPLING = (("--sample", 10), ("--sample", 100), ("--budget", "0.5%"))
# Rounds of work, by arithmetic (nest.c): of a line's pixels, of a line, and of all lines.
PIXELS_ROUNDS = 480 * 1500 + 134 * 2250 + 26 * 4500
LINE_ROUNDS = PIXELS_ROUNDS + 180000
RENDER_ROUNDS = N_LINES * LINE_ROUNDS + N_LINES // 16 * 180000
SHARES = {"render": 1, "line": N_LINES * LINE_ROUNDS / RENDER_ROUNDS,
          "pixel": N_LINES * PIXELS_ROUNDS / RENDER_ROUNDS}


def shares(report):
    """Return each region's share of the picture."""
    whole = report.region("render").total
    return {name: report.region(name).total / whole for name in SHARES}


class Nest(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer()
        self.program = self.compile("nest.c", harness.compilers()[0], "-std=gnu11", "-O2")

    def render(self, *options, lines=N_LINES):
        report = self.measure(self.program, lines, events="time", options=options).report
        self.assertClean(report)
        self.assertEqual(report.calls(), {"render": 1, "line": lines, "pixel": lines * N_PIXELS})
        for name in SHARES:
            row = report.region(name)
            self.assertTrue(0 <= row.self_total <= row.total, row)
        return report

    def test_shares_are_those_of_arithmetic(self):
        """The shares are only as exact as a busy machine permits. tests/guest checks the error of
        sampled regions with instructions."""
        for options in ((), *SAMPLING):
            with self.subTest(options):
                report = self.render(*options)
                self.assertEqual(report.region("render").counted, 1)
                for name, share in shares(report).items():
                    harness.note("%s %s: %+.1f %%" % (" ".join(map(str, options)), name,
                                                      100 * (share / SHARES[name] - 1)))
                    # rare long calls are seldom among few measured calls
                    if report.region("pixel").counted > N_LINES * N_PIXELS / 20:
                        self.assertTrue(SHARES[name] / 2 < share < 2 * SHARES[name], (name, share))

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
        """A line takes hundreds of microseconds: the overhead of its markers is far below the
        budget."""
        row = self.render("--budget", "0.5%").region("line")
        self.assertEqual((row.status, row.counted), ("ok", N_LINES))

    def test_the_headline_compares_the_overhead_with_the_budget(self):
        """Both are shares of the CPU time. No run exceeds 100 %, and every run a millionth."""
        files = []
        for budget, verdict in (("100%", "kept"), ("0.0001%", "missed")):
            files.append(self.path("%s.json" % verdict))
            result = self.regionstat("--budget", budget, "-o", files[-1], "-o", self.path("x.txt"),
                                     "--width", 200, harness.app("nest"), 1000)
            line = harness.read_text(self.path("x.txt")).splitlines()[0]
            self.assertRegex(line, r"overhead \S+% of CPU \(budget " + budget + ": " + verdict + r"\)$")
            again = self.regionstat("report", "--width", 200, files[-1]).stdout
            self.assertEqual(again.splitlines()[0], line, result)
        for words, said in (([files[0], files[0]], True), (files, False)):
            text = self.regionstat("merge", "--width", 200, *words).stdout
            self.assertEqual("(budget 100%: kept)" in text, said)
        self.assertNotIn("budget", self.regionstat(harness.app("nest"), 1000).stderr.split("\n")[0])
