# SPDX-License-Identifier: MIT
"""Programs with Kokkos: calls of a tool's functions become regions. A test program makes them
through the interface that Kokkos publishes. The expected calls and times are the program's own.
Tests that Kokkos shares with other APIs are in markers_contract.py."""

import os

import adapter_counts
import harness

KOKKOS = adapter_counts.path("kokkos")
TOOL = os.path.join(harness.APPS, "kokkos-tool.so")


class Kokkos(adapter_counts.TestCase):

    adapter = "kokkos"

    def kokkos(self, *arguments, chain=None, tools=KOKKOS, **options):
        """Run the program under regionstat with the tool."""
        variables = {"KOKKOS_TOOLS_LIBS": tools}
        if chain:
            variables["REGIONSTAT_CHAIN_KOKKOS"] = chain
        return self.measure(harness.app("kokkos"), *arguments,
                            env=harness.environment(**variables), options=adapter_counts.OPTIONS,
                            **options)

    def test_calls_and_times(self):
        """Each kind of call nests as in the program. The times of leaves agree with the program's
        clocks."""
        def attempt():
            result = self.kokkos("calls")
            truths = harness.truths(result.stdout)
            for name in ("sum", "section"):
                self.assertTruth(result.report, truths[name])
            return result.report, truths

        report, truths = self.steadily(attempt)
        names = ["outer", "fill", "sum", "scan", "Kokkos::fence", "Kokkos::Tools::fence",
                 "Kokkos::deep_copy", "event", "section"]
        self.assertEqual(report.calls(), dict.fromkeys(names, 40))
        self.assertClean(report)
        parents = {name: report.region(name).parent for name in names}
        self.assertEqual(parents, {
            "outer": "", "fill": "outer", "sum": "fill", "Kokkos::fence": "fill", "scan": "outer",
            "Kokkos::Tools::fence": "outer", "Kokkos::deep_copy": "outer", "event": "outer",
            "section": ""})
        outer, inner = report.region("outer"), report.region("sum")
        self.assertLessEqual(outer.total, truths["outer"].around.sum_ns * 1.001 + 1200)
        self.assertGreaterEqual(outer.total, inner.total)
        self.assertLessEqual(outer.self_total, outer.total - report.region("fill").total)
        # calls outside the nesting have no self
        self.assertIsNone(report.region("section").self_total)
        # 40 views are allocated, one is synchronized
        self.assertCounts(report, ignored=41)

    def test_found(self):
        """By default regionstat finds that the program uses Kokkos, and sets the variable that
        names the tool."""
        result = adapter_counts.check_auto(self, "kokkos", r"kokkos has KOKKOS_TOOLS_LIBS", 5,
                                           harness.app("kokkos"), "overlap")
        self.assertEqual(result.report.calls(), dict.fromkeys(
            ["region", "first", "second", "a", "b"], 10))

    def test_before_tools_had_settings(self):
        """Releases before 3.7 name tools in another variable, and earlier ones do not ask tools for
        settings."""
        result = self.measure(harness.app("kokkos"), "calls", "20150628", options=adapter_counts.OPTIONS,
                              env=harness.environment(KOKKOS_PROFILE_LIBRARY=KOKKOS))
        self.assertEqual(result.report.calls()["sum"], 40)
        self.assertNotIn("fencing", result.stdout)

    def test_no_fence_is_asked_for(self):
        self.assertIn("fencing 0\n", self.kokkos("calls").stdout)

    def test_overlap(self):
        report = self.kokkos("overlap").report
        names = ["region", "first", "second", "a", "b"]
        self.assertEqual(report.calls(), dict.fromkeys(names, 10))
        self.assertClean(report)
        self.assertCounts(report)
        # each was open while the other was
        self.assertLess(report.region("b").total, report.region("second").total)

    def test_unnamed(self):
        report = self.kokkos("unnamed").report
        self.assertEqual(report.calls(), {"(unnamed)": 4, "Kokkos::fence": 1})
        self.assertCounts(report)

    def test_opened(self):
        """Kokkos is in a module that the program loads while it runs."""
        result = self.measure(harness.app("opened"), os.path.join(harness.APPS, "kokkos-opened.so"),
                              "overlap", env=harness.environment(KOKKOS_TOOLS_LIBS=KOKKOS),
                              options=adapter_counts.OPTIONS)
        self.assertTrue(result.stdout.endswith("done\n"), result)
        self.assertEqual(result.report.calls(),
                         dict.fromkeys(["region", "first", "second", "a", "b"], 10))
        self.assertCounts(result.report)

    def test_ends_on_another_thread(self):
        """A section may end on another thread. If a kernel does, its END is unmatched, and its call
        stays open."""
        report = self.kokkos("moved").report
        self.assertEqual(report.calls(), {"section": 5, "kernel": 0})
        self.assertEqual(report.diagnostics("section"), {})
        self.assertEqual(report.diagnostics("kernel"), {"open": 1})
        self.assertCounts(report, unmatched=1)

    def test_wrong_calls(self):
        """Ends without a begin are counted and change nothing."""
        result = self.kokkos("wrong")
        self.assertEqual(result.report.calls(), {"twice": 1, "section": 1})
        self.assertClean(result.report)
        self.assertNotIn("errno", result.stdout)
        self.assertCounts(result.report, unmatched=10)

    def test_unknown_version(self):
        """An unknown version is rejected, and the program continues without the tool."""
        for version in ("20991231", "20150627", "0"):
            result = self.kokkos("calls", version)
            self.assertEqual(result.report.calls(), {})
            self.assertTrue(result.stdout.endswith("done\n"), result)
            self.assertCounts(result.report, refused=1)
        for version in ("20150628", "20200625", "20240906"):
            self.assertEqual(self.kokkos("calls", version).report.calls()["sum"], 40)

    def test_never_initialized(self):
        result = self.kokkos("uninitialized")
        self.assertEqual(result.report.calls(), {})
        self.assertTrue(result.stdout.endswith("done\n"), result)

    def test_tool_that_was_there_before(self):
        """A tool that the user named before is called as if it were alone, with its own ids and its
        original environment. Kokkos is asked for the fences that this tool did not decline."""
        for tools, chain in ((KOKKOS, TOOL + ";behind.so"), (KOKKOS + ";" + TOOL + ";behind.so", None)):
            with self.subTest(chain=chain):
                result = self.kokkos("calls", chain=chain, tools=tools)
                self.assertEqual(result.report.calls()["sum"], 40)
                self.assertIn("chained init 0 20240906 0 0, of %s;behind.so\n" % TOOL, result.stdout)
                self.assertIn("chained kernels 40 40 regions 80 sections 80 wrong 0\n", result.stdout)
                self.assertIn("fencing 1\n", result.stdout)
                self.assertIn("tools %s\n" % tools, result.stdout)
                self.assertCounts(result.report, ignored=41, chained=1)

    def test_tool_before_of_an_unknown_version(self):
        """If the other tool does not support the version, it gets the calls all the same."""
        result = self.kokkos("calls", "20991231", chain=TOOL)
        self.assertEqual(result.report.calls(), {})
        self.assertIn("chained kernels 40 40 regions 80 sections 80 wrong 0\n", result.stdout)

    def test_tool_before_that_is_not_there(self):
        result = self.kokkos("calls", chain="/nonexistent.so")
        self.assertEqual(result.report.calls()["sum"], 40)
        self.assertIn("regionstat: cannot load the Kokkos tool '/nonexistent.so'", result.stderr)
        self.assertCounts(result.report, ignored=41, refused=1)

    def test_tool_before_that_is_this_one(self):
        result = self.kokkos("calls", chain=KOKKOS)
        self.assertEqual(result.report.calls()["sum"], 40)
        self.assertCounts(result.report, ignored=41, refused=1)

    def test_runtime_is_not_there(self):
        """Without the runtime the program continues with the tool that the user named before."""
        result = adapter_counts.without_runtime(self, harness.app("kokkos"), env=harness.environment(
            KOKKOS_TOOLS_LIBS=KOKKOS, REGIONSTAT_CHAIN_KOKKOS=TOOL))
        self.assertIn("chained kernels 40 40 regions 80 sections 80 wrong 0\n", result.stdout)
        self.assertTrue(result.stdout.endswith("done\n"), result)

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
        self.assertIn("chained kernels 40 40 regions 80 sections 80 wrong 0\n", result.stdout)
