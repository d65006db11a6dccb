# SPDX-License-Identifier: MIT
"""Programs with ITT's markers: the calls are those that the program makes, and the times agree with
the program's own. Tests that ITT shares with other APIs are in markers_contract.py."""

import os
import re

import adapter_counts
import harness

PROGRAM = harness.app("markers-itt")


class TestCase(adapter_counts.TestCase):

    adapter, variable = "itt", "INTEL_LIBITTNOTIFY64"


class Itt(TestCase):

    def test_found(self):
        """By default regionstat finds that the program uses ITT, and sets the variable that names
        the collector."""
        adapter_counts.check_auto(self, "itt", r"markers-itt has INTEL_LIBITTNOTIFY64",
                                  {"dom:outer": 200}, PROGRAM, "handed", "50")

    def test_calls(self):
        n = 5000
        names = {"early:early string": 2, "w\u00efde:\u20ac \U0001f600": 1, "bare": 1,
                 "dom:(unnamed)": 1}
        for how, calls, counts in (
                ("handed", {"dom:outer": 4 * n}, {}),
                ("pauses", {"dom:outer": n}, {"ignored": 1}),
                # nothing is counted after a detach, even after a resume
                ("detach", {"dom:outer": n}, {"ignored": 1}),
                ("masked", {"dom:outer": n}, {}),
                ("clocks", {"dom:outer": n, "dom:inner": n}, {}),
                ("stray", {"dom:outer": n}, {"unmatched": 3, "ignored": 2}),
                ("names", names, {}),
                # old domains, which are switched on
                ("old", names, {}),
                # a static part that comes late and goes
                ("plugin", {"dom:outer": 2, "plugin:task": 2 * n}, {}),
                # two that start at the same time
                *5 * [("both", {"dom:outer": n, "plugin:task": n}, {})],
                # unknown static parts
                *((how, {}, {"processes": 0, "refused": 1}) for how in (
                    "magic", "version", "entries", "library", "none", "half", "nothing"))):
            with self.subTest(how):
                self.check(how, n, calls, counts, program=PROGRAM,
                           arguments=[harness.app("markers-itt-plugin.so")])

    def test_counts_of_merged_runs(self):
        paths = [self.path(name) for name in ("one.json", "two.json")]
        for path in paths:
            self.regionstat("--markers", "itt", "--quiet", "-o", path, PROGRAM, "stray", 1)
        merged = self.regionstat("merge", "--format", "csv", *paths).stdout
        for word, n in (("processes", 2), ("unmatched", 6), ("ignored", 4), ("refused", 0)):
            self.assertIn(",markers_%s,itt,,%d," % (word, n), merged)

    @harness.steady
    def test_regions_begun_again(self):
        n = 200
        result = self.check("regions", n, {"dom:outer": n}, {"ignored": n}, program=PROGRAM)
        self.assertTruth(result.report, harness.truths(result.stdout)["dom:outer"], margin=0.2)

    @harness.steady
    def test_frames(self):
        n = 200
        result = self.check("frames", n, {"dom": 2 * n, "handed": 1, "named": 2 * n},
                            {"ignored": n}, program=PROGRAM)
        row, side = result.report.region("dom"), adapter_counts.sums(result.stdout)["dom"]
        self.assertEqual(row.threads, 2)
        self.assertBetweenClocks(row, side.within, side.around)

    def test_events(self):
        n = 100
        result = self.measure_with(PROGRAM, "events", n)
        self.assertEqual(result.report.calls().get("span"), n)
        self.assertEqual(result.report.calls().get("moment", 0), 0)
        self.assertCounts(result.report)

    def test_names_of_threads(self):
        """Names of threads are in the report, and the kernel's names of the threads stay
        unchanged."""
        result = self.measure_with(PROGRAM, "named", 1, options=["--per-thread"])
        told = re.findall(r"^thread (\d+) (.*)$", result.stdout, re.MULTILINE)
        self.assertEqual(len(told), 4, result)
        names = result.report.select(kind="info", event="thread_name")
        self.assertEqual([(row.thread, row.value) for row in names], told)

    def test_functions(self):
        n = 50
        result = self.measure_with(PROGRAM, "functions", n)
        self.assertEqual(result.report.calls(), {"functions": n, "dom:0x10": n, "other:0x10": n})
        self.assertNotIn("unmatched", self.counts(result.report))

    def test_functions_of_plugins_that_come_and_go(self):
        """Two plugins are loaded in succession at the same address: each has its own functions."""
        source = os.path.join(harness.APP_SOURCES, "markers", "place.c")
        for identity in ("sha1", "none"):
            with self.subTest(identity=identity):
                first, second = [self.compile(
                    source, "gcc", "-shared", "-fPIC", "-Wl,--build-id=" + identity,
                    "-DINNER=" + inner, name=inner + ".so") for inner in ("one", "two")]
                result = self.measure_with(PROGRAM, "plugins", first, 30, second, 40, first, 5)
                places = re.findall(r"place at (\S+)", result.stdout)
                self.assertEqual(len(places), 3, result)
                if len(set(places)) > 1:
                    harness.note("the plugins were not loaded at the same place")
                self.assertEqual(result.report.calls(), {"one": 4 * 35, "two": 4 * 40})

    def test_filtered_functions(self):
        """--functions selects instrumented functions, not tasks."""
        result = self.measure(PROGRAM, "functions", 5, options=["--functions", "main"])
        self.assertEqual(result.report.calls(), {"functions": 5, "dom:0x10": 5, "other:0x10": 5})

    def test_functions_that_a_handler_meets_first(self):
        """A signal handler within a marker looks up no name. Later calls have the name."""
        result = self.measure_with(PROGRAM, "places", 10)
        handled = int(re.search(r"^handled (\d+)$", result.stdout, re.MULTILINE).group(1))
        calls = result.report.calls()
        calls.pop("dom:outer")
        for i in range(handled):
            self.assertIn(calls.pop("place_%d" % i), (1, 2))
        for name in calls:
            self.assertRegex(name, r"^dom:0x[0-9a-f]+$")

    def test_a_tool_that_was_there_before(self):
        """One collector is used: the user's own, unless an option names regionstat's. A message
        says so."""
        env = harness.environment(INTEL_LIBITTNOTIFY64="/nonexistent/collector.so")
        words = [PROGRAM, "handed", "5"]
        result = harness.regionstat("-v", *words, env=env)
        self.assertIn("the program has no markers", result.stderr)
        self.assertIn("since INTEL_LIBITTNOTIFY64 already names a tool", result.stderr)
        result = self.measure(*words, options=["--markers", "itt"], env=env)
        self.assertNotEqual(result.report.calls(), {})
        self.assertIn("the tool that INTEL_LIBITTNOTIFY64 named before is not used", result.stderr)
        self.assertNotIn("regionstat could not measure", result.stderr)


TBB_SOURCE = """
#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/flow_graph.h>
#include <cstdio>
#include <cstdlib>
int main(int, char **argv)
{
	tbb::flow::graph graph;
	tbb::flow::function_node<int, int> node(
		graph, tbb::flow::unlimited, [](int x) { return x + 1; });
	for (int i = 0; i < std::atoi(argv[1]); i++)
		node.try_put(i);
	graph.wait_for_all();
	return 0;
}
"""


DNN_SOURCE = """
#include <dnnl.hpp>
#include <cstdlib>
int main(int, char **argv)
{
	using namespace dnnl;
	engine cpu(engine::kind::cpu, 0);
	stream stream(cpu);
	memory::dims sizes = {512, 512};
	memory from({sizes, memory::data_type::f32, memory::format_tag::ab}, cpu);
	memory to({sizes, memory::data_type::f32, memory::format_tag::ba}, cpu);
	reorder swap(from, to);
	for (int i = 0; i < std::atoi(argv[1]); i++)
		swap.execute(stream, from, to);
	stream.wait();
	return 0;
}
"""


class Libraries(TestCase):
    """Unmodified libraries of distributions that contain ITT."""

    def build_or_skip(self, name, source, *words):
        harness.need_no_sanitizer()
        path, program = self.text_file(name, source), self.path("program")
        result = harness.run([harness.need_tool("g++"), path, "-o", program, *words])
        harness.need(result.status == 0, "no such program can be made here: " + result.stderr.strip()[:200])
        return program

    def test_tbb(self):
        program = self.build_or_skip("flow.cpp", TBB_SOURCE, "-std=c++17", "-O1",
                                     "-DTBB_USE_PROFILING_TOOLS=2", "-ltbb")
        calls = self.measure_with(program, "60").report.calls()
        harness.need(calls, "this libtbb has no ITT in it")
        self.assertEqual(calls.get("tbb.flow:body"), 60, calls)

    def test_dnn(self):
        """oneDNN's own output says how often and how long each primitive ran."""
        program = self.build_or_skip("reorder.cpp", DNN_SOURCE, "-std=c++17", "-O1", "-ldnnl")

        def once():
            result = self.measure(program, "60", events="time", env=harness.environment(
                OMP_NUM_THREADS="1", DNNL_VERBOSE="1"))
            said = re.findall(r"^\w+_verbose,.*\bexec,.*,reorder,.*,([\d.]+)$", result.stdout,
                              re.MULTILINE)
            names = result.report.regions()
            harness.need(names, "this libdnnl has no ITT in it")
            self.assertEqual(len(said), 60, result)
            self.assertEqual(result.report.calls(), {"dnnl::primitive::execute:reorder": 60})
            row, within_ns = result.report.region(names[0]), 1e6 * sum(map(float, said))
            if row.total < within_ns * (1 - harness.MARKERS_RATIO):
                raise harness.TimeMissing("total is %d, not %d" % (row.total, within_ns))
        self.steadily(once)
        # each thread that takes part has a call
        report = self.measure(program, "60", env=harness.environment(OMP_NUM_THREADS="2")).report
        row = report.region("dnnl::primitive::execute:reorder")
        self.assertEqual(row.calls, 60 * row.threads)
