# SPDX-License-Identifier: MIT
"""regionstat where it can count little: without hardware counters, without privileges, and without
markers."""

import contextlib
import os
import unittest

import harness

PARANOID = "/proc/sys/kernel/perf_event_paranoid"


class NoHardwareCounters(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need(not harness.has_hardware_counters(), "this machine has hardware counters")

    def test_defaults_are_useful(self):
        result = self.regionstat("-v", harness.app("tracer"), "-s", "64x48")
        self.assertRegex(result.stderr, r"(?m)^pixel .* 3,072 ")
        for event in ("task-clock", "page-faults", "context-switches"):
            self.assertIn(event, result.stderr)
        # one line says why there is no more
        self.assertRegex(result.stderr, r"(?m)^.*(hardware|PMU).*$")

    def test_defaults_as_csv(self):
        report = self.measure(harness.app("tracer"), "-s", "64x48").report
        self.assertEqual(report.region("pixel").calls, 64 * 48)
        self.assertEqual({row.event for row in report.select(kind="region")},
                         {"time", "cpu-time", "blocked", "preempted"})
        for event in ("task-clock", "page-faults", "context-switches"):
            self.assertEqual(report.run(event).status, "ok")

    def test_event_that_cannot_be_counted_warns_before_the_run(self):
        harness.need_exact_faults()
        output = self.path("report.csv")
        result = self.regionstat("-e", "instructions", "-e", "page-faults", "-x", ",", "-o",
                                 output, "--", "sh", "-c",
                                 "echo the program runs >&2; exec %s faults 10 3"
                                 % harness.app("rules"))
        warning, started, _ = result.stderr.partition("the program runs")
        self.assertTrue(started)
        self.assertIn("instructions", warning)
        report = harness.read_report(output)
        row = report.region("touch", "instructions")
        self.assertEqual((row.status, row.total, row.avg, row.max),
                         ("not-supported", None, None, None))
        self.assertEqual(report.run("instructions").status, "not-supported")
        # an event that is not supported does not affect the others
        self.assertEqual(report.region("touch", "page-faults").max, 3)

    def test_one_reason_is_printed_once(self):
        names = ["cycles", "instructions", "branches", "branch-misses", "cache-references",
                 "cache-misses", "bus-cycles", "r1a8"]
        for events in ([",".join(names)], ["page-faults", *names]):
            options = [word for event in events for word in ("-e", event)]
            result = self.regionstat(*options, "true")
            listed = ", ".join("'%s'" % name for name in names[:-1]) + " and 'r1a8'"
            self.assertEqual(result.stderr.count("regionstat: cannot count"), 1, result)
            self.assertIn("regionstat: cannot count %s: " % listed, result.stderr)
            self.assertEqual(result.stderr.count("hardware counters ("), 1, result)

    def test_many_names_are_counted(self):
        raw = ["r%x" % number for number in range(1, 21)]
        stderr = harness.regionstat("-e", ",".join(raw), "true").stderr
        named = [name for name in raw if "'%s'" % name in stderr]
        self.assertEqual(named, raw[:len(named)])
        self.assertGreaterEqual(len(named), 8)
        self.assertIn("'%s' and %d more: " % (named[-1], len(raw) - len(named)), stderr)

    def test_strict_runs_nothing(self):
        marker = self.path("was-run")
        result = self.regionstat("--strict", "-e", "instructions", "--", "touch", marker,
                                 status=125)
        self.assertFalse(os.path.exists(marker))
        self.assertIn("instructions", result.stderr)
        self.assertIn("regionstat", result.stderr)


@contextlib.contextmanager
def paranoid(level):
    """Set kernel.perf_event_paranoid to a level, or skip the test."""
    before = harness.read_text(PARANOID)
    try:
        try:
            harness.write_text(PARANOID, str(level))
        except OSError as error:
            raise unittest.SkipTest("kernel.perf_event_paranoid cannot be set here: %s" % error)
        yield
    finally:
        try:
            harness.write_text(PARANOID, before)
        except OSError:
            pass


class Unprivileged(harness.TestCase):
    """As another user, without capabilities."""

    def setUp(self):
        super().setUp()
        harness.need_root("only root can become another user")
        os.chmod(self.directory, 0o777)
        self.prefix = [*harness.need_other_user(), "--inh-caps=-all", "--bounding-set=-all"]

    def measure_as_nobody(self, *arguments):
        output = self.path("nobody.csv")
        result = harness.run([*self.prefix, harness.REGIONSTAT, "-x", ",", "-o", output,
                              *arguments])
        report = None
        if os.path.exists(output):
            report = harness.read_report(output)
            os.unlink(output)
        return result, report

    def test_each_level(self):
        """Time is measured at every level. Software events are counted, or a message says why. Counting
        in the kernel is refused above level 1: messages name the sysctl and the remedy."""
        harness.need_exact_faults()
        faults = [harness.app("rules"), "faults", "100", "3"]
        for level in (2, 3, 4):
            with self.subTest(paranoid=level), paranoid(level):
                result, report = self.measure_as_nobody(harness.app("rules"), "nested", "100")
                self.assertEqual(result.status, 0, result)
                self.assertEqual(report.calls(), {"outer": 100, "middle": 200, "inner": 600})
                result, report = self.measure_as_nobody("-e", "page-faults", *faults)
                self.assertEqual(result.status, 0, result)
                # like perf stat, show an event that is counted only in user mode with :u
                (row,) = [row for row in report.select(kind="region", region="touch")
                          if row.event in ("page-faults", "page-faults:u")]
                self.assertEqual(row.calls, 100)
                if row.status == "ok":
                    self.assertEqual((row.min, row.max, row.total), (3, 3, 300))
                else:
                    self.assertEqual((row.status, row.total), ("not-permitted", None))
                    self.assertIn("perf_event_paranoid", result.stderr)
                    self.assertIn("sysctl", result.stderr)
                result, report = self.measure_as_nobody("-e", "page-faults:k", *faults)
                self.assertEqual(result.status, 0, result)
                self.assertEqual(report.region("touch", "page-faults:k").status, "not-permitted")
                self.assertIn("kernel.perf_event_paranoid is %d" % level, result.stderr)
                self.assertIn("sysctl", result.stderr)
                result, report = self.measure_as_nobody("--strict", "-e", "page-faults:k", "true")
                self.assertEqual(result.status, 125, result)
                self.assertIn("kernel.perf_event_paranoid is %d" % level, result.stderr)


class NothingMarked(harness.TestCase):

    def test_marked_nothing(self):
        for program in (["true"], [harness.app("rules"), "markers", 1, ""],
                        [harness.app("rules-linked"), "markers", 1, ""],
                        [harness.app("tracer-unmarked"), "-s", "8x8"]):
            with self.subTest(program=program):
                result = self.measure(*program, events="page-faults")
                self.assertEqual(result.report.regions(), [])
                self.assertEqual(result.report.run("page-faults").status, "ok")
                # a page that the kernel has not read ahead causes a fault: that of the first
                # instruction, or the stack
                self.assertGreater(result.report.run("page-faults").total, 0)

    def test_table_says_so(self):
        result = self.regionstat("true")
        self.assertRegex(result.stderr, "no markers")
