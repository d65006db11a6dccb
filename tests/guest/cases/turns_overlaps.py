# SPDX-License-Identifier: MIT
"""What a marker costs is charged where its reading lies: calls that overlap, that a NEXT ends below
the top, or that are named at run time measure what lies in them, and so do the regions around."""

import turns_truth

# What a marker's own constant may be off by.
LIMIT = 12


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
            # a call in which events change turns is seldom, and as exact: min tells of one
            off = turns_truth.worst([value - each for row in rows if row.counted
                                     for value in (row.min, row.avg, row.p50)])
            check.true(f"{title}: {region}: {each} instructions each ({off:+.1f})",
                       abs(off) < LIMIT,
                       [(row.counted, row.min, row.avg, row.p50, row.max) for row in rows])
