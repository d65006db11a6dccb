# SPDX-License-Identifier: MIT
"""An event without a PMU is counted on every type of core, and shown in one row."""

import harness

CALLS = 20
BIG, LITTLE = "armv8_cortex_a72", "armv8_cortex_a53"
# With two emulated CPUs counts are not exact; the test checks which type of core counts which
# event.
LEAST, MOST = 90_000, 150_000


def row_of(report, region, event):
    rows = [row for row in report.select(kind="region" if region else "run", region=region)
            if row.event == event]
    return rows[0] if len(rows) == 1 else None


def judge_region(report, region, counted, check):
    """Check the sum and the parts of one region. counted: how many calls each part counts."""
    for event in ("cycles", "instructions"):
        whole = row_of(report, region, f"{event}:u")
        parts = [row_of(report, region, f"{pmu}/{event}/u") for pmu in (LITTLE, BIG)]
        what = f"{region}: {event}"
        if not check.true(f"{what}: one row and two parts", whole and all(parts), report.rows):
            return
        check.equal(f"{what}: calls counted", [whole.counted] + [part.counted for part in parts],
                    [sum(counted), *counted])
        check.equal(f"{what}: the total is the sum of the parts", whole.total,
                    sum(part.total or 0 for part in parts))
        calls = 2 * CALLS if region == "moves" else CALLS
        check.between(f"{what}: the total", whole.total, calls * LEAST, calls * MOST)
        check.equal(f"{what}: nothing of it is scaled", whole.running, 1.0)
        if sum(counted) == CALLS:
            check.equal(f"{what}: status", whole.status, "ok")
            check.between(f"{what}: least", whole.min, LEAST, MOST)
            check.between(f"{what}: most", whole.max, LEAST, MOST)


def judge_own_cost(report, nested, check):
    """The overhead is calibrated on one type of core, and subtracted on all. By read() it is some
    hundreds of instructions."""
    least = [row_of(report, region, "instructions:u").min for region in ("first", "second")]
    check.between("own cost is taken out on every type", abs(least[0] - least[1]), 0, 100)
    # 200 pairs of markers on each type of core
    for pmu in (LITTLE, BIG):
        total = row_of(nested, "around", f"{pmu}/instructions/u").total
        check.between(f"and of {pmu} that of its own markers alone", total, CALLS * LEAST,
                      CALLS * MOST)


def judge_run(report, check):
    for event in ("cycles", "instructions"):
        whole = row_of(report, "", f"{event}:u")
        parts = [row_of(report, "", f"{pmu}/{event}/u") for pmu in (LITTLE, BIG)]
        check.equal(f"run: {event} of both types", whole.total, sum(part.total for part in parts))
        check.equal(f"run: {event} is not scaled", (whole.status, whole.running), ("ok", 1.0))
        # 5 calls of 100,000 instructions compared with 3 of them, and the calibration
        check.between(f"run: {event} of the first type", parts[0].running, 0.3, 0.9)
        check.between(f"run: the parts of {event} took all of the time",
                      sum(part.running for part in parts), 0.9999, 1.0001)


def judge_model(run, check):
    """libpfm4 knows only the model of the first CPU."""
    what = "a model's event is that of the first CPU's type"
    if run.cpu == "max":
        check.skip(what, "libpfm4 does not know this CPU")
        return
    report = harness.Report(run.section("model"))
    rows = [row_of(report, region, "arm_n1::INST_RETIRED:u")
            for region in ("first", "second", "both")]
    check.equal(what, [row.counted for row in rows], [20, 0, 15])


def judge(run, check):
    pmus = run.section("pmus").split()
    if len(pmus) != 4 and not run.big_little:
        check.skip("core types", f"this machine has cores of one type: {' '.join(pmus) or 'none'}")
        return
    check.equal("PMUs and their CPUs", pmus, [LITTLE, "0", BIG, "1"])

    report = harness.Report(run.section("generic"))
    judge_region(report, "first", [CALLS, 0], check)
    judge_region(report, "second", [0, CALLS], check)
    judge_region(report, "both", [CALLS * 3 // 4, CALLS // 4], check)
    judge_region(report, "moves", [0, 0], check)
    judge_own_cost(report, harness.Report(run.section("nested")), check)
    judge_run(report, check)
    messages = run.section("generic messages")
    check.contains("the calls that move are told", messages, "'moves'")
    check.contains("why they are not counted whole", messages, "from one type of core to another")
    check.true("no group is taken to have lost the PMU", "lost the PMU" not in messages, messages)

    raw = harness.Report(run.section("raw"))
    check.equal("a raw event is counted on both",
                [row_of(raw, "both", name).counted
                 for name in ("r8:u", f"{LITTLE}/r8/u", f"{BIG}/r8/u")], [20, 15, 5])

    one = harness.Report(run.section("one"))
    check.equal("messages of one type's event", run.messages("one messages"), "status 0")
    event = f"{LITTLE}/instructions/u"
    check.equal("one type's event: calls counted",
                [row_of(one, region, event).counted for region in ("first", "second", "both")],
                [20, 0, 15])
    check.between("one type's event: what happened there and no more",
                  row_of(one, "both", event).total, 15 * LEAST, 15 * MOST)
    check.equal("one type's event: not scaled over the run",
                row_of(one, "", event).status, "ok")

    judge_model(run, check)

    check.contains("eight events are more than the counters", run.section("many messages"),
                   "multiplexed")
    check.true("whole calls of eight events count what they execute",
               all(LEAST <= row.min and row.max <= MOST
                   for row in harness.Report(run.section("many")).select(kind="region")
                   if row.counted and row.event == "r8:u" and row.region != "moves"),
               run.section("many"))

    sums = harness.Report(run.section("sums alone"))
    check.equal("without -v there are sums alone",
                [row.event for row in sums.select(kind="region", region="both")],
                ["time", "cpu-time", "blocked", "preempted", "cycles:u", "instructions:u"])
    # the command itself has moved between the CPUs to try which events fit
    check.equal("the program may run where it might", run.section("affinity").split()[-1:], ["0-1"])

    missing = run.section("missing")
    check.equal("that no type has an event is said once",
                missing.count("cannot count 'bus-cycles': none of this machine's core PMUs has it"),
                1)
    check.contains("and shown", missing, "<not supported>")

    names = [line.split()[0] for line in run.section("list").splitlines()
             if line.startswith("  ")]
    for name in ("cycles", f"{LITTLE}/cpu_cycles/", f"{BIG}/cpu_cycles/"):
        check.equal(f"the list names {name} once", names.count(name), 1)
