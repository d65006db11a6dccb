# SPDX-License-Identifier: MIT
"""Calls have off-CPU time if the kernel counted a switch, and on-CPU time is the rest."""

import re

import harness

TALLY = re.compile(r"^(\w+) calls (\d+) least (\d+) most (\d+)$", re.MULTILINE)


def judge(run, check):
    for what in ("sleeps", "nested", "signals", "counted"):
        said = run.section(f"{what} messages")
        check.contains(f"{what}: status", said, "status 0")
        report = harness.Report(run.section(what))
        for region, *numbers in TALLY.findall(said):
            calls, least, most = map(int, numbers)
            time, cpu_time, blocked, preempted = (
                report.region(region, event)
                for event in ("time", "cpu-time", "blocked", "preempted"))
            check.equal(f"{what}: calls of {region}", time.calls, calls)
            if blocked.status == "not-supported" and not run.emulated:
                check.skip(f"{what}: {region}", "this kernel does not tell switches")
                continue
            # calls with each kind of switch; some calls had both
            check.between(f"{what}: calls of {region} that were blocked", blocked.counted, 0, most)
            check.between(f"{what}: calls of {region} that were preempted", preempted.counted, 0,
                          most)
            check.between(f"{what}: calls of {region} with a switch",
                          blocked.counted + preempted.counted, least, 2 * most)
            check.between(f"{what}: time of {region}",
                          cpu_time.total + blocked.total + preempted.total,
                          time.total - 3, time.total + 3)
