# SPDX-License-Identifier: MIT
"""The tests' programs of other APIs: domains, ids, wide characters, ENDs in any order or without
BEGIN, forks, plugins. The expected calls and counts of adapters are those of the programs."""

import re

import adapter_counts
import harness

WIDE = {"w\u00efde:\u20ac \U0001f600": 1, "bare": 1}
EARLY = {"early:early string": 2, "dom:(unnamed)": 1, **WIDE}
DOMAINS = dict.fromkeys(("dom:outer", "other:outer", "dom:inner", "other:inner"), 300)
KERNELS = ("outer", "fill", "sum", "scan", "Kokkos::fence", "Kokkos::Tools::fence",
           "Kokkos::deep_copy", "event", "section")
THREE = dict.fromkeys(("a", "b", "c"), 10)
# By adapter and action of a program: calls by region, and further counts of the adapter or messages
# of the report. None: the calls are judged separately.
RUNS = {
    "itt": {
        "markers-contract itt recursion 50": ({"outer": 1000}, {"recursive": 950}),
        "markers-contract itt domains 300": (DOMAINS, {}),
        "markers-contract itt elsewhere 1000": ({"range": 1000}, {}),
        "markers-itt handed 500": ({"dom:outer": 2000}, {}),
        "markers-itt regions 200": ({"dom:outer": 200}, {"ignored": 200}),
        "markers-itt frames 50": ({"dom": 100, "handed": 1, "named": 100}, {"ignored": 50}),
        "markers-itt events 100": ({"span": 100, "moment": 0}, {"open": 100}),
        "markers-itt pauses 100": ({"dom:outer": 100}, {"ignored": 1}),
        "markers-itt functions 50": ({"functions": 50, "dom:0x10": 50, "other:0x10": 50}, {}),
        "markers-itt-starts names 1": (EARLY, {}),
        "markers-itt-starts old 1": (EARLY, {}),
        "markers-itt-starts stray 5": ({"dom:outer": 5}, {"unmatched": 3, "ignored": 2}),
        "markers-contract itt-regions fork 40": ({"outer": 1, "range": 1, "inner": 40}, {}),
        "plugin of itt": ({"dom:outer": 2, "plugin:task": 40}, {}),
    },
    "nvtx": {
        "markers-nvtx levels 30": ({"a": 30, "b": 30, "in": 60, "dom:in": 60},
                                   {"unmatched": 60, "recursive": 60}),
        "markers-nvtx deep 300": ({"deep": 300}, {"unmatched": 1, "recursive": 299}),
        "markers-nvtx ranges 1000": ({"even": 500, "dom:odd": 500}, {}),
        "markers-nvtx marks 50": ({"mark": 50, "dom:here": 50}, {}),
        "markers-nvtx names 1": (None, {}),
        "markers-nvtx unknown 20": ({"(unnamed)": 100}, {"refused": 40, "recursive": 60}),
        "markers-contract nvtx fork 40": ({"outer": 1, "range": 1, "inner": 40}, {}),
        "plugin of nvtx": ({"outer": 2, "plugin:range": 40}, {}),
    },
    "kokkos": {
        "kokkos calls": (dict.fromkeys(KERNELS, 40), {"ignored": 41}),
        "kokkos overlap": (dict.fromkeys(("region", "first", "second", "a", "b"), 10), {}),
        "markers-contract kokkos-kernels recursion 50": ({"outer": 1000}, {"recursive": 950}),
        "kokkos wrong": ({"twice": 1, "section": 1}, {"unmatched": 10}),
        "markers-contract kokkos fork 40": ({"outer": 1, "range": 1, "inner": 40}, {}),
    },
    "caliper": {
        "caliper calls": ({"calls": 20, "loop": 20, "iteration#loop": 100, "inner": 100,
                           "phase": 20, "exchange": 20}, {}),
        "caliper attributes": ({"value": 10, "function": 10, "annotation": 10, "another": 10,
                                "the third": 10, "number": 20, "iteration#set": 10},
                               {"ignored": 12, "recursive": 10}),
        "caliper overlap": (THREE, {}),
        "caliper wrong": ({"a": 1, "loop": 1}, {"unmatched": 5, "ignored": 2}),
        "markers-contract caliper fork 40": ({"outer": 1, "inner": 40}, {}),
    },
    "uprof": {
        "uprof calls": ({"amdProfile": 40}, {}),
        "uprof strict": ({"amdProfile": 40}, {}),
        "uprof threads": ({"amdProfile": 20}, {}),
        "uprof fork": ({"amdProfile": 11, "inside": 11, "outside": 11}, {}),
        "uprof wrong": ({"amdProfile": 1}, {"ignored": 3}),
        "switch of uprof": ({"inside": 40}, {}),
    },
}


def judge_names(report, check):
    """Wide characters that are invalid, and a name that is too long."""
    calls = report.calls()
    longest = [name for name in calls if name.startswith("dom:" + "l" * 100)]
    check.equal("names of nvtx: one that is too long", len(longest), 1)
    check.equal("names of nvtx: the others",
                {name: n for name, n in calls.items() if name not in longest},
                {"dom:registered": 2, "dom:x\ufffd\ufffdy": 1, "dom:(unnamed)": 2, "(unnamed)": 2,
                 **WIDE})


def judge_functions(run, check):
    """Both processes, and four threads of each, and plugins; calls that longjmp() leaves have no
    end."""
    title = "functions"
    check.contains("functions: status", run.section(title + " messages"), "\nstatus 0")
    report = harness.Report(run.section(title))
    calls = report.calls()
    same = sorted((name.split(":")[0], n) for name, n in calls.items() if name.startswith("same"))
    check.equal("functions: two of one name", same,
                [("same (main.c", 560), ("same (other.c", 1120)])
    check.equal("functions: calls",
                {name: n for name, n in calls.items() if not name.startswith("same")},
                {"other": 560, "fibonacci": 930, "grows": 42, "catches": 100, "leaps": 0,
                 "inner": 60, "work": 60})
    check.equal("functions: what longjmp() left", report.diagnostics("leaps").get("lost"), 300)


def judge(run, check):
    for adapter, programs in RUNS.items():
        for title, (calls, met) in programs.items():
            messages = run.section(title + " messages")
            check.contains(f"{title}: status", "\n" + messages, "\nstatus 0")
            report = harness.Report(run.section(title))
            if title == "markers-nvtx names 1":
                judge_names(report, check)
            else:
                check.equal(f"{title}: calls", report.calls(), calls)
            found = adapter_counts.of(report, adapter)
            check.equal(f"{title}: processes", found.pop("processes", 0), 1)
            found.pop("regions", None)
            check.equal(f"{title}: met", {**found, **report.diagnostics()}, met)
    told = re.findall(r"^thread (\d+) (.*)$", run.section("names of threads messages"),
                      re.MULTILINE)
    names = harness.Report(run.section("names of threads")).select(kind="info", event="thread_name")
    check.true("four names of threads",
               len(told) == 4 and [(row.thread, row.value) for row in names] == told, (told, names))
    judge_functions(run, check)
