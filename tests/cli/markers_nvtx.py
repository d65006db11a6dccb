# SPDX-License-Identifier: MIT
"""Programs with NVTX's markers: the calls are those that the program makes, and the times agree
with its own. Another tool may be chained. Tests that NVTX shares with other APIs are in
markers_contract.py."""

import os
import re

import adapter_counts
import harness

ADAPTER = adapter_counts.path("nvtx")
PROGRAM = harness.app("markers-nvtx")
TOOL = harness.app("markers-nvtx-tool.so")
PLUGIN = harness.app("markers-nvtx-plugin.so")


class TestCase(adapter_counts.TestCase):

    adapter, variable = "nvtx", "NVTX_INJECTION64_PATH"


class Nvtx(TestCase):

    program = PROGRAM

    def test_found(self):
        """By default regionstat finds that the program uses NVTX, and sets the variable that names
        the library."""
        other = self.compile("markers/nvtx.c", harness.compilers()[-1], "-O2", "-ldl",
                             "-I" + os.path.join(harness.SOURCE, "lib"), name="markers-nvtx")
        for program in (PROGRAM, other):  # with other optimizations, and maybe by another compiler
            adapter_counts.check_auto(self, "nvtx", r"markers-nvtx has NVTX_INJECTION64_PATH",
                                      {"even": 25, "dom:odd": 25}, program, "ranges", "50")

    def test_calls(self):
        """The program checks what push and pop return."""
        n = 30
        for how, calls, counts, diagnostics in (
                # two pops too many in each round
                ("levels", {"a": n, "b": n, "in": 2 * n, "dom:in": 2 * n}, {"unmatched": 2 * n},
                 {"recursive": 2 * n}),
                # with unknown attributes the program continues, and its regions have no name
                ("unknown", {"(unnamed)": 5 * n}, {"refused": 2 * n}, {"recursive": 3 * n}),
                # an NVTX that comes late and goes
                ("plugin", {"outer": 2, "plugin:range": 2 * n}, {}, {}),
                # if NVTX has no domains, or if single functions are missing, the rest is measured
                ("older", {"pushed": n, "started": n, "marked": n}, {}, {}),
                ("holes", {"started": n, "dom:of a domain": 0}, {"unmatched": n}, {"open": n}),
                *((half, {}, {"processes": 0, "refused": 1}, {})
                  for half in ("table", "callbacks", "module", "functions", "small")),
                # two that start at the same time
                *5 * [("both", {"pushed": n, "started": n, "marked": n, "dom:of a domain": n,
                                "plugin:range": n}, {}, {})]):
            with self.subTest(how):
                self.check(how, n, calls, counts, diagnostics, arguments=[PLUGIN])

    def test_filtered_ranges_nest_as_well(self):
        result = self.measure_with(PROGRAM, "levels", 30, options=("--only", "dom:*"))
        self.assertEqual(result.report.calls(), {"dom:in": 60})
        self.assertCounts(result.report, unmatched=60)

    def test_filtered_marks(self):
        result = self.measure_with(PROGRAM, "marks", 30, options=("--only", "dom:*"))
        self.assertEqual(result.report.calls(), {"dom:here": 30})

    def test_deeper_than_there_is_room_for(self):
        n, room = 140000, 131008
        result = self.measure_with(PROGRAM, "deep", n)
        self.assertCounts(result.report, unmatched=1, memory=n - room)
        self.assertEqual(result.report.calls()["deep"] + adapter_counts.skipped(result), room)

    def test_marks(self):
        result = self.check("marks", 50, {"mark": 50, "dom:here": 50})
        # a mark is shorter than the call that makes it
        self.assertBetweenClocks(result.report.region("mark"), 0,
                                 adapter_counts.sums(result.stdout)["mark"].around)

    def test_names(self):
        longest = "dom:" + "l" * 3999
        result = self.measure_with(PROGRAM, "names")
        calls = result.report.calls()
        cut = [name for name in calls if name.startswith("dom:ll")]
        self.assertEqual(len(cut), 1, calls)
        self.assertTrue(len(cut[0]) > 100 and cut[0][:100] == longest[:100], cut)
        calls.pop(cut[0])
        self.assertEqual(calls, {
            "dom:registered": 2, "w\u00efde:\u20ac \U0001f600": 1, "bare": 1,
            "dom:x\ufffd\ufffdy": 1, "dom:(unnamed)": 2, "(unnamed)": 2})

    def test_names_of_threads(self):
        """Names of threads are in the report, whichever thread sets them. Names for unknown threads
        and for other threads without markers are ignored."""
        result = self.measure_with(PROGRAM, "threads", options=["--per-thread"])
        told = re.findall(r"^thread (\d+) (.*)$", result.stdout, re.MULTILINE)
        self.assertEqual(len(told), 9, result)
        names = result.report.select(kind="info", event="thread_name")
        self.assertEqual(sorted((row.thread, row.value) for row in names), sorted(told))
        self.assertCounts(result.report, ignored=3)

    def test_not_launched(self):
        for how in ("ranges", "names", "plugin", "handles"):
            plain, with_adapter = (
                harness.run([PROGRAM, how, "7", PLUGIN],
                            env=harness.environment(NVTX_INJECTION64_PATH=path))
                for path in (None, ADAPTER))
            self.assertEqual((plain.status, plain.stderr), (0, ""), plain)
            self.assertEqual((with_adapter.status, with_adapter.stdout, with_adapter.stderr),
                             (0, plain.stdout, ""), with_adapter)


class Chained(TestCase):
    """Another tool, whose path was set before regionstat's."""

    n = 3
    handles = {"dom:late": 1, "dom:text": n, "wide:other": 2 * n, "plain": n}

    def alone(self, how="handles", *arguments, program=PROGRAM, **variables):
        """Return the output of a program and its tool without regionstat."""
        result = harness.run([program, how, str(self.n), *arguments],
                             env=harness.environment(**variables))
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        return result.stdout

    def chained(self, *arguments, program=PROGRAM, tool=TOOL, kind="full", extra=()):
        return self.measure_with(program, *arguments or ("handles", self.n), extra=[
            "REGIONSTAT_CHAIN_NVTX=" + tool, "NVTX_TOOL=" + kind, *extra])

    def test_both_get_every_call(self):
        """A tool without functions for handles sees none."""
        for kind in ("full", "plain"):
            with self.subTest(kind):
                alone = self.alone(NVTX_INJECTION64_PATH=TOOL, NVTX_TOOL=kind)
                self.assertIn("tool thread first named", alone)
                self.assertEqual("tool start a wide domain a wide string" in alone, kind == "full")
                result = self.chained(kind=kind)
                self.assertEqual(result.stdout, alone)
                self.check_result(result, self.handles, {"chained": 1})

    def test_handles_that_a_tool_gives_again(self):
        """If a tool uses a handle again, the handle means its new domain."""
        result = self.chained("renamed", 20, kind="reuses")
        self.assertEqual(result.stdout.count("tool destroy dom\n"), 10, result)
        self.assertEqual(result.report.calls(), {"dom:text": 10, "text": 10})

    def test_several_objects(self):
        result = self.chained("plugin", self.n, PLUGIN)
        self.assertIn("tool push plugin range", result.stdout)
        self.assertEqual(result.stdout, self.alone("plugin", PLUGIN, NVTX_INJECTION64_PATH=TOOL))
        self.check_result(result, {"outer": 2, "plugin:range": 2 * self.n}, {"chained": 1})

    def test_tools_that_are_not_chained(self):
        """A tool that fails, one that is not there, and the adapter itself."""
        for tool, kind, counts in ((TOOL, "refuses", {"refused": 1}), (ADAPTER, "full", {}),
                                   ("/nonexistent/tool.so", "full", {"refused": 1})):
            with self.subTest(tool=tool):
                result = self.chained(tool=tool, kind=kind)
                self.assertNotIn("tool", result.stdout)
                self.check_result(result, self.handles, counts)

    def test_a_tool_that_is_linked_to_the_program(self):
        """A tool that is linked to the program gets every call. It is found by its symbol, exported
        or not. A tool that the environment names takes precedence, as without regionstat."""
        for name in ("markers-nvtx-linked", "markers-nvtx-exported"):
            with self.subTest(name):
                program = harness.app(name)
                alone = self.alone(program=program)
                self.assertIn("tool start a wide domain a wide string", alone)
                result = self.measure_with(program, "handles", self.n)
                self.assertEqual((result.stdout, result.stderr), (alone, ""))
                self.check_result(result, self.handles, {"chained": 1})
                self.assertEqual(self.alone(program=program, NVTX_INJECTION64_PATH=ADAPTER), alone)
                self.assertNotIn("tool ", self.chained(program=program, kind="refuses").stdout)

    def test_no_runtime(self):
        """Without the runtime, or a launcher, the other tool works alone."""
        alone = self.alone(NVTX_INJECTION64_PATH=TOOL)
        result = self.chained(extra=["REGIONSTAT_RUNTIME=/nonexistent/libregionstat.so"])
        self.assertEqual((result.stdout, self.counts(result.report)), (alone, {}))
        self.assertEqual(alone, self.alone(NVTX_INJECTION64_PATH=ADAPTER,
                                           REGIONSTAT_CHAIN_NVTX=TOOL))
