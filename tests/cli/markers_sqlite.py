# SPDX-License-Identifier: MIT
"""SQLite and its shell, a program of some 270,000 lines. Each of its functions has exactly the
calls that gcov counts, with -finstrument-functions and with -fxray-instrument."""

import collections
import json
import os
import platform
import subprocess

import adapter_counts
import harness

SOURCES = os.path.join(harness.APP_SOURCES, "sqlite")
SCRIPT = os.path.join(SOURCES, "work.sql")
# without threads; all compilers see the same functions
FLAGS = ["-w", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION",
         "-DSQLITE_DISABLE_INTRINSIC"]


class Sqlite(harness.TestCase):

    known = None  # what counted() returned

    def build(self, compiler, *flags, where="."):
        directory = self.path(where)
        os.makedirs(directory, exist_ok=True)
        words = [os.path.join(harness.need_sources("sqlite"), name) for name in ("sqlite3.c", "shell.c")]
        result = harness.run([compiler, *FLAGS, *flags, *words, "-o", "program", "-lm"],
                             cwd=directory, timeout=500)
        harness.need("libclang_rt.xray" not in result.stderr, "clang has no XRay runtime here")
        self.assertEqual(result.status, 0, result)
        return os.path.join(directory, "program")

    def work(self):
        """Return the shell's arguments and input: a database in memory."""
        script = open(SCRIPT, encoding="ascii")
        self.addCleanup(script.close)
        return ["-batch", ":memory:"], {"stdin": script, "cwd": self.directory}

    def counted(self, program):
        """Run a program that gcc has built with --coverage. Return gcov's counts, the number of calls of
        all functions with the same name, and what the program printed."""
        words, options = self.work()
        result = harness.run([program, *words], **options)
        self.assertIn("no such table: nowhere", result.stderr)
        directory = os.path.dirname(program)
        files = [name for name in os.listdir(directory) if name.endswith(".gcda")]
        self.assertEqual(len(files), 2)
        text = subprocess.run([harness.need_tool("gcov"), "-j", "-t", *files],
                              cwd=directory, capture_output=True, check=True).stdout
        counts = collections.defaultdict(list)
        for line in text.decode().splitlines():
            for file in json.loads(line)["files"]:
                for function in file["functions"]:
                    if function["execution_count"]:
                        counts[function["name"]].append(function["execution_count"])
        return {name: sorted(n) for name, n in counts.items()}, result.stdout

    def compare(self, program):
        """Measure a program, and compare its calls with those that are known."""
        expected, printed = self.known
        words, options = self.work()
        result = self.measure(program, *words, events="time", options=adapter_counts.OPTIONS,
                              env=adapter_counts.preloaded("functions"), status=1, **options)
        found = collections.defaultdict(list)
        for name, calls in result.report.calls().items():
            found[name.split(" ")[0]].append(calls)
        found = {name: sorted(numbers) for name, numbers in found.items()}
        self.assertEqual({name: (found.get(name), expected.get(name))
                          for name in {*found, *expected}
                          if found.get(name) != expected.get(name)}, {})
        self.assertEqual(set(result.report.diagnostics()) - {"recursive"}, set())
        self.assertEqual(result.stdout, printed)
        total, n = sum(map(sum, expected.values())), sum(map(len, expected.values()))
        harness.note("%d calls of %d functions" % (total, n))
        self.assertGreater(total, 500000)
        self.assertGreater(n, 800)

    def test_instrumented_functions(self):
        harness.need("gcc" in harness.compilers(), "gcov is of gcc's programs")
        program = self.build("gcc", "-O0", "-g1", "--coverage", "-finstrument-functions")
        type(self).known = self.counted(program)
        self.compare(program)

    def test_xray(self):
        harness.need(platform.machine() == "x86_64", "the adapter knows XRay's trampolines of x86-64")
        harness.need("gcc" in harness.compilers(), "gcov is of gcc's programs")
        known = self.known or self.counted(self.build("gcc", "-O0", "--coverage", where="counted"))
        type(self).known = known
        self.compare(self.build(harness.need_tool("clang"), "-O0", "-g1", "-fxray-instrument",
                                "-fxray-instruction-threshold=1"))
