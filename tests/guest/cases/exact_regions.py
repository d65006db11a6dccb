# SPDX-License-Identifier: MIT
"""Regions of a known number of instructions report that number: to the instruction, in each call,
whatever is nested in them and whoever else wants the processor."""

import harness

PAIRS = 5000
# Beside the loop itself, a stretch may need instructions that bring its number where it counts, and
# the addresses of sites to where an END or NEXT takes them.
SET_UP = 4
EXACT = 2 * PAIRS
# ... and a call in which an interrupt came between the two instructions that mark a thread as busy,
# which are executed again. Of some thousand calls it may be one or two.
AGAIN, N_AGAIN = 8, 2
# What a marker of a region that is left out takes, at most, with the call of it.
LEFT_OUT = 10
# ... and the first of all, which looks the site up, beyond what is known of that.
FIRST = 200
# What WORK takes, at most, with its look-up at the first.
WORK = 200
# What a program needs between its markers at most: to call a function and to return from it.
BETWEEN = 40
PLANS = ("instructions:u", "{instructions:u,cycles:u},{instructions:u}")


def judge_exact(what, row, n_calls, check):
    """Every call is the same, and counted, but for steps taken again. Returns that one value."""
    check.equal(f"{what}: {row.region}: calls and status",
                (row.calls, row.counted, row.status), (n_calls, n_calls, "ok"))
    # all are in one bucket of the histogram, whose middle is cut to what there was
    check.true(f"{what}: {row.region}: p50, p90 and p99 are min, or up to max after steps taken again",
               row.min <= row.p50 == row.p90 == row.p99 <= row.max, row)
    check.between(f"{what}: {row.region}: max is min", row.max, row.min, row.min + AGAIN)
    check.between(f"{what}: {row.region}: avg is min", row.avg, row.min,
                  row.min + N_AGAIN * AGAIN / n_calls)
    check.between(f"{what}: {row.region}: no deviation", row.stddev, 0,
                  AGAIN * (N_AGAIN / n_calls) ** 0.5)
    return row.min


def judge_recursion(what, row, innermost, n_calls, check):
    """Four entries deep, and each a call: the innermost has the loop, every other its code more."""
    check.equal(f"{what}: recursive: calls and status", (row.calls, row.counted, row.status),
                (4 * n_calls, 4 * n_calls, "ok"))
    check.between(f"{what}: the innermost entry of recursion", row.min, innermost, innermost + 8)
    check.between(f"{what}: the outermost entry of recursion", row.max, row.min + 3,
                  row.min + 3 * BETWEEN + AGAIN)
    # a page of an event that changes in the midst may leave an instruction unaccounted for
    check.between(f"{what}: no instruction of recursion is in the total twice", row.total,
                  n_calls * (row.max - AGAIN) - 8, n_calls * row.max)


def judge_work(what, rows, n_calls, check):
    """A call that tells of its work has what that takes, and what its END takes beyond another is
    nobody's, whether it is measured or left out."""
    told, telling = rows["told"], rows["telling"]
    check.equal(f"{what}: told and telling: calls", (told.calls, telling.calls),
                (n_calls, n_calls))
    check.between(f"{what}: a call that told of its work", told.min, EXACT, EXACT + SET_UP + WORK)
    check.between(f"{what}: the region around it has its own code more",
                  (telling.total - told.total) / n_calls, 0, BETWEEN)


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
    judge_work(what, rows, n_calls, check)


def judge_sampled(what, rows, depth, check):
    """Calls that are left out, within those that are not and between them, change nothing."""
    def exact(region):
        row = rows[region]
        check.equal(f"{what}: {region}: calls and status", (row.calls, row.status),
                    (3200, "scaled"))
        check.between(f"{what}: {region}: a third is measured", row.counted, 850, 1300)
        # a measured call stands for some that are not
        check.between(f"{what}: {region}: max is min", row.max, row.min, row.min + AGAIN)
        check.between(f"{what}: {region}: avg is min", row.avg, row.min,
                      row.min + 4 * N_AGAIN * AGAIN / 3200)
        check.between(f"{what}: {region}: the total is of all calls", row.total, 3200 * row.min,
                      3200 * row.min + 4 * N_AGAIN * AGAIN)
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
    # both are estimates of as many calls, of which so many are measured
    judge_work(what, rows, 3200, check)


def judge_only(what, rows, check):
    """What lies between the markers of regions that are left out is in those around them."""
    check.equal(f"{what}: regions", sorted(rows),
                ["chain b"] + [f"depth {level}" for level in (2, 4, 6, 8)])

    def exact(region):
        """But for the first of all calls, in which sites of regions that are left out are looked
        up, each once in the process: of that not all is known."""
        row = rows[region]
        check.equal(f"{what}: {region}: calls and status", (row.calls, row.counted, row.status),
                    (3200, 3200, "ok"))
        steady = round(row.avg)
        check.between(f"{what}: {region}: all but the first are the same", row.avg,
                      steady - FIRST / 3200, steady + FIRST / 3200)
        check.between(f"{what}: {region}: and the first is near", row.max - row.min, 0, FIRST)
        return steady

    levels = [exact(f"depth {level}") for level in (8, 6, 4, 2)]
    added = [outer - inner for inner, outer in zip(levels, levels[1:])]
    check.between(f"{what}: the innermost region of {EXACT} instructions", levels[0], EXACT,
                  EXACT + SET_UP)
    check.true(f"{what}: two levels add the code between their markers, and two markers that are "
               f"left out ({added})",
               all(0 < more <= 2 * BETWEEN + 2 * LEFT_OUT for more in added), added)
    check.equal(f"{what}: each two levels add as much as the next ({added[1:]})",
                len(set(added[1:])) <= 1, True)
    check.between(f"{what}: a link between two that are left out",
                  exact("chain b"), EXACT, EXACT + SET_UP + LEFT_OUT)


def judge_messages(what, text, check):
    """Nothing is amiss; but calls of so few instructions may take less than markers that read two
    groups or that leave calls out, where chance has it."""
    *messages, status = text.splitlines()
    check.equal(f"{what}: status", status, "0")
    check.true(f"{what}: messages", not messages or (len(messages) == 2 and
               "calls shorter than the markers around them" in messages[0]), messages)


def judge(run, check):
    for depth in (1, 2, 8):
        for threads in (1, 8):
            for plan in PLANS:
                what = f"depth {depth}, {threads} threads, {plan}"
                title = f"{depth} {threads} {plan}"
                judge_messages(what, run.section("messages " + title), check)
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
    for plan in PLANS:
        what = f"only, {plan}"
        judge_messages(what, run.section(f"messages only {plan}"), check)
        report = harness.Report(run.section(f"csv only {plan}"))
        rows = [row for row in report.rows
                if row.kind == "region" and row.event == "instructions:u"]
        n_same = plan.count("instructions")
        for i in range(n_same):
            judge_only(what, {row.region: row for row in rows[i::n_same]}, check)
    for depth in (1, 8):
        what = f"sampled, depth {depth}"
        judge_messages(what, run.section(f"messages sampled {depth}"), check)
        report = harness.Report(run.section(f"csv sampled {depth}"))
        judge_sampled(what, {row.region: row for row in report.rows if row.kind == "region" and
                             row.event == "instructions:u"}, depth, check)
