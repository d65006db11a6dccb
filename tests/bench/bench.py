#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure what regionstat costs, and what other tools cost, side by side in one run.

Every comparison alternates between many short rounds of both sides. The result is the median of the
rounds' ratios, and the CSV also has their quartiles. So other load, or a change of the clock
frequency, affects both sides alike. It is still best to run nothing else meanwhile.

Exit status: 0 whatever the figures are, 77 if nothing can be measured on this machine, 1 if a
program of the benchmark failed.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import adapter_rows
import guest_rows
import merge_rows
import overhead_rows
import pair_rows
import process_rows
from table import Table

SECTIONS = {
    "pairs": pair_rows.add_pairs,
    "adapters": adapter_rows.add_adapters,
    "overhead": overhead_rows.add_overhead,
    "instructions": pair_rows.add_instructions,
    "threads": pair_rows.add_threads,
    "memory": pair_rows.add_memory,
    "first": process_rows.add_first_markers,
    "launch": process_rows.add_launch,
    "tracer": process_rows.add_tracer,
    "merge": merge_rows.add_merge,
    "guest": guest_rows.add_guest,
}


def describe_machine():
    """Return the CPU model, the number of CPUs, and the kernel."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(("model name", "CPU part")):
                model = line.split(":", 1)[1].strip()
                break
    system = os.uname()
    virtual = ""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        if " hypervisor" in file.read():
            virtual = ", a virtual machine"
    return (f"{model}, {len(os.sched_getaffinity(0))} processors{virtual}; "
            f"{system.sysname} {system.release} {system.machine}; load {os.getloadavg()[0]:.1f}")


class Setting:
    """Paths of the programs, and the amount of work."""

    def __init__(self, arguments, scratch):
        self.build = Path(arguments.build).resolve()
        self.cache = Path(arguments.cache) if arguments.cache else None
        self.programs = self.build / "tests/bench"
        self.tracer = self.build / "tests/apps/tracer"
        self.regionstat = self.build / "cmd/regionstat"
        self.scratch = Path(scratch)
        self.effort = arguments.effort
        self.merge_files = arguments.merge_files
        self.environment = dict(os.environ, LC_ALL="C", PAPI_OUTPUT_DIRECTORY=scratch)

    def rounds(self, usual):
        return max(3, round(usual * self.effort))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--cache", help="where tests/guest/fetch.sh has put the emulated machine")
    parser.add_argument("--csv", help="write the rows here (bench.csv in the build directory), and "
                             "beside it, as .md, those that have a peer or a budget")
    parser.add_argument("--effort", type=float, default=1,
                        help="of the usual number of rounds (1); 0.01 tries that everything works")
    parser.add_argument("--merge-files", type=int, metavar="N",
                        help="merge N files, such as 100000, instead of 4,000")
    parser.add_argument("sections", nargs="*", metavar="SECTION",
                        help="only these: " + ", ".join(SECTIONS))
    arguments = parser.parse_args()
    for name in arguments.sections:
        if name not in SECTIONS:
            parser.error(f"no section '{name}'; there are {', '.join(SECTIONS)}")

    table = Table()
    machine = describe_machine()
    print(machine, flush=True)
    with tempfile.TemporaryDirectory(prefix="regionstat-bench.") as scratch:
        setting = Setting(arguments, scratch)
        if not setting.regionstat.exists():
            print(f"bench: {setting.regionstat} is not built")
            return 77
        for name, add in SECTIONS.items():
            if not arguments.sections or name in arguments.sections:
                add(table, setting)
    path = Path(arguments.csv) if arguments.csv else setting.build / "bench.csv"
    table.write(path)
    table.write_markdown(path.with_suffix(".md"), machine)
    n_met, n_missed, n_skipped = (sum(row["verdict"] == verdict for row in table.rows)
                                  for verdict in ("met", "missed", "skipped"))
    print(f"\n{len(table.rows)} rows: {n_met} budgets met, {n_missed} missed, {n_skipped} rows "
          f"skipped; written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
