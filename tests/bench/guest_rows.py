# SPDX-License-Identifier: MIT
"""Rows that need a machine with hardware counters, in instructions of user and kernel mode. The
emulated arm64 machine of tests/guest counts these without noise."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from programs import pair_values, rows_of
from table import Budget

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guest"))
import guest  # noqa: E402

KERNELS = "6.1", "6.12"
PROCESSOR = "neoverse-n1"
SMALL, LARGE = "32x24", "64x48"
MORE_PIXELS = 64 * 48 - 32 * 24
# The size of the picture for which the slow-down of a whole run is computed.
WHOLE_PIXELS = 1024 * 768


def reason_to_skip(setting, kernel):
    """Return why the emulated machine cannot run, or None."""
    for tool, package in guest.TOOLS.items():
        if not shutil.which(tool):
            return f"the emulated machine needs {tool} (package {package})"
    if not setting.cache or not (setting.cache / "complete").exists():
        return "the emulated machine is not fetched: sh tests/bench/run.sh does"
    if not (setting.cache / f"vmlinuz-{kernel}").exists():
        return f"this machine's package sources offer no arm64 cloud kernel {kernel}"
    return None


def look_for_papi(setting, work):
    """Configure the arm64 build again if PAPI was fetched since."""
    ninja = work / "build/build.ninja"
    header = setting.cache / "sysroot/usr/include/papi.h"
    if ninja.exists() and header.exists() and "BENCH_PAPI" not in ninja.read_text(encoding="utf-8"):
        subprocess.run(["meson", "setup", "--reconfigure", ninja.parent], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def boot(setting, kernel):
    """Run the scripts of guest/ in the machine. Return their outputs by name."""
    work = setting.build / "tests/guest/aarch64"
    look_for_papi(setting, work)
    initrd = guest.make_initrd(setting.cache, work, HERE / "guest", ("tests/apps", "tests/bench"))
    try:
        console = guest.boot(setting.cache / f"vmlinuz-{kernel}", initrd, PROCESSOR, [])
    finally:
        os.unlink(initrd)
    runs = guest.runs_of_console(console, kernel, PROCESSOR)
    for name in ("pairs", "tracer"):
        if name not in runs:
            sys.exit(f"bench: {name} did not run to its end in the emulated machine:\n{console}")
    return runs


def only_numbers(text):
    """Return the lines of figures, without messages that other programs printed between them."""
    return "\n".join(line for line in text.splitlines() if "," in line and line[-1].isdigit()
                     and not line.startswith("bench:"))


def values_of(run, title):
    """Return {variant: [instructions of a pair in each round]}, or {} if the program failed."""
    text = only_numbers(run.section(title))
    return pair_values(text) if text else {}


def add_pairs(table, run):
    two = values_of(run, "hardware2")
    if "marker" not in two:
        table.skip("2 hardware events and time", run.section("hardware2"))
        return
    what = "2 hardware events and time"
    read = values_of(run, "read")["read"]
    table.add(what, "", two["marker"], "two read()", read, Budget("<= 192", value=192))
    for peer, name in (("papi_read", "two PAPI_read()"), ("papi_hl", "PAPI_hl")):
        values = values_of(run, peer)
        if peer in values:
            table.add(what, "", two["marker"], name, values[peer])
        else:
            table.skip(f"2 hardware events, beside {name}", "PAPI was not fetched, or refuses: "
                       + " ".join(run.section(peer).split())[:200])
    table.add("2 hardware events, NEXT", "", two["next"], "BEGIN and END", two["marker"])
    skipped = values_of(run, "skipped")
    if skipped:
        table.add("2 hardware events, skipped by --sample", "", skipped["marker"],
                  budget=Budget("<= 48", value=48))
    only, wanted = values_of(run, "only"), values_of(run, "wanted")
    if "marker" in only and "marker" in wanted:
        table.add("2 hardware events, filtered by --only", "", only["marker"], "one that is not",
                  wanted["marker"])
        table.add("2 hardware events, NEXT, filtered by --only", "", only["next"])
    four = values_of(run, "hardware4")
    table.add("4 hardware events and time", "", four["marker"])
    time = values_of(run, "time")
    table.add("time only", "", time["marker"], budget=Budget("<= 102", value=102))
    table.add("time only, NEXT", "", time["next"], "BEGIN and END", time["marker"])
    table.add("not launched", "", values_of(run, "off")["marker"])
    table.add("3 software events, by read()", "", values_of(run, "software3")["marker"],
              "two read()", values_of(run, "software-read")["read"],
              Budget("<= 1.25 x two read()", ratio=1.25))
    for title, what in (("first", "first marker of a thread, 2 hardware events"),
                        ("first-software", "first marker of a thread, 3 software events")):
        values = rows_of(only_numbers(run.section(title)))
        table.add(what, "", [value[0] for value in values], "its bare system calls",
                  [value[1] for value in values], Budget("<= 1.3 x those calls", ratio=1.3))


def add_tracer(table, run):
    def instructions(title, size):
        lines = rows_of(only_numbers(run.section(f"{title} {size}")))
        return lines[0][1] if lines else None

    base = {size: instructions("off", size) for size in (SMALL, LARGE)}
    pixel = (base[LARGE] - base[SMALL]) / MORE_PIXELS
    fixed = base[LARGE] - pixel * 64 * 48
    for title, what, limit in (
            ("time", "time only", 1.0),
            ("time-budget", "time only, --budget 0.5%", 0.5),
            ("hardware4", "4 hardware events", 1.0),
            ("hardware4-next", "4 hardware events, NEXT", 1.0),
            ("hardware4-budget", "4 hardware events, --budget 0.5%", 0.5),
            ("unmarked", "without markers", None),
            ("read", "by hand: two read() of 4 hardware events", None)):
        used = {size: instructions(title, size) for size in (SMALL, LARGE)}
        if None in used.values():
            table.skip(what, run.section(f"{title} {LARGE}"))
            continue
        mine = (used[LARGE] - used[SMALL]) / MORE_PIXELS
        once = used[LARGE] - mine * 64 * 48 - fixed
        whole = (once + (mine - pixel) * WHOLE_PIXELS) / (fixed + pixel * WHOLE_PIXELS)
        table.add(what, "%", whole * 100, budget=Budget(f"< {limit} %", value=limit)
                  if limit else None,
                  note=f"{mine - pixel:,.0f} instructions of {pixel:,.0f} a pixel, and {once:,.0f} "
                       f"once")


def add_guest(table, setting):
    for kernel in KERNELS:
        title = f"instructions in user and kernel mode, emulated {PROCESSOR}, Linux {kernel}"
        table.section(f"A pair of markers: {title}")
        reason = reason_to_skip(setting, kernel)
        if reason:
            table.skip("all of it", reason)
            continue
        runs = boot(setting, kernel)
        add_pairs(table, runs["pairs"])
        table.section("A ray tracer of 1024x768 with a region for every pixel, slower by, %: "
                      + title)
        add_tracer(table, runs["tracer"])
