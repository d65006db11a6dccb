# SPDX-License-Identifier: MIT
"""The parent of each region, as the program prints it (tests/apps/tree.c), in CSV, in JSON and in a
saved run."""

from functools import partialmethod

import harness


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
