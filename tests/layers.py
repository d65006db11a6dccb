#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the directories of lib/ and cmd/ are layers: each includes and calls only those below
it. So no cycle of calls passes through two of them. The same holds for the directories of
lib/runtime, in the order that lib/runtime/state.h lists.

Files of one directory that call each other in a circle are printed. There may be at most
MOST_CIRCLES such groups.

usage: layers.py BUILD
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
COMMON = ["regionstat.h", "base", "segment"]
# Layers from the lowest up. Code that runs inside the program and code of the command share only
# COMMON.
STACKS = [
    COMMON + ["runtime", "adapters"],
    COMMON + ["config", "metrics", "plan", "launch", "names", "stats", "trace", "record", "compare", "report", "live", "cmd"],
    ["regionstat.h", "bindings"],
]

MOST_CIRCLES = 3


def directories_of_the_runtime():
    """Return the directories from the lowest up, as state.h lists them."""
    runtime = SOURCE / "lib" / "runtime"
    listed = re.findall(r"^ \* (\w+)/ ", (runtime / "state.h").read_text(encoding="utf-8"), re.M)
    there = {path.name for path in runtime.iterdir() if path.is_dir()}
    assert set(listed) == there, f"listed in state.h: {listed}; there: {sorted(there)}"
    return listed


def known_layers():
    there = {path.name for path in (SOURCE / "lib").iterdir() if path.is_dir()} - {"package"}
    listed = {layer for stack in STACKS for layer in stack} - {"regionstat.h", "cmd"}
    assert listed == there, f"listed here: {sorted(listed)}; in lib/: {sorted(there)}"


def is_allowed(user, used, runtime):
    """Return True if a file may use another. Both paths are below lib/ or begin with cmd/."""
    if is_directory_of(user, runtime) and is_directory_of(used, runtime):
        return runtime.index(used.parts[1]) <= runtime.index(user.parts[1])
    for stack in STACKS:
        if user.parts[0] in stack and used.parts[0] in stack:
            return stack.index(used.parts[0]) <= stack.index(user.parts[0])
    return False


def is_directory_of(path, runtime):
    return path.parts[0] == "runtime" and path.parts[1] in runtime


def name_of(path, top=SOURCE):
    """Return a source's name without lib/, as this file writes it. Generated sources are in
    BUILD."""
    path = path.resolve()
    path = path.relative_to(top if path.is_relative_to(top) else SOURCE)
    return path.relative_to("lib") if path.parts[0] == "lib" else path


def includes():
    """Yield pairs (file, file that it includes)."""
    for path in sorted([*SOURCE.glob("lib/**/*.[ch]"), *SOURCE.glob("cmd/**/*.[ch]")]):
        text = path.read_text(encoding="utf-8")
        for included in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            beside, below = path.parent / included, SOURCE / "lib" / included
            assert beside.exists() or below.exists(), f"{path} includes {included}, which is nowhere"
            yield name_of(path), name_of(beside if beside.exists() else below)


def calls(build):
    """Return {(source, source that defines what it calls): [symbol, ...]}."""
    objects = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        # tests compile some of these sources again
        if entry["output"].startswith(("lib/", "cmd/")) and entry["file"].endswith(".c"):
            objects[str(build / entry["output"])] = name_of(Path(entry["directory"], entry["file"]), build)
    lines = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout
    defined, used = defaultdict(set), defaultdict(set)
    for line in lines.splitlines():
        where, rest = line.split(":", 1)
        *_, kind, symbol = rest.split()
        if kind == "U":
            used[symbol].add(objects[where])
        elif kind.isupper():
            defined[symbol].add(objects[where])
    found = defaultdict(list)
    for symbol, users in used.items():
        # each adapter defines the functions of its own API, and names that two files define are not
        # used across files
        if len(defined[symbol]) == 1:
            definer, = defined[symbol]
            for user in users - {definer}:
                found[user, definer].append(symbol)
    n_layers = len({definer.parts[0] for _, definer in found})
    assert n_layers >= 11, f"calls into {n_layers} layers only: is all built?"
    return found


def circles(pairs):
    """Return the groups of files that call each other in a circle."""
    below = defaultdict(set)
    for user, used in pairs:
        below[user].add(used)

    def reached(start):
        found, left = set(), [start]
        while left:
            for used in below.get(left.pop(), ()):
                if used not in found:
                    found.add(used)
                    left.append(used)
        return found

    reach = {file: reached(file) for file in list(below)}
    return sorted({tuple(sorted(other for other in reach[file] if file in reach.get(other, ())))
                   for file in reach if file in reach[file]})


def main():
    known_layers()
    runtime = directories_of_the_runtime()
    called = calls(Path(sys.argv[1]).resolve())

    def upward(pairs, verb, details):
        for user, used in sorted(pairs):
            if not is_allowed(user, used, runtime):
                yield f"{user} {verb} {used}{details((user, used))}"

    found_circles = circles(called)
    results = [
        ("includes point down", list(upward(set(includes()), "includes", lambda pair: ""))),
        ("calls point down",
         list(upward(called, "calls", lambda pair: ": " + ", ".join(called[pair][:3])))),
    ]
    for circle in found_circles:
        print(f"# circle of {len(circle)}: {', '.join(map(str, circle))}")
    results.append((f"circles of files: {len(found_circles)} of at most {MOST_CIRCLES}",
                    ["more than there were: break the new one"] * (len(found_circles) > MOST_CIRCLES)))
    print(f"1..{len(results)}")
    for number, (what, wrong) in enumerate(results, 1):
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
    sys.exit(any(wrong for _, wrong in results))


if __name__ == "__main__":
    main()
