# SPDX-License-Identifier: MIT
"""A slow marker adds at most a few instructions to its call and to each region around it, or
removes them (lib/runtime/cost_state.h). Slow markers are those of first calls, growing histograms,
extremes, recursion, names, a NEXT to a new region, and a thread that was switched out."""

import harness

PAIRS = 5000
STRETCH = 2 * PAIRS
SLOW = 40
# The most instructions of the program between two markers, to prepare a loop, to call and to
# return, and to make a name in the nest.
BETWEEN, NAME = 40, 1500
CALLS, DEPTH = 8, 20


def judge(run, check):
    for events in ("instructions:u", "{instructions:u,cycles:u,branches:u,branch-misses:u}"):
        check.contains(f"{events}: status", run.section(f"{events} messages"), "status 0")
        report = harness.Report(run.section(events))

        def near(what, value, expected, n_slow, n_between, extra=0):
            check.between(f"{events}: {what}", value, expected - n_slow * SLOW,
                          expected + n_slow * SLOW + n_between * BETWEEN + extra)

        def total(region):
            return report.region(region, "instructions:u").total

        for depth in range(DEPTH):
            inner = DEPTH - 1 - depth
            near(f"first {depth}", total(f"first {depth}"), STRETCH * (1 + inner), 2 * (1 + inner),
                 1 + 2 * inner, inner * NAME)
            if inner:
                near(f"first {depth}, self", report.region(f"first {depth}", "instructions:u").self_total,
                     STRETCH, 6, 3, NAME)
        sum_of_larger = sum(STRETCH << i for i in range(CALLS))
        near("larger", total("larger"), sum_of_larger, 2 * CALLS, CALLS)
        near("around larger", total("around larger"), sum_of_larger, 2 * CALLS + 2, 2 * CALLS + 1)
        near("recursive", total("recursive"), STRETCH * CALLS, 8 * CALLS, 7 * CALLS)
        near("around recursive", total("around recursive"), STRETCH * CALLS, 8 * CALLS + 2,
             9 * CALLS)
        near("named", total("named"), STRETCH * CALLS, 2 * CALLS, CALLS)
        near("around named", total("around named"), STRETCH * CALLS, 2 * CALLS + 2, 3 * CALLS)
        for letter in "abc":
            near(f"chained {letter}", total(f"chained {letter}"), STRETCH, 2, 1)
        near("around chained", total("around chained"), 3 * STRETCH, 6, 6)
        row = report.region("switched", "instructions:u")
        near("switched, min", row.min, STRETCH, 2, 1)
        near("switched, max", row.max, STRETCH, 2, 1)
