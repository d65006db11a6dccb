# SPDX-License-Identifier: MIT
"""Groups that count the kernel's instructions and are read by read() also count the kernel's work
for the read. The most frequent call of a program that stays in user mode contains none of that
work, neither its own nor that of the pairs within it."""

import harness

N_CALLS, DEEPEST = 400, 20
# A pair's two reads take some thousands of instructions. At most this constant may remain.
PAIR = 12
# Calls of up to three pairs: most of them contain no tick of the kernel's clock, and all their
# markers are fast.
LEVELS = (18, 19, 20)


def judge(run, check):
    if not run.emulated:
        check.skip("reads with the kernel", "kernel.perf_user_access is a setting of arm64 kernels")
        return
    for events in ("instructions:k", "{instructions:u,instructions:k}"):
        report = harness.Report(run.section(events))
        for level in LEVELS:
            row = report.region(f"depth {level}", "instructions:k")
            check.equal(f"{events}: depth {level}: calls", (row.calls, row.counted), (N_CALLS,) * 2)
            check.between(f"{events}: depth {level}: p50", row.p50, 0, PAIR * (DEEPEST + 1 - level))
