# SPDX-License-Identifier: MIT
"""Why slow calls are slow. If a region's slow calls have known reasons, its tail must name them. If
all calls do the same, the report must name no reason. REGIONSTAT_RUNS=1000 looks for such false
alarms in 1,000 runs instead of 20."""

import os
import re

import harness

CALLS, FAULTING, SLEEPING, PAGES = 4000, 80, 20, 40
EVENTS = "page-faults,context-switches"
RUNS = int(os.environ.get("REGIONSTAT_RUNS", "20"))
LINE = re.compile(r"^  slowest (\S+)% \(>= (\S+ \S+)\): (.*)$", re.MULTILINE)
MARKDOWN = re.compile(r"^- slow: slowest \S+% \(\\>= \S+ \S+\): .*page-faults", re.MULTILINE)


def tails(rows):
    """Return the rows of tails by their calls, then by event."""
    found = {}
    for row in rows:
        if row.kind == "tail":
            found.setdefault(row.calls, {})[row.event] = row
    return found


class Slow(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("a sanitizer takes time and faults pages within regions")
        self.program = [harness.app("slow_calls"), "reasons"]

    def test_reasons_are_named(self):
        """Every 50th call faults 40 pages, and every fourth of these sleeps. In all octaves the
        slow calls have both, and the others have neither."""
        result = self.regionstat("-v", "-e", EVENTS, *self.program, CALLS)
        lines = LINE.findall(result.stderr)
        self.assertTrue(lines, result)
        self.assertIn("page-faults ", lines[-1][2], result)
        self.assertIn("context-switches ", lines[-1][2], result)

    def test_numbers_are_those_of_the_program(self):
        result = self.measure(*self.program, CALLS, events=EVENTS)
        faults, switches = map(int, result.stdout.split())
        report = result.report
        self.assertGreaterEqual(faults, FAULTING * PAGES)
        # a sleep whose time is over before the thread is switched out causes no switch
        self.assertGreater(switches, SLEEPING // 2)
        found = tails(report.rows)
        self.assertTrue(found, result)
        for calls, tail in found.items():
            self.assertEqual(set(tail), {"share", "bound", *EVENTS.split(",")})
            self.assertAlmostEqual(float(tail["share"].value), calls / CALLS, 12)
            for event in EVENTS.split(","):
                row, region = tail[event], report.region("slow", event)
                self.assertEqual((row.status, row.unit), ("ok", "count"))
                self.assertLessEqual(row.total, region.total)
                self.assertAlmostEqual(row.avg, row.total / calls, 9)
                others = (region.total - row.total) / (CALLS - calls)
                if others:
                    self.assertAlmostEqual(float(row.value) / (row.avg / others), 1, 9)
                else:
                    self.assertEqual(row.value, "")
        # the calls that sleep are the slowest of all, and each of them is in the smaller tail
        calls, smallest = min(found.items())
        self.assertGreaterEqual(smallest["page-faults"].total, SLEEPING * PAGES)
        self.assertGreaterEqual(smallest["context-switches"].total, SLEEPING)
        self.assertLessEqual(int(smallest["bound"].value), report.region("slow").max)

    def test_saved_and_shown_again(self):
        saved, live = self.path("run.json"), self.path("live.csv")
        self.regionstat("-e", EVENTS, "-o", saved, "-o", live, "--", *self.program, CALLS)
        text = harness.read_text(live)
        self.assertIn(",tail,slow,", text)
        self.assertEqual(harness.regionstat("report", "-x", ",", saved).stdout, text)
        document = harness.read_json(saved)
        rows = [row for row in document["rows"] if row["kind"] == "tail"]
        self.assertEqual([(row["event"], row["calls"]) for row in rows],
                         [(row.event, row.calls) for row in harness.Report(text).rows
                          if row.kind == "tail"])
        markdown = harness.regionstat("report", "--format", "markdown", saved)
        self.assertRegex(markdown.stdout, MARKDOWN)
        _, validator = harness.need_schema()
        validator.validate(document)

    def test_even_calls_have_none(self):
        """Some calls take longer because of the machine; none of them faults."""
        alarms = []
        for _ in range(RUNS):
            result = self.regionstat("-e", "page-faults", harness.app("slow_calls"), "even", CALLS)
            alarms += LINE.findall(result.stderr)
        self.assertEqual(alarms, [])

    def test_nothing_of_few_calls(self):
        """Fewer than ten calls in the tail, or outside of it."""
        result = self.measure(*self.program, 19, events=EVENTS)
        self.assertEqual(tails(result.report.rows), {})
