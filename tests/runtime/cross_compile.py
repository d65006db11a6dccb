#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang checks every source of the runtime for every supported processor, without a warning. It
does not compile them, since it warns before. stack_usage.py compiles them with gcc, whose warnings
depend on optimization.

usage: cross_compile.py SOURCE...
"""

import os
import platform
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lib")
PROCESSORS = {  # processor: Debian packages that it needs
    "aarch64": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    "riscv64": "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
    "x86_64": "gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
}
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", '-DREGIONSTAT_VERSION="0"',
         '-DREGIONSTAT_COMMAND="/usr/bin/regionstat"', "-I", INCLUDE, "-include",
         "base/own_string.h", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
         "-Wconversion", "-Wshadow", "-Wvla", "-Wstrict-prototypes", "-Wmissing-prototypes",
         "-Wno-missing-field-initializers", "-Werror"]


def lacks(processor):
    """Return why clang cannot or need not compile for this processor, or None. clang uses the
    headers of gcc's packages."""
    missing = [name for name in (processor + "-linux-gnu-gcc", "clang") if not shutil.which(name)]
    if missing:
        return f"{missing[0]} is not installed (packages {PROCESSORS[processor]} clang)"
    if processor == platform.machine():
        return "this machine's own: the build with clang has the same warnings"
    return None


def main():
    number, failed = 0, False
    for processor in PROCESSORS:
        missing = lacks(processor)
        for source in sys.argv[1:]:
            number += 1
            name = f"{number} - {processor} {os.path.basename(source)}"
            if missing:
                print(f"ok {name} # SKIP {missing}")
                continue
            done = subprocess.run(["clang", f"--target={processor}-linux-gnu", *FLAGS,
                                   "-fsyntax-only", source], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            print("\n".join("# " + line for line in done.stdout.splitlines()), end="\n"
                  if done.stdout else "")
            print(f"{'ok' if done.returncode == 0 else 'not ok'} {name}")
            failed |= done.returncode != 0
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
