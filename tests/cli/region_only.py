# SPDX-License-Identifier: MIT
"""--only: regions whose names match are measured as usual, and others do not appear."""

import re

import harness

N = 50
THREADS, DEPTH = 3, 4  # of tests/apps/only.c
RUNS = 1 + THREADS + 1 + 1  # main, threads, child, and the program once more
# Calls in one all_ways(), by arithmetic.
ONCE = {"want outer": 1, "want leaf": 1 + DEPTH, "want link 1": 1, "want link 4": 1,
        "want link 5": 1, "want left": 1, "want right": 1, "want recursive": DEPTH, "want name": 1,
        "want named link": 2, "want call": 1, "want named call": 1}
CALLS = {name: calls * N * RUNS for name, calls in ONCE.items()} | {"want fork": 1}
RECURSIVE = {"recursive": (DEPTH - 1) * N * RUNS}
SAMPLED = (("--sample", 7), ("--budget", "0.5%"))


class Only(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.program = harness.app("only")

    def only(self, *globs, options=(), events="time", **more):
        words = [word for glob in globs for word in ("--only", glob)]
        return self.measure(self.program, N, events=events, options=[*options, *words], **more)

    def test_the_wanted_ones_exactly_and_nothing_else(self):
        for events in ("time", "page-faults,task-clock"):
            with self.subTest(events=events):
                result = self.only("want*", events=events)
                self.assertEqual(result.report.calls(), CALLS)
                self.assertEqual(result.report.diagnostics(), RECURSIVE)
                self.assertNotIn("skip", result.stderr)

    def test_all_without_a_filter(self):
        """A run without --only has the same regions as with --only '*', and the program has both
        kinds."""
        plain, all_of_it = self.only().report, self.only("*").report
        self.assertEqual(plain.calls(), all_of_it.calls())
        self.assertEqual(plain.diagnostics(), all_of_it.diagnostics())
        self.assertEqual({name: calls for name, calls in plain.calls().items()
                          if name.startswith("want")}, CALLS)
        self.assertEqual(plain.calls()["skip recursive"], DEPTH * N * RUNS)
        self.assertEqual(plain.diagnostics()["unmatched"], N * RUNS)

    def test_the_other_way_round(self):
        report = self.only("skip*").report
        self.assertTrue(all(name.startswith("skip") for name in report.calls()), report.calls())
        self.assertEqual(report.calls()["skip link 2"], N * RUNS)
        self.assertEqual(report.diagnostics("skip never"), {"unmatched": N * RUNS})

    def test_globs(self):
        links = {name: CALLS[name] for name in ("want link 1", "want link 4", "want link 5")}
        for globs, expected in (
                (["want link ?"], links),
                (["want link [1-4]"], {k: v for k, v in links.items() if k != "want link 5"}),
                (["want link [!1]"], {k: v for k, v in links.items() if k != "want link 1"}),
                (["want outer", "*leaf"], {k: CALLS[k] for k in ("want outer", "want leaf")}),
                (["want*l"], {k: CALLS[k] for k in ("want call", "want named call")}),
                (["want link 1"], {"want link 1": CALLS["want link 1"]})):
            with self.subTest(globs=globs):
                self.assertEqual(self.only(*globs).report.calls(), expected)

    def test_with_sampling(self):
        for options in SAMPLED:
            with self.subTest(options=options):
                report = self.only("want*", options=options).report
                self.assertEqual(report.calls(), CALLS)
                self.assertEqual(report.diagnostics(), RECURSIVE)

    def test_threads_without_wanted_regions_are_none(self):
        """The threads of the report are main, the others, the child, and main once more, but not
        those that use only filtered regions."""
        report = self.only("want*", options=["--per-thread"]).report
        threads = {(row.process, row.thread) for row in report.select(kind="region", event="time")}
        self.assertEqual(len(threads), RUNS)

    def test_a_program_of_filtered_regions(self):
        """If all regions are filtered, there is no row and no message about missing markers."""
        result = self.measure(harness.app("rules"), "threads", "3", "5", events="time",
                              options=["--only", "call", "--only", "nothing else"])
        self.assertEqual(result.report.calls(), {"call": 15})
        result = self.measure(harness.app("rules"), "threads", "3", "5", events="time",
                              options=["--only", "kall"])
        self.assertEqual(result.report.calls(), {})
        self.assertNotIn("marker", result.stderr)

    def test_a_glob_that_matches_nothing_has_a_message(self):
        result = self.only("want leef", "want*", "nothing of it", "(oth*")
        self.assertIn("no region matches --only: 'want leef', 'nothing of it', "
                      "'(oth*'; ", result.stderr)
        self.assertIn("near are 'want leaf'", result.stderr)
        result = self.only("xyz")
        self.assertEqual(result.report.calls(), {})
        self.assertRegex(result.stderr, r"matches --only: 'xyz'; filtered regions are "
                         r"'skip \w+', .* and \d+ more; ")
        self.assertNotIn("--only", self.only("want*").stderr)

    def test_filtered_names_take_no_places(self):
        """5,000 filtered names do not affect the selected ones."""
        result = self.measure(harness.app("rules"), "many-names", "5000", "2", events="time",
                              options=["--only", "region 49??"])
        self.assertEqual(result.report.calls(), {"region 49%02d" % i: 2 for i in range(100)})
        self.assertNotRegex(result.stderr, r"\(other\)")

    def test_a_name_in_utf8(self):
        result = self.measure(harness.app("rules"), "names", "3", events="time",
                              options=["--only", "Pr?fung*", "--only", "渲[^a-z]?素"])
        # (other), which takes names that do not fit, may contain any name
        self.assertEqual(result.report.calls(),
                         {"Prüfung der Größe": 3, "渲染像素": 3, "(other)": 3})

    def test_in_libraries(self):
        """Programs that link the runtime, static programs, and several objects."""
        for program in harness.built_apps("rules", "rules-linked", "rules-static"):
            with self.subTest(program=program):
                result = self.measure(harness.app(program), "fork-inside", "2", "5", events="time",
                                      options=["--only", "child"])
                self.assertEqual(result.report.calls(), {"child": 10})
                self.assertClean(result.report)

    def test_the_most_globs(self):
        globs = ["none %d*" % i for i in range(63)]
        result = self.only(*globs, "want fork")
        self.assertEqual(result.report.calls(), {"want fork": 1})
        self.assertTrue(re.search(r"and \d+ more", result.stderr), result.stderr)
        refused = self.regionstat(*[w for g in [*globs, "a", "b"] for w in ("--only", g)],
                                  "true", status=125)
        self.assertIn("--only: more than 64 globs", refused.stderr)
