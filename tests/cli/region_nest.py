# SPDX-License-Identifier: MIT
"""--budget and nested regions, as in a ray tracer: what is sampled, and what the report says."""

import harness

N_LINES, N_PIXELS = 256, 640


class Nest(harness.TestCase):

    def test_a_budget_leaves_long_calls_alone(self):
        """A line takes hundreds of microseconds: the overhead of its markers is far below the
        budget."""
        harness.need_no_sanitizer()
        program = self.compile("nest.c", harness.compilers()[0], "-std=gnu11", "-O2")
        report = self.measure(program, N_LINES, events="time", options=("--budget", "0.5%")).report
        self.assertClean(report)
        self.assertEqual(report.calls(),
                         {"render": 1, "line": N_LINES, "pixel": N_LINES * N_PIXELS})
        row = report.region("line")
        self.assertEqual((row.status, row.counted), ("ok", N_LINES))
        self.assertLess(report.region("pixel").counted, N_LINES * N_PIXELS / 2)

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
