# SPDX-License-Identifier: MIT
"""PAPI's high-level API in an unmodified program. Tests that PAPI shares with other APIs are in
markers_contract.py."""

import glob
import os
import re

import adapter_counts
import harness

# A program that does not need libpapi.
WITHOUT_PAPI = """
#include <stdio.h>
__attribute__((weak)) int PAPI_hl_region_begin(const char *name);
__attribute__((weak)) int PAPI_hl_region_end(const char *name);
int main(void)
{
	int result = 0;
	for (int i = 0; i < 7 && PAPI_hl_region_begin; i++) {
		result = PAPI_hl_region_begin("region");
		PAPI_hl_region_end("region");
	}
	printf("result %d\\n", result);
	return 0;
}
"""

ODD = """
#include <papi.h>
void papif_hl_region_begin_(char *, int *, int);
void papif_hl_region_end_(char *, int *, int);
void papif_hl_stop_(int *);
int main(void)
{
	char name[] = "solve   and more";
	int check = 1, failed = PAPI_hl_region_begin(0) == PAPI_OK;
	PAPI_hl_region_end("never");
	PAPI_hl_region_begin("once");
	PAPI_hl_region_end("once");
	PAPI_hl_stop();
	for (int i = 0; i < 7; i++) {
		papif_hl_region_begin_(name, &check, 8);
		failed += check;
		papif_hl_region_end_(name, &check, 5);
		failed += check;
	}
	papif_hl_stop_(&check);
	return failed + check;
}
"""


class Papi(harness.TestCase):

    def program(self, *flags, name="program"):
        """Build the program papi.c, or skip the test."""
        harness.need_header("papi.h", "libpapi-dev")
        return self.compile("markers/papi.c", harness.compilers()[0], "-O2", *flags, "-lpapi",
                            name=name)

    def test_without_papi(self):
        """PAPI measures nothing while regionstat does. Without regionstat, calls return the error
        of an uninitialized PAPI (papi.h: PAPI_ENOINIT)."""
        program = self.compile_text(WITHOUT_PAPI)
        result = self.measure(program, options=["--markers", "papi"], events="time")
        self.assertEqual((result.stdout, result.report.calls()), ("result 0\n", {"region": 7}))
        alone = harness.run([program], env=adapter_counts.preloaded("papi"))
        self.assertEqual((alone.status, alone.stdout), (0, "result -16\n"), alone)

    def test_opened(self):
        """The program loads a module that is linked to PAPI."""
        module = self.program("-shared", "-fPIC", name="stopped.so")
        result = self.measure(harness.app("opened"), module, "stopped", 20, events="time",
                              options=["--markers", "papi"])
        self.assertEqual(result.stdout, "failed 0\n")
        self.assertEqual(result.report.calls(), {"before": 20, "after": 20})

    def test_found(self):
        """By default regionstat finds that the program uses PAPI, and loads the adapter before
        PAPI's library. PAPI_hl_stop() stops nothing: regions continue. PAPI_hl_read() is
        ignored."""
        adapter_counts.check_auto(self, "papi", r"program has PAPI_hl_\w+",
                                  {"before": 50, "after": 50}, self.program(), "stopped", 50,
                                  ignored=100)

    def test_papi_itself(self):
        """Without a launcher or the runtime, PAPI measures the regions as without the adapter."""
        words = [self.program(), "stopped", "3"]
        directory = {"PAPI_OUTPUT_DIRECTORY": self.directory}
        adapted = adapter_counts.preloaded("papi", **directory)
        alone, not_launched = [harness.run(words, env=env)
                               for env in (harness.environment(**directory), adapted)]
        beside = adapter_counts.without_runtime(self, *words, env=adapted)
        failed = [re.findall(r"^failed \d+$", result.stdout, re.MULTILINE)
                  for result in (alone, not_launched, beside)]
        self.assertEqual((len(failed[0]), alone.status, not_launched.status), (1, 0, 0), alone)
        self.assertEqual(failed, 3 * [failed[0]])

    def measured_by_papi(self, program, *arguments):
        """Return PAPI's own values of a program's regions: {region: [page faults of a call]}."""
        library = self.path("processor.so")
        made = harness.run(["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", library,
                            os.path.join(harness.SOURCE, "tests", "bench", "papi_processor.c"),
                            "-ldl", "-lpfm"])
        harness.need(made.status == 0, "libpfm4 is not installed (package libpfm4-dev)")
        # PAPI counts nothing on CPUs that its libpfm4 does not know, as in virtual machines
        result = harness.run([program, *arguments], cwd=self.directory, env=harness.environment(
            LD_PRELOAD=library, PAPI_EVENTS="perf::PAGE-FAULTS",
            PAPI_OUTPUT_DIRECTORY=self.directory))
        files = glob.glob(self.path("papi_hl_output*/*.json"))
        harness.need(result.stdout == "failed 0\n" and files, "PAPI counts nothing here: %r" % (result,))
        regions = harness.read_json(files[0])["threads"]["0"]["regions"].values()
        found = {}
        for region in regions:
            found.setdefault(region["name"], []).append(int(region["perf::PAGE-FAULTS"]))
        return found

    def test_beside_papi_itself(self):
        """The same program measured by PAPI itself has the same calls, each with the same page
        faults."""
        program = self.program()
        calls, pages = 200, 3
        own = self.measured_by_papi(program, "faults", str(calls), str(pages))
        self.assertEqual({name: len(values) for name, values in own.items()},
                         {"outer": 1, "touch": calls})
        result = self.measure(program, "faults", calls, pages, events="page-faults")
        touch = result.report.region("touch", "page-faults")
        outer = result.report.region("outer", "page-faults")
        # the first calls bind symbols and load code of markers, with either tool
        least, first = calls * pages, 8
        self.assertEqual((touch.calls, touch.min, touch.p50, touch.p90),
                         (calls, pages, pages, pages))
        self.assertTrue(least <= touch.total <= least + first, touch)
        self.assertEqual(outer.calls, 1)
        self.assertTrue(least <= outer.total <= least + first, outer)
        # PAPI's memory for the values of calls grows within the program's calls
        self.assertEqual(sorted(own["touch"])[calls // 2], pages)
        self.assertGreaterEqual(own["outer"][0], least)

    def test_papi_writes_nothing(self):
        """PAPI is not called while regionstat measures, so it writes no file."""
        program = self.program()
        before = sorted(os.listdir(self.directory))
        result = self.measure(program, "stopped", 2, events="time", cwd=self.directory)
        self.assertEqual(result.stdout, "failed 0\n")
        self.assertEqual(sorted(set(os.listdir(self.directory)) - {"report.csv"}), before)

    def test_odd_calls(self):
        """A missing name, an END without a BEGIN, and names from Fortran, whose compilers pad them
        with blanks and pass their length as the last argument."""
        harness.need_header("papi.h", "libpapi-dev")
        result = self.measure(self.compile_text(ODD, "-lpapi"), events="time")
        calls = result.report.calls()
        self.assertEqual((calls.pop("never", 0), calls), (0, {"once": 1, "solve": 7}))
        self.assertEqual(result.report.diagnostics(), {"unmatched": 1})
