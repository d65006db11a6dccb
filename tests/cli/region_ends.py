# SPDX-License-Identifier: MIT
"""However a program ends, every finished call is in the report, and the exit status is the
program's own."""

import mmap
import os
import signal
import struct

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

    def killed_run(self, n_finished, events):
        """Kill the program by SIGKILL once it has finished this many calls."""
        count_file, output = self.path("count"), self.path("report.csv")
        with open(count_file, "wb") as stream:
            stream.truncate(4096)
        arguments = ["-x", ",", "-o", output]
        for event in events:
            arguments += ["-e", event]
        process = harness.start([harness.REGIONSTAT, *arguments, "--", harness.app("rules"),
                                 "counting", count_file])
        try:
            with open(count_file, "r+b") as stream:
                shared = mmap.mmap(stream.fileno(), 4096)
            finished, pid = 0, 0
            while finished < n_finished and process.poll() is None:
                os.sched_yield()
                finished, pid = struct.unpack_from("=QQ", shared)
            self.assertIsNone(process.poll(), "ended by itself")
            os.kill(pid, signal.SIGKILL)
            _, stderr = process.communicate(timeout=harness.TIMEOUT_S)
            finished, _ = struct.unpack_from("=QQ", shared)
        finally:
            harness.stop(process)
        self.assertEqual(process.returncode, 137, stderr)
        return finished, harness.read_report(output)

    def test_kill_9_loses_no_finished_call(self):
        for events in (["time"], ["page-faults"], ["page-faults,task-clock", "context-switches"]):
            for n_finished in (1, 1000, 3456, 10000, 23456, 50000):
                with self.subTest(events=events, n_finished=n_finished):
                    finished, report = self.killed_run(n_finished, events)
                    counted = report.region("counted")
                    nested = report.region("nested")
                    # a call may have finished before its number reached the file
                    self.assertIn(counted.calls, (finished, finished + 1))
                    self.assertIn(nested.calls, (counted.calls, counted.calls + 1))
                    for region in ("counted", "nested"):
                        calls = report.region(region).calls
                        for row in report.select(kind="region", region=region):
                            if row.event in ("blocked", "preempted"):
                                continue
                            self.assertEqual((row.calls, row.counted), (calls, calls), row)
                            self.assertTrue(row.min <= row.p50 <= row.p99 <= row.max, row)
                    for event, n in report.diagnostics().items():
                        self.assertEqual(event, "open")
                        self.assertLessEqual(n, 2)

    def test_what_was_jumped_over(self):
        """longjmp() is the only way out of a scope without an END. A pair of BEGIN and END may have
        none."""
        for how, says in (("scope", r"9 calls left by a longjmp\(\), not in the figures: 'inner'"),
                          ("pair", r"9 calls without an END, not in the figures: 'inner'")):
            program = self.compile("jumped.c", harness.compilers()[0], "-O1")
            result = self.measure(program, how, 9)
            self.assertEqual(result.report.region("outer").calls, 9)
            self.assertEqual(result.report.diagnostics("inner"), {"lost": 9})
            self.assertRegex(result.stderr, says)

    def test_killed_child_process(self):
        """The program outlives a child that is killed inside a region."""
        script = "%s end kill 25; exec %s nested 3" % ((harness.app("rules"),) * 2)
        report = self.measure("sh", "-c", script).report
        self.assertEqual(report.region("finished").calls, 25)
        self.assertEqual(report.region("inner").calls, 18)
        self.assertEqual(report.diagnostics(), {"open": 1})


if __name__ == "__main__":
    harness.main()
