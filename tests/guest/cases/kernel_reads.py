# SPDX-License-Identifier: MIT
"""Where groups with the kernel's instructions are read by read(), the kernel counts its own work for that.
The most frequent call of a program that stays in user mode contains none of that work, neither its
own nor that of the pairs within it."""

import harness

N_CALLS, DEPTH = 400, 8
# A pair's two reads take some thousands of instructions, and may leave fewer than this constant.
PAIR = 12
# Calls of up to three pairs: in most of them no tick of the kernel's clock comes, and all markers are fast.
LEVELS = (6, 7, 8)


def judge(run, check):
    if not run.emulated:
        check.skip("reads with the kernel", "kernel.perf_user_access is a setting of arm64 kernels")
        return
    for events in ("instructions:k", "{instructions:u,instructions:k}"):
        report = harness.Report(run.section(events))
        for level in LEVELS:
            row = report.region(f"depth {level}", "instructions:k")
            check.equal(f"{events}: depth {level}: calls", (row.calls, row.counted), (N_CALLS,) * 2)
            check.between(f"{events}: depth {level}: p50", row.p50, 0, PAIR * (DEPTH + 1 - level))
