# SPDX-License-Identifier: MIT
"""A missing permission is not reported as a missing event, and the message names the sysctl and the
remedy."""

import harness

# Debian's kernels have a level 3, which permits nothing to unprivileged users; higher levels are
# equal.
OPEN_LEVELS = (-1, 0, 1, 2)
CLOSED_LEVELS = (3, 4)


def judge(run, check):
    if not run.emulated:
        check.skip("levels", "setting kernel.perf_event_paranoid is not for this machine")
        return
    for level in OPEN_LEVELS:
        check.contains(f"level {level}: status", run.section(f"{level} messages"), "status 0")
        row = harness.Report(run.section(f"{level}")).region("100k", "instructions:u")
        check.equal(f"level {level}: instructions are counted", (row.status, row.calls), ("ok", 3))
    for level in CLOSED_LEVELS:
        text = run.section(f"{level} messages")
        check.contains(f"level {level}: the program ran", text, "status 0")
        check.contains(f"level {level}: the sysctl is named", text, "kernel.perf_event_paranoid")
        check.contains(f"level {level}: its value is given", text, str(level))
        check.contains(f"level {level}: a remedy is given", text, "sysctl")
        report = harness.Report(run.section(f"{level}"))
        check.equal(f"level {level}: time is measured", report.region("100k").calls, 3)
        row = report.region("100k", "instructions:u")
        check.equal(f"level {level}: instructions are not", (row.status, row.total),
                    ("not-permitted", None))
