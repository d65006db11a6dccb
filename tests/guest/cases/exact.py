# SPDX-License-Identifier: MIT
"""A region of N instructions counts N: the markers' overhead is subtracted."""

import harness

N_CALLS = 100
# Instructions that load the loop's number and a site's address. With the kernel, interrupts add a
# varying number.
AROUND_USER = 4
AROUND_ALL = 1000


def judge_report(what, report, suffix, around, tolerance, check):
    small = report.region("100k", "instructions" + suffix)
    large = report.region("200k", "instructions" + suffix)
    empty = report.region("empty", "instructions" + suffix)
    for row in (small, large, empty):
        check.equal(f"{what}: calls of {row.region}", row.calls, N_CALLS)
        check.equal(f"{what}: counted calls of {row.region}", row.counted, N_CALLS)
        check.equal(f"{what}: status of {row.region}", row.status, "ok")
    check.between(f"{what}: 100,000 instructions more count as 100,000", large.min - small.min,
                  100000 - tolerance, 100000 + tolerance)
    check.between(f"{what}: 100,000 instructions count as that", small.min,
                  100000 - tolerance, 100000 + around)
    check.between(f"{what}: no instructions count as none", empty.min, 0, around)
    check.between(f"{what}: p50 of 200,000 instructions", large.p50,
                  200000 - tolerance, 200000 + around)
    check.true(f"{what}: total of 200,000 instructions in each of {N_CALLS} calls",
               N_CALLS * large.min <= large.total <= N_CALLS * large.max, large)

    run = report.run("instructions" + suffix)
    regions = small.total + large.total + empty.total
    if run.status in ("ok", "scaled"):
        check.true(f"{what}: the run's total holds the regions'", run.total >= regions,
                   f"{run.total} and {regions}")
    else:
        check.equal(f"{what}: the run's total has a status", run.status, "not-counted")
    cycles = report.region("100k", "cycles" + suffix)
    check.true(f"{what}: cycles are counted", cycles.status == "ok" and cycles.min > 0, cycles)


def judge(run, check):
    # a warning about such a simple run would be wrong
    check.equal("user mode: status and messages", run.messages("user messages"), "status 0")
    check.equal("user and kernel mode: status and messages", run.messages("all messages"), "status 0")
    user = harness.Report(run.section("user"))
    judge_report("user mode", user, ":u", AROUND_USER, 0, check)
    # An interrupt may come in any call, so the kernel's share varies more.
    everything = harness.Report(run.section("all"))
    judge_report("user and kernel mode", everything, "", AROUND_ALL, 500, check)

    table = run.section("table")
    for part in ("100k", "200k", "instructions", "cycles", "avg", "p90", "max", "total"):
        check.contains(f"the table shows {part}", table, part)
