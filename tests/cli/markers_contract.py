# SPDX-License-Identifier: MIT
"""Tests for every marker API, by one program that makes the same calls through each."""

import dataclasses

import adapter_counts
import harness

PROGRAM = harness.app("markers-contract")
THREADS = 4
LONGEST = "x" * 110 + "~"  # the part of a longer name before its hash


@dataclasses.dataclass
class Api:
    """An API, by its name in --markers."""

    adapter: str
    variable: str = "LD_PRELOAD"  # the variable that loads the adapter
    room: int = None  # limit of open ranges that any thread may end; None: the API has none
    missing: str = "unmatched"  # the count of an END without a BEGIN
    is_by_name: bool = False  # calls end by their names, in any order
    is_pairing: bool = True  # the API itself pairs BEGIN and END
    has_domains: bool = False
    has_pauses: bool = False


APIS = {
    "itt": Api("itt", "INTEL_LIBITTNOTIFY64", room=16384, has_domains=True, has_pauses=True),
    "itt-regions": Api("itt", "INTEL_LIBITTNOTIFY64", room=16384, missing="ignored"),
    "nvtx": Api("nvtx", "NVTX_INJECTION64_PATH", room=16384, has_domains=True),
    "kokkos": Api("kokkos", "KOKKOS_TOOLS_LIBS", room=4096),
    "kokkos-kernels": Api("kokkos", "KOKKOS_TOOLS_LIBS"),
    "caliper": Api("caliper", is_by_name=True),
    "roctx": Api("roctx", room=16384, has_pauses=True),
    "likwid": Api("likwid", is_by_name=True, is_pairing=False),
    "papi": Api("papi", is_by_name=True, is_pairing=False),
}


class Calls:
    """Calls that nest in their thread. name: the API's word for the program. api: an Api."""

    def run_of(self, *arguments, events="time", options=(), **more):
        """Run the program with the adapter of the API."""
        return self.measure(PROGRAM, self.name, *map(str, arguments), events=events,
                            options=["--markers", self.adapter, *options], **more)

    def with_ranges(self, calls, ranges):
        """Return the calls, with those of ranges if the API has them."""
        return {**calls, **(ranges if self.api.room else {})}

    @harness.steady
    def test_nested_on_threads(self):
        n = 500
        result = self.check_result(self.run_of("nested", n),
                                   {"outer": n * THREADS, "inner": n * THREADS})
        inner = result.report.region("inner")
        self.assertEqual((inner.parent, inner.threads), ("outer", THREADS))
        adapter_counts.check_nested(self, result, inner)

    def test_recursion(self):
        """Each recursive entry is a call. No time is counted twice, and the overhead of inner calls
        is subtracted."""
        result = self.check_result(self.run_of("recursion", 50), {"outer": 1000},
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
        self.assertCounts(result.report)
        if self.api.room:
            self.assertEqual(calls.get("handler", 0), calls.get("handler range", 0))

    def test_fork_within_a_call(self):
        """If the child of a fork ends its parent's call, this makes no call and no diagnostic."""
        self.check_result(self.run_of("fork", 40),
                          self.with_ranges({"outer": 1, "inner": 40}, {"range": 1}))

    def test_first_called_in_a_child(self):
        self.check_result(self.run_of("fork-first", 30), {"outer": 60}, {"processes": 2})

    def test_started_again(self):
        self.check_result(self.run_of("twice", 10), {"outer": 30})

    def test_an_end_without_a_begin(self):
        found = [{"unmatched": 1}, {}]
        counts, diagnostics = found if self.api.is_pairing else reversed(found)
        self.check_result(self.run_of("stray", 5), {"outer": 5}, counts, diagnostics)

    def test_names(self):
        n = 20
        result = self.run_of("names", n)
        longest = [name for name in result.report.calls() if name.startswith(LONGEST)]
        self.assertEqual(len(longest), 1, result)
        self.check_result(result, dict.fromkeys(
            ["solve", "solve matrix", "(unnamed)", "l\u00f6se", longest[0]], n))

    def test_new_names_on_all_threads_at_once(self):
        n = 300
        result = self.check_result(self.run_of("meet", n), {"turn %d" % i: THREADS for i in range(n)})
        self.assertEqual(adapter_counts.of(result.report, self.adapter)["regions"], n)

    def test_threads_that_come_and_go(self):
        """The memory of ended threads is used again, also if they end with open calls."""
        n = 2000
        result = self.run_of("ended", n)
        self.assertEqual(result.report.calls(), {"outer": n, "open": 0})
        self.assertCounts(result.report)
        grew, = [line.split()[1] for line in result.stdout.split("\n") if "grew_kib" in line]
        self.assertLess(int(grew), 1024)

    def test_names_of_any_bytes(self):
        """A byte that is not UTF-8 is written as its number, because CSV is UTF-8."""
        self.run_of("bytes", 3)
        text = harness.read_text(self.path("report.csv"))
        self.assertIn(",region,caf\\xe9 \u00e9 \\xf0\\x9f\\x98 \\x80,,all,all,time,", text)

    def test_filtered_calls_nest_as_well(self):
        n = 50
        self.check_result(self.run_of("nested", n, options=["--only", "inner"]), {"inner": n * THREADS})

    def test_page_faults_are_the_programs(self):
        """The adapter touches its memory before a call begins, also after a fork shares it."""
        n = 100
        report = self.run_of("faults", n, events="page-faults").report
        for region in self.with_ranges({"call": n, "child's call": n},
                                       {"range": n, "many": n, "child's range": n}):
            row = report.region(region, "page-faults")
            self.assertEqual((row.calls, row.counted, row.total), (n, n, 0), row)

    def test_not_launched(self):
        """Without a launcher the adapter does nothing."""
        for how in ("nested", "recursion", "fork", "fork-first", "twice", "stray", "names",
                    *self.with_ranges({}, {"elsewhere": 0, "room": 0})):
            result = harness.run([PROGRAM, self.name, how, "7"], env=self.environment())
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            self.assertTrue(all(line.startswith("truth ") for line in result.stdout.splitlines()))

    def test_no_runtime(self):
        for how in ("nested", "fork", "stray"):
            result = adapter_counts.without_runtime(
                self, PROGRAM, self.name, how, "7", env=self.environment())
            self.assertEqual(self.counts(result.report), {})


class Paired:
    """APIs that pair BEGIN and END themselves."""

    def test_deeper_than_is_measured(self):
        """The outer calls are measured. The runtime or the adapter counts all deeper ones."""
        n = 20000
        result = self.run_of("deep", n)
        report, found = result.report, self.counts(result.report)
        kept = report.region("inner").calls
        self.assertEqual(report.calls(), {"outer": 1, "inner": kept, "after": 1})
        self.assertGreaterEqual(kept, 4096 - 1)
        self.assertEqual(kept + adapter_counts.skipped(result) + found.pop("memory", 0), n)
        self.assertEqual(found, {"processes": 1}, result)
        self.assertEqual(set(report.diagnostics()), {"recursive"}, result)
        self.assertGreaterEqual(report.region("outer").total, report.region("inner").max)


class Overlapping:
    """Calls that may end in another order than they began."""

    @harness.steady
    def test_overlap(self):
        n = 400
        result = self.check_result(self.run_of("overlap", n), {"first": n, "second": n})
        self.assertClocks(result)


class Ranges:
    """Calls that any thread may end."""

    def test_ranges_ended_elsewhere(self):
        n = self.api.room // 2
        result = self.check_result(self.run_of("elsewhere", n), {"range": n})
        self.assertIsNone(result.report.region("range").self_total)

    def test_more_ranges_than_there_is_room_for(self):
        """Each call beyond the limit is counted once, and its END ends no other call and is not
        unmatched. An END without a BEGIN is still reported afterwards."""
        n = 20000
        result = self.run_of("room", n)
        found = self.counts(result.report)
        kept = result.report.calls()["range"]
        self.assertEqual((found["memory"] + kept, found.get(self.api.missing)), (n, 1), found)
        self.assertTrue(self.api.room * 9 // 10 <= kept <= self.api.room, kept)


class Domains:
    """Calls that nest in their domain."""

    def test_domains_have_stacks_of_their_own(self):
        n = 300
        regions = ("dom:outer", "other:outer", "dom:inner", "other:inner")
        report = self.check_result(self.run_of("domains", n), dict.fromkeys(regions, n)).report
        # the region in which each began, in whatever order they ended
        self.assertEqual(report.region("other:outer").parent, "dom:outer")
        self.assertEqual(report.region("dom:inner").parent, "other:outer")
        self.check_result(self.run_of("domains", n, options=["--only", "dom:*"]),
                          {"dom:outer": n, "dom:inner": n})


class Pauses:
    """A second pause changes nothing, and one resume ends both."""

    def test_pauses(self):
        self.check_result(self.run_of("pauses", 100), {"outer": 200})


for _name, _api in APIS.items():
    _bases = [Calls]
    _bases += [Paired] if _api.is_pairing else []
    _bases += [Overlapping] if _api.room or _api.is_by_name else []
    _bases += [Ranges] if _api.room else []
    _bases += [Domains] if _api.has_domains else []
    _bases += [Pauses] if _api.has_pauses else []
    globals()[_name] = type(_name, (*_bases, adapter_counts.TestCase), {
        "name": _name, "api": _api, "adapter": _api.adapter, "variable": _api.variable})
