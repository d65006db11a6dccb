# SPDX-License-Identifier: MIT
"""The first call of a region counts the same as the second, with any number of open regions around
it. Looking up its name and creating its accumulator are overhead, and in none of these regions."""

import harness

DEPTH = 20
# The most instructions that a slow BEGIN and its slow END do not charge.
SLOW = 40


def judge(run, check):
    for access in (1, 0):
        for names in ("", "names"):
            what = f"user access {access}{' by ' + names if names else ''}"
            report = harness.Report(run.section(f"csv {access} {names}"))
            for n_within in range(DEPTH):
                row = report.region(f"depth {DEPTH - n_within}", "instructions:u")
                check.equal(f"{what}: {row.region}: calls and status",
                            (row.calls, row.counted, row.status), (2, 2, "ok"))
                # With names both calls are slow, and they differ by the first BEGIN of each region
                # within. With sites only the first call is slow: a part of its own pair is inside,
                # and the pair of each region within.
                most = SLOW * (n_within if names else n_within + 1)
                check.between(f"{what}: {row.region}: one call beside the other",
                              row.max - row.min, 0, most)
