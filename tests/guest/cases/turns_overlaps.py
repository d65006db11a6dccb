"""What a marker costs is charged where its reading lies: calls that overlap, that a NEXT ends below
the top, or that are named at run time measure what lies in them, and so do the regions around."""

import turns_truth

# What a marker's own constant may be off by; more, as yet, where read() has a part in it or groups
# take turns.
LIMIT, READ_LIMIT, TURNS_LIMIT = 12, 130, 50
# Where groups that are read by read() take turns these alone are exact, as yet: what others are off
# by depends on which groups wait.
SIMPLE = {"A", "below", "literal inner", "named inner", "named first"}


def limit_of(title):
    if "in turns" in title:
        return TURNS_LIMIT if "access 1" in title else LIMIT
    return READ_LIMIT if "access 0" in title or "page-faults" in title else LIMIT


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
            if title == "access 0, in turns" and region not in SIMPLE:
                check.skip(f"{title}: {region}: {each} instructions each",
                           "not exact where groups that are read by read() take turns")
                continue
            off = turns_truth.worst([value - each for row in rows if row.counted
                                     for value in (row.avg, row.p50)])
            check.true(f"{title}: {region}: {each} instructions each ({off:+.1f})",
                       abs(off) < limit_of(title),
                       [(row.counted, row.min, row.avg, row.p50, row.max) for row in rows])
