# SPDX-License-Identifier: MIT
"""Programs with Caliper: its markers of C and C++ become regions, and its own library gets the same
calls as without the adapter. The expected calls and times are those that the programs measure
themselves. Tests that Caliper shares with other APIs are in markers_contract.py."""

import os
import re

import adapter_counts
import harness

N_UNCHANGED = {"calls": (280, 0, 280), "attributes": (56, 36, 57), "overlap": (30, 0, 30),
               "wrong": (4, 0, 9)}
ATTRIBUTES = {"value": 10, "function": 10, "annotation": 10, "another": 10, "the third": 10,
              "number": 20, "iteration#set": 10}

# A library from before Caliper had phases.
OLD_LIBRARY = """
void cali_begin_region(const char *name);
void cali_end_region(const char *name);
void cali_begin_region(const char *name) { (void)name; }
void cali_end_region(const char *name) { (void)name; }
"""
OLD_PROGRAM = """
#include <stdio.h>
void cali_begin_region(const char *name);
void cali_end_region(const char *name);
__attribute__((weak)) void cali_begin_phase(const char *name);
__attribute__((weak)) void cali_end_phase(const char *name);
int main(void)
{
	int i = 0;
	for (; i < 7; i++) {
		cali_begin_region("a region");
		if (cali_begin_phase) {
			cali_begin_phase("a phase");
			cali_end_phase("a phase");
		}
		cali_end_region("a region");
	}
	printf("%d %s phases\\n", i, cali_begin_phase ? "with" : "without");
	return 0;
}
"""

# A program that calls markers before Caliper is loaded, and after.
LATE_LIBRARY = """
int n_begun;
int cali_begin_region(const char *name);
int cali_end_region(const char *name);
int cali_begin_region(const char *name) { (void)name; n_begun++; return 0; }
int cali_end_region(const char *name) { (void)name; return 0; }
"""
LATE_PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
__attribute__((weak)) void cali_begin_region(const char *name);
__attribute__((weak)) void cali_end_region(const char *name);
static void mark(int n)
{
	while (n--) {
		cali_begin_region("late");
		cali_end_region("late");
	}
}
int main(int argc, char **argv)
{
	if (argc < 3 || !cali_begin_region)
		return 2;
	mark(1000);
	if (!dlopen(argv[2], RTLD_NOW))
		return 2;
	mark(1000);
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	const int *n_begun = library ? dlsym(library, "n_begun") : NULL;
	if (!n_begun)
		return 2;
	mark(7);
	printf("%d begun\\n", *n_begun);
	return 0;
}
"""


class Caliper(adapter_counts.TestCase):

    adapter = "caliper"

    def assertSeen(self, result, numbers):
        """Check the calls that Caliper's own library got: begins, sets and ends."""
        self.assertEqual(re.findall(r"^seen (\d+) (\d+) (\d+)$", result.stdout, re.MULTILINE),
                         [tuple(map(str, numbers))], result)

    def test_c(self):
        def attempt():
            result = self.measure_with(harness.app("caliper"), "calls")
            truths = harness.truths(result.stdout)
            self.assertTruth(result.report, truths["inner"])
            return result, truths

        result, truths = self.steadily(attempt)
        self.assertSeen(result, N_UNCHANGED["calls"])
        report = self.check_result(result, {"calls": 20, "loop": 20, "iteration#loop": 100,
                                            "inner": 100, "phase": 20, "exchange": 20}).report
        self.assertEqual({name: report.region(name).parent for name in report.calls()},
                         {"calls": "", "loop": "calls", "iteration#loop": "loop",
                          "inner": "iteration#loop", "phase": "calls", "exchange": "phase"})
        loop = report.region("loop")
        self.assertLessEqual(loop.total, truths["loop"].around.sum_ns * 1.001 + 600)
        self.assertGreaterEqual(loop.total, report.region("inner").total)

    def test_found(self):
        """By default regionstat finds the program's own Caliper, and puts the adapter before it."""
        adapter_counts.check_auto(self, "caliper", r"caliper has cali_\w+", ATTRIBUTES,
                                  harness.app("caliper"), "attributes", ignored=12)

    def test_attributes(self):
        """Attributes are regions if their values nest, if Caliper's markers use them, or if they
        are iterations, however they begin, are set and end. Others are ignored."""
        result = self.measure_with(harness.app("caliper"), "attributes")
        self.assertSeen(result, N_UNCHANGED["attributes"])
        self.assertNotIn("errno", result.stdout)
        self.check_result(result, ATTRIBUTES, {"ignored": 12}, {"recursive": 10})

    def test_wrong_calls(self):
        result = self.measure_with(harness.app("caliper"), "wrong")
        self.assertSeen(result, N_UNCHANGED["wrong"])
        self.assertNotIn("errno", result.stdout)
        self.check_result(result, {"a": 1, "loop": 1}, {"unmatched": 5, "ignored": 2})

    def test_cxx(self):
        """Objects of the C++ macros, also if an exception ends them."""
        program = harness.need_app("caliper-cxx")

        def attempt():
            result = self.measure_with(program)
            self.assertTruth(result.report, harness.truths(result.stdout)["function"])
            return result

        result = self.steadily(attempt)
        self.assertSeen(result, (24282, 20, 24282))
        calls = {"scope": 20, "function": 60, "thrown": 100, "first begun": 1, "second begun": 1,
                 "loop": 10, "iteration#loop": 40, "first": 10, "second": 10, "third": 10,
                 "mine": 20, "placed": 2500, "described": 2500, "copied": 10000, "thread": 2000, "part": 2000}
        if os.uname().machine == "aarch64" and "iteration#loop" not in result.report.calls():
            harness.note("libcaliper's own calls are not to be seen: no iterations")
            del calls["iteration#loop"]
        # colour: set and begun 20 times, and begun 5000 times by other objects
        self.check_result(result, calls, {"ignored": 5020}, {"recursive": 90})

    def test_opened_by_a_module(self):
        """The adapter finds Caliper's library also if its symbols are not global."""
        result = self.measure_with(harness.app("opened"), harness.app("caliper-opened.so"), "overlap")
        self.assertSeen(result, N_UNCHANGED["overlap"])
        self.check_result(result, {"a": 10, "b": 10, "c": 10})

    def test_library_that_lacks_functions(self):
        """Calls that an older Caliper does not have are measured, and a message names them."""
        self.compile_text(OLD_LIBRARY, "-shared", "-fPIC", name="libcaliper.so")
        program = self.compile_text(OLD_PROGRAM, "-L" + self.directory, "-lcaliper",
                                    "-Wl,-rpath,$ORIGIN")
        self.check_result(self.measure_with(program), {"a region": 7, "a phase": 7}, {"refused": 2})
        alone = harness.run([program])
        self.assertEqual((alone.status, alone.stdout), (0, "7 without phases\n"), alone)

    def test_library_that_comes_late(self):
        """A library that is loaded late is called from then on. Before that, the adapter looks for
        it only after another object was loaded, as the dynamic linker shows (LD_DEBUG of
        ld.so(8))."""
        library = self.compile_text(LATE_LIBRARY, "-shared", "-fPIC", name="libcaliper.so")
        other = self.compile_text("int other = 1;\n", "-shared", "-fPIC", name="other.so")
        program = self.compile_text(LATE_PROGRAM, "-ldl")
        log = self.path("log")
        result = self.measure_with("env", "LD_DEBUG=symbols", "LD_DEBUG_OUTPUT=" + log, program, library,
                              other)
        self.assertEqual(result.stdout, "7 begun\n", result)
        self.check_result(result, {"late": 2007}, {"refused": 2})
        logs = [name for name in os.listdir(self.directory) if name.startswith("log.")]
        self.assertEqual(len(logs), 1)
        with open(self.path(logs[0]), encoding="utf-8", errors="replace") as file:
            sought = re.findall(r"symbol=cali_begin_region;\s+lookup in file=(\S+)", file.read())
        self.assertEqual(sought.count(library), 1)
        in_libc = [name for name in sought if os.path.basename(name).startswith("libc.so")]
        # at the first call, after another library was loaded, and after Caliper's was
        self.assertEqual(len(in_libc), 3)

    def test_runtime_is_not_there(self):
        result = adapter_counts.without_runtime(self, harness.app("caliper"), "calls",
                                                env=self.environment())
        self.assertSeen(result, N_UNCHANGED["calls"])

    def test_not_launched(self):
        """The output with the adapter equals that without, byte for byte except times."""
        def lines(result):
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            return [line for line in result.stdout.split("\n") if not line.startswith("truth")]

        programs = [[harness.app("caliper"), what] for what in N_UNCHANGED]
        programs += [[path] for path in map(harness.app, harness.built_apps("caliper-cxx"))]
        for program in programs:
            with self.subTest(program=program):
                self.assertEqual(
                    lines(harness.run(program, env=self.environment())),
                    lines(harness.run(program)))

    def test_program_without_caliper(self):
        """Preloaded into a program without calls of Caliper, the adapter does nothing and counts as
        not used."""
        report = self.measure_with("true").report
        self.assertEqual(report.calls(), {})
        self.assertEqual(adapter_counts.of(report, "caliper"), {})
