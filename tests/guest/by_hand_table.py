# SPDX-License-Identifier: MIT
"""The output of tests/apps/by_hand.c: its table, the overhead of its own reads, and the picture's
sum."""

import collections

Row = collections.namedtuple("Row", "calls avg p90 max")
Cost = collections.namedtuple("Cost", "reads pair")


def read(text):
    """Return ({(region, event): Row}, {event: Cost}, the picture's sum)."""
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
