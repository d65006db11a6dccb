# SPDX-License-Identifier: MIT
"""The start and end of threads and processes, and a whole program, the tracer."""

import os
import shutil
import statistics
import subprocess
import sys

from pair_rows import SOFTWARE3
from programs import launched, output, rows_of
from table import Budget

# About 70,000 instructions for each pixel on x86-64.
RAYS = 6


def add_first_markers(table, setting):
    table.section("A thread's first marker, ns")
    program = setting.programs / "first_marker"
    budget = Budget("<= 1.3 x those calls", ratio=1.3)
    for what, events, options, beside, limit in (
            ("3 software events", SOFTWARE3, ["-s", "software3"], "opening and mapping them",
             budget),
            ("3 software events", SOFTWARE3, ["-s", "software3", "-o"], "opening them", None),
            ("time only", "time", [], None, None)):
        values = []
        for _ in range(setting.rounds(20)):
            values += rows_of(output(setting, launched(setting, events) + [program, *options]))
        markers, bares = [value[0] for value in values], [value[1] for value in values]
        if beside:
            table.add(what, "ns", markers, beside, bares, limit)
        else:
            table.add(what, "ns", markers)
    faults = rows_of(output(setting, launched(setting, "time") + [program, "-m", "faults"]))
    table.add("time only, page faults", "", [value[0] for value in faults],
              budget=Budget("<= 3", value=3))


def add_launch(table, setting):
    table.section("Before and after the program, us")
    stamp = setting.programs / "stamp"
    events = SOFTWARE3
    commands = [launched(setting, events) + [stamp], [stamp]]
    if shutil.which("perf"):
        commands.append(["perf", "stat", "-o", "/dev/null", "-e", events, "--", stamp])
    words = [setting.programs / "launch", setting.rounds(100)]
    for command in commands:
        words += ["+", *command]
    values = [([], []) for _ in commands]
    for command, start, end in rows_of(output(setting, words)):
        values[command][0].append(start / 1000)
        values[command][1].append(end / 1000)
    for part, what in enumerate(("launch to the program's first statement",
                                 "the program's last statement to the end")):
        if len(commands) == 3:
            table.add(what, "us", values[0][part], "perf stat", values[2][part],
                      Budget("<= perf stat", ratio=1))
        else:
            table.skip(what + ", beside perf stat", "perf is not installed (linux-perf)")
        table.add(what, "us", values[0][part], "the program alone", values[1][part])


def run_together(setting, commands):
    """Run commands at the same time on one CPU, and return the CPU time of each program. They
    alternate every few milliseconds, so a slow machine affects all of them."""
    processor = max(os.sched_getaffinity(0))
    running = []
    for index, (before, program) in enumerate(commands):
        path = setting.scratch / f"usage.{index}"
        words = [str(word) for word in before + [
            setting.programs / "usage", "-o", path, *program]]
        running.append((words, path, subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, env=setting.environment, cwd=setting.scratch,
            preexec_fn=lambda: os.sched_setaffinity(0, [processor]))))
    used = []
    for words, path, process in running:
        _, errors = process.communicate()
        if process.returncode != 0:
            sys.exit(f"bench: {' '.join(words)}\nended with status {process.returncode}:\n{errors}")
        used.append(int(path.read_text(encoding="utf-8").split(",")[0]) / 1000)
    return used


class Way:
    """One way to run the tracer: its name, its command, the way with which it is compared, and a
    budget in percent."""

    def __init__(self, name, command, base=None, limit=None):
        self.name = name
        self.command = command
        self.base = base
        self.budget = Budget(f"< {limit} %", value=limit) if limit else None


BY_HAND = "by hand, in line: two readings of the clock"
# The limit for regionstat's markers compared with counting by hand.
MORE_THAN_BY_HAND = 0.4


def ways_to_trace(setting, picture):
    """Return the ways to run the tracer with a region for every pixel, and by hand. Those without a
    base are bases."""
    def marked(before, markers):
        return before, [setting.tracer, "-s", picture, "-r", RAYS, "-m", markers]

    def by_hand(how):
        return [], [setting.programs / "tracer-by-hand", picture, RAYS, how]

    base = Way("not launched", marked([], "pixel"))
    ways = [
        base,
        Way("time only", marked(launched(setting, "time"), "pixel"), base),
        Way("time only, NEXT", marked(launched(setting, "time"), "next"), base),
        Way("time only, --budget 0.5%",
            marked(launched(setting, "time", "--budget", "0.5%"), "pixel"), base, 0.5),
        Way("not launched again", marked([], "pixel"), base),
        Way("time only, nothing marked", marked(launched(setting, "time"), "none"), base),
        Way("without markers", ([], [setting.build / "tests/apps/tracer-unmarked", "-s", picture,
                                     "-r", RAYS]), base),
        Way("by hand: two read() of 4 events", by_hand("software4"), base),
    ]
    # The lower bound: the tracer without timing, compared with the same program. Only the position
    # of the code differs.
    untimed = Way("by hand, untimed", by_hand("0"))
    ways += [
        untimed,
        Way(BY_HAND, by_hand("1"), untimed),
        Way("the same for one pixel in 4, at random", by_hand("4"), untimed),
    ]
    return ways


def add_tracer(table, setting):
    width, height = (640, 480) if setting.effort > 0.05 else (64, 48)
    n_pixels = width * height
    picture = f"{width}x{height}"
    table.section(f"A ray tracer of {picture} with a region for every pixel, slower by, %")
    ways = ways_to_trace(setting, picture)
    rounds = [dict(zip(ways, run_together(setting, [way.command for way in ways])))
              for _ in range(setting.rounds(21))]
    slower_by = {way.name: [(used[way] / used[way.base] - 1) * 100 for used in rounds]
                 for way in ways if way.base}
    for way in ways:
        if not way.base:
            continue
        slower = slower_by[way.name]
        if way.name in ("time only", "time only, NEXT"):
            limit = statistics.median(slower_by[BY_HAND]) + MORE_THAN_BY_HAND
            way.budget = Budget(f"<= by hand + {MORE_THAN_BY_HAND} %", value=limit)
        quartiles = statistics.quantiles(slower, n=4, method="inclusive")
        cost_ns = statistics.median((used[way] - used[way.base]) * 1e6 / n_pixels
                                    for used in rounds)
        base_ns = statistics.median(used[way.base] for used in rounds) * 1e6 / n_pixels
        table.add(way.name, "%", slower, budget=way.budget,
                  note=f"half of {len(rounds)} rounds within {quartiles[0]:.2f} to "
                       f"{quartiles[2]:.2f} %; {cost_ns:,.0f} ns of {base_ns:,.0f} a pixel")
