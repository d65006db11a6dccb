# SPDX-License-Identifier: MIT
"""A program that was started without regionstat, and one whose regionstat was killed: calls are exactly
those that the program counts."""

import harness


def calls_of(report):
    """Return the calls that were begun: those that ended, and the open ones."""
    rows = report.select(kind="diagnostic", event="open", region="scope")
    return report.calls().get("scope", 0) + sum(int(row.value) for row in rows)


def judge(run, check):
    lines = run.section("attached").splitlines()
    check.equal("attached: the program's lines", [lines[0], *lines[5:7]],
                ["ready", "done", "status 0"])
    begun = [int(line.split()[0]) for line in lines[1:5]]
    reports = [harness.Report(run.section(f"csv {i}")) for i in (1, 2, 3, 4)]
    for i in range(3):
        check.equal(f"attached, {i + 1}: calls", calls_of(reports[i]), begun[i + 1] - begun[i])
        check.true(f"attached, {i + 1}: some calls", reports[i].calls().get("scope", 0) > 0)
    lines = run.section("killed").splitlines()
    check.equal("killed: the program's lines", [lines[0], *lines[2:4]], ["ready", "done", "status 0"])
    check.equal("killed: calls", reports[3].calls()["scope"], int(lines[1].split()[0]))
    check.contains("killed: it is said", run.section("messages"), "which began the measurement, has ended")
    # attached or not, a loop of 200 passes takes the same instructions
    counts = [round(report.region("steps", "instructions:u").avg) for report in reports]
    check.equal("instructions of a call", counts, counts[3:] * 4)
    check.true("200 passes", counts[0] >= 600, counts)
