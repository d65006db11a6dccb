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

    def need_library(self):
        library = os.path.join(BUILD, "libregionstat-fortran.a")
        harness.need(os.path.exists(library), "the build directory has no Fortran module")
        return library

    def build(self, *flags, from_source=False):
        """Build the program with the library of the build directory, or from the module's
        source."""
        program, example = self.path("program"), os.path.join(BINDINGS, "example.f90")
        if from_source:
            c_object = self.path("regionstat_fortran.o")
            self.compile_quietly("gcc", "-O2", "-c", "-I" + os.path.dirname(harness.HEADER), "-o",
                                 c_object, os.path.join(BINDINGS, "regionstat_fortran.c"))
            words = [os.path.join(BINDINGS, "regionstat.f90"), example, c_object]
        else:
            words = ["-I" + BUILD, example, self.need_library()]
        self.compile_quietly(self.compiler, "-J" + self.directory, "-fopenmp", "-Wall", "-Wextra",
                             "-Werror", "-o", program, *words, *flags)
        return program

    def compile_quietly(self, *command):
        result = self.execute(command)
        self.assertEqual(result.stderr, "", result)

    def check(self, program):
        result = self.measure(program)
        report = result.report
        told = self.check_told_calls(result)
        self.check_nested(report.region("outer loop"), report.region("inner"))
        self.assertEqual(report.region("thread").threads, told["thread"])
        work = {row.event: row.total for row in report.select(kind="region", region="second")}
        self.assertEqual((work["bytes"], work["flops"]), (200 * 808, 200 * 101))

    def test_calls_and_times(self):
        for from_source, *flags in ((False, "-O0"), (False, "-O2"), (False, "-O3", "-flto"),
                                    (True, "-O0"), (True, "-O2", "-fcheck=all")):
            with self.subTest(from_source=from_source, flags=flags):
                program = self.build(*flags, from_source=from_source)
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
        result = harness.run([self.compiler, "-static", "-w", "-I" + BUILD, source,
                              self.need_library(), "-o", program])
        harness.need(result.status == 0, "no static programs here: " + result.stderr[-300:])
        result = harness.regionstat(program)
        self.assertEqual((result.status, result.stdout), (0, "done\n"), result)
