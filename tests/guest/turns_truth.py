# SPDX-License-Identifier: MIT
"""Reports of multiplexed events, compared with the instructions that the programs (taking_turns.c,
overlaps.c) count themselves. Instructions are counted in user mode, and all of them in the emulated
machine."""

import harness

EVENT = "instructions:u"
# Instructions of the program that load a number or a site's address for the END, and may count for
# a call.
SET_UP = 4
# The most instructions that two slow markers add to their call or remove.
SLOW = 2 * 40
# The largest error of a total in percent.
LIMIT = 1
# The largest difference between the totals of a run and of its regions in percent.
RUN_LIMIT = 3


def read_truth(text):
    """Return {region: (calls, instructions of each or 0, instructions of all)}."""
    lines = [line.split("\t") for line in text.splitlines()]
    return {region: tuple(map(int, numbers)) for region, *numbers in lines}


def sections(run):
    """Return [(title, Report, truth, messages)] from the output of turns.inc."""
    titles = [line[8:] for line in run.text.splitlines() if line.startswith("=== csv ")]
    return [(title, harness.Report(run.section("csv " + title)),
             read_truth(run.section("truth " + title)), run.section("messages " + title))
            for title in titles]


def percent_off(value, truth):
    return float("inf") if value is None else 100 * (value / truth - 1)


def worst(numbers):
    return max(numbers, key=abs, default=float("inf"))


def check_totals(check, title, report, truth):
    """Check the calls, and that totals are within LIMIT percent."""
    for region, (calls, _, total) in truth.items():
        rows = report.select(kind="region", region=region, event=EVENT)
        check.equal(f"{title}: {region}: calls", {row.calls for row in rows}, {calls})
        # an instruction that may be in each call is no error of the estimate
        off = worst([percent_off(row.total, min(max(row.total, total), total + SET_UP * calls))
                     if row.total is not None else float("inf") for row in rows])
        check.true(f"{title}: {region}: totals are within {LIMIT} % ({off:+.2f} %)",
                   abs(off) <= LIMIT, [(row.total, total, row.running) for row in rows])


def common(average, each):
    """Return the count of most calls with this many known instructions: the compiler adds the same
    number to all of them."""
    return min(max(round(average), each), each + SET_UP)


def check_counted(check, title, report, truth):
    """Check that a counted call is exact, except for the instructions that its two markers add or
    remove: with multiplexed events, markers are slow."""
    for region, (_, each, _) in truth.items():
        rows = [row for row in report.select(kind="region", region=region, event=EVENT)
                if row.counted]
        if not each or not rows:
            continue
        off = worst([row.min - each for row in rows])
        more = worst([row.avg - common(row.avg, each) for row in rows])
        check.true(f"{title}: {region}: counted calls are near ({off:+.1f}, {more:+.1f})",
                   abs(off) <= SLOW + SET_UP and abs(more) <= SLOW,
                   [(row.counted, row.min, row.avg, row.max) for row in rows])


def setups(found):
    """Return {text after "setup, " in a title: the run's total of each event} of programs that do
    almost nothing."""
    return {title.partition(", ")[2]: [row.total or 0 for row in report.select(kind="run", event=EVENT)]
            for title, report, _, _ in found if title.startswith("setup, ")}


def check_run(check, title, report, regions, setup=(), limit=RUN_LIMIT):
    """Check that the run's totals are the sum of these regions and of the calibration of markers.
    The calibration is the whole run of a program that does almost nothing (setup, for each event).
    In short runs, and with many events, its share is too large, so those runs are not checked."""
    if not title.endswith((", 1 3", ", 3 3", ", 3 3, lasting")):
        return
    runs = report.select(kind="run", event=EVENT)
    sums = list(setup) or [0] * len(runs)
    for region in regions:
        for i, row in enumerate(report.select(kind="region", region=region, event=EVENT)):
            sums[i] += row.total or 0
    off = worst([percent_off(row.total, own) if own else float("inf")
                 for row, own in zip(runs, sums)])
    check.true(f"{title}: the run's totals and its regions' are within {limit} % ({off:+.2f} %)",
               abs(off) <= limit, [(row.total, own) for row, own in zip(runs, sums)])


def judge_lengths(run, check, n_measured):
    """Check calls of all lengths."""
    if not run.emulated:
        check.skip("turns", "this machine may have more counters, and other load")
        return
    found = sections(run)
    check.equal("measured", len(found), n_measured)
    for title, report, truth, messages in found:
        check.equal(f"{title}: status", messages.splitlines()[-1], "0")
        check_totals(check, title, report, truth)
        check_counted(check, title, report, truth)
        check_run(check, title, report, truth)
