# SPDX-License-Identifier: MIT
"""Processes: children are in the same report, and calls that were open at a fork stay the
parent's."""

import time
from functools import partialmethod

import harness


class Processes(harness.TestCase):

    def check(self, *arguments, calls, diagnostics=None, program="rules"):
        result = self.measure(harness.app(program), *arguments, events="page-faults")
        report = result.report
        self.assertEqual({name: n for name, n in report.calls().items() if n}, calls)
        self.assertEqual(report.diagnostics(), diagnostics or {})
        for row in report.select(kind="region", event="page-faults"):
            self.assertEqual(row.counted, row.calls, row)
        return result

    def test_fork_outside_regions(self):
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            with self.subTest(program):
                self.check("fork", "20", "10", calls={"parent": 20, "child": 200}, program=program)

    # the child's END of the parent's call is ignored; its own call counts
    test_fork_inside_a_region = partialmethod(
        check, "fork-inside", "20", "10", calls={"around": 40, "child": 200})

    def test_calls_that_a_fork_hands_on(self):
        """ENDs of inherited calls by scope, by name and by NEXT, at sites that were used before."""
        calls = {"scope": 20, "pair": 20, "next": 20}
        for events in ("time", "page-faults", "page-faults,task-clock"):
            result = self.measure(harness.app("handed_on"), "fork", 20, events=events)
            found = result.report.calls()
            # the child's own call, which its NEXT begins, counts
            self.assertEqual(found.pop("last"), 40)
            self.assertEqual(found, calls)
            self.assertClean(result.report)

    test_many_children_at_once = partialmethod(
        check, "fork-many", "200", "10", calls={"child": 2000})
    test_many_children_in_turn = partialmethod(
        check, "fork", "1000", "1", calls={"parent": 1000, "child": 1000})
    # thread slots of the first processes are used again
    test_children_that_end_in_calls = partialmethod(
        check, "fork-open", "200", "7", calls={}, diagnostics={"open": 1400})
    # g + 1 processes make twice n calls: before their child and after it, except the last one
    test_generations = partialmethod(
        check, "fork-generations", "20", "5", calls={"child": 2 * 5 * 21})
    test_fork_from_threads = partialmethod(
        check, "fork-threads", "8", "10", calls={"child": 8 * 11})
    # each exec leaves a call open
    test_exec = partialmethod(
        check, "exec", "5", "10", calls={"child": 60}, diagnostics={"open": 5})
    test_system = partialmethod(check, "system", "5", "10", calls={"system": 5, "child": 50})
    test_raw_clone = partialmethod(check, "raw-clone", "5", "10", calls={"child": 51})

    def test_per_process(self):
        result = self.measure(harness.app("rules"), "fork-many", "10", "7",
                              options=["--per-process"])
        rows = result.report.select(kind="region", region="child", event="time")
        self.assertEqual([row.calls for row in rows], [7] * 10)
        self.assertEqual(len({row.process for row in rows}), 10)

    def test_processes_that_a_saved_run_does_not_keep_apart(self):
        """In the last run, later children reuse the memory of those that regionstat has noticed the
        end of."""
        for option, mixes in (("--per-process", False), ("--per-thread", False), ("-v", True)):
            path = self.path(option + ".json")
            for n_children in (200, 2000, 20000) if mixes else (200,):
                self.regionstat("-o", path, option, "--", harness.app("rules"), "fork", n_children, 1)
                if harness.read_json(path)["collection"]["counts"].get("reused"):
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
