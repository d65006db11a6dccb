# SPDX-License-Identifier: MIT
"""A marker's overhead counts where it reads the counters. Calls that overlap, that a NEXT ends
below the top, or that are named at run time measure only what is in them. The regions around them
do the same."""

import turns_truth

# The most instructions that a slow marker around or within a call adds or removes: any marker may
# be slow, and most of them always are.
SLOW = 40
# The number of markers in a call of each region, with its own two.
MARKERS = {"A": 3, "B": 3, "below": 3, "top": 3, "after": 3, "around literal": 4, "literal inner": 2,
           "around named": 4, "named inner": 2, "around next": 5, "named first": 2, "named second": 2}


def judge(run, check):
    if not run.emulated:
        check.skip("overlaps", "counts are exact in the emulated machine alone")
        return
    found = turns_truth.sections(run)
    check.equal("measured", len(found), 10)
    for title, report, truth, messages in found:
        check.equal(f"{title}: status", messages.splitlines()[-1], "0")
        for region, (calls, each, _) in truth.items():
            rows = report.select(kind="region", region=region, event=turns_truth.EVENT)
            check.equal(f"{title}: {region}: calls", {row.calls for row in rows}, {calls})
            # the counted events rarely change within a call, and such a call is as exact: min has
            # one
            off = turns_truth.worst([value - each for row in rows if row.counted
                                     for value in (row.min, row.avg, row.p50)])
            check.true(f"{title}: {region}: {each} instructions each ({off:+.1f})",
                       abs(off) <= SLOW * MARKERS[region],
                       [(row.counted, row.min, row.avg, row.p50, row.max) for row in rows])
