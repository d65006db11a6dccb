# SPDX-License-Identifier: MIT
"""The ray tracer: a region for each pixel, its instructions for each pixel and over the run."""

import harness

N_PIXELS = 32 * 24


def judge(run, check):
    check.equal("status and messages", run.messages("csv messages"), "status 0")
    check.equal("the picture", run.section("picture"), "same")
    report = harness.Report(run.section("csv"))
    for event in ("time", "cycles", "instructions"):
        row = report.region("pixel", event)
        check.equal(f"{event}: a call a pixel", (row.status, row.calls), ("ok", N_PIXELS))
        check.true(f"{event}: a pixel takes some", row.min > 0 and row.min <= row.p90 <= row.max, row)
    pixels = report.region("pixel", "instructions")
    whole = report.run("instructions")
    check.true("the run takes more than its pixels", whole.total > pixels.total,
               f"{whole.total} and {pixels.total}")
    check.contains("the table shows instructions per cycle", run.section("table"), "IPC")
