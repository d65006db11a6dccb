# SPDX-License-Identifier: MIT
"""The time and the memory that merging saved runs takes."""

import os
import sys

from pair_rows import SOFTWARE3
from programs import output
from table import Budget

ALL = 100000
# Runs that differ. More files are these again, so that no disk has to hold 60 GB.
N_DIFFERENT = 50


def add_merge(table, setting):
    n_files = setting.merge_files or max(100, round(4000 * setting.effort))
    table.section(f"Merging {n_files:,} files of 100 regions and 3 events")
    paths = []
    for seed in range(min(N_DIFFERENT, n_files)):
        paths.append(setting.scratch / f"rank{seed}.json")
        output(setting, [setting.regionstat, "--quiet", "-o", paths[-1], "-e", SOFTWARE3, "--",
                         setting.programs / "ranks", seed])
    names = setting.scratch / "ranks.txt"
    names.write_text("".join(f"{paths[i % len(paths)]}\n" for i in range(n_files)),
                     encoding="utf-8")
    words = [str(setting.regionstat), "merge", "--files-from", str(names), "-o",
             str(setting.scratch / "all.json")]
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        os.execv(words[0], words)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"bench: {' '.join(words)} ended with status {status}")
    bytes_ = sum(path.stat().st_size for path in paths) / len(paths)
    # The aim is 8 times the 10 s that a large node takes, on two cores.
    table.add(f"CPU time of {ALL:,} files", "s", [(usage.ru_utime + usage.ru_stime) * ALL / n_files],
              budget=Budget("<= 160 s, 80 on each of two CPUs", value=160),
              note=f"{bytes_ / 1000:.0f} kB a file")
    table.add("peak memory", "MiB", [usage.ru_maxrss / 1024], budget=Budget("<= 1,024 MiB", value=1024))
