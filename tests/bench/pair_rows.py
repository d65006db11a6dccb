# SPDX-License-Identifier: MIT
"""Pairs of markers: time, instructions, many threads, and memory."""

import re
import shutil
import statistics
import subprocess

from programs import in_turns, launched, output, pair_values, rows_of
from table import Budget

SOFTWARE3 = "task-clock,page-faults,context-switches"
NO_PAPI = "PAPI is not installed (libpapi-dev), or refuses this processor"
# For --sample, so that nearly all calls are skipped.
NEARLY_NONE = "100000"
# For --slow: a limit that no call reaches.
NEVER = "*:time>1000s"


def add_pairs(table, setting):
    table.section("A pair of markers, ns")
    pairs, rounds = setting.programs / "pairs", setting.rounds(400)

    off = pair_values(output(setting, [pairs, "-r", rounds, "empty", "call", "marker"]))
    table.add("not launched", "ns", off["marker"], "two empty calls", off["call"],
              Budget("<= 0.6 ns", value=0.6))

    time = pair_values(output(setting, launched(setting, "time") + [
        pairs, "-r", rounds, "empty", "call", "clock", "marker", "scope", "nested",
        "parents", "recursive", "next", "async"]))
    table.add("time only, with all statistics", "ns", time["marker"],
              "two readings of it, one fenced", time["clock"],
              Budget("<= 1.2 x those readings", ratio=1.2))
    table.add("time only, with all statistics", "ns", time["marker"], "two empty calls",
              time["call"])
    table.add("time only, SCOPE", "ns", time["scope"], "BEGIN and END", time["marker"])
    table.add("time only, around another pair", "ns",
              [both - inner for both, inner in zip(time["nested"], time["marker"])],
              "BEGIN and END", time["marker"])
    # Both contain one more pair: that of an outer region, or of the region itself.
    table.add("time only, in two parents alternately", "ns",
              [both - nested + inner for both, nested, inner in
               zip(time["parents"], time["nested"], time["marker"])],
              "in one", time["marker"], Budget("<= 1.2 x", ratio=1.2))
    table.add("time only, recursive", "ns", [both / 2 for both in time["recursive"]],
              "BEGIN and END", time["marker"], Budget("<= 2 x", ratio=2))
    table.add("time only, NEXT", "ns", time["next"], "BEGIN and END", time["marker"])
    table.add("time only, START and STOP", "ns", time["async"], "BEGIN and END", time["marker"],
              Budget("<= 45 ns", value=45))
    skipped = pair_values(output(setting, launched(setting, "time", "--sample", NEARLY_NONE) + [
        pairs, "-r", rounds, "empty", "call", "marker", "scope"]))
    for variant, name in (("marker", ""), ("scope", ", SCOPE")):
        table.add("time only, skipped by --sample" + name, "ns", skipped[variant],
                  "two empty calls", skipped["call"], Budget("<= 3.5 ns", value=3.5))
    told = pair_values(output(setting, launched(setting, "time") + [
        pairs, "-r", rounds, "empty", "marker", "work", "work_within"]))
    budget = Budget("<= without + 12 ns", value=statistics.median(told["marker"]) + 12)
    table.add("time only, with WORK", "ns", told["work"], "without", told["marker"], budget)
    table.add("time only, with WORK, within another region", "ns", told["work_within"],
              "without", told["marker"], budget)
    ruled = pair_values(output(setting, launched(setting, "time", "--slow", NEVER) + [
        pairs, "-r", rounds, "empty", "call", "marker"]))
    table.add("time only, with a rule of --slow that no call meets", "ns", ruled["marker"],
              "two empty calls", ruled["call"])
    add_watched(table, setting)
    slept = pair_values(output(setting, launched(setting, "time") + [
        pairs, "-m", "cpu_ns", "-r", rounds, "empty", "sleep", "marked_sleep"]))
    table.add("time only, around a context switch, CPU time", "ns",
              [marked - bare for marked, bare in zip(slept["marked_sleep"], slept["sleep"])],
              budget=Budget("<= 1,500 ns", value=1500))
    others = pair_values(output(setting, launched(setting, "time", markers="none") + [
        pairs, "-r", setting.rounds(200), "-n", 50, "empty", "marker", "read", "papi_hl"]))
    what = "time only, few pairs a round"
    table.add(what, "ns", others["marker"], "two read(), 3 events", others["read"])
    if "papi_hl" in others:
        table.add(what, "ns", others["marker"], "PAPI_hl, 3 events", others["papi_hl"])
    else:
        table.skip("time only, beside PAPI_hl", NO_PAPI)

    # Few pairs in a round: pairs with system calls take long, and are preempted more often.
    software = pair_values(output(setting, launched(setting, SOFTWARE3, markers="none") + [
        pairs, "-r", setting.rounds(600), "-n", 50, "empty", "marker", "next", "read", "papi_hl"]))
    table.add("3 software events, by read()", "ns", software["marker"], "two read()",
              software["read"], Budget("<= 1.25 x two read()", ratio=1.25))
    if "papi_hl" in software:
        table.add("3 software events, by read()", "ns", software["marker"], "PAPI_hl",
                  software["papi_hl"])
    else:
        table.skip("3 software events, beside PAPI_hl", NO_PAPI)
    table.add("3 software events, NEXT", "ns", software["next"], "one read()",
              [value / 2 for value in software["read"]])

    add_hardware(table, setting)


def ways_to_watch(setting):
    """Return the options of a run that also writes a trace or intervals."""
    return (("--trace", ["--trace", setting.scratch / "run.pftrace", "--trace-size", "1M"]),
            ("-I 10", ["-I", 10, "--interval-output", setting.scratch / "intervals"]))


def add_watched(table, setting):
    """Add what a trace and intervals cost the program, which does nothing for the latter."""
    words = [setting.programs / "pairs", "-r", setting.rounds(200), "empty", "marker", "next",
             "async"]
    (traced, trace), (printed, intervals) = ways_to_watch(setting)
    plain, with_trace, with_intervals = in_turns(setting, 2, *(
        launched(setting, "time", *options) + words for options in ((), trace, intervals)))
    table.add(f"time only, with {traced}", "ns", with_trace["marker"], "without", plain["marker"],
              Budget("<= 1.25 x without", ratio=1.25))
    table.add(f"time only, with {traced}, NEXT", "ns", with_trace["next"], "without",
              plain["next"])
    table.add(f"time only, with {traced}, START and STOP", "ns", with_trace["async"], "without",
              plain["async"], Budget("<= 1.25 x without", ratio=1.25))
    table.add(f"time only, with {printed}", "ns", with_intervals["marker"], "without",
              plain["marker"], Budget("<= 1.05 x without", ratio=1.05))


def peak_mb(setting, command):
    """Run a command. Return the most memory that it or a child of it used."""
    path = setting.scratch / "usage"
    output(setting, [setting.programs / "usage", "-o", path, *command])
    return int(path.read_text(encoding="utf-8").split(",")[2]) / 1024


def add_command_memory(table, setting):
    """Add the memory of the command itself, which has a limit. A snapshot takes 2 MB. A trace
    needs about 8 bytes for each byte of its size, and some more while it is written."""
    calls = [setting.programs / "pairs", "-n", 5000, "-r", setting.rounds(10000), "empty", "marker"]
    alone = peak_mb(setting, launched(setting, "time") + calls)
    for (name, options), room in zip(ways_to_watch(setting), (12, 2)):
        peak = peak_mb(setting, launched(setting, "time", *options) + calls)
        table.add(f"the command with {name}", "MB", peak, "without", alone,
                  Budget(f"<= {room} MB more", value=alone + room))


def add_hardware(table, setting):
    """Add rows of hardware events if this machine has counters; otherwise the emulated machine is
    used."""
    words = ["-r", setting.rounds(300), "-n", 200, "-s", "hardware2", "empty"]
    by_hand = pair_values(output(setting, [setting.programs / "pairs", *words, "read"]))
    what = "2 hardware events"
    if "read" not in by_hand:
        table.skip(what, "this machine has no hardware counters: see the emulated one")
        return
    marked = pair_values(output(setting, launched(setting, "instructions,cycles") + [
        setting.programs / "pairs", *words, "marker", "next", "clock"]))
    table.add(what, "ns", marked["marker"], "two readings of the clock", marked["clock"])
    table.add(what, "ns", marked["marker"], "two read()", by_hand["read"])
    for peer, name in (("papi_read", "two PAPI_read()"), ("papi_hl", "PAPI_hl")):
        papi = pair_values(output(setting, [setting.programs / "pairs", *words, peer]))
        if peer in papi:
            table.add(what, "ns", marked["marker"], name, papi[peer])


def count_instructions(setting, before, variant):
    """Return the instructions of one pair in user mode: the difference of two runs under
    callgrind."""
    counts = []
    for n_pairs in (10000, 30000):
        done = subprocess.run(
            [str(word) for word in before + [
                "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                setting.programs / "pairs", "-r", 1, "-n", n_pairs, variant]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace", check=False, env=setting.environment, cwd=setting.scratch)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found:
            return None
        counts.append(int(found.group(1)))
    # every variant runs once to warm up, so there are twice as many pairs
    return (counts[1] - counts[0]) / 40000


def add_instructions(table, setting):
    """Add the same rows in instructions, which other load does not affect."""
    table.section("A pair of markers, instructions in user mode")
    if not shutil.which("valgrind"):
        table.skip("instructions of a pair", "valgrind is not installed")
        return
    empty = count_instructions(setting, [], "empty")
    sampled = launched(setting, "time", "--sample", NEARLY_NONE)
    kinds = [("not launched", [], "marker", Budget("a load, test and branch each", value=6)),
             ("time only", launched(setting, "time"), "marker", Budget("<= 96", value=96)),
             ("time only, with another pair", launched(setting, "time"), "nested",
              Budget("<= 96 + 125", value=221)),
             ("time only, SCOPE", launched(setting, "time"), "scope", None),
             ("time only, NEXT", launched(setting, "time"), "next", None),
             ("time only, START and STOP", launched(setting, "time"), "async", None),
             ("time only, skipped by --sample", sampled, "marker", Budget("<= 36", value=36)),
             ("time only, skipped by --sample, SCOPE", sampled, "scope", Budget("<= 27", value=27)),
             ("time only, with a rule of --slow that no call meets",
              launched(setting, "time", "--slow", NEVER), "marker", None),
             ("time only, with WORK", launched(setting, "time"), "work", None),
             ("time only, with WORK, --by-work",
              launched(setting, "time", "--by-work"), "work", None)]
    for what, before, variant, budget in kinds:
        count = count_instructions(setting, before, variant)
        if count is None or empty is None:
            table.skip(what, "valgrind did not count")
            continue
        table.add(what, "", round(count - empty, 2), budget=budget)


def add_threads(table, setting):
    table.section("A pair of markers on threads that mark at once, ns of processor time")
    values = {1: [], 2: [], 4: [], 8: [], 16: [], 32: [], 64: []}
    for count, _, nanoseconds in rows_of(output(setting, launched(setting, "time") + [
            setting.programs / "threads", setting.rounds(40), *values]), float):
        values[int(count)].append(nanoseconds)
    for count in list(values)[1:]:
        table.add(f"time only, {count} threads", "ns", values[count], "1 thread", values[1],
                  Budget("<= 1.05 x 1 thread", ratio=1.05))


def add_memory(table, setting):
    table.section("Memory")
    add_command_memory(table, setting)
    table.section("Memory that a region takes on a thread, bytes")
    octave_bytes = 512
    piece_bytes = 8192
    for what, events in (("time only", "time"), ("3 software events", SOFTWARE3)):
        text = output(setting, launched(setting, events) + [setting.programs / "memory_use"])
        (few, few_cells, few_octaves, _), (many, cells, octaves, threads) = rows_of(text)
        cell_bytes = (many - octaves * octave_bytes) / cells
        table.add(f"{what}: without histograms", "B", cell_bytes,
                  budget=Budget("<= 4 KiB", value=4096),
                  note=f"{cells} of them and {octaves} octaves of {octave_bytes} bytes; a region "
                       "has two where calls of it were interrupted")
        grown = max(0, many - few - (octaves - few_octaves) * octave_bytes
                    - (cells - few_cells) * cell_bytes)
        table.add(f"{what}: a thread's more after 100 times the calls", "B", grown / threads,
                  budget=Budget("independent of calls", value=piece_bytes),
                  note="beside new octaves and cells: at most the rest of a piece of 8 KiB")
    text = output(setting, [setting.programs / "memory_use", "papi_hl"]) \
        if "papi_hl" in output(setting, [setting.programs / "pairs", "-r", 1, "papi_hl"]) else ""
    if text:
        calls, grown = rows_of(text)[0]
        table.add("PAPI_hl: with every call", "B", grown / calls)
    else:
        table.skip("PAPI_hl", NO_PAPI)
