# SPDX-License-Identifier: MIT
"""Regions with a known number of instructions report that number, with any nested regions and any
load of the CPU. Calls on the fast path are exact to the instruction; a slow marker adds or removes
a few."""

import harness

# Instructions of a region: so few that a bucket is hardly wider than 1, and many.
FEW, MANY = 24, 10000
# The width of a bucket for up to 512 instructions, which include those of the markers.
BUCKET = 4
# Besides the loop itself, there may be instructions that load its number, and the addresses of
# sites for an END or NEXT.
SET_UP = 4
# The most instructions that a slow marker adds to its call and to each region around it, or removes
# (lib/runtime/cost_state.h). First markers are slow, and so are those that find a changed page of
# an event.
SLOW = 40
# The largest share of such calls among some hundreds.
SLOW_SHARE = 0.05
# Instructions that are executed again if an interrupt comes between the two that mark a thread as
# busy.
AGAIN = 8
# The most instructions of a filtered region's marker, with its call.
LEFT_OUT = 10
# The most instructions of WORK, with its look-up at the first call.
WORK = 200
# The most instructions of the program between its markers, to call a function and to return from
# it.
BETWEEN = 40
PLANS = ("instructions:u", "{instructions:u,cycles:u},{instructions:u}")
# The number of the innermost region of the nest.
DEEPEST = 20
LINKS = tuple(f"chain {letter}" for letter in "abc")


def markers_of(region, depth):
    """Return the markers of a call and of those within it."""
    if region.startswith("depth "):
        return 2 * (DEEPEST + 1 - int(region[6:]))
    return {"chain": 6, "recursive": 8}.get(region, 2)


class Pair:
    """The rows of one plan's run with few instructions and with many."""

    def __init__(self, what, few, many, depth, check):
        self.what, self.few, self.many, self.depth, self.check = what, few, many, depth, check

    def near(self, what, value, low, high):
        self.check.between(f"{self.what}: {what}", value, low, high)

    def exact(self, region, n_calls, stretches, extra=0, counted=None):
        """Counts of fast calls beyond the stretches in them. With many instructions it is the same,
        except what slow markers add."""
        few, many = self.few[region], self.many[region]
        for row in (few, many):
            self.check.equal(f"{self.what}: {region}: calls", row.calls, n_calls)
            if counted:
                self.near(f"{region}: counted", row.counted, *counted)
            else:
                self.check.equal(f"{self.what}: {region}: counted and status",
                                 (row.counted, row.status), (n_calls, "ok"))
        self.check.equal(f"{self.what}: {region}: p50 is p90", few.p50, few.p90)
        own = few.p50 - stretches * FEW
        expected = own + stretches * MANY
        slow = SLOW * markers_of(region, self.depth) + AGAIN + extra
        self.near(f"{region}: min", many.min, expected - slow, expected + BUCKET)
        self.near(f"{region}: max", many.max, expected - BUCKET, expected + slow)
        self.near(f"{region}: avg", many.avg, expected - BUCKET - slow * SLOW_SHARE,
                  expected + BUCKET + slow * SLOW_SHARE)
        return own

    def levels(self, numbers, least, most, **keywords):
        """Each level adds the code between its markers, and all but the innermost as much."""
        levels = [self.exact(f"depth {level}", **keywords) for level in numbers]
        self.near("the innermost region", levels[0], -BUCKET, SET_UP + BUCKET)
        added = [outer - inner for inner, outer in zip(levels, levels[1:])]
        self.check.true(f"{self.what}: a level adds the code between its markers ({added})",
                        all(least < more <= most for more in added), added)
        self.check.true(f"{self.what}: each as much as the next ({added[1:]})",
                        len(added) < 2 or max(added[1:]) - min(added[1:]) <= BUCKET, added)

    def recursion(self, n_calls, counted=None):
        """Four calls deep: the innermost has the stretch, and every other has its code in addition.
        All but the outermost BEGIN and its END are slow, or end so. Only of a sample is the total
        an estimate."""
        row, slow = self.many["recursive"], SLOW * markers_of("recursive", self.depth)
        low, high = counted or (4 * n_calls, 4 * n_calls)
        self.check.equal(f"{self.what}: recursive: calls and status", (row.calls, row.status),
                         (4 * n_calls, "scaled" if counted else "ok"))
        self.near("recursive: counted", row.counted, low, high)
        self.near("the innermost entry of recursion", row.min, MANY - slow, MANY + SET_UP + slow)
        # among the skipped calls within it, some have been sent to the slow path
        outermost = row.p99 if counted else row.max
        self.near("the outermost entry of recursion", outermost, row.min,
                  row.min + 3 * BETWEEN + slow + AGAIN)
        if not counted:
            self.near("no instruction of recursion is in the total twice", row.total,
                      n_calls * (MANY - slow), n_calls * row.max)

    def work(self, n_calls, slow=SLOW):
        """A call that reports its work contains the overhead of that. The extra overhead of its END
        is in no region, for measured and for skipped calls. slow: the most instructions that the
        slow markers of `told` add to `telling`."""
        told, telling = self.many["told"], self.many["telling"]
        self.check.equal(f"{self.what}: told and telling: calls", (told.calls, telling.calls),
                         (n_calls, n_calls))
        self.near("a call that told of its work", told.min, MANY - SLOW,
                  MANY + SET_UP + WORK + SLOW)
        self.near("the region around it has its own code more",
                  (telling.total - told.total) / n_calls, -slow, BETWEEN + slow)


def judge_run(pair, depth, n_calls):
    pair.levels(range(DEEPEST, DEEPEST - depth, -1), 0, BETWEEN, n_calls=n_calls, stretches=1)
    links = [pair.exact(link, n_calls, 1) for link in LINKS]
    for link, own in zip(LINKS, links):
        pair.near(f"{link} of NEXT", own, -BUCKET, SET_UP + BUCKET)
    pair.near("the chain is its links", pair.exact("chain", n_calls, 3),
              sum(links) - 4 * BUCKET, sum(links) + 4 * (SET_UP + BUCKET))
    pair.recursion(n_calls)
    pair.work(n_calls)


def judge_sampled(pair, depth):
    """Skipped calls, within measured ones and between them, change nothing."""
    # a third is measured, with the weight of the skipped calls, so slow calls have the same share
    # of the average
    keywords = {"n_calls": 3200, "stretches": 1, "counted": (850, 1300)}
    pair.levels(range(DEEPEST, DEEPEST - depth, -1), 0, BETWEEN, **keywords)
    for link in LINKS:
        pair.near(f"{link} of NEXT", pair.exact(link, **keywords), -BUCKET, SET_UP + BUCKET)
    pair.recursion(3200, (3800, 4800))
    # in a skipped call, WORK and END are slow
    pair.work(3200, 2 * SLOW)


def judge_only(pair, check):
    """Instructions between the markers of filtered regions are in the regions around them."""
    check.equal(f"{pair.what}: regions", sorted(pair.many),
                ["chain b"] + [f"depth {level}" for level in (14, 16, 18, 20)])
    pair.levels((20, 18, 16, 14), 0, 2 * BETWEEN + 2 * LEFT_OUT, n_calls=3200, stretches=1,
                extra=2 * SLOW)
    pair.near("a link between two that are left out",
              pair.exact("chain b", 3200, 1, extra=2 * SLOW), -BUCKET,
              SET_UP + LEFT_OUT + BUCKET)


def judge_messages(what, text, check):
    """There are no messages, except that markers may take much of the time of calls with so few
    instructions."""
    *messages, status = text.splitlines()
    check.equal(f"{what}: status", status, "status 0")
    check.true(f"{what}: messages", not messages or (len(messages) == 1 and
               "markers take at least " in messages[0]), messages)


def pairs_of(run, title, plan, depth, check):
    """Return a Pair for each time that the plan contains the event. All must agree."""
    reports = []
    for n_pairs in (FEW // 2, MANY // 2):
        judge_messages(f"{title}, {n_pairs} pairs", run.section(f"{title} {n_pairs} messages"),
                       check)
        report = harness.Report(run.section(f"{title} {n_pairs}"))
        reports.append([row for row in report.rows
                        if row.kind == "region" and row.event == "instructions:u"])
    n_same = plan.count("instructions")
    for i in range(n_same):
        few, many = ({row.region: row for row in rows[i::n_same]} for rows in reports)
        yield Pair(title + (f", event {i + 1}" if n_same > 1 else ""), few, many, depth, check)


def judge(run, check):
    for depth in (1, 2, 20):
        for threads in (1, 8):
            for plan in PLANS:
                title = f"{depth} {threads} {plan}"
                n_calls = threads * (200 if threads == 1 else 400)
                for pair in pairs_of(run, title, plan, depth, check):
                    judge_run(pair, depth, n_calls)
                report = harness.Report(run.section(f"{title} {MANY // 2}"))
                inner = report.one(kind="diagnostic", region="recursive", event="recursive")
                check.equal(f"{title}: inner entries of recursion", inner.calls, 3 * n_calls)
    for plan in PLANS:
        for pair in pairs_of(run, f"only {plan}", plan, 8, check):
            judge_only(pair, check)
    for depth in (1, 8):
        for pair in pairs_of(run, f"sampled {depth}", "instructions:u", depth, check):
            judge_sampled(pair, depth)
