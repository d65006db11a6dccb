#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source of the runtime compiles for every processor that it knows, without a warning.

usage: cross_compile.py SOURCE...
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lib")
PROCESSORS = {  # processor: Debian's packages for it
    "aarch64": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    "riscv64": "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
    "x86_64": "gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
}
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", '-DREGIONSTAT_VERSION="0"', "-I", INCLUDE, "-include",
         "base/own_string.h", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
         "-Wconversion", "-Wshadow", "-Wvla", "-Wstrict-prototypes", "-Wmissing-prototypes",
         "-Wno-missing-field-initializers", "-Werror", "-c"]


def lacks(processor, compiler):
    """What is missing to compile for this processor, or None. clang takes the headers of gcc's
    packages."""
    needs = [processor + "-linux-gnu-gcc", compiler[0]]
    missing = [name for name in needs if not shutil.which(name)]
    if not missing:
        return None
    return f"{missing[0]} is not installed (packages {PROCESSORS[processor]} clang)"


def main():
    number, failed = 0, False
    compilers = [(processor, command) for processor in PROCESSORS
                 for command in ([processor + "-linux-gnu-gcc"],
                                 ["clang", f"--target={processor}-linux-gnu"])]
    for processor, compiler in compilers:
        missing = lacks(processor, compiler)
        for source in sys.argv[1:]:
            number += 1
            name = f"{number} - {processor} {compiler[0].split('-')[-1]} {os.path.basename(source)}"
            if missing:
                print(f"ok {name} # SKIP {missing}")
                continue
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([*compiler, *FLAGS, source, "-o", folder + "/object.o"],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      check=False)
            print("\n".join("# " + line for line in done.stdout.splitlines()), end="\n"
                  if done.stdout else "")
            print(f"{'ok' if done.returncode == 0 else 'not ok'} {name}")
            failed |= done.returncode != 0
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
