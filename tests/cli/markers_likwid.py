# SPDX-License-Identifier: MIT
"""LIKWID's markers in an unmodified program: with LIKWID's own library, if it is installed, and
with the stand-in. Tests that LIKWID shares with other APIs are in markers_contract.py."""

import os
import re

import adapter_counts
import harness

THREADS, ROUNDS = 4, 200
CALLS = {"triad": THREADS * ROUNDS, "copy": THREADS * ROUNDS}


class Likwid(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("the threads of libgomp are not known to ThreadSanitizer: "
                                  "markers_likwid_threads has its own", "thread")
        if "gcc" not in harness.compilers():
            self.skipTest("there is no gcc, and with it no libgomp")

    def standin(self, *flags, name="standin"):
        """Build the program with the stand-in."""
        return self.compile("markers/likwid.c", "gcc", "-O2", "-fopenmp", "-DLIKWID_PERFMON",
                            *flags, *adapter_counts.WITH_LIKWID, name=name)

    def own(self):
        """Build the program with LIKWID's own header and library."""
        harness.need_header("likwid.h", "likwid")
        return self.compile("markers/likwid.c", "gcc", "-O2", "-fopenmp", "-DLIKWID_PERFMON",
                            "-llikwid", name="own")

    def check(self, program, *arguments, events="time", options=(), margin=harness.MARKERS_RATIO):
        """Run the program, compare calls and times of all regions with its own values, and return
        these."""
        def attempt():
            result = self.measure(program, str(ROUNDS), *arguments, events=events,
                                  options=options, env=adapter_counts.unordered())
            truths = harness.truths(result.stdout)
            self.assertEqual({name: truth.calls for name, truth in truths.items()}, CALLS)
            for truth in truths.values():
                self.assertTruth(result.report, truth, margin)
            self.assertClean(result.report)
            return result
        return self.steadily(attempt)

    def assertValues(self, result, n_events=0):
        """Check the values of GET on each thread."""
        lines = re.findall(r"^get (\d+) (-?\d+) (\d+) (-?\d+) (-?[\d.]+) (\d+) (\d+) (-?\d+) "
                           r"(\w+)$", result.stdout, re.MULTILINE)
        self.assertEqual(len(lines), THREADS * len(CALLS), result)
        for thread, calls, truth, n, seconds, within, around, _, name in lines:
            what = (thread, name, result)
            self.assertEqual(int(calls), int(truth), what)
            self.assertEqual(int(n), n_events if int(calls) else 0, what)
            # the rate of the clock may be known only to 1 % so early in a run
            slack = harness.CLOCKS_NS * int(calls)
            self.assertLessEqual(float(seconds) * 1e9, int(around) * 1.01 + slack, what)
            self.assertGreaterEqual(float(seconds) * 1e9 + slack,
                                    int(within) * (1 - harness.MARKERS_RATIO - 0.01), what)

    def test_own_library(self):
        result = self.check(self.own())
        self.assertValues(result)

    def test_standin(self):
        result = self.check(self.standin())
        self.assertValues(result)

    def test_by_name_and_raw(self):
        """With overhead included, the time is at least the time within the markers."""
        result = self.check(self.standin(), options=["--markers", "likwid", "--raw"])
        self.assertValues(result)

    def test_events_of_get_add_up_to_the_report(self):
        result = self.check(self.standin(), events="page-faults")
        self.assertValues(result, n_events=1)
        values = {}
        for calls, n, faults, name in re.findall(
                r"^get \d+ (\d+) \d+ (\d+) [\d.]+ \d+ \d+ (-?\d+) (\w+)$", result.stdout,
                re.MULTILINE):
            if int(calls):
                self.assertEqual(n, "1")
                values[name] = values.get(name, 0) + int(faults)
        self.assertEqual(values, {name: result.report.region(name, "page-faults").total
                                  for name in CALLS})

    def test_threads_have_rows_of_their_own(self):
        def attempt():
            result = self.measure(self.standin(), str(ROUNDS), events="time",
                                  options=["--per-thread"], env=adapter_counts.unordered())
            rows = [row for row in result.report.rows
                    if row.kind == "region" and row.event == "time" and row.region == "triad"]
            self.assertEqual([row.calls for row in rows], [ROUNDS] * THREADS)
        attempt()

    def test_counts(self):
        """Initializing twice counts once. SWITCH and RESET are ignored."""
        result = self.measure(self.standin(), "2", events="time", env=adapter_counts.unordered())
        self.assertEqual(adapter_counts.of(result.report, "likwid"),
                         {"processes": 1, "regions": len(CALLS), "ignored": 2})

    def test_without_macros_there_are_no_regions(self):
        """Without LIKWID_PERFMON the header defines empty macros: nothing is linked or loaded."""
        program = self.compile("markers/likwid.c", "gcc", "-O2", "-fopenmp",
                               "-I" + adapter_counts.STANDIN_SOURCE,
                               name="plain")
        result = self.measure(program, "2", events="time", env=adapter_counts.unordered())
        self.assertEqual(result.report.regions(), [])
        self.assertEqual(adapter_counts.of(result.report, "likwid"), {})

    def assertHandedOn(self, program):
        """Check that without a launcher the adapter passes each call to the library, whose output
        and results stay the same."""
        plain = harness.run([program, "3"], env=adapter_counts.unordered())
        with_adapter = harness.run([program, "3"], env=adapter_counts.unordered(LD_PRELOAD=adapter_counts.path("likwid")))
        self.assertEqual(plain.status, 0, plain)
        self.assertEqual((with_adapter.status, with_adapter.stderr), (0, plain.stderr))
        values = [[re.sub(r"^(get \d+ -?\d+ \d+ -?\d+ -?[\d.]+) .*", r"\1", line)
                   for line in sorted(result.stdout.split("\n")) if line.startswith("get ")]
                  for result in (plain, with_adapter)]
        self.assertEqual(len(values[0]), THREADS * len(CALLS))
        self.assertEqual(values[0], values[1])

    def test_standin_not_launched(self):
        self.assertHandedOn(self.standin())

    def test_own_library_not_launched(self):
        self.assertHandedOn(self.own())

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
