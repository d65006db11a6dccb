# SPDX-License-Identifier: MIT
"""What every marker API has in common, by one program that makes the same calls of each."""

import collections

import adapter_counts
import harness

PROGRAM = harness.app("markers-contract")
THREADS = 4

# --markers; whether it has ranges that any thread may end, and how many at once; whether an end is
# that of its name, and missing begins are the region's, or of the API's innermost call, and they
# are the adapter's; what an end of no range is counted as
Api = collections.namedtuple("Api", "adapter room is_by_name missing")
APIS = {
    "itt": Api("itt", 16384, False, "unmatched"),
    "itt-regions": Api("itt", 16384, False, "ignored"),
    "nvtx": Api("nvtx", 16384, False, "unmatched"),
    "kokkos": Api("kokkos", 4096, False, "unmatched"),
    "roctx": Api("roctx", 16384, False, "unmatched"),
    "likwid": Api("likwid", None, True, None),
    "papi": Api("papi", None, True, None),
}


class Calls:
    """Calls that nest in their thread. name: of the API in the program; api: an Api."""

    def run_of(self, *arguments, events="time", options=(), **more):
        """A run of the program with the adapter of the API."""
        return self.measure(PROGRAM, self.name, *map(str, arguments), events=events,
                            options=["--markers", self.api.adapter, *options],
                            env=adapter_counts.unordered(), **more)

    def check(self, result, calls, counts=None, diagnostics=None):
        """A run with these calls, whose adapter was called by one process and counted that."""
        return adapter_counts.check_told(self, result, calls, counts, diagnostics)

    def with_ranges(self, calls, ranges):
        """The calls, and those of ranges where the API has them."""
        return {**calls, **(ranges if self.api.room else {})}

    def test_nested_on_threads(self):
        n = 500

        def once():
            result = self.check(self.run_of("nested", n),
                                {"outer": n * THREADS, "inner": n * THREADS})
            inner = result.report.region("inner")
            self.assertEqual((inner.parent, inner.threads), ("outer", THREADS))
            adapter_counts.check_nested(self, result, inner)
        self.steadily(once)

    def test_recursion(self):
        """Each is a call, and no time is counted twice; what the inner ones cost is left out."""
        result = self.check(self.run_of("recursion", 50), {"outer": 1000},
                            diagnostics={"recursive": 950})
        truth = harness.truths(result.stdout)["outer"]
        self.assertEqual((truth.calls, truth.inner), (1000, 950))
        row = result.report.region("outer")
        self.assertLess(truth.within.min_ns / 2, row.min)
        self.assertLessEqual(row.total, truth.around.once_ns + harness.CLOCKS_NS * 1000)
        self.assertLessEqual(row.total, row.avg * row.calls)

    def test_signals(self):
        n = 20000
        result = self.run_of("signals", n)
        calls = result.report.calls()
        self.assertEqual(calls["outer"], n)
        self.assertEqual(calls.get("range"), n if self.api.room else None)
        self.assertEqual(result.report.diagnostics(), {})
        found = adapter_counts.told(result.stdout)
        found.pop("regions")
        self.assertEqual(found, {"loaded": 1})
        if self.api.room:
            self.assertEqual(calls.get("handler", 0), calls.get("handler range", 0))

    def test_fork_within_a_call(self):
        """What the child ends of its parent's is no call, and nobody's mistake."""
        self.check(self.run_of("fork", 40),
                   self.with_ranges({"outer": 1, "inner": 40}, {"range": 1}))

    def test_first_called_in_a_child(self):
        self.check(self.run_of("fork-first", 30), {"outer": 30})

    def test_started_twice(self):
        self.check(self.run_of("twice", 10), {"outer": 20})

    def test_an_end_without_a_begin(self):
        found = [{"unmatched": 1}, {}]
        counts, diagnostics = reversed(found) if self.api.is_by_name else found
        self.check(self.run_of("stray", 5), {"outer": 5}, counts, diagnostics)

    def test_names_of_any_bytes(self):
        """A byte that is not UTF-8 is written as its number: a CSV is UTF-8."""
        self.run_of("bytes", 3)
        with open(self.path("report.csv"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(",region,caf\\xe9 \u00e9 \\xf0\\x9f\\x98 \\x80,,all,all,time,", text)

    def test_calls_that_are_left_out_nest_as_well(self):
        n = 50
        self.check(self.run_of("nested", n, options=["--only", "inner"]), {"inner": n * THREADS})

    def test_page_faults_are_the_programs(self):
        """Memory of the adapter is touched before a call begins, also where a fork shares it."""
        harness.need_exact_faults()
        n = 100
        report = self.run_of("faults", n, events="page-faults").report
        for region in self.with_ranges({"call": n, "child's call": n},
                                       {"range": n, "many": n, "child's range": n}):
            row = report.region(region, "page-faults")
            self.assertEqual((row.calls, row.counted, row.total), (n, n, 0), row)


class Ranges:
    """Ends that are paired by the API, and calls that any thread may end."""

    def test_deeper_than_is_measured(self):
        n = 20000
        result = self.run_of("deep", n)
        adapter_counts.check_deep(self, result, "outer", "inner", n)
        self.assertEqual(set(adapter_counts.told(result.stdout)), {"loaded", "regions"})

    def test_ranges_that_overlap(self):
        n = 400

        def once():
            result = self.check(self.run_of("overlap", n), {"first": n, "second": n})
            for region, side in adapter_counts.sums(result.stdout).items():
                self.assertBetweenClocks(result.report.region(region), side.within, side.around)
        self.steadily(once)

    def test_ranges_ended_elsewhere(self):
        n = self.api.room // 2
        result = self.check(self.run_of("elsewhere", n), {"range": n})
        self.assertIsNone(result.report.region("range").self_total)

    def test_more_ranges_than_there_is_room_for(self):
        """Each that is beyond is counted once: its end is no missing begin, and no end of another.
        An end of what never began is told afterwards as before."""
        n = 20000
        result = self.run_of("room", n)
        found = adapter_counts.told(result.stdout)
        kept = result.report.calls()["range"]
        self.assertEqual((found["memory"] + kept, found.get(self.api.missing)), (n, 1), found)
        self.assertTrue(self.api.room * 9 // 10 <= kept <= self.api.room, kept)


for _name, _api in APIS.items():
    _bases = (Calls, Ranges, harness.TestCase) if _api.room else (Calls, harness.TestCase)
    globals()[_name] = type(_name, _bases, {"name": _name, "api": _api})


if __name__ == "__main__":
    harness.main()
