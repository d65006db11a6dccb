# SPDX-License-Identifier: MIT
"""OpenMP through OMPT, with an OpenMP runtime of the tests, so that sanitizers see all its threads.
It makes the calls of LLVM's runtime, and calls that no runtime should make. markers_openmp has
parallel regions in LLVM's runtime itself."""

import adapter_counts
import harness

ADAPTER = adapter_counts.path("openmp")
PROGRAM = harness.app("markers-ompt")
THREADS = 4


def without_line(name):
    """Return the name of a region without its line."""
    return name.split(" (")[0]


class Ompt(adapter_counts.TestCase):

    adapter, variable = "openmp", "OMP_TOOL_LIBRARIES"

    program = PROGRAM

    def measure_with(self, *program, **options):
        """Run a program with the adapter as OMPT loads it. Remove the lines from names of
        regions."""
        result = super().measure_with(*program, **options)
        for row in result.report.rows:
            row.region = without_line(row.region)
            row.parent = without_line(row.parent)
        return result

    def check(self, how, n, calls, *arguments, **options):
        result = super().check(how, n, calls, *arguments, **options)
        self.assertEqual(adapter_counts.of(result.report, "openmp")["regions"], len(calls), result)
        return result

    @harness.steady
    def test_worksharing(self):
        n, each = 100, 100 * THREADS
        timed = {"%s outer" % word: each for word in (
            "loop", "sections", "single", "workshare", "distribute", "taskloop", "scope", "masked")}
        result = self.check("works", n, {
            **timed, "loop inner": each, "scope inner": each, "parallel outer": 1,
            "parallel part outer": THREADS, "OpenMP barrier": THREADS})
        self.assertEqual(self.assertClocks(result), set(timed))
        # the scope is the parent of a loop that begins in it
        self.assertEqual(result.report.region("loop inner").parent, "scope inner")
        for name in timed:
            row = result.report.region(name)
            self.assertEqual((row.parent, row.threads), ("parallel part outer", THREADS))

    @harness.steady
    def test_waits(self):
        n, each = 70, 70 * THREADS
        timed = {"OpenMP " + word: each for word in ("taskwait", "taskgroup", "reduction")}
        result = self.check("waits", n, {
            **timed, "OpenMP barrier": each + THREADS, "parallel outer": 1,
            "parallel part outer": THREADS})
        self.assertEqual(self.assertClocks(result), set(timed))

    @harness.steady
    def test_works_nest_without_a_limit(self):
        depth = 300
        calls = 2 * 2 * depth // 3  # of each of three kinds, by two threads, twice
        timed = {"%s outer" % word: calls for word in ("distribute", "taskloop", "scope")}
        # the outermost call of a kind is not recursive
        inner = 3 * (calls - 2 * 2)
        result = self.check("deep", depth, {
            **timed, "parallel inner": 1, "parallel part inner": 2, "OpenMP barrier": 2},
            diagnostics={"recursive": inner})
        for region, side in adapter_counts.sums(result.stdout).items():
            row = result.report.region(region)
            # every entry is a call with its full time, without the overhead of its markers
            self.assertLessEqual(row.avg * row.calls, side.around * (1 + harness.CLOCKS_RATIO)
                                 + harness.CLOCKS_NS * row.calls)
            if row.avg * row.calls < side.within * (1 - 10 * harness.MARKERS_RATIO):
                raise harness.TimeMissing("%r, %r" % (row, side))

    def test_new_places_on_all_threads_at_once(self):
        n = 100
        result = self.measure_with(PROGRAM, "places", n)
        self.assertEqual(adapter_counts.of(result.report, "openmp"),
                         {"processes": 1, "regions": n + 3})
        rows = result.report.select(kind="region", event="time", process="all", thread="all")
        self.assertEqual(len(rows), n + 3)
        self.assertEqual(sum(row.calls for row in rows), n * THREADS + 1 + 2 * THREADS)

    def test_more_tasks_than_there_is_room_for(self):
        n, room = 5000, 4096
        result = self.check("tasks", n, {
            "parallel outer": 1, "parallel part outer": room, "loop inner": room},
            {"memory": 2 * (n - room)}, {"recursive": room - 1})
        self.assertIn("CAVEATS in regionstat-markers(7)", result.stderr)

    def test_what_tasks_leave_is_for_others(self):
        n = 1000
        parts = (n + 1) * THREADS
        self.check("handed", n, {"parallel outer": 1, "parallel part outer": parts,
                                 "loop inner": n * THREADS, "OpenMP barrier": THREADS},
                   diagnostics={"recursive": n * THREADS})

    def test_the_tool_is_finalized_too_early(self):
        n = 500
        self.check("finalize", n, {"parallel outer": 1, "parallel part outer": THREADS,
                                   "OpenMP barrier": THREADS, "loop inner": n * THREADS})

    def test_starts(self):
        n = 10
        parts = 2 * n
        for how, calls, diagnostics in (
                ("twice", {"loop outer": 2 * n}, {}),
                # an unknown version
                ("version", {"loop outer": n}, {}),
                ("fork-first", {"loop outer": n}, {}),
                # a runtime without implicit tasks
                ("some", {"parallel outer": 1, "loop outer": 2 * n, "OpenMP barrier": 2}, {}),
                # works that have no end
                ("lost", {"parallel outer": n, "parallel part outer": parts,
                          "OpenMP barrier": parts, "loop outer": parts * n, "single outer": 0},
                 {"lost": parts * (n + 1)}),
                # works that end on another thread
                ("moved", {"loop outer": n, "taskloop outer": 0}, {"moved": n}),
                # a child that ends its parent's part makes no call, and its own parts are calls
                ("fork", {"parallel outer": 1, "parallel part outer": 1, "distribute outer": 1,
                          "loop outer": n}, {})):
            with self.subTest(how):
                self.check(how, n, calls, diagnostics=diagnostics)

    def test_a_runtime_without_callbacks(self):
        for how, times in (("bare", 1), ("nothing", 2)):
            with self.subTest(how=how):
                result = self.measure_with(PROGRAM, how, 5)
                self.check_result(result, {}, {"processes": 0, "refused": times})
                self.assertRegex(result.stderr, "markers openmp: %d times? regionstat could not "
                                                "measure" % times)

    def test_what_no_runtime_should_say(self):
        result = self.check("stray", 10, {"loop outer": 11, "single outer": 1, "OpenMP taskwait": 1},
                            {"unmatched": 2, "ignored": 11})
        self.assertIn("markers openmp: 2 ends without a begin dropped", result.stderr)

    def test_not_launched(self):
        """Without a launcher ompt_start_tool() declines, and the OpenMP runtime continues without a
        tool."""
        for changes in ({}, {"OMP_TOOL_LIBRARIES": ADAPTER},
                        {"OMP_TOOL_LIBRARIES": "/nonexistent.so:" + ADAPTER}):
            result = harness.run([PROGRAM, "alone", "10"], env=harness.environment(**changes))
            self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""), changes)

    def test_without_a_runtime_of_regionstat(self):
        adapter_counts.without_runtime(self, "OMP_TOOL_LIBRARIES=" + ADAPTER, PROGRAM, "alone", "10")

    def test_a_tool_before_that_is_not_there(self):
        result = self.measure("env", "OMP_TOOL_LIBRARIES=/nonexistent.so:" + ADAPTER, PROGRAM,
                              "twice", 5, events="time", options=adapter_counts.OPTIONS)
        self.assertEqual(list(result.report.calls().values()), [10])
