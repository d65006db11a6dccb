# SPDX-License-Identifier: MIT
"""LIKWID's markers in an unmodified program: with the stand-in of LIKWID's library, and with
LIKWID's own if it is installed. Its threads are its own, so that sanitizers see them, or OpenMP's.
Tests that LIKWID shares with other APIs are in markers_contract.py."""

import os
import re

import adapter_counts
import harness

THREADS, ROUNDS = 4, 200
PHASES = {"all": THREADS * ROUNDS, "odd": THREADS // 2 * ROUNDS, "even": THREADS // 2 * ROUNDS}


class TestCase(adapter_counts.TestCase):

    adapter, program = "likwid", harness.app("markers-likwid")

    def check_phases(self, result, n_events=1):
        """Check regions that begin in one phase and end in a later one, without nesting: their
        calls, their times, and what GET returned on each thread. The only event may be page-faults."""
        report = self.check_result(result, PHASES).report
        # Each call contains a marker of another region, and one half of the overhead is that of "all".
        inner_ns = report.markers_ns() / 2 if n_events else 0
        self.assertClocks(result, inner_ns)
        rows = [report.region(name) for name in PHASES]
        self.assertEqual([row.threads for row in rows], [THREADS, THREADS // 2, THREADS // 2])
        self.assertEqual([row.parent for row in rows], ["", "all", "all"])
        gets = re.findall(r"^get (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (-?\d+) (.*)$", result.stdout,
                          re.MULTILINE)
        self.assertEqual(len(gets), 2 * THREADS, result)
        faults = dict.fromkeys(PHASES, 0)
        for calls, found, took, known, within, around, value, region in gets:
            self.assertEqual((calls, found), (known, str(n_events)), region)
            faults[region] += int(value)
            # the rate of the clock may be known only to 1 % so early in a run
            slack = harness.CLOCKS_NS * int(calls)
            self.assertLessEqual(int(took), int(around) * 1.01 + slack, region)
            if int(took) < (int(within) - inner_ns) * (1 - harness.MARKERS_RATIO - 0.01) - slack:
                raise harness.TimeMissing("GET of %s: %s, not %s" % (region, took, within))
        if n_events:
            self.assertEqual(faults, {name: report.region(name, "page-faults").total
                                      for name in PHASES})


class Threads(TestCase):
    """Threads of the program itself."""

    @harness.steady
    def test_phases(self):
        self.check_phases(self.measure_with(self.program, "phases", ROUNDS, events="page-faults"))

    @harness.steady
    def test_raw(self):
        """With overhead included, the time is at least the time within the markers. No event is
        counted."""
        self.check_phases(self.measure_with(self.program, "phases", ROUNDS, options=["--raw"]), 0)

    def test_threads_have_rows_of_their_own(self):
        report = self.measure_with(self.program, "phases", ROUNDS, options=["--per-thread"]).report
        self.assertEqual([row.calls for row in report.select(kind="region", event="time",
                                                             region="all")], [ROUNDS] * THREADS)

    def test_calls(self):
        for how, n, calls, counts, diagnostics in (
                # each thread has its own calls of a region
                ("elsewhere", 10, {"moved": 0, "stayed": 1}, {}, {"unmatched": 10, "open": 10}),
                # closed while threads continue
                ("close", 500, {"region": 500 * THREADS}, {}, {}),
                ("fortran", 50, {"padded": 50}, {"ignored": 52}, {})):
            with self.subTest(how):
                self.check(how, n, calls, counts, diagnostics)

    def test_disorder(self):
        result = self.check("disorder", 1, {"early": 0, "open": 1, "late": 1, "known": 1},
                            {"ignored": 4}, {"unmatched": 1})
        # GET alone also creates a region
        self.assertEqual(adapter_counts.of(result.report, "likwid")["regions"], 5)


class Libraries(TestCase):
    """Threads of OpenMP, and libraries that the program needs."""

    def check_library(self, *flags):
        """Build the program, and check it when it is measured, and without a launcher. Then the
        adapter passes each call to the library, whose output and results stay the same."""
        harness.need("gcc" in harness.compilers(), "there is no gcc, and with it no libgomp")
        program = self.compile("markers/likwid.c", "gcc", "-O2", "-fopenmp", "-DLIKWID_PERFMON", *flags)
        self.steadily(lambda: self.check_phases(self.measure(
            program, "phases", ROUNDS, events="page-faults", env=adapter_counts.unordered())))
        result = self.measure(program, "regions", ROUNDS, events="time",
                              env=adapter_counts.unordered())
        self.check_result(result, {"triad": THREADS * ROUNDS})
        plain, adapted = [self.execute([program, "phases", "3"], env=adapter_counts.unordered(**more))
                          for more in ({}, {"LD_PRELOAD": adapter_counts.path("likwid")})]
        gets = [sorted(re.findall(r"^get (\S+ \S+ \S+) .* (\w+)$", result.stdout, re.MULTILINE))
                for result in (plain, adapted)]
        self.assertEqual(len(gets[0]), 2 * THREADS, plain)
        self.assertEqual((gets[0], plain.stderr), (gets[1], adapted.stderr))

    def test_own_library(self):
        harness.need_header("likwid.h", "likwid")
        self.check_library("-llikwid")

    def test_standin(self):
        self.check_library(*adapter_counts.WITH_LIKWID)

    def test_functions_are_those_of_likwid(self):
        """A program that is built with one of the libraries also runs with the other one. Only later
        releases than 5.2 can write a file."""
        harness.need_header("likwid.h", "likwid")
        paths = (harness.run(["gcc", "-print-file-name=liblikwid.so"]).stdout.strip(),
                 os.path.join(adapter_counts.STANDIN, "liblikwid.so"), adapter_counts.path("likwid"))
        likwid, standin, adapter = [
            set(re.findall(r" T (likwid_marker\w+)", harness.run([harness.need_tool("nm"), "-D", path]).stdout))
            for path in paths]
        later = {"likwid_markerWriteFile", "likwid_markerwritefile_"}
        self.assertEqual(likwid | later, standin)
        self.assertEqual(standin, adapter)

    def test_without_macros_there_are_no_regions(self):
        """Without LIKWID_PERFMON the header defines empty macros: nothing is linked or loaded."""
        program = self.compile_text("#include <likwid-marker.h>\nint main(void)\n{\n"
                                    "\tLIKWID_MARKER_INIT;\n\tLIKWID_MARKER_START(\"region\");\n"
                                    "\tLIKWID_MARKER_STOP(\"region\");\n\treturn 0;\n}\n",
                                    "-I" + adapter_counts.STANDIN_SOURCE)
        report = self.measure(program, events="time", env=adapter_counts.unordered()).report
        self.assertEqual((report.regions(), adapter_counts.of(report, "likwid")), ([], {}))

    def linked(self, name, body):
        """Build a small program with the stand-in. body is the body of its main()."""
        return self.compile_text("#include <likwid.h>\n#include <stdio.h>\n"
                                 "int main(void)\n{\n" + body + "\treturn 0;\n}\n",
                                 *adapter_counts.WITH_LIKWID, compiler="gcc", name=name)

    def test_threads_are_pinned(self):
        """Threads run on the CPUs that they ask for, as LIKWID's programs do."""
        allowed = sorted(os.sched_getaffinity(0))
        program = self.linked("pinned", """
	int cpus[] = {%s};
	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		printf("%%d ", likwid_pinThread(cpus[i]) && likwid_getProcessorId() == cpus[i]);
	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		printf("%%d ", likwid_pinProcess(cpus[i]) && likwid_getProcessorId() == cpus[i]);
	printf("%%d %%d\\n", likwid_pinProcess(-1), likwid_pinThread(1 << 30));
""" % ", ".join(map(str, allowed)))
        for result in (harness.run([program]),
                       self.measure(program, options=["--markers", "likwid"], env=adapter_counts.unordered())):
            self.assertEqual(result.stdout.split(), 2 * len(allowed) * ["1"] + ["0", "0"])

    def test_null_ends_no_program(self):
        """Without measuring, LIKWID and the adapter accept NULL as a name."""
        program = self.linked("null", "".join(
            "\tlikwid_marker%sRegion(NULL);\n" % word for word in ("Register", "Start", "Stop")) +
            "\tint n = 0;\n\tlikwid_markerGetRegion(NULL, &n, NULL, NULL, NULL);\n")
        self.assertEqual(harness.run([program]).status, 0)
        result = self.measure(program, events="time", env=adapter_counts.unordered())
        self.assertEqual(result.report.region("(unnamed)").calls, 1)

    def test_names_without_end(self):
        """A new name in each call: memory and lists are limited, a message says so, and every call
        is counted."""
        names = 70000
        program = self.linked("many", """
	char name[32];
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < %d; i++) {
			snprintf(name, sizeof(name), "turn %%d", i);
			likwid_markerStartRegion(name);
			likwid_markerStopRegion(name);
		}
""" % names)
        result = self.measure(program, events="time", env=adapter_counts.unordered())
        calls = result.report.calls()
        self.assertEqual(sum(calls.values()), 2 * names)
        self.assertEqual(calls["turn 0"], 2)
        counts = adapter_counts.of(result.report, "likwid")
        self.assertEqual(counts["regions"], 65536)
        # BEGIN and END of each call in both rounds
        self.assertEqual(counts["memory"], 4 * (names - 65536))
        self.assertIn("markers likwid: %s times there was no memory for a name"
                      % format(4 * (names - 65536), ","), result.stderr)
