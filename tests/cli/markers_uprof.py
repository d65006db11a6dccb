# SPDX-License-Identifier: MIT
"""Programs with AMD uProf's profile control, linked with the stand-in of its library. They measure
one region, or switch all counting. The times agree with the program's own."""

import os

import adapter_counts
import harness

PROGRAMS = ("uprof", "uprof-static")


class Uprof(harness.TestCase):

    def uprof(self, program, *arguments, control=False, **options):
        result = self.measure(harness.app(program), *arguments, options=[
            "--markers", "uprof=control" if control else "uprof"], **options)
        self.assertIn("false 0 error 0\n", result.stdout)
        return result

    def assertCounts(self, report, regions=1, **counts):
        self.assertEqual(adapter_counts.of(report, "uprof"),
                         {"processes": 1, "regions": regions, **counts})

    def test_region(self):
        """The time from Resume to Pause is a call, with the strict functions too."""
        for program in PROGRAMS:
            for what in ("calls", "strict"):
                def attempt():
                    result = self.uprof(program, what)
                    self.assertTruth(result.report,
                                     harness.truths(result.stdout)["amdProfile"])
                    return result.report

                with self.subTest(program=program, what=what):
                    report = self.steadily(attempt)
                    self.assertEqual(report.calls(), {"amdProfile": 40})
                    self.assertClean(report)
                    self.assertCounts(report)

    def test_found(self):
        """The library is linked to the program: a message says that it measures, and nothing is
        loaded."""
        for program in PROGRAMS:
            result = harness.regionstat("-v", "-e", "time", "--", harness.app(program), "calls")
            self.assertIn("- markers uprof: 1 region in 1 process\n", result.stderr)
            if program == "uprof":
                self.assertRegex(result.stderr, r"\n  uprof has amdProfile\w+\n")

    def test_calls(self):
        """With control everything is counted from Resume to Pause, and nothing before the first
        Resume. Otherwise this is a call of the process."""
        for what, control, calls, counts in (
                ("marked", False, {"inside": 40, "outside": 40, "amdProfile": 40}, {}),
                ("marked", True, {"inside": 40}, {}),
                # any thread may pause
                ("threads", False, {"amdProfile": 20}, {}),
                ("threads", True, {}, {}),
                # a child has its own call
                ("fork", False, {"amdProfile": 11, "inside": 11, "outside": 11}, {}),
                # it continues in the state of its parent: its first Resume changes nothing
                ("fork", True, {"inside": 11, "outside": 1}, {"ignored": 1}),
                ("fork-first", False, {"amdProfile": 10, "inside": 10, "outside": 10}, {}),
                ("fork-first", True, {"inside": 10}, {}),
                # a Resume while counting runs, and a Pause while it is paused, change nothing
                ("wrong", False, {"amdProfile": 1}, {"ignored": 3}),
                ("wrong", True, {}, {"ignored": 3})):
            with self.subTest(what=what, control=control):
                result = self.uprof("uprof", what, control=control)
                self.assertEqual(result.report.calls(), calls)
                self.assertClean(result.report)
                self.assertCounts(result.report, regions=0 if control else 1, **counts)
                self.assertNotIn("markers uprof", result.stderr)

    def test_linked_and_opened(self):
        """The program has the library in it, or loads a module that has it or is linked to it."""
        for words in (["uprof-static"], ["opened", harness.app("uprof-opened.so")],
                      ["opened", harness.app("uprof-static-opened.so")]):
            for control, calls in ((True, {"inside": 40}),
                                   (False, {"inside": 40, "outside": 40, "amdProfile": 40})):
                with self.subTest(words=words, control=control):
                    result = self.uprof(*words, "marked", control=control)
                    self.assertEqual(result.report.calls(), calls)
                    self.assertClean(result.report)
                    self.assertCounts(result.report, regions=0 if control else 1)

    def test_not_wanted(self):
        """Nothing of uProf is measured if --markers names others or none; the program's own regions
        are."""
        for program in PROGRAMS:
            for markers in ("none", "likwid,itt", "papi"):
                result = self.measure(harness.app(program), "marked",
                                      options=["--markers", markers])
                self.assertIn("false 0 error 0\n", result.stdout)
                self.assertEqual(result.report.calls(), {"inside": 40, "outside": 40})
                self.assertEqual(adapter_counts.of(result.report, "uprof"), {})
                self.assertNotIn("markers uprof", result.stderr)

    def test_not_wanted_of_what_is_started(self):
        """If the program starts another, there is no message about the other's markers."""
        for markers, calls in (("none", {}), ("uprof", {"amdProfile": 40}),
                               ("auto", {"amdProfile": 40})):
            found = self.measure("env", harness.app("uprof"), "calls",
                                 options=["--markers", markers]).report.calls()
            self.assertEqual((markers, found), (markers, calls))

    def test_inner_launcher_says_what_is_wanted(self):
        """The innermost launcher decides what is measured."""
        inner = [harness.REGIONSTAT, "-e", "time", "--", harness.app("uprof"), "calls"]
        result = harness.regionstat("--markers", "none", *inner)
        self.assertRegex(result.stderr, r"(?m)^amdProfile .* 40 ")
        result = harness.regionstat("--markers", "uprof", inner[0], "--markers", "none", *inner[1:])
        self.assertNotIn("amdProfile", result.stderr)

    def test_control_without_regions(self):
        """Counting follows the calls of a program that has no other markers: there is no message
        that it called none."""
        result = self.uprof("uprof", "calls", control=True)
        self.assertEqual(result.report.calls(), {})
        self.assertCounts(result.report, regions=0)
        self.assertNotIn("called none", result.stderr)

    def test_runtime_is_not_there(self):
        for program in PROGRAMS:
            result = adapter_counts.without_runtime(self, harness.app(program), "marked",
                                                    env=harness.environment())
            self.assertIn("false 0 error 0\n", result.stdout)

    def test_not_launched(self):
        """Without a launcher the functions return true, as without a profiler, and report no
        error."""
        for program in PROGRAMS:
            for what in ("calls", "strict", "threads", "fork", "wrong"):
                for control in (None, "control"):
                    result = harness.run([harness.app(program), what],
                                         env=harness.environment(REGIONSTAT_UPROF=control))
                    self.assertEqual((result.status, result.stderr), (0, ""), result)
                    self.assertTrue(result.stdout.endswith("false 0 error 0\n"), result)

    def test_names_that_a_binary_may_ask_for(self):
        """The library also defines the names that uProf 5's own header uses."""
        library = os.path.join(adapter_counts.ADAPTERS, "standin", "libAMDProfileController.so")
        symbols = harness.run([harness.need_tool("nm"), "-D", "--defined-only", library]).stdout
        found = {line.split()[-1] for line in symbols.splitlines() if " T " in line}
        names = ["amdProfile" + strict + what for strict in ("", "Strict")
                 for what in ("Resume", "Pause")]
        wanted = {name + end for name in names for end in ("", "Impl")}
        self.assertEqual({name for name in found if name.startswith("amd")},
                         wanted | {"amdGetLastProfileError"})

    def test_header_in_c_and_cxx(self):
        """The header compiles alone, and in C++ its arguments are optional."""
        text = "#include <AMDProfileController.h>\nint main(%s) { return !amdProfileResume(%s); }\n"
        library = os.path.join(adapter_counts.ADAPTERS, "standin", "libAMDProfileController.a")
        for language, standards, words in (("c", ("c99", "c11"), ("void", "AMD_PROFILE_CPU")),
                                           ("c++", ("c++11", "c++17"), ("", ""))):
            for compiler in harness.compilers(language):
                for standard in standards:
                    with self.subTest(compiler=compiler, standard=standard):
                        program = self.compile_text(
                            text % words, "-std=" + standard, "-Wpedantic",
                            "-I" + adapter_counts.STANDIN_SOURCE, library, "-ldl", compiler=compiler)
                        self.assertEqual(harness.run([program]).status, 0)
