# SPDX-License-Identifier: MIT
"""PAUSE and RESUME: regions and the run's totals stop and continue together, when the program says
so."""

import re

import harness

ROUNDS = 10
PAGES = 50
PAUSED_FAULTS = 100000


class Pause(harness.TestCase):

    def run_pause(self, paused_faults, n_busy):
        """Run the program. Return the report. The busy threads have a lower priority than the one
        that faults, because that one has 100,000 faults to do."""
        result = self.measure(harness.app("rules"), "pause", ROUNDS, PAGES, paused_faults, n_busy,
                              "10", events="page-faults")
        report = result.report
        work = report.region("work", "page-faults")
        self.assertEqual((work.calls, work.counted, work.min, work.avg, work.p90, work.max,
                          work.total), (ROUNDS, ROUNDS, PAGES, PAGES, PAGES, PAGES, ROUNDS * PAGES))
        self.assertEqual(report.calls().get("ignored", 0), 0)
        self.assertEqual(report.diagnostics("work"), {})
        self.assertNotIn("not answered in time", result.stderr)
        return report

    def check_totals(self, n_busy):
        harness.need_exact_faults()
        without, with_faults = (self.run_pause(n, n_busy) for n in (0, PAUSED_FAULTS))
        difference = (with_faults.run("page-faults").total - without.run("page-faults").total)
        self.assertLess(abs(difference), 100)

    def test_totals_without_busy_threads(self):
        self.check_totals(0)

    def test_totals_with_16_busy_threads(self):
        self.check_totals(16)


class Rules(harness.TestCase):

    def test_lifetimes_have_no_pauses(self):
        """The main thread sleeps and uses the CPU in 20 pauses and between them, where it sleeps
        5 ms each time. The other thread sleeps."""
        result = self.measure(harness.app("rules"), "pause-lifetime", "20",
                              options=["-o", self.path("run.json")])
        least, cpu = map(int, re.search(r"least (\d+) cpu (\d+)", result.stdout).groups())
        document = harness.read_json(self.path("run.json"))
        threads = document["threads"]
        self.assertEqual(len(threads), 2)
        for thread in threads:
            off = thread["blocked_ns"] + thread["preempted_ns"]
            self.assertGreaterEqual(thread["lifetime_ns"], least)
            # in each pause, the main thread uses the CPU for 20 ms and sleeps as long
            self.assertLess(thread["lifetime_ns"], document["run"]["elapsed_ns"] - 20 * 40000000)
            self.assertLessEqual(off, thread["lifetime_ns"])
            self.assertLess(thread["lifetime_ns"] - off, cpu + 200000000)
            self.assertGreater(off, 0.98 * 20 * 5000000)
            if thread == threads[0]:
                self.assertGreater(thread["lifetime_ns"] - off, cpu)

    def test_recursion_in_a_call_that_began_in_a_pause(self):
        result = self.measure(harness.app("rules"), "markers", 1, "m<a>aaAAAM", events="time")
        region = result.report.region("a")
        self.assertEqual((region.calls, region.parent, region.self_total), (2, "m", region.total))

    def test_threads_that_pause_at_once_without_an_answer(self):
        """If nobody answers, the first threads wait a second, and all others do not wait."""
        result = self.measure(harness.app("rules"), "pause-unanswered", "50", "4")
        self.assertEqual({name: n for name, n in result.report.calls().items() if n}, {})
        n = int(re.search(r"(\d+) pauses? or resumes not answered", result.stderr).group(1))
        self.assertIn(n, range(1, 5), result)

    def test_a_launcher_that_is_stopped_costs_no_call(self):
        """Only calls that begin between a PAUSE and its RESUME are not counted, with or without an
        answer."""
        for options in ([], ["-D", "-1"]):
            with self.subTest(options=options):
                result = self.measure(harness.app("rules"), "pause-stopped", "200",
                                      options=options)
                self.assertEqual({name: n for name, n in result.report.calls().items() if n},
                                 {"counted": 200})
                self.assertClean(result.report)
                self.assertRegex(result.stderr, r"\d+ pauses? or resumes not answered")

    def test_a_paused_process_that_dies_keeps_no_other_paused(self):
        """After the parent has waited for it, calls after its RESUME are counted, and the report
        mentions the pause."""
        for options in ([], ["--per-thread"]):
            result = self.measure(harness.app("rules"), "pause-and-die", "50", options=options)
            rows = result.report.select(kind="region", region="counted", event="time")
            self.assertEqual(sum(row.calls for row in rows), 50, result)
            self.assertIn("50 processes ended, or executed another program, without a RESUME",
                          result.stderr)

    def test_static_program(self):
        harness.need_exact_faults()
        program = harness.need_app("rules-static")
        report = self.measure(program, "pause", "5", "3", "1000", "1", "0",
                              events="page-faults").report
        work = report.region("work", "page-faults")
        self.assertEqual((work.calls, work.min, work.max, work.total), (5, 3, 3, 15))
