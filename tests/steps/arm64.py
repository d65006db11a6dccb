#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Step programs for arm64 in QEMU's user mode (step.c, plugin.c). The result is TAP on standard
output.

usage: arm64.py BUILD CACHE STEP PLUGIN STATES STRIDE CASE...

The programs are built in the directory of the emulated machine (tests/guest), whose CACHE contains
the libraries that the build needs."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "guest"))
import guest  # noqa: E402 pylint: disable=wrong-import-position

EMULATOR = "qemu-aarch64"


def build_programs(build, cache):
    """Return the directory of the programs."""
    for tool in (EMULATOR, f"{guest.CROSS}-gcc"):
        if not shutil.which(tool):
            guest.skip_all(f"programs for arm64 need {tool}")
    if not (cache / "complete").exists():
        guest.skip_all("the emulated machine is not fetched: run sh tests/check.sh")
    work = build / "tests/guest/aarch64"
    work.mkdir(parents=True, exist_ok=True)
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cross, _ = guest.cross_build(cache, work, guest.HERE / "cases", ())
        programs = cross / "tests/steps"
        guest.command("ninja", "-C", cross, *(f"tests/steps/{name}" for name in
                                              ("victim-static", "victim-swapped")))
    return programs


def main():
    build, cache, step, plugin, states, stride, *cases = sys.argv[1:]
    programs = build_programs(Path(build), Path(cache))
    libc = guest.command(f"{guest.CROSS}-gcc", "-print-file-name=libc.so.6").strip()
    environment = dict(os.environ, QEMU_LD_PREFIX=str(Path(libc).resolve().parent.parent))
    check = guest.Check()
    runs = [(case, case, states, stride, "victim-static")
            for case in cases]
    for name, *words, program in (*runs, ("swapped", "leaf", "600", "0", "victim-swapped")):
        done = subprocess.run([step, EMULATOR, plugin, *words, programs / program], text=True,
                              env=environment, stdout=subprocess.PIPE, check=False)
        check.true(name, done.returncode == 0, done.stdout)
    print(f"1..{check.count}")
    sys.exit(1 if check.failed else 0)


main()
