# SPDX-License-Identifier: MIT
"""Without -e the events that the machine counts are measured, in regions and over the run."""

import harness


def judge(run, check):
    report = harness.Report(run.section("csv"))
    for event in ("time", "cycles", "instructions"):
        row = report.region("200k", event)
        check.equal(f"{event} is measured in regions", (row.status, row.calls), ("ok", 10))
    check.true("instructions of 200,000", report.region("200k", "instructions").min >= 200000,
               report.region("200k", "instructions"))
    table = run.section("table")
    check.contains("status", table, "status 0")
    for part in ("200k", "cycles", "instructions", "time", "avg", "p90", "max"):
        check.contains(f"the table shows {part}", table, part)
    if run.emulated:
        rows = report.select(kind="region", region="200k", event="branches")
        check.equal("branches, which this PMU has not", [row.status for row in rows], [])
