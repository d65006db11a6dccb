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
        row = report.select(kind="region", region="200k", event="branches")
        check.true("branches are left out or not supported",
                   not row or row[0].status == "not-supported", row)
