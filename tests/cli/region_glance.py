# SPDX-License-Identifier: MIT
"""The table of all regions. Their shares, (unmarked) and (overhead) add up to 100.0 % of the marked
threads' lifetimes. Each share agrees with the sums in CSV. Each region has the parent that the program
prints (tests/apps/tree.c), in the table, in CSV, in JSON and in a saved run."""

import re
from functools import partialmethod

import harness

LEVELS = ["level-%d" % i for i in range(10)]
N_RUNS = {"threads": 8, "forks": 7}  # threads, and processes: 1 + 2 + 4


class Glance:
    """The lines of the table: names without the tree's lines, in order, and shares. bounded has the
    regions whose share is at most the one shown, because their calls are shorter than their
    markers' overhead."""

    def __init__(self, text):
        lines = re.search(r"^region.*\n((?:.+\n)+)", text, re.MULTILINE).group(1).splitlines()
        self.depths, self.tenths, self.bounded = {}, {}, set()
        for line in lines:
            if re.match(r"\d+ threads? +100\.0%", line):
                break
            tree, name, bound, share = re.match(
                r"([│├└ ]*)(\S+)(?: recursive| \d+ parents)? +(<?)"
                r"(\d+\.\d(?=%)|\d+(?=%)|-|100\.0)", line).groups()
            self.depths[name] = len(tree) // 2
            self.bounded |= {name} if bound else set()
            self.tenths[name] = None if share == "-" else int(share.replace(".", ""))
        self.end = line

    def adds_up(self):
        """Check that the shares add up to 100.0 %, with some part of those that are bounds."""
        shares = {name: share for name, share in self.tenths.items() if share is not None}
        exact = sum(share for name, share in shares.items() if name not in self.bounded)
        return exact <= 1000 <= sum(shares.values()) if self.bounded else exact == 1000


class Shares(harness.TestCase):

    def check(self, how):
        """Compare the table with the measured values, which are exact."""
        text = self.regionstat("-o", self.path("run.json"), "-o", self.path("run.csv"),
                               "-e", "time", harness.app("glance"), how).stderr
        report = harness.read_report(self.path("run.csv"))
        glance = Glance(text)
        self.assertTrue(glance.adds_up(), text)
        self.assertEqual(set(glance.depths) - {"(overhead)"}, {*LEVELS, "sleep", "(unmarked)"})
        for depth, name in enumerate(LEVELS):
            self.assertEqual(glance.depths[name], depth, text)
        self.assertEqual(glance.depths["sleep"], 1)
        threads = harness.read_json(self.path("run.json"))["threads"]
        lives, outside = sum(thread["lifetime_ns"] for thread in threads), 1
        for name in [*LEVELS, "sleep"]:
            row = report.region(name)
            self.assertEqual(row.calls, 3 * N_RUNS[how])
            outside -= row.self_total / lives
            self.assertAlmostEqual(glance.tenths[name] / 1000, row.self_total / lives, delta=0.001)
        rest = glance.tenths["(unmarked)"] + glance.tenths.get("(overhead)", 0)
        self.assertAlmostEqual(rest / 1000, outside, delta=0.002)
        self.assertRegex(glance.end, r"^%d threads +100\.0%%" % N_RUNS[how])

    test_threads = partialmethod(check, "threads")
    test_forks = partialmethod(check, "forks")

    def test_asynchronous_calls_have_no_share(self):
        result = harness.regionstat("-e", "time", harness.app("tree"))
        glance = Glance(result.stderr)
        self.assertIsNone(glance.tenths["asynchronous"])
        if "<" not in result.stderr:  # such short calls have bounds instead of shares
            self.assertTrue(glance.adds_up(), result)
        truth = dict(line.split() for line in result.stdout.splitlines())
        for name, parent in truth.items():
            above = glance.depths[parent] + 1 if parent != "-" else 0
            self.assertEqual(glance.depths[name], above, (name, result.stderr))


class Parents(harness.TestCase):

    def check(self, *arguments, events="time", options=()):
        result = self.measure(harness.app("tree"), *arguments, events=events, options=options)
        truth = dict(line.split() for line in result.stdout.splitlines())
        rows = result.report.select(kind="region", event="time", process="all", thread="all")
        self.assertEqual({row.region: row.parent or "-" for row in rows}, truth)
        return truth

    test_one_thread = partialmethod(check)
    test_with_events = partialmethod(check, events="page-faults,task-clock")
    test_threads_apart = partialmethod(check, "threads")
    test_processes_apart = partialmethod(check, "forks")

    def test_sampled(self):
        """Skipped calls have parents too."""
        self.check(options=["--sample", "2"])

    def test_saved(self):
        saved = self.path("run.json")
        result = harness.regionstat("-e", "time", "-o", saved, "--", harness.app("tree"))
        truth = dict(line.split() for line in result.stdout.splitlines())
        rows = harness.read_json(saved)["rows"]
        self.assertEqual({row["region"]: row.get("parent", "-") for row in rows
                          if row["kind"] == "region" and row["event"] == "time"}, truth)
        again = harness.Report(harness.regionstat("report", "-x", ",", saved).stdout)
        self.assertEqual({row.region: row.parent or "-" for row in again.rows
                          if row.kind == "region" and row.event == "time"}, truth)
