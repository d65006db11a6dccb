# SPDX-License-Identifier: MIT
"""A program in which markers of LIKWID, NVTX and the header nest in each other. They form one tree
of regions, and the times agree with the program's own."""

import harness
import adapter_counts

THREADS, ROUNDS = 4, 400
# solve and step both call kernel, and solve is within step: so step is the parent
PARENTS = {"step": "", "solve": "step", "kernel": "step", "leaf": "kernel",
           "phase": "", "pass": "phase", "sweep": "pass"}
CALLS = {name: THREADS * ROUNDS * (2 if name == "kernel" else 1) for name in PARENTS}

# For each region, the program's own times of its calls, of regions directly within them, and of
# regions further within.
TIMED = {"step": (["step"], ["solve", "kernel of step"], ["kernel of solve", "leaf"]),
         "solve": (["solve"], ["kernel of solve"], ["leaf"]),
         "kernel": (["kernel of solve", "kernel of step"], ["leaf"], []),
         "leaf": (["leaf"], [], []),
         "phase": (["phase"], ["pass"], ["sweep"]),
         "pass": (["pass"], ["sweep"], []),
         "sweep": (["sweep"], [], [])}


class Mixed(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.program = self.compile(
            "markers/mixed.c", harness.compilers()[0], "-O1", "-Wno-unused-variable",
            "-Wno-unused-function", *adapter_counts.WITH_LIKWID, "-ldl")

    def assertTimes(self, row, truths):
        """Check that total and self time are between the program's times within and around the
        markers. The overhead of calls further within lies between their clocks, and is in no
        total."""
        own, inner, deeper = ([truths[name] for name in names] for names in TIMED[row.region])
        within, around = (sum(getattr(truth, side) for truth in own)
                          for side in ("within", "around"))
        markers = sum(truth.around - truth.within for truth in inner + deeper)
        self.assertBetweenClocks(row, within - markers, around)
        most = around - sum(truth.within for truth in inner)
        least = within - sum(truth.around for truth in inner)
        slack = harness.CLOCKS_NS * row.calls * (1 + len(inner))
        self.assertLessEqual(row.self_total, most + around * harness.CLOCKS_RATIO + slack, row)
        if row.self_total < least - within * harness.MARKERS_RATIO - slack:
            raise harness.TimeMissing("self is %d, not %d: %r" % (row.self_total, least, row))

    @harness.steady
    def test_one_tree(self):
        result = self.measure(self.program, ROUNDS, events="time", env=adapter_counts.unordered())
        report, truths = result.report, adapter_counts.sums(result.stdout)
        self.assertEqual(report.calls(), CALLS, result)
        self.assertClean(report)
        for name in ("likwid", "nvtx"):
            self.assertEqual(adapter_counts.of(report, name), {"processes": 1, "regions": 2})
        for name, parent in PARENTS.items():
            row = report.region(name)
            self.assertEqual((row.parent, row.threads), (parent, THREADS), row)
            self.assertTimes(row, truths)

    def test_without_those_of_the_others(self):
        """Without the other adapters only the header's regions remain. Calls that were within
        others become children of these."""
        report = self.measure(self.program, ROUNDS, events="time", env=adapter_counts.unordered(),
                              options=["--markers", "none"]).report
        own = ("step", "leaf", "pass")
        self.assertEqual(report.calls(), {name: CALLS[name] for name in own})
        self.assertEqual({name: report.region(name).parent for name in own},
                         {"step": "", "leaf": "step", "pass": ""})
