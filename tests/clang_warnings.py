#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Let clang check the sources of the tests, with warnings as errors. They are not compiled, since
clang warns before. The options are those of a build with another compiler.

usage: clang_warnings.py BUILD"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
WITH_ARGUMENT = ("-o", "-MF", "-MQ")
LEFT_OUT = ("-c", "-MD", "-fvisibility-inlines-hidden")


def compile_words(command):
    """Return clang's command for a command of another compiler."""
    words = iter(shlex.split(command))
    kept = []
    for word in words:
        if word in WITH_ARGUMENT:
            next(words)
        elif word not in LEFT_OUT and word.startswith("-"):
            kept.append(word)
    return ["clang", *kept, "-fsyntax-only", "-Werror", "-Wno-unknown-warning-option",
            "-Wno-ignored-optimization-argument", "-Wno-unused-command-line-argument"]


def check(entry):
    """Return True if clang has no warning, else print its warnings."""
    path = (Path(entry["directory"]) / entry["file"]).resolve()
    done = subprocess.run([*compile_words(entry["command"]), str(path)], cwd=entry["directory"],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    sys.stderr.write(done.stderr)
    return done.returncode == 0


def main():
    entries = json.loads((Path(sys.argv[1]) / "compile_commands.json").read_text())
    tests = [entry for entry in entries if entry["file"].endswith(".c")
             and SOURCE / "tests" in (Path(entry["directory"]) / entry["file"]).resolve().parents]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, tests))
    print(f"clang has checked {len(results)} sources of tests")
    return 0 if results and all(results) else 1


sys.exit(main())
