# SPDX-License-Identifier: MIT
"""Processes: children are in the same report, and calls that were open at a fork stay the
parent's."""

import os
import time

import harness


class Processes(harness.TestCase):

    def test_many_children_at_once(self):
        report = self.measure(harness.app("rules"), "fork-many", 200, 10, events="page-faults").report
        row = report.region("child", "page-faults")
        self.assertEqual((row.calls, row.counted), (2000, 2000))
        self.assertClean(report)

    def test_per_process(self):
        result = self.measure(harness.app("rules"), "fork-many", "10", "7",
                              options=["--per-process"])
        rows = result.report.select(kind="region", region="child", event="time")
        self.assertEqual([row.calls for row in rows], [7] * 10)
        self.assertEqual(len({row.process for row in rows}), 10)

    def test_recursion_in_a_call_of_the_parent_process(self):
        report = self.measure(harness.app("rules"), "markers", 1, "ma{aaAA}AM", events="time",
                              options=["--per-process"]).report
        rows = report.select(kind="region", region="a", event="time")
        self.assertEqual([(row.calls, row.parent) for row in rows], [(1, "m"), (2, "m")])
        self.assertEqual(rows[1].self_total, rows[1].total)

    def test_children_in_an_emulator_that_ignores_wipeonfork(self):
        harness.need_no_sanitizer("an emulator cannot run a program with a sanitizer")
        emulator = harness.need_tool("qemu-" + os.uname().machine)
        report = self.measure(emulator, harness.app("rules"), "fork-many", 3, 7,
                              options=["--per-process"]).report
        rows = report.select(kind="region", region="child", event="time")
        self.assertEqual([row.calls for row in rows], [7] * 3)
        self.assertEqual(len({row.process for row in rows}), 3)

    def test_processes_that_a_saved_run_does_not_keep_apart(self):
        """In the last run, later children reuse the memory of those that regionstat has noticed the
        end of."""
        for option, mixes in (("--per-process", False), ("--per-thread", False), ("-v", True)):
            path = self.path(option + ".json")
            for n_children in (200, 2000, 20000) if mixes else (200,):
                self.regionstat("-o", path, option, "--", harness.app("rules"), "markers", n_children,
                                "pP{cC}")
                saved = harness.read_json(path)
                self.assertEqual(sum(row["calls"] for row in saved["rows"]
                                     if (row["kind"], row.get("region"), row["event"])
                                     == ("region", "c", "time")), n_children)
                if saved["collection"]["counts"].get("reused"):
                    break
            for view in ("--per-process", "--per-thread"):
                with self.subTest(option, view=view):
                    shown = self.regionstat("report", view, path).stdout
                    self.assertEqual(f"{view} when you run the program or merge" in shown, mixes, shown)
            self.assertNotIn("add up the calls", self.regionstat("report", path).stdout)

    def test_the_end_of_a_process_that_gives_no_notice(self):
        """The lifetime of a child has all its calls, and is no longer than its parent waited."""
        for how in ("_exit", "kill", "exec"):
            for options in ([], ["--sample", "3"]):
                with self.subTest(how, options=options):
                    path = self.path(how + ".json")
                    result = self.regionstat("-o", path, "--per-process", *options, "--",
                                         harness.app("abrupt"), how, 8)
                    ages = {int(pid): int(ns) for pid, ns in map(str.split, result.stdout.splitlines())}
                    self.assertEqual(len(ages), 8, result.stdout)
                    run = harness.read_json(path)
                    times = {}
                    for one in run["results"]:
                        times[one["thread"]] = one["values"][0]["total"]
                    threads = [(thread["tid"], thread["lifetime_ns"], times[number])
                               for number, thread in enumerate(run["threads"])
                               if thread["tid"] in ages and number in times]
                    self.assertEqual(len(threads), 8, run["threads"])
                    for tid, lifetime_ns, time in threads:
                        self.assertLessEqual(time, lifetime_ns)
                        self.assertLessEqual(lifetime_ns, ages[tid], (time, run["threads"]))

    def test_the_lifetime_of_a_program_ends_at_an_exec(self):
        """The only process sleeps 20 ms and executes `sleep 1`, which is not part of a lifetime.
        regionstat looks every 100 ms."""
        path = self.path("exec.json")
        self.regionstat("-o", path, "--", harness.app("abrupt"), "exec-sleep", 0)
        run = harness.read_json(path)
        thread, = run["threads"]
        self.assertGreaterEqual(thread["lifetime_ns"], 20e6)
        self.assertLess(thread["lifetime_ns"], run["run"]["elapsed_ns"] - 500e6)

    def test_the_lifetime_of_a_program_ends_at_an_exec_of_a_marked_one(self):
        """The only process sleeps 20 ms before and after an exec of itself. Its two threads do not live
        at a time, though regionstat has hardly time to look at them."""
        path = self.path("exec.json")
        # With --per-thread, the second thread does not use the first one's slot.
        self.regionstat("--per-thread", "-o", path, "--", harness.app("abrupt"), "exec-self", 0)
        run = harness.read_json(path)
        first, second = [thread["lifetime_ns"] for thread in run["threads"]]
        self.assertGreaterEqual(min(first, second), 20e6)
        self.assertLess(first + second, run["run"]["elapsed_ns"])

    def test_lifetimes_begin_after_the_delay(self):
        """-D 300 before a sleep of 600 ms. With -D -1 no thread has a lifetime."""
        for delay, most_less in ((300, 0.3), (-1, None)):
            path = self.path("delay.json")
            before = time.monotonic()
            self.regionstat("-D", delay, "-o", path, "--", harness.app("abrupt"), "_exit", 0)
            elapsed = time.monotonic() - before
            thread, = harness.read_json(path)["threads"]
            most = elapsed - most_less if most_less else 0
            self.assertLessEqual(thread["lifetime_ns"], most * 1e9)
            self.assertLessEqual(thread["blocked_ns"], thread["lifetime_ns"])
            if most_less:
                self.assertGreater(thread["lifetime_ns"], 0)
