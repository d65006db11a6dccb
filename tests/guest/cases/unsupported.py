# SPDX-License-Identifier: MIT
"""Events that cannot be counted are reported before the run, with the reason, and never shown as a
number."""

import harness


def judge(run, check):
    if not run.emulated:
        check.skip("branches", "this machine may count branches; the emulated one does not")
        return
    text = run.section("csv messages")
    check.contains("the event is named", text, "branches")
    check.contains("the reason is given", text, "PMU does not have it")
    check.contains("the program's status is kept", text, "status 0")
    report = harness.Report(run.section("csv"))
    row = report.region("100k", "branches")
    check.equal("status of branches", row.status, "not-supported")
    check.equal("no number stands for it", (row.total, row.avg, row.max), (None, None, None))
    check.equal("the other event is counted", report.region("100k", "instructions:u").status, "ok")
    strict = run.section("strict")
    check.contains("strict: status 125", strict, "status 125")
    check.true("strict: nothing runs", "must not run\n" not in strict, strict)
