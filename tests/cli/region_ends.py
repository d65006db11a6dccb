# SPDX-License-Identifier: MIT
"""However a program ends, every finished call is in the report, and the exit status is the
program's own."""


import harness


class Endings(harness.TestCase):

    def test_ends_inside_a_region(self):
        statuses = {"abort": 134, "exit": 7, "_exit": 8, "quick_exit": 9, "kill": 137, "term": 143,
                    "segv": 139}
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            for how, status in statuses.items():
                with self.subTest(program=program, how=how):
                    report = self.measure(harness.app(program), "end", how, "1000",
                                          events="page-faults", status=status).report
                    self.assertEqual(report.region("finished").calls, 1000)
                    self.assertEqual(report.region("finished", "page-faults").counted, 1000)
                    self.assertEqual(report.region("open").calls, 0)
                    self.assertEqual(report.diagnostics(), {"open": 1})

    def test_table_after_a_signal(self):
        result = self.regionstat(harness.app("rules"), "end", "abort", "1000", status=134)
        self.assertRegex(result.stderr, r"(?m)^finished .* 1,000 ")

    def test_time_in_a_call_that_does_not_end(self):
        """The program works in the region only, and ends in it: more marks would not help."""
        result = self.regionstat(harness.app("rules"), "markers", 1, "a" + "^" * 50)
        self.assertRegex(result.stderr, r"% of the threads' time is in no region.*: part of it may be in\s+"
                                        "calls that had not ended")
        self.assertNotIn("mark more", result.stderr)

    def test_time_of_another_thread_than_that_of_the_open_call(self):
        result = self.regionstat(harness.app("rules"), "markers", 1, "aA(o)" + "^" * 50)
        self.assertRegex(result.stderr, r"1 call still open when the thread ended")
        # on a busy machine most of that time is off the CPU, and the remedy is another one
        self.assertIn("% of the threads' time is in no region", result.stderr)
        self.assertNotIn("that had not ended", " ".join(result.stderr.split()))

    def test_what_was_jumped_over(self):
        """longjmp() is the only way out of a scope without an END. A pair of BEGIN and END may have
        none."""
        for words, outer, inner, says in (
                (("jump", 9), "outer", "inner",
                 r"9 calls left by a longjmp\(\), or suspended in a coroutine .*: 'inner' \(9\); use .* with an END "
                 r"also before the longjmp\(\); in a coroutine, use REGIONSTAT_START\(\)"),
                (("markers", 9, "oiO"), "o", "i",
                 r"9 calls without an END, not in the figures: 'i' \(9\); .* END before each return, "
                 r"break, goto, exception and longjmp\(\)")):
            result = self.measure(harness.app("rules"), *words)
            self.assertEqual(result.report.region(outer).calls, 9)
            self.assertEqual(result.report.diagnostics(inner), {"lost": 9})
            self.assertRegex(result.stderr, says)

    def test_killed_child_process(self):
        """The program outlives a child that is killed inside a region."""
        script = "%s end kill 25; exec %s nested 3" % ((harness.app("rules"),) * 2)
        report = self.measure("sh", "-c", script).report
        self.assertEqual(report.region("finished").calls, 25)
        self.assertEqual(report.region("inner").calls, 18)
        self.assertEqual(report.diagnostics(), {"open": 1})
