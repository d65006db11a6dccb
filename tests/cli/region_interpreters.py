# SPDX-License-Identifier: MIT
"""Markers called from interpreters, whose stack is not that of C: CPython through ctypes, and Lua,
whose errors leave C functions by longjmp(3). The scripts count their calls themselves."""

import os
import shutil
import sys

import harness

TICKETS = os.path.join(harness.APP_SOURCES, "tickets")
FIB_10_ENTRIES = 177  # 2 F(11) - 1


class Python(harness.TestCase):

    def script(self, what, events="time"):
        if harness.SANITIZE != "none":
            self.skipTest("the interpreter has no sanitizer, as a marked library then needs")
        python = shutil.which("python3") or sys.executable
        library = self.compile("tickets/names.c", harness.compilers()[0], "-std=gnu11", "-O2",
                               "-shared", "-fPIC", name="names.so")
        return self.measure(python, os.path.join(TICKETS, "interpreted.py"), library, what,
                            events=events)

    def test_recursion(self):
        result = self.script("pairs")
        report = result.report
        self.assertEqual(report.calls(), {"all": 1, "fib": FIB_10_ENTRIES})
        self.assertEqual(report.diagnostics(), {"recursive": FIB_10_ENTRIES - 1})
        answer, times = result.stdout.split("\n")[:2]
        self.assertEqual(answer, "fib 55")
        within_ns, around_ns = map(int, times.split()[1:])
        fib, whole = report.region("fib"), report.region("all")
        self.assertTrue(within_ns * 0.9 <= whole.total <= around_ns, (whole, result.stdout))
        # the only outermost call is the longest, and equals the region's time
        self.assertLessEqual(fib.total, whole.total)
        self.assertAlmostEqual(fib.total, fib.max, delta=0.01 * fib.max)
        self.assertTrue(0 <= whole.self_total <= whole.total - fib.total + 1000, (fib, whole))

    def test_recursion_with_counters(self):
        report = self.script("pairs", events="page-faults").report
        for event in ("time", "page-faults"):
            row = report.region("fib", event)
            self.assertEqual((row.calls, row.counted), (FIB_10_ENTRIES, FIB_10_ENTRIES), row)

    def test_exceptions(self):
        """60 calls of which 20 raise: each END ends the call that it belongs to."""
        result = self.script("errors")
        self.assertIn("raised 20", result.stdout)
        self.assertEqual(result.report.calls(), {"careless": 40, "inside": 60})
        found = result.report.diagnostics("careless")
        self.assertEqual(found.pop("lost", 0) + found.pop("open", 0), 20)
        self.assertEqual(set(found) - {"recursive"}, set())
        self.assertEqual(result.report.diagnostics("inside"), {})

    def test_tasks(self):
        report = self.script("tasks").report
        self.assertEqual(report.calls(), {"task": 200})
        self.assertClean(report)


class Lua(harness.TestCase):

    def setUp(self):
        harness.need_no_sanitizer("one thread races with nobody", "thread")
        super().setUp()
        pkg_config = harness.need_tool("pkg-config")
        found = harness.run([pkg_config, "--cflags", "--libs", "lua5.4"])
        if found.status != 0:
            self.skipTest("Lua 5.4 is not installed (liblua5.4-dev)")
        self.library = found.stdout.split()

    def check(self, seed, walks, depth, options=(), compilers=None):
        """Check that every call that returned is counted. Calls that an error left are lost or
        still open. The only other message is that some were nested. Return the results, and how
        many calls were left."""
        found = []
        for compiler in compilers or harness.compilers():
            for optimization in ("-O0", "-O2"):
                program = self.compile("tickets/lua.c", compiler, "-std=gnu11", optimization,
                                       *self.library)
                result = self.measure(program, os.path.join(TICKETS, "walk.lua"), seed, walks,
                                      depth, events="time", options=options)
                with self.subTest(compiler=compiler, optimization=optimization, seed=seed):
                    found.append((result, self.compare(result)))
        return found

    def compare(self, result):
        """Compare with the script's counts. Return the number of calls that errors left."""
        report = result.report
        counts = {region: (int(entered), int(returned)) for region, entered, returned in
                  map(str.split, result.stdout.splitlines())}
        left = {region: entered - returned for region, (entered, returned) in counts.items()}
        found = {region: report.diagnostics(region) for region in counts}
        self.assertEqual({region: report.region(region).calls for region in counts},
                         {region: returned for region, (_, returned) in counts.items()})
        self.assertEqual({region: what.pop("lost", 0) + what.pop("open", 0)
                          for region, what in found.items()}, left)
        for what in found.values():
            self.assertEqual(set(what) - {"recursive"}, set())
        self.assertEqual(report.region("head").calls, counts["next"][0])
        self.assertEqual(report.diagnostics("head"), {})
        return sum(left.values())

    def test_some_calls_left_by_errors(self):
        for seed in (1, 2, 3):
            for _, n_left in self.check(seed, 3, 5):
                self.assertGreater(n_left, 2)

    def test_more_calls_left_than_a_thread_may_have_open(self):
        """Calls that can no longer end are dropped if too many are open."""
        for result, n_left in self.check(4, 8000, 7, compilers=harness.compilers()[:1]):
            self.assertGreater(n_left, 20000)
            self.assertRegex(result.stderr, r"longjmp")

    def test_the_same_where_calls_are_sampled(self):
        for _, n_left in self.check(6, 1000, 7, options=("--sample", 5)):
            self.assertGreater(n_left, 1000)
