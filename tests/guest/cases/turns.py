# SPDX-License-Identifier: MIT
"""Multiplexed events: totals are good estimates, counted calls stay exact."""

import re

import harness

SHORT, MIDDLE, LONG = 40000, 10000000, 40000000
# Instructions that load a number, and may add to a call.
SET_UP = 4
# The most instructions that the two markers of a call add to it or remove. With multiplexed events,
# ENDs are slow; a snapshot of six groups takes longer than one of up to four events.
SLOW = 2 * 60
CALLS = {"short": 10000, "middle": 200, "long": 100, "mixed": 5000}
TRUTH = {
    "short": CALLS["short"] * SHORT,
    "middle": CALLS["middle"] * MIDDLE,
    "long": CALLS["long"] * LONG,
    "mixed": CALLS["mixed"] // 50 * (MIDDLE + 49 * SHORT),
}
PERCENT = {"short": 2, "middle": 2, "long": 5, "mixed": 2}


def judge(run, check):
    check.equal("status", run.section("status"), "0")
    if not run.emulated:
        check.skip("totals", "this machine may have more counters, and other load")
        return
    report = harness.Report(run.section("csv"))
    messages = run.section("messages")
    for region, truth in TRUTH.items():
        rows = report.select(kind="region", region=region, event="instructions:u")
        check.equal(f"{region}: rows", len(rows), 8)
        for number, row in enumerate(rows, 1):
            what = f"{region}, event {number}"
            # also calls that are longer than the multiplexing interval, of which none is counted
            # completely
            check.equal(f"{what}: calls and status", (row.calls, row.status),
                        (CALLS[region], "scaled"))
            off = 100 * (row.total / truth - 1)
            check.true(f"{what}: the total is within {PERCENT[region]} % ({off:+.2f} %)",
                       abs(off) <= PERCENT[region], row)
            check.true(f"{what}: not every call is counted", row.counted < row.calls, row)
            if region == "short":
                check.true(f"{what}: some calls are counted", row.counted > 0, row)
            if row.counted and region in ("short", "mixed"):
                check.between(f"{what}: a counted call is near", row.min, SHORT - SLOW,
                              SHORT + SET_UP + SLOW)
            if row.counted and region == "short":
                check.between(f"{what}: and so is every other", row.max, row.min,
                              row.min + 2 * SLOW)
    check.contains("it is said", messages, "they are multiplexed")
    check.equal("and once", messages.count("multiplexed"), 1)
    check.true("calls longer than a turn are named",
               re.search(r"no call was counted all the time: .*'long'", messages), messages)
    check.true("no histogram lacks calls", "percentiles do not include" not in messages, messages)
