# SPDX-License-Identifier: MIT
"""Without permission to read counters in user space the runtime uses read(), and counts the
same."""

import harness


def judge(run, check):
    if not run.emulated:
        check.skip("user access", "kernel.perf_user_access is a setting of arm64 kernels")
        return
    medians = []
    for access in (1, 0):
        # markers around empty calls may take much of the CPU time
        *messages, status = run.section(f"{access} messages").splitlines()
        check.equal(f"access {access}: status", status, "status 0")
        check.equal(f"access {access}: messages",
                    [line for line in messages if "markers take at least " not in line], [])
        report = harness.Report(run.section(f"{access}"))
        small, large = (report.region(name, "instructions:u") for name in ("100k", "200k"))
        check.equal(f"access {access}: every call is counted", (small.counted, large.counted),
                    (50, 50))
        # The least call may be one on the slow path: up to 40 of its instructions are not measured.
        check.between(f"access {access}: 100,000 instructions more count as 100,000",
                      large.min - small.min, 100000 - 40, 100000 + 40)
        medians.append(small.min)
    check.between("the two ways differ by their own cost at most", abs(medians[0] - medians[1]), 0,
                  1000)
