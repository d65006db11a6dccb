"""Beginnings and ends, and a whole program: threads, processes, the tracer."""

import os
import shutil
import statistics
import subprocess
import sys

from pair_rows import SOFTWARE3, has_sampling
from programs import launched, output, rows_of
from table import Budget

# About 70,000 instructions a pixel on x86-64.
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
    """Run commands at once on one processor, and return how much processor time each program took.
    They take turns of some milliseconds, so what slows one down slows all down."""
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


def slow_downs(setting):
    """Ways to run the tracer with a region for every pixel: name, launcher, markers, budget in per
    cent. The first is what the others are compared with."""
    ways = [
        ("not launched", [], "pixel", None),
        ("time only", launched(setting, "time"), "pixel", 1.0),
        ("time only, NEXT", launched(setting, "time"), "next", 1.0),
    ]
    if has_sampling(setting):
        ways.append(("time only, --sample 4", launched(setting, "time", "--sample", "4"), "pixel",
                     0.3))
    ways.append(("time only, nothing marked", launched(setting, "time"), "none", None))
    return ways


def add_tracer(table, setting):
    width, height = (640, 480) if setting.effort > 0.05 else (64, 48)
    n_pixels = width * height
    picture = f"{width}x{height}"
    table.section(f"A ray tracer of {picture} with a region for every pixel, slower by, %")
    ways = slow_downs(setting)
    commands = [(before, [setting.tracer, "-s", picture, "-r", RAYS, "-m", markers])
                for _, before, markers, _ in ways]
    commands.append(([], [setting.build / "tests/apps/tracer-unmarked", "-s", picture, "-r",
                          RAYS]))
    commands.append(([], [setting.programs / "tracer-read", picture, RAYS, "software4"]))
    rounds = [run_together(setting, commands) for _ in range(setting.rounds(9))]
    base = [used[0] for used in rounds]
    names = [name for name, _, _, _ in ways]
    names += ["without markers", "by hand: two read() of 4 events"]
    budgets = [limit for _, _, _, limit in ways] + [None, None]
    for index in range(1, len(commands)):
        mine = [used[index] for used in rounds]
        slower = [(a / b - 1) * 100 for a, b in zip(mine, base)]
        limit = budgets[index]
        quartiles = statistics.quantiles(slower, n=4, method="inclusive")
        cost_ns = statistics.median((a - b) * 1e6 / n_pixels for a, b in zip(mine, base))
        table.add(names[index], "%", slower,
                  budget=Budget(f"< {limit} %", value=limit) if limit else None,
                  note=f"half of {len(rounds)} rounds within {quartiles[0]:.2f} to "
                       f"{quartiles[2]:.2f} %; {cost_ns:,.0f} ns of "
                       f"{statistics.median(base) * 1e6 / n_pixels:,.0f} a pixel")
    if not has_sampling(setting):
        table.skip("time only, --sample 4", "this regionstat has no --sample")
