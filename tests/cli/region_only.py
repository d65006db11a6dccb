# SPDX-License-Identifier: MIT
"""--only: regions whose names match are measured as usual, and others do not appear."""

import re

import harness

N = 50
# Markers (tests/apps/rules/markers.c): regions up to "m" are wanted, and later ones are filtered.
WAYS = N * "".join((
    "xaybBYAXZ",  # within each other, and an END without BEGIN
    "yY/cC/xX/yY/dD/eE",  # NEXT
    "fxFgXG",  # overlap
    "hhhhHHHH", "xbBxbBxbBxbBXXXX",  # recursion
    "[x[i[y]]]",  # scopes
    "+j+x+k+y-J-X-Y-K",  # START and STOP
))
# Three threads have filtered regions only. Then the first thread, three others, and a child that is
# forked within both kinds of regions have all.
FILTERED = "(" + "yY/xX[z]+x-X" * N + ")"
PROGRAM = FILTERED * 3 + WAYS + ("(" + WAYS + ")") * 3 + "xm{MX" + WAYS + "}MX"
THREADS = 5
CALLS = {region: WAYS.count(region) * THREADS for region in "abcdefghijk"} | {"m": 1}
RECURSIVE = {"recursive": 3 * N * THREADS}


class Only(harness.TestCase):

    def only(self, *globs, words=("markers", 1, PROGRAM), options=(), events="time"):
        more = [word for glob in globs for word in ("--only", glob)]
        return self.measure(harness.app("rules"), *words, events=events, options=[*options, *more])

    def test_the_wanted_ones_exactly_and_nothing_else(self):
        for events in ("time", "page-faults,task-clock"):
            for options in ((), ("--sample", 7), ("--budget", "0.5%")):
                for more in ((), ("by-name",)):
                    with self.subTest(events=events, options=options, more=more):
                        result = self.only("[a-m]", words=("markers", 1, PROGRAM, *more),
                                           events=events, options=options)
                        self.assertEqual(result.report.calls(), CALLS)
                        self.assertEqual(result.report.diagnostics(), RECURSIVE)
                        self.assertNotRegex(result.stderr, "'[xyz]'")

    def test_all_without_a_filter(self):
        """A run without --only has the same regions as with --only '*', and the program has both
        kinds."""
        plain, all_of_it = self.only().report, self.only("*").report
        self.assertEqual(plain.calls(), all_of_it.calls())
        self.assertEqual(plain.diagnostics(), all_of_it.diagnostics())
        self.assertEqual(plain.calls(), {name: PROGRAM.count(name) for name in [*CALLS, *"xyz"]})
        self.assertEqual(plain.diagnostics()["unmatched"], N * THREADS)

    def test_the_overhead_has_no_filtered_calls(self):
        """Their number is unknown, so the headline says that they are missing."""
        for glob, text in (("[a-m]", " + filtered calls"), ("*", "")):
            with self.subTest(glob=glob):
                report = self.regionstat("--only", glob, harness.app("rules"), "markers", 1, PROGRAM)
                self.assertRegex(report.stderr, rf"  overhead .*% of CPU{re.escape(text)}\n")

    def test_the_other_way_round(self):
        report = self.only("[x-z]").report
        self.assertEqual(set(report.calls()), {"x", "y", "z"})
        self.assertEqual(report.diagnostics("z"), {"unmatched": N * THREADS})

    def test_globs(self):
        """base/glob_test compares more of them with fnmatch(3)."""
        for globs, wanted in ((["[!b-z]"], "a"), (["a", "[fg]"], "afg")):
            with self.subTest(globs=globs):
                self.assertEqual(self.only(*globs).report.calls(),
                                 {region: CALLS[region] for region in wanted})

    def test_threads_without_wanted_regions_are_none(self):
        report = self.only("[a-m]", options=["--per-thread"]).report
        threads = {(row.process, row.thread) for row in report.select(kind="region", event="time")}
        self.assertEqual(len(threads), THREADS)

    def test_a_program_of_filtered_regions(self):
        """If all regions are filtered, there is no row and no message about missing markers."""
        result = self.only("call", "nothing else", words=("threads", 3, 5))
        self.assertEqual(result.report.calls(), {"call": 15})
        result = self.only("kall", words=("threads", 3, 5))
        self.assertEqual(result.report.calls(), {})
        self.assertNotIn("marker", result.stderr)

    def test_a_program_without_calls(self):
        """Another message says that there were no calls."""
        result = harness.regionstat("-v", "--only", "a", "--slow", "b:time>1s", "--sample", "c:3",
                                    harness.app("nest"))
        self.assertIn("called none", result.stderr)
        self.assertNotRegex(result.stderr, "--(only|slow|sample)")

    def test_a_glob_that_matches_nothing_has_a_message(self):
        result = self.only("midle", "inner", "nothing of it", "(oth*", words=("nested", 3))
        self.assertIn("no region matches --only: 'midle', 'nothing of it', '(oth*'; ", result.stderr)
        self.assertIn("; similar names: 'middle'; ", result.stderr)
        result = self.only("xyz", words=("many-names", 20, 1))
        self.assertEqual(result.report.calls(), {})
        self.assertRegex(result.stderr, r"matches --only: 'xyz'; filtered regions are "
                         r"'region \d+', .* and \d+ more; ")
        self.assertNotIn("--only", self.only("[a-m]").stderr)

    def test_filtered_names_take_no_places(self):
        """5,000 filtered names do not affect the selected ones."""
        result = self.only("region 49??", words=("many-names", 5000, 2))
        self.assertEqual(result.report.calls(), {"region 49%02d" % i: 2 for i in range(100)})
        self.assertNotRegex(result.stderr, r"\(other\)")

    def test_a_name_in_utf8(self):
        result = self.measure(harness.app("named"), "Prüfung der Größe", "渲染像素", "(other)", "渲x染素",
                              events="time", options=["--only", "Pr?fung*", "--only", "渲[^a-z]?素"])
        # (other), which takes names that do not fit, may contain any name
        self.assertEqual(result.report.calls(),
                         {"Prüfung der Größe": 1, "渲染像素": 1, "(other)": 1})

    def test_in_libraries_and_after_exec(self):
        """Programs that link the runtime, static programs, and several objects."""
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            with self.subTest(program=program):
                result = self.measure(harness.app(program), "exec", 1, 5, events="time",
                                      options=["--only", "child"])
                self.assertEqual(result.report.calls(), {"child": 10})
                self.assertClean(result.report)

    def test_the_most_globs(self):
        globs = ["none %d*" % i for i in range(63)]
        result = self.only(*globs, "m")
        self.assertEqual(result.report.calls(), {"m": 1})
        self.assertRegex(result.stderr, r"and \d+ more")
        refused = self.regionstat(*[w for g in [*globs, "a", "b"] for w in ("--only", g)],
                                  "true", status=125)
        self.assertIn("--only: more than 64 globs", refused.stderr)

    def test_filtered_calls_within_calls_without_a_frame(self):
        """A thread has 16,384 frames. ENDs of filtered regions end none of the calls that have
        none."""
        harness.need_no_sanitizer("ThreadSanitizer takes long for a deep stack", "thread")
        report = self.only("beyond", words=("beyond", "name", 20000, 50)).report
        self.assertEqual(report.diagnostics(),
                         {"recursive": report.calls()["beyond"] - 1, "unmatched": 1})
