# SPDX-License-Identifier: MIT
"""A program reads its own counters: their values are those of the report, and the block size that
it chooses by IPC is good."""

import harness

N_SIZES = 8


def judge(run, check):
    report = harness.Report(run.section("launched"))
    for name in ("launched messages", "own"):
        lines = [line.split() for line in run.section(name).splitlines() if line != "status 0"]
        check.equal(f"{name}: it counts", lines[0][2:], ["IPC"])
        cost = {int(size): float(value) for size, value in lines[1:1 + N_SIZES]}
        check.true(f"{name}: within 5 % of the best", cost[int(lines[0][1])] <=
                   1.05 * min(cost.values()), (lines[0], cost))
        if name != "own":
            for event, validity, total in lines[1 + N_SIZES:]:
                row = report.region("transpose", event)
                if event.endswith(":u"):
                    check.equal(f"{event}, read and reported", float(total), float(row.total))
                    check.equal(f"{event}: validity", int(validity), 1 + (row.status == "scaled"))
