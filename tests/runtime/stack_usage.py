#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No marker uses more than 1.5 KiB of the program's stack, on any path through its code. gcc's
-fcallgraph-info lists the stack usage and the callees of every function. A tail call counts as an
ordinary call, so the result is an upper bound. The test does not follow calls through the table of
markers: the slow path ends with a tail call to the marker, and calibration calls markers.
cli/region_stack.py measures those on a painted stack. The test also fails if gcc warns about a
source, for any processor. The builds for this machine and for the emulated one (tests/guest) have
such lists already. For another processor the test compiles the sources, and cli/markers_riscv64 uses
the objects.

usage: stack_usage.py BUILD werror|no-werror SOURCE...
"""

import fcntl
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "lib"
PROCESSORS = {  # processor: Debian packages that it needs
    "aarch64": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    "riscv64": "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
    "x86_64": "gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
}
MOST_BYTES = 1536
# External functions that a marker may call. Each uses little stack and calls nothing back. Also
# permitted are arm64's functions for atomics.
OTHERS = {"__indirect_call", "memcpy", "memset", "memcmp", "strlen", "strncmp", "strchr",
          "strcpy", "strcmp", "clock_gettime", "getauxval", "pthread_setspecific", "__udivti3", "__divti3",
          "__clzdi2", "__ctzdi2"}
# The flags of lib/runtime/meson.build that the compiler knows.
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", '-DREGIONSTAT_VERSION="0"',
         '-DREGIONSTAT_COMMAND="/usr/bin/regionstat"', "-I", str(INCLUDE), "-include",
         "base/own_string.h", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
         "-Wconversion", "-Wshadow", "-Wvla", "-Wstrict-prototypes", "-Wmissing-prototypes",
         "-Wno-missing-field-initializers", "-Werror", "-O2", "-fno-stack-protector",
         "-foptimize-sibling-calls", "-fno-tree-vectorize", "-fno-tree-slp-vectorize",
         "-fno-schedule-insns", "-fno-tree-reassoc"]
NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]+)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
# The functions in the tables of markers (mark/marker.c).
MARKER = re.compile(r"(begin|end|end_site|next|start|stop)_\w+|"
                    r"rs_(begin_name|end_name|next_name|pause|resume)")


class Graph:
    """A call graph: each function's bytes of stack, how it uses them, and its callees."""

    def __init__(self):
        self.used, self.calls, self.deepest = {}, {}, {}

    def read(self, text):
        for line in text.splitlines():
            node, edge = NODE.match(line), EDGE.match(line)
            used = node and re.search(r"(\d+) bytes \(([^)]+)\)", node[2])
            if used:
                self.used[node[1]] = (int(used[1]), used[2])
            if edge:
                self.calls.setdefault(edge[1], set()).add(edge[2])

    def way(self, name, above=()):
        """Return (bytes, functions) of the call path from a function that uses the most stack."""
        if name in above:
            raise ValueError("calls itself: " + " ".join(map(short, above)))
        if name not in self.deepest:
            ways = [self.way(called, (*above, name)) for called in self.calls.get(name, ())]
            most, below = max(ways, default=(0, []))
            self.deepest[name] = most + self.used.get(name, (0, ""))[0], [name, *below]
        return self.deepest[name]

    def reached(self, name, found):
        for called in self.calls.get(name, ()):
            if called not in found:
                found.add(called)
                self.reached(called, found)
        return found


def is_whole(lists, sources):
    """Return whether there is a list of each source, and none is older than a source."""
    newest = max(path.stat().st_mtime for path in INCLUDE.rglob("*.[ch]"))
    return len(lists) == len(sources) and min(path.stat().st_mtime for path in lists) > newest


def built_lists(build, processor, sources):
    """Return the lists that a build has written for this processor, or [] if it has not. Its compiler
    had no warning, since both builds have -Werror."""
    guest = build / "tests/guest/aarch64"
    if processor == platform.machine():
        folder = build
    elif processor == "aarch64" and (guest / "lock").exists():
        with (guest / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)  # until it is built
        folder = guest / "build"
    else:
        return []
    lists = list(folder.glob("lib/runtime/libregionstat.so.*.p/*.ci"))
    return lists if is_whole(lists, sources) else []


def compile_once(build, processor, sources):
    """Compile the sources in a folder of the build, unless that is done. Return the folder, with a list
    and an object of each, and the compiler's messages."""
    folder, said = build / "tests/runtime" / processor, []
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_whole(list(folder.glob("*.ci")), sources):
            return folder, said
        for path in [*folder.glob("*.ci"), *folder.glob("*.o")]:
            path.unlink()
        for number, source in enumerate(sources):
            done = subprocess.run([processor + "-linux-gnu-gcc", *FLAGS, "-fcallgraph-info=su", "-c",
                                   source, "-o", f"{folder}/{number}.o"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            said += [*done.stdout.splitlines(),
                     *([f"{source}: status {done.returncode}"] if done.returncode else [])]
        if said:
            (folder / "0.ci").unlink(missing_ok=True)  # the next run has the messages, too
    return folder, said


def short(name):
    return name.rpartition(":")[2]


def graph_of(build, has_werror, processor, sources):
    """Return the call graph of all sources, and the compiler's messages."""
    graph, said = Graph(), []
    lists = built_lists(build, processor, sources)
    if not lists or (processor == platform.machine() and not has_werror):
        folder, said = compile_once(build, processor, sources)
        lists = folder.glob("*.ci")
    for path in lists:
        graph.read(path.read_text(encoding="utf-8"))
    return graph, said


def judge(processor, graph, said):
    """Return the tests' results: [(name, has passed, explanation)]."""
    markers = sorted(name for name in graph.used if MARKER.fullmatch(short(name)) and
                     (":" not in name or "/mark/marker.c:" in name))
    found = [(f"{processor}: no warning", not said, said),
             (f"{processor}: the markers are found ({len(markers)})", len(markers) > 40, [])]
    called = set(markers).union(*(graph.reached(marker, set()) for marker in markers))
    dynamic = [short(name) for name, (_, kind) in graph.used.items()
               if kind != "static" and name in called]
    found.append((f"{processor}: no function takes stack by what it is given", not dynamic, dynamic))
    others = set()
    for marker in markers:
        most, way = graph.way(marker)
        found.append((f"{processor}: {short(marker)} ({most} bytes)", most <= MOST_BYTES,
                      [f"{graph.used.get(name, (0,))[0]} {short(name)}" for name in way]))
        others |= {name for name in graph.reached(marker, set()) if name not in graph.used}
    others = {name for name in others - OTHERS if not name.startswith("__aarch64_")}
    found.append((f"{processor}: what markers call of others is known", not others, sorted(others)))
    return found


def main():
    number, failed = 0, False
    build, has_werror, sources = Path(sys.argv[1]), sys.argv[2] == "werror", sys.argv[3:]
    for processor in PROCESSORS:
        compiler = processor + "-linux-gnu-gcc"
        if not shutil.which(compiler):
            number += 1
            print(f"ok {number} - {processor} # SKIP {compiler} is not installed (packages "
                  f"{PROCESSORS[processor]})")
            continue
        graph, said = graph_of(build, has_werror, processor, sources)
        for what, is_so, shown in judge(processor, graph, said):
            number += 1
            failed |= not is_so
            print(f"{'ok' if is_so else 'not ok'} {number} - {what}")
            if not is_so:
                print("\n".join("# " + str(line) for line in shown))
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
