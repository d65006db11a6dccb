# SPDX-License-Identifier: MIT
"""Counters of 32 bits that wrap during a run: each call counts its instructions."""

import harness

N_CALLS = 16000
# Instructions that load the loop's number and a site's address, and those of a marker that takes
# the slow path, because the kernel has changed the counter's page.
AROUND, AROUND_SLOW = 4, 40


def judge(run, check):
    check.equal("no messages", run.messages("report messages"), "status 0")
    report = harness.Report(run.section("report"))
    for region, instructions in ("100k", 100000), ("200k", 200000):
        row = report.region(region, "instructions:u")
        check.equal(f"calls of {region}", row.counted, N_CALLS)
        check.between(f"least of {region}", row.min, instructions, instructions + AROUND)
        check.between(f"most of {region}", row.max, instructions, instructions + AROUND_SLOW)
        check.between(f"total of {region}", row.total, N_CALLS * instructions,
                      N_CALLS * (instructions + AROUND + 1))
    check.true("the counter has wrapped twice", report.run("instructions:u").total > 2 << 31,
               report.run("instructions:u"))
