# SPDX-License-Identifier: MIT
"""The Fortran module, built as a program would build it. The test program counts and times its
calls itself."""

import functools
import os

import binding
import harness

BINDINGS = os.path.join(harness.SOURCE, "lib", "bindings", "fortran")
BUILD = os.path.join(harness.BUILD, "lib", "bindings", "fortran")


class Fortran(binding.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("the runtime's sanitizer would have to be gfortran's as well")
        self.compiler = harness.need_tool("gfortran")

    def build(self, *flags, source="example.f90", from_source=False):
        """Build the program with the library of the build directory, or from the module's
        source."""
        program, build = self.path("program"), BUILD
        library = os.path.join(build, "libregionstat-fortran.a")
        words = [self.compiler, "-J" + self.directory, "-fopenmp", "-Wall", "-Wextra", "-Werror",
                 "-o", program]
        if from_source:
            c_object = self.path("regionstat_fortran.o")
            result = harness.run(["gcc", "-O2", "-c", "-I" + os.path.dirname(harness.HEADER), "-o",
                                  c_object, os.path.join(BINDINGS, "regionstat_fortran.c")])
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            words += [os.path.join(BINDINGS, "regionstat.f90"), os.path.join(BINDINGS, source),
                      c_object]
        elif os.path.exists(library):
            words += ["-I" + build, os.path.join(BINDINGS, source), library]
        else:
            self.skipTest("the build directory has no Fortran module")
        result = harness.run([*words, *flags])
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        return program

    def check(self, program):
        result = self.measure(program)
        report = result.report
        told = self.check_told_calls(result)
        self.check_nested(report.region("outer loop"), report.region("inner"))
        self.assertEqual(report.region("thread").threads, told["thread"])
        work = {row.event: row.total for row in report.select(kind="region", region="second")}
        self.assertEqual((work["bytes"], work["flops"]), (200 * 808, 200 * 101))

    def test_calls_and_times(self):
        for flags in (["-O0"], ["-O2"], ["-O3", "-flto"]):
            with self.subTest(flags=flags):
                program = self.build(*flags)
                self.steadily(functools.partial(self.check, program))

    def test_from_source(self):
        for flags in (["-O0"], ["-O2", "-fcheck=all"]):
            with self.subTest(flags=flags):
                program = self.build(*flags, from_source=True)
                self.steadily(functools.partial(self.check, program))

    def test_not_launched(self):
        """Without a launcher the program has the same libraries, files and threads as without
        markers."""
        program = self.build("-O2")
        result = harness.run([program])
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.check_unlinked(program)

    def test_static(self):
        """libregionstat.a does not contain the module: a static program runs, and is not
        measured."""
        program = self.path("static")
        source = self.text_file(
            "static.f90",
            "use regionstat\ncall regionstat_begin('x')\ncall regionstat_end('x')\n"
            "print '(a)', 'done'\nend\n")
        library = os.path.join(BUILD, "libregionstat-fortran.a")
        if not os.path.exists(library):
            self.skipTest("the build directory has no Fortran module")
        result = harness.run([self.compiler, "-static", "-w", "-I" + BUILD, source, library, "-o",
                              program])
        if result.status != 0:
            self.skipTest("no static programs here: " + result.stderr[-300:])
        result = harness.regionstat(program)
        self.assertEqual((result.status, result.stdout), (0, "done\n"), result)
