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

    def build(self, *flags, source="example.f90", from_source=False):
        """Build the program with the library of the build directory, or from the module's
        source."""
        program, source = self.path("program"), os.path.join(BINDINGS, source)
        if from_source:
            c_object = self.path("regionstat_fortran.o")
            self.compile_quietly("gcc", "-O2", "-c", "-I" + os.path.dirname(harness.HEADER), "-o",
                                 c_object, os.path.join(BINDINGS, "regionstat_fortran.c"))
            words = [os.path.join(BINDINGS, "regionstat.f90"), source, c_object]
        else:
            words = ["-I" + BUILD, source, self.need_library()]
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

    def test_a_program_reads_its_results(self):
        """Launched, and without a launcher. The time differs from the report's by the length of a tick, 1 in
        50,000."""
        source = self.text_file("reads.f90", """
            use regionstat
            type(regionstat_call) :: request
            type(regionstat_values) :: ended, other, peeked
            character(500) :: events, message = ''
            integer :: i
            call get_command_argument(1, events)
            if (events /= '') call regionstat_open(events, message)
            if (message /= '') error stop 'open'
            do i = 1, 7
              call regionstat_begin('loop')
              call execute_command_line('true')
              call regionstat_end('loop')
            end do
            request = regionstat_start('request')
            peeked = regionstat_peek(request, 'time')
            call regionstat_stop(request)
            ended = regionstat_read('loop', 'time', regionstat_thread)
            other = regionstat_read('loop', 'no event', regionstat_process)
            print '(4(i0, 1x), l1, 1x, f0.0)', ended%calls, ended%validity, other%validity, &
              peeked%validity, peeked%total > 0, ended%total
            if (events /= '') call regionstat_report('report.csv', message)
            if (message /= '') error stop 'report'
            end
            """)
        program = self.build("-I.", source=source)
        result = self.measure(program)
        env = harness.environment(LD_LIBRARY_PATH=os.path.join(harness.BUILD, "lib", "runtime"),
                                  PATH=os.path.dirname(harness.REGIONSTAT) + ":" + os.environ["PATH"])
        own = self.execute([program, "page-faults"], env=env, cwd=self.directory)
        for text, report in ((result.stdout, result.report),
                             (own.stdout, harness.read_report(self.path("report.csv")))):
            *facts, total = text.split()
            self.assertEqual(facts, ["7", "1", "0", "1", "T"])
            reported = report.region("loop").total
            self.assertAlmostEqual(float(total), reported, delta=3 + 2 * reported / 50000)

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
