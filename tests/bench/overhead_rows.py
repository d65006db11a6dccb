# SPDX-License-Identifier: MIT
"""The overhead that regionstat reports, compared with the real one: the same work without and with
markers, alternately, in CPU time."""

import csv
import statistics
import subprocess

from programs import rows_of
from table import Budget

WORK = ((8, "10 ns"), (80, "100 ns"), (800, "1 us"), (8000, "10 us"))
TREE_CALLS = 2 ** 17 - 1  # overhead.c needs a power of 2 minus 1
ROUND_NS = 1e7  # work in a round: short, so that other load affects few rounds


def quartile(values):
    """Return the first quartile: other programs make rounds longer, never shorter."""
    return statistics.quantiles(values, n=4, method="inclusive")[0]


def run(setting, options, words):
    """Run the program. Return the rounds that it prints, and the report's rows."""
    path = setting.scratch / "overhead.csv"
    command = [setting.regionstat, "-e", "time", "--no-totals", "-x", ",", "-o", path, "--quiet",
               *options, "--", setting.programs / "overhead", *words]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
                          env=setting.environment)
    with open(path, encoding="utf-8") as file:
        report = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return rows_of(done.stdout), report


def value_of(report, event, region=""):
    for row in report:
        if row["kind"] == "info" and row["event"] == event and row["region"] == region:
            return float(row["value"])
    return 0.0


def add_row(table, setting, what, kind, steps, options=(), n_calls=None):
    n_calls = n_calls or max(6400, int(ROUND_NS / (steps + 40)) // 6400 * 6400)
    rounds, report = run(setting, options, [kind, steps, n_calls, setting.rounds(101)])
    truth = (quartile(row[3] for row in rounds) - quartile(row[2] for row in rounds)) / n_calls
    stated = value_of(report, "overhead")
    if kind == "threads":
        stated = stated * 4 + value_of(report, "overhead_setup") / (n_calls * len(rounds))
    if kind == "nested":  # the overhead of the inner call, and a hundredth of that of the outer one
        stated *= 1.01
    table.add(what, "ns", stated, "marked less unmarked", truth,
              Budget("0.8 to 1.2 x the truth", ratio=1.2, least=0.8))
    if kind != "nested" or steps != 80:
        return
    unmarked = statistics.median(row[2] for row in rounds) / n_calls * 100
    outer = next(float(row["p50"]) for row in report
                 if row["kind"] == "region" and row["event"] == "cpu-time"
                 and row["region"] == "outer")
    table.add("outer of 100 calls of 100 ns, median CPU time", "ns", outer, "unmarked", unmarked,
              Budget("<= 1.03 x unmarked", ratio=1.03))


def add_overhead(table, setting):
    table.section("Stated overhead of a call, ns of CPU time")
    for kind, name in (("one", "1 region"), ("many", "64 regions"), ("nested", "nested")):
        for steps, length in WORK:
            add_row(table, setting, f"{name}, {length}", kind, steps)
    for kind, name in (("next", "NEXT"), ("started", "START and STOP"), ("worked", "with WORK"),
                       ("recursive", "recursive")):
        add_row(table, setting, f"{name}, 100 ns", kind, 80)
    add_row(table, setting, "recursive tree, 2 ns", "tree", 1, (), TREE_CALLS)
    for options, name in (((), ""), (("-e", "task-clock,page-faults"), ", 2 software events")):
        add_row(table, setting, "1 region, asleep for 50 us" + name, "asleep", 80, options, 200)
    add_row(table, setting, "1 region, 100 ns, --sample 1000", "one", 80, ("--sample", "1000"))
    add_row(table, setting, "1 region, 100 ns, --budget 1%", "one", 80, ("--budget", "1%"))
    add_row(table, setting, "10 M calls of 20 ns", "one", 24, (), 100000)
    # Shorter threads would end before their creator waits for them. It would then sleep only
    # beside marked threads, which are longer.
    add_row(table, setting, "threads of 4 calls of 20 us", "threads", 16000, (), 100)
