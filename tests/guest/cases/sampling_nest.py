# SPDX-License-Identifier: MIT
"""Sampled nested regions: shares, totals and percentiles equal those of a run in which every call
is measured. The values of that run follow from arithmetic. Instructions are compared, because other
load does not change them."""

import harness

EVENT = "instructions:u"
# A pair of markers takes some 5 % of a pixel on this machine, and a skipped pair some 2 %.
SAMPLED = ("--sample 10", "--sample 100", "--budget 5%")
# The largest error in percent of totals and shares of regions whose every call is measured, and of
# percentiles.
LIMIT, PERCENTILE_LIMIT = 1, 2
REGIONS = ("render", "line", "pixel")
# Rounds of work of a line's pixels, by arithmetic (nest.c).
PIXELS_ROUNDS = 480 * 1500 + 134 * 2250 + 26 * 4500
# The largest error in percent of the sum of all self counts.
SELF_LIMIT = 0.01


def percent_off(value, truth):
    return 100 * (value / truth - 1)


def check_near(check, what, value, truth, limit):
    off = percent_off(value, truth)
    check.true(f"{what}: within {limit} % ({off:+.2f} %)", abs(off) <= limit, (value, truth))


def shares(report):
    whole = report.region("render", EVENT).total
    return {name: report.region(name, EVENT).total / whole for name in REGIONS}


def chance(truth, row):
    """Percent that the total of so many measured calls may be off by. It follows from the spread of
    the calls, and is more than four times the standard error."""
    return round(100 * 4 * truth.stddev / truth.avg / row.counted ** 0.5, 1)


def judge_nest(check, reports):
    truth = reports[""]
    pixel = truth.region("pixel", EVENT)
    for percentile, rounds in (("p90", 2250), ("p99", 4500)):
        check_near(check, f"nest: {percentile} of pixel, by arithmetic",
                   getattr(pixel, percentile) / pixel.p50, rounds / 1500, 1)
    check_near(check, "nest: pixels, by arithmetic", pixel.total / pixel.p50,
               pixel.calls / 640 * PIXELS_ROUNDS / 1500, 1)
    for options in SAMPLED:
        report = reports[options]
        check.equal(f"nest {options}: calls", report.calls(), truth.calls())
        for name in ("render", "line"):
            row = report.region(name, EVENT)
            check.equal(f"nest {options}: {name}: every call is measured or stands for one",
                        row.status, "ok" if row.counted == row.calls else "scaled")
        check.equal(f"nest {options}: render is measured", report.region("render").counted, 1)
        pixel = report.region("pixel")
        check.true(f"nest {options}: pixels are sampled", pixel.counted < pixel.calls / 1.5, pixel)
        whole = report.region("render", EVENT).total
        # Values of nested regions are estimated like their totals, so self values add up.
        check_near(check, f"nest {options}: self of all regions is the picture",
                   sum(report.region(name, EVENT).self_total for name in REGIONS), whole,
                   SELF_LIMIT)
        for name in REGIONS:
            row, true_row = report.region(name, EVENT), truth.region(name, EVENT)
            limit = chance(true_row, row) if name == "pixel" else LIMIT
            check.true(f"nest {options}: {name}: self is part of it",
                       0 <= row.self_total <= row.total, row)
            check_near(check, f"nest {options}: total of {name}", row.total, true_row.total, limit)
            check_near(check, f"nest {options}: share of {name}", shares(report)[name],
                       shares(truth)[name], limit)
            for percentile in ("p50", "p90", "p99") if name == "pixel" else ("p50",):
                check_near(check, f"nest {options}: {percentile} of {name}",
                           getattr(row, percentile), getattr(true_row, percentile),
                           PERCENTILE_LIMIT)


def judge_tracer(check, reports):
    truth = reports[""].region("pixel", EVENT)
    for options in SAMPLED:
        report = reports[options]
        row = report.region("pixel", EVENT)
        check.equal(f"tracer {options}: calls", report.calls(), reports[""].calls())
        check.equal(f"tracer {options}: setup", report.region("setup").status, "ok")
        check_near(check, f"tracer {options}: total of {row.counted}", row.total, truth.total,
                   chance(truth, row))


def judge(run, check):
    if not run.emulated:
        check.skip("sampling", "counts are exact in the emulated machine alone")
        return
    for program, judge_program in (("nest", judge_nest), ("tracer", judge_tracer)):
        reports = {}
        for options in ("", *SAMPLED):
            title = f"{program} {options}"
            check.equal(f"{title}: status",
                        run.section("messages " + title).splitlines()[-1], "0")
            reports[options] = harness.Report(run.section("csv " + title))
        judge_program(check, reports)
