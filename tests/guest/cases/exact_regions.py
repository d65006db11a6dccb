# SPDX-License-Identifier: MIT
"""Regions of a known number of instructions report that number: to the instruction, in each call,
whatever is nested in them and whoever else wants the processor."""

import harness

PAIRS = 5000
# Beside the loop itself, a stretch may need instructions that bring its number where it counts, and
# the addresses of sites to where an END or NEXT takes them.
SET_UP = 4
EXACT = 2 * PAIRS
# What a program needs between its markers at most: to call a function and to return from it.
BETWEEN = 40
PLANS = ("instructions:u", "{instructions:u,cycles:u},{instructions:u}")


def judge_exact(what, row, n_calls, check):
    """Every call is the same, and counted. Returns that one value."""
    check.equal(f"{what}: {row.region}: calls and status",
                (row.calls, row.counted, row.status), (n_calls, n_calls, "ok"))
    values = (row.avg, row.p50, row.p90, row.p99, row.max)
    check.equal(f"{what}: {row.region}: avg, p50, p90, p99 and max are min", values,
                (row.min,) * 5)
    check.equal(f"{what}: {row.region}: no deviation", row.stddev, 0)
    return row.min


def judge_recursion(what, row, innermost, n_calls, check):
    """Four entries deep, and each a call: the innermost has the loop, every other its code more."""
    check.equal(f"{what}: recursive: calls and status", (row.calls, row.counted, row.status),
                (4 * n_calls, 4 * n_calls, "ok"))
    check.between(f"{what}: the innermost entry of recursion", row.min, innermost, innermost + 8)
    check.between(f"{what}: the outermost entry of recursion", row.max, row.min + 3,
                  row.min + 3 * BETWEEN)
    # a page of an event that changes in the midst may leave an instruction unaccounted for
    check.between(f"{what}: no instruction of recursion is in the total twice", row.total,
                  n_calls * row.max - 8, n_calls * row.max)


def judge_run(what, rows, depth, n_calls, check):
    def exact(region):
        return judge_exact(what, rows[region], n_calls, check)

    levels = [exact(f"depth {level}") for level in range(8, 8 - depth, -1)]
    check.between(f"{what}: the innermost region of {EXACT} instructions", levels[0], EXACT,
                  EXACT + SET_UP)
    added = [outer - inner for inner, outer in zip(levels, levels[1:])]
    check.true(f"{what}: a level adds the code between its markers ({added})",
               all(0 < more <= BETWEEN for more in added), added)
    # All levels but the innermost are of the same code.
    check.equal(f"{what}: each level adds as much as the next ({added[1:]})",
                len(set(added[1:])) <= 1, True)

    links = [exact(f"chain {letter}") for letter in "abc"]
    for letter, link in zip("abc", links):
        check.between(f"{what}: link {letter} of a chain of NEXT", link, EXACT, EXACT + SET_UP)
    check.between(f"{what}: the chain is its links", exact("chain"), sum(links),
                  sum(links) + 4 * SET_UP)
    judge_recursion(what, rows["recursive"], links[0], n_calls, check)


def judge_sampled(what, rows, depth, check):
    """Calls that are left out, within those that are not and between them, change nothing."""
    def exact(region):
        row = rows[region]
        check.equal(f"{what}: {region}: calls and status", (row.calls, row.status),
                    (3200, "scaled"))
        check.between(f"{what}: {region}: a third is measured", row.counted, 850, 1300)
        check.equal(f"{what}: {region}: avg and max are min, without deviation",
                    (row.avg, row.max, row.stddev), (row.min, row.min, 0))
        check.equal(f"{what}: {region}: the total is of all calls", row.total, 3200 * row.min)
        return row.min

    levels = [exact(f"depth {level}") for level in range(8, 8 - depth, -1)]
    check.between(f"{what}: the innermost region of {EXACT} instructions", levels[0], EXACT,
                  EXACT + SET_UP)
    added = [outer - inner for inner, outer in zip(levels, levels[1:])]
    check.true(f"{what}: each level adds the code between its markers ({added})",
               all(0 < more <= BETWEEN for more in added) and len(set(added[1:])) <= 1, added)
    for letter in "abc":
        check.between(f"{what}: link {letter} of a chain of NEXT", exact(f"chain {letter}"),
                      EXACT, EXACT + SET_UP)


def judge(run, check):
    for depth in (1, 2, 8):
        for threads in (1, 8):
            for plan in PLANS:
                what = f"depth {depth}, {threads} threads, {plan}"
                title = f"{depth} {threads} {plan}"
                check.equal(f"{what}: status and messages", run.section("messages " + title), "0")
                report = harness.Report(run.section("csv " + title))
                n_calls = threads * (200 if threads == 1 else 400)
                # With two groups the event is there twice: both must say the same.
                rows = [row for row in report.rows
                        if row.kind == "region" and row.event == "instructions:u"]
                n_same = plan.count("instructions")
                for i in range(n_same):
                    judge_run(f"{what}, event {i + 1}" if n_same > 1 else what,
                              {row.region: row for row in rows[i::n_same]}, depth, n_calls, check)
                inner = report.one(kind="diagnostic", region="recursive", event="recursive")
                check.equal(f"{what}: inner entries of recursion", inner.calls, 3 * n_calls)
    for depth in (1, 8):
        what = f"sampled, depth {depth}"
        messages = run.section(f"messages sampled {depth}").splitlines()
        check.equal(f"{what}: status", messages[-1], "0")
        # of a region of so few instructions, where chance has it
        check.true(f"{what}: messages", len(messages) == 1 or
                   "calls shorter than the markers around them" in messages[0], messages)
        report = harness.Report(run.section(f"csv sampled {depth}"))
        judge_sampled(what, {row.region: row for row in report.rows if row.kind == "region" and
                             row.event == "instructions:u"}, depth, check)
