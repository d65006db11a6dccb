#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No way through a marker takes more than 1.5 KiB of the program's stack. The compiler gives the
stack and the callees of every function (gcc's -fcallgraph-info). A call that is a jump counts as an
ordinary one, so this is more than markers take. The test does not follow calls through the table of
markers: the slow path ends by a jump to the marker itself, and calibration calls markers.
cli/region_stack.py finds those on a painted stack. And no source has a warning, for any processor.

usage: stack_usage.py SOURCE...
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cross_compile

MOST_BYTES = 1536
# External functions that a marker may call: none of them keeps more than a frame, and none calls
# back. Beside them, arm64's atomics for any of its processors.
OTHERS = {"__indirect_call", "memcpy", "memset", "memcmp", "strlen", "strncmp", "strchr",
          "strcpy", "strcmp", "clock_gettime", "getauxval", "pthread_setspecific", "__udivti3", "__divti3",
          "__clzdi2", "__ctzdi2"}
# Of lib/runtime/meson.build, as far as a compiler has them.
FLAGS = [*cross_compile.FLAGS, "-O2", "-fno-stack-protector", "-foptimize-sibling-calls", "-fno-tree-vectorize",
          "-fno-tree-slp-vectorize", "-fno-schedule-insns", "-fno-tree-reassoc"]
NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]+)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
# The functions in the tables of markers (mark/marker.c), and those that are the same in all of them.
MARKER = re.compile(r"(begin|end|end_site|next|start|stop)_\w+|"
                    r"rs_(begin_name|end_name|next_name|pause|resume)")


class Graph:
    """Functions by name: bytes of stack, how they are used, and the functions that they call."""

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
        """(bytes, functions) of the deepest way from a function down."""
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


def short(name):
    return name.rpartition(":")[2]


def graph_of(compiler, sources):
    """The graph of all sources, and the compiler's messages about them."""
    graph, said = Graph(), []
    with tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(sources):
            done = subprocess.run([compiler, *FLAGS, "-fcallgraph-info=su", source,
                                   "-o", f"{folder}/{number}.o"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            said += [*done.stdout.splitlines(),
                     *([f"{source}: status {done.returncode}"] if done.returncode else [])]
        for path in Path(folder).glob("*.ci"):
            graph.read(path.read_text(encoding="utf-8"))
    return graph, said


def judge(processor, graph, said):
    """[(what, whether it is so, what there is to say)]"""
    markers = sorted(name for name in graph.used if MARKER.fullmatch(short(name)) and
                     (not name.startswith("/") or "/mark/marker.c:" in name))
    found = [(f"{processor}: no warning", not said, said),
             (f"{processor}: the markers are found ({len(markers)})", len(markers) > 40, [])]
    dynamic = [short(name) for name, (_, kind) in graph.used.items() if kind != "static"]
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
    for processor in cross_compile.PROCESSORS:
        compiler = processor + "-linux-gnu-gcc"
        if not shutil.which(compiler):
            number += 1
            print(f"ok {number} - {processor} # SKIP {compiler} is not installed (packages "
                  f"{cross_compile.PROCESSORS[processor]})")
            continue
        for what, is_so, shown in judge(processor, *graph_of(compiler, sys.argv[1:])):
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
