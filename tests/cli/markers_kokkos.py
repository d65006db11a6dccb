# SPDX-License-Identifier: MIT
"""Programs with Kokkos: calls of a tool's functions become regions. A test program makes them
through the interface that Kokkos publishes. The expected calls and times are the program's own.
Tests that Kokkos shares with other APIs are in markers_contract.py."""

import os

import adapter_counts
import harness

KOKKOS = adapter_counts.path("kokkos")
TOOL = os.path.join(harness.APPS, "kokkos-tool.so")
OVERLAP = dict.fromkeys(["region", "first", "second", "a", "b"], 10)
CHAINED = "chained kernels 40 40 regions 80 sections 80 wrong 0\n"  # what TOOL prints of "calls"


class Kokkos(adapter_counts.TestCase):

    adapter, variable = "kokkos", "KOKKOS_TOOLS_LIBS"

    def kokkos(self, *arguments, **variables):
        """Run the program under regionstat with the tool."""
        return self.measure_with(harness.app("kokkos"), *arguments,
                                 extra=["%s=%s" % item for item in variables.items()])

    def test_calls_and_times(self):
        """Each kind of call nests as in the program. The times of leaves agree with the program's
        clocks."""
        def attempt():
            result = self.kokkos("calls")
            truths = harness.truths(result.stdout)
            for name in ("sum", "section"):
                self.assertTruth(result.report, truths[name])
            return result, truths

        result, truths = self.steadily(attempt)
        self.assertIn("fencing 0\n", result.stdout)  # the tool asks for no fences
        parents = {"outer": "", "fill": "outer", "sum": "fill", "Kokkos::fence": "fill",
                   "scan": "outer", "Kokkos::Tools::fence": "outer", "Kokkos::deep_copy": "outer",
                   "event": "outer", "section": ""}
        # 40 views are allocated, one is synchronized
        report = self.check_result(result, dict.fromkeys(parents, 40), {"ignored": 41}).report
        self.assertEqual({name: report.region(name).parent for name in parents}, parents)
        outer, inner = report.region("outer"), report.region("sum")
        self.assertLessEqual(outer.total, truths["outer"].around.sum_ns * 1.001 + 1200)
        self.assertGreaterEqual(outer.total, inner.total)
        self.assertLessEqual(outer.self_total, outer.total - report.region("fill").total)
        # calls outside the nesting have no self
        self.assertIsNone(report.region("section").self_total)

    def test_found(self):
        """By default regionstat finds that the program uses Kokkos, and sets the variable that
        names the tool."""
        adapter_counts.check_auto(self, "kokkos", r"kokkos has KOKKOS_TOOLS_LIBS", OVERLAP,
                                  harness.app("kokkos"), "overlap")

    def test_overlap(self):
        report = self.check_result(self.kokkos("overlap"), OVERLAP).report
        # each was open while the other was
        self.assertLess(report.region("b").total, report.region("second").total)

    def test_unnamed(self):
        self.check_result(self.kokkos("unnamed"), {"(unnamed)": 4, "Kokkos::fence": 1},
                          diagnostics={"recursive": 2})

    def test_opened(self):
        """Kokkos is in a module that the program loads while it runs."""
        result = self.measure_with(harness.app("opened"), harness.app("kokkos-opened.so"), "overlap")
        self.assertTrue(result.stdout.endswith("done\n"), result)
        self.check_result(result, OVERLAP)

    def test_wrong_calls(self):
        """Ends without a begin are counted and change nothing."""
        result = self.kokkos("wrong")
        self.assertNotIn("errno", result.stdout)
        self.check_result(result, {"twice": 1, "section": 1}, {"unmatched": 10})

    def test_ends_on_another_thread(self):
        """A section may end on another thread. If a kernel does, its END is unmatched, and its call
        stays open."""
        self.check_result(self.kokkos("moved"), {"section": 5, "kernel": 0}, {"unmatched": 1},
                          {"open": 1})

    def test_versions(self):
        """An unknown version is rejected, and the program continues without the tool. Releases
        before 3.7 name tools in another variable, and earlier ones do not ask them for settings."""
        for version in ("20991231", "20150627", "0"):
            result = self.kokkos("calls", version)
            self.assertTrue(result.stdout.endswith("done\n"), result)
            self.check_result(result, {}, {"refused": 1})
        for version in ("20200625", "20240906"):
            self.assertEqual(self.kokkos("calls", version).report.calls()["sum"], 40)
        result = self.measure(harness.app("kokkos"), "calls", "20150628",
                              options=adapter_counts.OPTIONS,
                              env=harness.environment(KOKKOS_PROFILE_LIBRARY=KOKKOS))
        self.assertEqual(result.report.calls()["sum"], 40)
        self.assertNotIn("fencing", result.stdout)

    def test_never_initialized(self):
        result = self.kokkos("uninitialized")
        self.assertEqual(result.report.calls(), {})
        self.assertTrue(result.stdout.endswith("done\n"), result)

    def test_tool_that_was_there_before(self):
        """A tool that the user named before is called as if it were alone, with its own ids and its
        original environment. Kokkos is asked for the fences that this tool did not decline."""
        tools = KOKKOS + ";" + TOOL + ";behind.so"
        for variables in ({"REGIONSTAT_CHAIN_KOKKOS": TOOL + ";behind.so"},
                          {"KOKKOS_TOOLS_LIBS": tools}):
            with self.subTest(variables=variables):
                result = self.kokkos("calls", **variables)
                self.assertEqual(result.report.calls()["sum"], 40)
                self.assertIn("chained init 0 20240906 0 0, of %s;behind.so\n" % TOOL, result.stdout)
                self.assertIn(CHAINED, result.stdout)
                self.assertIn("fencing 1\n", result.stdout)
                self.assertIn("tools %s\n" % variables.get("KOKKOS_TOOLS_LIBS", KOKKOS),
                              result.stdout)
                self.assertCounts(result.report, ignored=41, chained=1)

    def test_tool_before_of_an_unknown_version(self):
        """If the other tool does not support the version, it gets the calls all the same."""
        result = self.kokkos("calls", "20991231", REGIONSTAT_CHAIN_KOKKOS=TOOL)
        self.assertEqual(result.report.calls(), {})
        self.assertIn(CHAINED, result.stdout)

    def test_tools_before_that_are_not_called(self):
        """A tool that is not there, and the adapter itself."""
        for chain, told in (("/nonexistent.so",
                             "regionstat: cannot load the Kokkos tool '/nonexistent.so'"),
                            (KOKKOS, "")):
            with self.subTest(chain=chain):
                result = self.kokkos("calls", REGIONSTAT_CHAIN_KOKKOS=chain)
                self.assertEqual(result.report.calls()["sum"], 40)
                self.assertIn(told, result.stderr)
                self.assertCounts(result.report, ignored=41, refused=1)

    def test_runtime_is_not_there(self):
        """Without the runtime the program continues with the tool that the user named before."""
        result = adapter_counts.without_runtime(self, harness.app("kokkos"), env=harness.environment(
            KOKKOS_TOOLS_LIBS=KOKKOS, REGIONSTAT_CHAIN_KOKKOS=TOOL))
        self.assertTrue(result.stdout.endswith(CHAINED + "tools %s\ndone\n" % KOKKOS), result)

    def test_not_launched(self):
        """The output with the tool equals that without, except for its name and the answer about
        fences. A tool that the user named before is called."""
        def lines(result):
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            return [line for line in result.stdout.split("\n")
                    if not line.startswith(("truth", "tools", "fencing"))]

        for what in ("calls", "overlap", "moved", "wrong"):
            with self.subTest(what=what):
                program = [harness.app("kokkos"), what]
                self.assertEqual(
                    lines(harness.run(program, env=harness.environment(KOKKOS_TOOLS_LIBS=KOKKOS))),
                    lines(harness.run(program)))
        result = harness.run([harness.app("kokkos")], env=harness.environment(
            KOKKOS_TOOLS_LIBS=KOKKOS, REGIONSTAT_CHAIN_KOKKOS=TOOL))
        self.assertIn(CHAINED, result.stdout)
