# SPDX-License-Identifier: MIT
"""The ray tracer's calls per pixel, line and picture: avg, p90 and max by a program that calls
read() before and after each call, and by regionstat.

A read() is part of what it measures. The counts between the two reads are in every call (`reads`),
and each nested call adds its two reads and saving them (`pair`). by_hand.c measures both on calls
that do nothing. Subtracting them gives the counts of the calls themselves:

    pixel   by hand - reads
    line    by hand - reads - W pair              of W pixels
    render  by hand - reads - (H + H W) pair      of H lines
"""

import collections

import harness

WIDTH, HEIGHT = 32, 24
# The number of calls within one call of the region.
INNER = {"pixel": 0, "line": WIDTH, "render": HEIGHT + HEIGHT * WIDTH}
CALLS = {"pixel": WIDTH * HEIGHT, "line": HEIGHT, "render": 1}
# The largest error in instructions of a call's own markers, and of each pair of markers within it.
# A marker may load a site's address, and there is the loop.
LIMIT = 12
# The largest error of a quantile, from a histogram of 64 parts in each octave: half a part, and
# rounding.
QUANTILE = 0.008
# Ticks of the kernel's clock are in some calls, and count if the kernel is counted. So only avg is
# compared. A tick takes up to 50,000 instructions, and one run of 11 million may have four more.
TICKS = 0.02
# If regionstat itself reads by read(), with the kernel counted, the calibrated overhead is a
# constant. The error in a call, and in each call within it, is up to this share of `pair`, because
# the kernel's work varies.
READS = 0.1

Row = collections.namedtuple("Row", "calls avg p90 max")
Cost = collections.namedtuple("Cost", "reads pair")


def read(text):
    """Read the output of tests/apps/by_hand.c. Return ({(region, event): Row}, {event: Cost}, the
    picture's sum)."""
    rows, costs, picture = {}, {}, None
    for words in map(str.split, text.splitlines()):
        if words[0] == "cost":
            costs[words[1]] = Cost(int(words[3]), int(words[5]))
        elif words[0] == "picture":
            picture = words[1]
        elif words[0] != "region":
            rows[words[0], words[1]] = Row(int(words[2]), float(words[3]), int(words[4]),
                                           int(words[5]))
    return rows, costs, picture


def without_cost(row, statistic, cost, n_inner):
    """Return a statistic of calls that contain n_inner others, without the overhead of the
    reads."""
    return getattr(row, statistic) - cost.reads - n_inner * cost.pair


def side_by_side(rows, costs, inner, report):
    """Return lines: the table by hand, the same without its overhead, and that of regionstat."""
    lines = [f"{'':23}{'by hand':>36} {'without its cost':>36} {'regionstat':>36}",
             f"{'region':7}{'event':16}" + f"{'avg':>12}{'p90':>12}{'max':>12} " * 3]
    for (region, event), row in rows.items():
        left = [without_cost(row, name, costs[event], inner[region]) for name in Row._fields[1:]]
        measured = report.region(region, event)
        lines.append(f"{region:7}{event:16}" + "".join(
            "".join(f"{value:12.0f}" for value in values) + " "
            for values in (row[1:], left, (measured.avg, measured.p90, measured.max))))
    return lines


def allowed(region, statistic, value):
    own = LIMIT * (1 + INNER[region])
    return own + (QUANTILE * value if statistic == "p90" else 0)


def judge(run, check):
    for access in ("1", "0"):
        rows, costs, picture = read(run.section(f"table {access}"))
        # besides other messages of the run
        check.true(f"{access}: the same picture",
                   f"picture {picture}" in run.section(f"csv {access} messages").splitlines(),
                   run.section(f"csv {access} messages"))
        report = harness.Report(run.section(f"csv {access}"))
        print("\n".join("# " + line for line in side_by_side(rows, costs, INNER, report)))
        for (region, event), by_hand in rows.items():
            row = report.region(region, event)
            check.equal(f"{access}: {region}: {event}: calls", (by_hand.calls, row.calls, row.counted),
                        (CALLS[region],) * 3)
            for statistic in ("avg", "p90", "max"):
                left = without_cost(by_hand, statistic, costs[event], INNER[region])
                value = getattr(row, statistic)
                limit = allowed(region, statistic, left)
                if event == "instructions" or not run.emulated:
                    if statistic != "avg":
                        continue
                    limit += TICKS * left
                    limit += READS * costs[event].pair * (1 + INNER[region]) * (access == "0")
                check.true(f"{access}: {region}: {event}: {statistic}: {value:.0f} for {left:.0f}",
                           abs(value - left) <= limit, f"{value} for {left}, off by more than {limit}")
