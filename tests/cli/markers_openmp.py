# SPDX-License-Identifier: MIT
"""OpenMP by OMPT, with LLVM's runtime: every construct is a region with as many calls as threads come
to it, named by its function and line."""

import os
import re
import shutil
import unittest

import adapter_counts
import harness

ADAPTER = os.path.join(harness.BUILD, "lib", "adapters", "libregionstat-openmp.so")
SOURCE = os.path.join(harness.APP_SOURCES, "openmp.c")
REPEATS, THREADS, NESTED = 7, 4, 1 + 2 + 4  # parallel regions of nested(2)


def line_of(text):
    """The number of the one line of the program that ends with a comment."""
    with open(SOURCE, encoding="utf-8") as file:
        lines = [n for n, line in enumerate(file, 1) if line.endswith("/* %s */\n" % text)]
    assert len(lines) == 1, (text, lines)
    return lines[0]


@unittest.skipIf(harness.SANITIZE != "none", "a sanitizer's library would have to come first")
class OpenMP(harness.TestCase):

    def program(self, *flags):
        """The program with LLVM's runtime, or skip the test."""
        clang = harness.need_tool("clang")
        path = self.path("program")
        result = harness.run([clang, "-fopenmp=libomp", "-g", *flags, SOURCE, "-o", path])
        if result.status != 0:
            self.skipTest("clang has no OpenMP here (package libomp-dev): " + result.stderr[:100])
        return path

    def openmp(self, program, *arguments, **more):
        return self.measure(shutil.which("env"), "OMP_TOOL_LIBRARIES=" + ADAPTER, program,
                            *map(str, arguments), events="time", **more)

    def region(self, report, kind, text):
        """The row of a construct: its line, or a line next to it where pragmas are joined."""
        line = line_of(text)
        names = ["(openmp.c:%d)" % n for n in (line, line + 1)]
        found = [row for row in report.select(kind="region", event="time", thread="all")
                 if row.region.split(" ")[0] == kind.split(" ")[0] and
                 row.region.startswith(kind + " ") and row.region.split(" ")[-1] in names and
                 (kind != "parallel" or not row.region.startswith("parallel part"))]
        self.assertEqual(len(found), 1, (kind, text, report.calls()))
        return found[0]

    def check(self, program, threads):
        report = self.openmp(program, REPEATS, threads).report
        expected = {("parallel", "parallel loop"): REPEATS,
                    ("parallel part", "parallel loop"): REPEATS * threads,
                    ("loop", "parallel loop"): REPEATS * threads,
                    ("parallel", "parallel constructs"): 1,
                    ("parallel part", "parallel constructs"): threads,
                    ("loop", "loop alone"): REPEATS * threads,
                    ("single", "single"): REPEATS,
                    ("sections", "sections"): REPEATS * threads,
                    ("masked", "masked"): REPEATS,
                    ("parallel", "parallel nested"): NESTED,
                    ("parallel part", "parallel nested"): 2 * NESTED}
        rows = {key: self.region(report, *key) for key in expected}
        self.assertEqual({key: row.calls for key, row in rows.items()}, expected)
        # three barriers of each thread in each round, and one at the end of every parallel part, but
        # for those that are alone
        parts = sum(n for (kind, text), n in expected.items() if kind == "parallel part"
                    and (threads > 1 or text == "parallel nested"))
        self.assertEqual(report.calls()["OpenMP barrier"], 3 * REPEATS * threads + parts)
        self.assertEqual(rows["loop", "loop alone"].threads, threads)
        self.assertIn("loops", rows["parallel", "parallel loop"].region)
        self.assertIn("constructs", rows["parallel", "parallel constructs"].region)
        self.assertEqual(len(report.calls()), len(expected) + 1, report.calls())
        self.assertEqual(set(report.diagnostics()) - {"recursive"}, set())

    def test_every_construct(self):
        for flags in (["-O1"], ["-O2"], ["-O1", "-fno-pie", "-no-pie"]):
            with self.subTest(flags=flags):
                self.check(self.program(*flags), THREADS)

    def test_long_names_keep_their_lines(self):
        """Of two constructs in a function whose name is too long the line tells which."""
        source = self.path("long.cpp")
        with open(source, "w", encoding="ascii") as file:
            file.write("template <class T> struct %s {\n"
                       "__attribute__((noinline)) void compute(T) {\n"
                       "#pragma omp parallel // first\n"
                       "  ;\n"
                       "#pragma omp parallel // second\n"
                       "  ;\n"
                       "} };\n"
                       "int main() {\n"
                       "  for (int i = 0; i < 3; i++) %s<int>().compute(1);\n"
                       "  for (int i = 0; i < 5; i++) %s<long>().compute(1);\n"
                       "}\n" % (("long_" * 30,) * 3))
        program, clang = self.path("long"), harness.need_tool("clang++")
        result = harness.run([clang, "-fopenmp=libomp", "-g", source, "-o", program])
        if result.status != 0:
            self.skipTest("clang++ has no OpenMP here (package libomp-dev): " + result.stderr[:100])
        calls = self.openmp(program).report.calls()
        self.assertTrue(all(len(name) <= 127 for name in calls), calls)
        for line in (3, 5):
            found = {name: n for name, n in calls.items() if name.startswith("parallel long_") and
                     re.search(r"~[0-9a-f]{8} \(long\.cpp:%d\)$" % line, name)}
            self.assertEqual(sorted(found.values()), [3, 5], calls)

    def test_found(self):
        """That the program needs LLVM's library is enough: nobody has to name the adapter."""
        program = self.program("-O1")
        regions = len(self.openmp(program, REPEATS, THREADS).report.calls())
        adapter_counts.check_auto(self, "openmp", r"program has libi?omp5?\.so[.0-9]*", regions,
                                  program, str(REPEATS), str(THREADS))

    def test_one_thread(self):
        self.check(self.program("-O1"), 1)

    def test_the_program_is_as_without(self):
        program = self.program("-O1")
        plain = harness.run([program, "3", "4"])
        self.assertEqual(plain.status, 0, plain)
        loaded = harness.run([program, "3", "4"],
                             env=harness.environment(OMP_TOOL_LIBRARIES=ADAPTER))
        measured = self.openmp(program, 3, 4)
        self.assertEqual((loaded.status, loaded.stdout, loaded.stderr),
                         (plain.status, plain.stdout, plain.stderr))
        self.assertEqual(measured.stdout, plain.stdout)


if __name__ == "__main__":
    harness.main()
