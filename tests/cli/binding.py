# SPDX-License-Identifier: MIT
"""Helpers for tests of the bindings of other languages, whose examples make the same calls."""

import os
import shutil

import harness

RUNTIME = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1")
NOBODY = 65534
# What a program of Trust writes first.
MEASURED, NOT_MEASURED = "measured: true\n", "measured: false\n"


class TestCase(harness.TestCase):

    def check_told_calls(self, result):
        """Check the report of a binding's example. Its lines are "CALLS WITHIN AROUND NAME", with
        the two clocks' times in ns, or -1. WITHIN contains the markers of inner calls: in "outer
        loop" those of "inner". The longest name is cut. Return the calls by name."""
        told, report = {}, result.report
        for line in result.stdout.splitlines():
            calls, within, around, name = line.split(" ", 3)
            told[name] = int(calls)
            if int(within) < 0:
                continue
            markers_ns = 0
            if name == "outer loop":
                row = report.one(kind="info", event="overhead", region="inner")
                markers_ns = round(float(row.value) * report.region("inner").calls)
            self.assertBetweenClocks(report.region(name), int(within) - markers_ns, int(around))
        found = report.calls()
        long_name, = (name for name in found if name.startswith("long "))
        self.assertTrue(100 < len(long_name) <= 127, long_name)
        self.assertEqual(found.pop(long_name), 1)
        self.assertEqual(found, told)
        self.assertEqual(report.diagnostics("fib"), {"recursive": 176})
        # the outer END of careless() has found its own BEGIN
        lost = report.diagnostics("careless")
        self.assertEqual(lost.get("lost", 0) + lost.get("open", 0), 5, lost)
        return told

    def check_nested(self, outer, inner):
        """Check the rows of two regions, of which the inner one is all that the outer one has."""
        self.assertEqual((inner.parent, inner.self_total), (outer.region, inner.total))
        # each value is a sum of two, of calls with and without a context switch, rounded to 1 ns
        self.assertLessEqual(outer.self_total, outer.total - inner.total + 3)

    def check_unlinked(self, program, *others):
        """Check that a program without a launcher neither needs nor opens anything of regionstat,
        other than its own files."""
        readelf = harness.run([harness.need_tool("readelf"), "-d", program])
        self.assertNotRegex(readelf.stdout, r"NEEDED.*regionstat")
        strace = harness.run([harness.need_tool("strace"), "-f", "-e",
                              "trace=open,openat,memfd_create", program]).stderr
        for path in (program, *others):
            strace = strace.replace(path, "")
        self.assertNotIn("regionstat", strace)


class Trust:
    """Tests of a binding that finds the runtime itself. A subclass has run_with(), which runs a
    program of its language with variables."""

    def test_which_runtimes_are_loaded(self):
        """The program continues without a runtime that it does not trust, and the report says why.
        In a directory that others may write, the file that was checked is loaded."""
        os.mkdir(self.path("shared"))
        os.chmod(self.path("shared"), 0o777)
        writable, loaded = (shutil.copy(RUNTIME, self.path(name)) for name in ("lib.so", "shared/lib.so"))
        os.chmod(writable, 0o777)
        other = shutil.copy(harness.REGIONSTAT, self.path("other.so"))
        cases = [(writable, r"others may write to it \(chmod go-w\)"),
                 (self.path("none.so"), r"none\.so: cannot be opened"),
                 (other, r"other\.so|regionstat_join"),
                 (loaded, None)]
        if os.geteuid() == 0:
            owned = shutil.copy(RUNTIME, self.path("owned.so"))
            os.chown(owned, NOBODY, NOBODY)
            cases.append((owned, "neither root's nor the program's"))
        for runtime, reason in cases:
            with self.subTest(runtime=os.path.relpath(runtime, self.directory)):
                result = self.run_with("REGIONSTAT_RUNTIME=" + runtime, launcher=[harness.REGIONSTAT])
                self.assertTrue(result.stderr.startswith(NOT_MEASURED if reason else MEASURED), result)
                self.assertRegex(" ".join(result.stderr.split()), reason or " calls ")

    def test_what_is_no_segment(self):
        for value in ("", "x", "11:5:1:0", "11:-1:-1:zz", "11:99999999999:1:1", ":::", "11:0:1:0",
                      "1:2:3:4:5", "\udcff:\udcff"):
            with self.subTest(segment=value):
                self.assertEqual(self.run_with("REGIONSTAT_SEGMENT=" + value).stderr, NOT_MEASURED)
