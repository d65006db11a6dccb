# SPDX-License-Identifier: MIT
"""Signal handlers with markers: they are exact between markers, and skipped and counted inside
them. After jumps out of a marker the thread must still measure calls."""

import itertools
import re

import harness

PROGRAMS = harness.built_apps("rules", "rules-static")


class Signals(harness.TestCase):

    def test_handler_between_markers(self):
        for program in PROGRAMS:
            report = self.measure(harness.app(program), "handler", "1000",
                                  events="page-faults").report
            self.assertEqual(report.calls(), {"main": 1000, "handler": 1000})
            self.assertClean(report)

    def test_handler_anywhere(self):
        """Every call of a handler is measured, or its marker is skipped and counted."""
        for case in itertools.product(PROGRAMS, ("time", "page-faults"), (0, 1)):
            program, events, alternate = case
            with self.subTest(case):
                result = self.measure(harness.app(program), "handler-anywhere", "3000", alternate,
                                      events=events)
                counts = re.search(r"main (\d+) handler (\d+)", result.stdout)
                n_main, n_handled = map(int, counts.groups())
                (n_skipped,) = re.findall(r"([\d,]+) markers? skipped", result.stderr) or ["0"]
                self.assertEqual(result.report.region("main").calls, n_main)
                measured = result.report.calls().get("handler", 0)
                self.assertEqual(measured + int(n_skipped.replace(",", "")), n_handled)
                self.assertClean(result.report)
                harness.note("%s, %s: %s of %d handler calls interrupted a marker"
                             % (program, events, n_skipped, n_handled))

    def test_siglongjmp_out_of_a_marker(self):
        for program in PROGRAMS:
            for events in ("time", "page-faults"):
                with self.subTest(program=program, events=events):
                    report = self.measure(harness.app(program), "siglongjmp", "2000", "500",
                                          events=events).report
                    self.assertEqual(report.region("afterwards").calls, 500)
                    self.assertEqual(report.diagnostics("afterwards"), {})
                    # jumps leave calls open, which the next BEGIN finds lost
                    self.assertEqual(set(report.diagnostics("interrupted")) -
                                     {"lost", "open", "unmatched"}, set())
