# SPDX-License-Identifier: MIT
"""The cost of markers of other APIs with regionstat's adapters, compared with those APIs' own
tools, if these work on this machine."""

import ctypes.util
import os
import shutil
import subprocess
from pathlib import Path

from pair_rows import NO_PAPI, SOFTWARE3
from programs import in_turns, launched, output, pair_values

MARKER = "the marker itself"
NULL = "a tool that does nothing"


def add_adapters(table, setting):
    table.section("A pair of markers of another API, by its adapter, ns")
    add_collectors(table, setting)
    add_likwid(table, setting)
    add_papi(table, setting)
    add_caliper(table, setting)
    add_functions(table, setting)
    add_openmp(table, setting)


def adapted(setting, name, events="time", *options):
    """Return the command that measures its arguments with an adapter."""
    return launched(setting, events, *options, markers=name)


def turns(setting):
    return max(2, setting.rounds(10))


def named(setting, rounds, pairs, begin, end, *options):
    return [setting.programs / "named-pairs", *options, setting.rounds(rounds), pairs, begin, end]


def why_not(setting, command):
    """Return why a tool does not work on this machine, or None if it does."""
    words = [str(word) for word in command]
    if not shutil.which(words[0]):
        return f"{words[0]} is not installed"
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                          env=setting.environment, cwd=setting.scratch)
    lines = done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"]
    return f"{words[0]}: {lines[-1].strip()}" if done.returncode else None


def find_library(name):
    """Return the path of a library, below the directory of the variable NAME_DIR or among the
    system's libraries, or None."""
    directory = os.environ.get(f"{name.upper()}_DIR")
    found = sorted(Path(directory).glob(f"lib*/**/lib{name}.so")) if directory else []
    return str(found[0]) if found else ctypes.util.find_library(name)


def add_collectors(table, setting):
    """Add the APIs for which a variable names a tool."""
    program = [setting.programs / "adapted", setting.rounds(40)]
    nothing = [f"{variable}={setting.programs / 'null_collector.so'}" for variable in (
        "INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH", "KOKKOS_TOOLS_LIBS")]
    mine, null = in_turns(setting, turns(setting), adapted(setting, "itt,nvtx,kokkos") + program,
                          ["env", *nothing, *program])
    for name, what in (("itt", "ITT: a task"), ("nvtx", "NVTX: push and pop"),
                       ("nvtx_registered", "NVTX: a registered string"),
                       ("kokkos", "Kokkos: a kernel")):
        table.add("time only, " + what, "ns", mine[name], NULL, null[name])
        table.add("time only, " + what, "ns", mine[name], MARKER, mine["marker"])


def add_likwid(table, setting):
    markers = ("likwid_markerStartRegion", "likwid_markerStopRegion")
    what = "time only, LIKWID"
    command = named(setting, 40, 1000, *markers)
    library = find_library("likwid")
    if not library:
        mine = pair_values(output(setting, adapted(setting, "likwid") + command))
        table.add(what, "ns", mine["named"], MARKER, mine["marker"])
        table.skip("LIKWID itself", "LIKWID is not installed (likwid)")
        return
    command = named(setting, 40, 100, *markers, "-l", library, "-i", "likwid_markerInit", "-i",
                    "likwid_markerThreadInit")
    perfctr = [os.environ.get("LIKWID_DIR", "/usr") + "/bin/likwid-perfctr", "-m", "-C", "0", "-g",
               "CLOCK", *command]
    reason = why_not(setting, perfctr)
    mine, off, *counting = in_turns(setting, turns(setting), adapted(setting, "likwid") + command,
                                    command, *([] if reason else [perfctr]))
    table.add(what, "ns", mine["named"], MARKER, mine["marker"])
    table.add(what, "ns", mine["named"], "LIKWID itself, off", off["named"])
    if reason:
        table.skip("LIKWID itself, counting", reason)
    else:
        table.add(what, "ns", mine["named"], "LIKWID itself, CLOCK", counting[0]["named"])


def add_papi(table, setting):
    mine = pair_values(output(setting, adapted(setting, "papi") + named(
        setting, 300, 1000, "PAPI_hl_region_begin", "PAPI_hl_region_end")))
    table.add("time only, PAPI_hl", "ns", mine["named"], MARKER, mine["marker"])
    # with these events PAPI itself gets few pairs in each round: see pair_rows.py
    pairs = [setting.programs / "pairs", "-r", setting.rounds(40), "-n", 50, "empty", "papi_hl"]
    if "papi_hl" not in output(setting, pairs):
        table.skip("PAPI_hl itself", NO_PAPI)
        return
    mine, own = in_turns(setting, turns(setting), adapted(setting, "papi", SOFTWARE3) + pairs,
                         pairs)
    table.add("3 software events, PAPI_hl", "ns", mine["papi_hl"], "PAPI_hl itself", own["papi_hl"])


def add_caliper(table, setting):
    """The adapter also calls Caliper's own functions, so its cost includes theirs."""
    markers, what = ("cali_begin_region", "cali_end_region"), "time only, Caliper"
    library = find_library("caliper")
    command = named(setting, 40, 300, *markers, "-l",
                    library or setting.build / "tests/apps/libcaliper.so")
    if not library:
        mine = pair_values(output(setting, adapted(setting, "caliper") + command))
        table.add(what + ", one that does nothing", "ns", mine["named"], MARKER, mine["marker"])
        table.skip("Caliper itself", "Caliper is not installed: CALIPER_DIR names where it is")
        return
    report = ["env", "CALI_CONFIG=runtime-report(output=/dev/null)", *command]
    mine, off, own = in_turns(setting, turns(setting), adapted(setting, "caliper") + command,
                              command, report)
    table.add(what, "ns", mine["named"], "Caliper itself, runtime-report", own["named"])
    table.add(what, "ns", mine["named"], "Caliper itself, off", off["named"])
    table.add(what, "ns", mine["named"], MARKER, mine["marker"])


def add_functions(table, setting):
    """Add rows for a function that the compiler instrumented, with the call itself."""
    def program(name):
        return [setting.programs / name, setting.rounds(40)]

    record = ["uftrace", "record", "--no-libcall", "-d", setting.scratch / "uftrace"]
    theirs = [record + program("functions-pg"), record + ["-N", "called"] + program("functions-pg")]
    reason = "the compiler knows no -pg"
    if (setting.programs / "functions-pg").exists():
        reason = why_not(setting, theirs[0])
    mine, none, plain, *theirs = in_turns(
        setting, turns(setting), adapted(setting, "functions") + program("functions"),
        adapted(setting, "functions", "time", "--functions", "main") + program("functions"),
        program("functions"), *([] if reason else theirs))
    rows = (("time only, a call of a function", mine, "uftrace record"),
            ("a call of a function, left out by --functions", none, "uftrace record -N"))
    for index, (what, values, peer) in enumerate(rows):
        table.add(what, "ns", values["call"], "not launched", plain["call"])
        if not reason:
            table.add(what, "ns", values["call"], peer, theirs[index]["call"])
    if reason:
        table.skip("uftrace", reason)


def add_openmp(table, setting):
    program = setting.programs / "openmp-regions"
    if not program.exists():
        table.skip("OpenMP", "clang has no OpenMP runtime with OMPT (libomp-dev), or came later "
                   "than the build was configured")
        return
    for n_threads in (1, 2):
        command = [program, setting.rounds(200), n_threads]
        mine, plain = in_turns(setting, turns(setting), adapted(setting, "openmp") + command,
                               launched(setting, "time", markers="none") + command)
        table.add(f"time only, OpenMP: a parallel region, {n_threads} thread"
                  + "s" * (n_threads > 1), "ns", mine["region"], "without a tool", plain["region"])
