# SPDX-License-Identifier: MIT
"""Interrupted calls are those that the kernel counted switches in, and those that ran a handler."""

import re

import harness

TALLY = re.compile(r"^(\w+) calls (\d+) least (\d+) most (\d+)$", re.MULTILINE)
# what the kernel does on its own, every 100 ms: Linux 6.3 to 6.18
OWN = 20


def judge(run, check):
    for what in ("sleeps", "nested", "signals", "counted"):
        said = run.section(f"{what} messages")
        check.contains(f"{what}: status", said, "status 0")
        report = harness.Report(run.section(what))
        for region, *numbers in TALLY.findall(said):
            calls, least, most = map(int, numbers)
            found = [row.calls for row in report.select(kind="diagnostic", event="interrupted",
                                                        region=region)]
            check.equal(f"{what}: calls of {region}", report.region(region).calls, calls)
            if not found and not run.emulated:
                check.skip(f"{what}: {region}", "this kernel does not tell switches")
            elif (what, region) == ("signals", "around"):
                check.equal("signals: a handler in each call", found, [calls])
            else:
                check.between(f"{what}: interrupted calls of {region}", *found, least, most + OWN)
