# SPDX-License-Identifier: MIT
"""Counts are exact in children, after exec and in many threads; missing counters are reported."""

import harness

EXACT = 10000
SET_UP = 4  # what a compiler may need to load the number
# The most instructions that two slow markers of a call, such as its first, add to it or remove.
SLOW = 2 * 40


def judge_work(what, run, n_calls, check):
    """Check that every call is there, and that those that were counted are exact. Return the
    row."""
    check.contains(f"{what}: status", run.section(f"{what} messages"), "status 0")
    report = harness.Report(run.section(what))
    row = report.region("work", "instructions:u")
    check.equal(f"{what}: calls", row.calls, n_calls)
    check.equal(f"{what}: every call has its time", report.region("work").counted, n_calls)
    check.true(f"{what}: some calls are counted ({row.counted})", 0 < row.counted <= n_calls, row)
    check.between(f"{what}: the least of the counted calls", row.min, EXACT - SLOW, EXACT + SET_UP)
    check.between(f"{what}: and the largest", row.max, EXACT, EXACT + SET_UP + SLOW)
    # the first of a thread's ten calls is slow
    check.between(f"{what}: the others are exact", row.avg, EXACT - SLOW / 10,
                  EXACT + SET_UP + SLOW / 10)
    check.true(f"{what}: no histogram lacks calls",
               "percentiles do not include" not in run.section(f"{what} messages"), run.text)
    return row


def judge(run, check):
    for what, n_calls in (("family", 60), ("threads", 1000)):
        row = judge_work(what, run, n_calls, check)
        check.equal(f"{what}: every call is counted", row.counted, n_calls)
    check.equal("family: messages", run.messages("family messages"), "status 0")
    if not run.emulated:
        check.skip("limits", "how many counters and how much memory there are differs here")
        return
    row = judge_work("robbed", run, 40, check)
    check.contains("robbed: it is said", run.section("robbed messages"), "lost the PMU")
    check.between("robbed: calls before and after are counted", row.counted, 20, 31)
    for what, n_calls in (("many", 10000), ("few", 2000)):
        row = judge_work(what, run, n_calls, check)
        check.true(f"{what}: not every thread has counters", row.counted < n_calls, row)
        check.contains(f"{what}: it is said how many measured time only",
                       run.section(f"{what} messages"), "measured time only")
