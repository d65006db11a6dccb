# SPDX-License-Identifier: MIT
"""Regions are pinned if they fit the PMU, and the run's totals share the remaining counters."""

import harness

REGIONS = ("100k", "200k", "empty")


def rows_of(run, title, kind, region=""):
    report = harness.Report(run.section(title))
    return [row for row in report.select(kind=kind, region=region)
            if row.event in ("cycles", "instructions")]


def judge_pinned(run, title, n_events, check):
    """Check that every call of every region was counted, all of the time."""
    for region in REGIONS:
        rows = rows_of(run, title, "region", region)
        check.equal(f"{title}: events of {region}", len(rows), n_events)
        check.equal(f"{title}: {region} is counted in every call",
                    {(row.status, row.calls, row.counted, row.running) for row in rows},
                    {("ok", 100, 100, 1.0)})


def judge(run, check):
    if not run.emulated:
        check.skip("who gets the PMU", "how many counters this machine has is not known")
        return
    for title, n_events in (("one", 2), ("two", 4)):
        check.equal(f"{title}: status and messages", run.messages(f"{title} messages"), "status 0")
        judge_pinned(run, title, n_events, check)
    check.equal("one: totals beside the regions",
                {(row.status, row.running) for row in rows_of(run, "one", "run")}, {("ok", 1.0)})

    # Four of six counters are the regions'. The group of totals does not fit, but each of its
    # events does.
    judge_pinned(run, "four", 4, check)
    rows = rows_of(run, "four", "run")
    check.true("four: each total is counted for a part of the run",
               all(row.status == "scaled" and 0 < row.running < 1 for row in rows), rows)

    check.contains("eight: what is said", run.section("eight messages"), "multiplexed")
    for region in ("100k", "200k"):
        rows = rows_of(run, "eight", "region", region)
        check.equal(f"eight: calls of {region}", [row.calls for row in rows], [100] * 8)
        check.true(f"eight: {region} is counted in part",
                   any(row.status == "scaled" for row in rows), rows)
        check.true(f"eight: whole calls of {region} count what they execute",
                   all(row.min >= int(region[:3]) * 1000 for row in rows if row.counted), rows)

    # the first group has its six counters; the second never gets two, and is multiplexed
    check.contains("pin: what is said", run.section("pin messages"), "lost the PMU")
    rows = rows_of(run, "pin", "region", "100k")
    check.equal("pin: calls that the first group counted", [row.counted for row in rows[:6]],
                [100] * 6)

    judge_pinned(run, "no totals", 2, check)
    check.equal("no totals: none of the run", rows_of(run, "no totals", "run"), [])
    check.contains("verbose: who gets the PMU", run.section("verbose"),
                   "- regions are pinned to the PMU, and the run's totals fit beside them")
    check.contains("verbose four: who gets the PMU", run.section("verbose four"),
                   "- regions are pinned to the PMU, "
                   "and the run's totals share the other counters")
