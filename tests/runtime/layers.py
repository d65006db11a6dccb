#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The directories of the runtime are layers: each includes and calls only those above it in the list of
lib/runtime/state.h. So no call leads in a circle through two of them.

usage: layers.py libregionstat.a
"""

import re
import subprocess
import sys
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "lib" / "runtime"
# As meson names the object of a source: DIRECTORY_FILE.c.o, or a path with underscores.
OBJECT = re.compile(r"^(\w+?)_(\w+)\.c\.o$")


def layers():
    listed = re.findall(r"^ \* (\w+)/ ", (RUNTIME / "state.h").read_text(encoding="utf-8"), re.M)
    there = {path.name for path in RUNTIME.iterdir() if path.is_dir()}
    assert set(listed) == there, f"listed in state.h: {listed}; there: {sorted(there)}"
    return {layer: place for place, layer in enumerate(listed)}


def wrong_includes(place):
    for path in sorted(RUNTIME.glob("*/*.[ch]")):
        for included in re.findall(r'^#include "runtime/(\w+)/', path.read_text(encoding="utf-8"), re.M):
            if place[included] > place[path.parent.name]:
                yield f"{path.relative_to(RUNTIME)} includes {included}/"


def wrong_calls(place, archive):
    defined, used = {}, {}
    lines = subprocess.run(["nm", "-A", archive], capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        where, symbol = line.split(":", 1)[1].rsplit(":", 1)
        match = OBJECT.match(Path(where).name)
        if not match or match.group(1) not in place:
            continue
        *_, kind, name = symbol.split()
        if kind == "U":
            used.setdefault(name, []).append(match.groups())
        elif kind.isupper():
            defined[name] = match.groups()
    assert len({layer for layer, _ in defined.values()}) == len(place), "an object of each layer"
    for symbol in sorted(set(used) & set(defined)):
        for user in used[symbol]:
            if place[defined[symbol][0]] > place[user[0]]:
                yield f"{'/'.join(user)}.c uses {symbol} of {'/'.join(defined[symbol])}.c"


def main():
    place = layers()
    results = [("includes", list(wrong_includes(place))), ("calls", list(wrong_calls(place, sys.argv[1])))]
    print(f"1..{len(results)}")
    for number, (what, wrong) in enumerate(results, 1):
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
    sys.exit(any(wrong for _, wrong in results))


if __name__ == "__main__":
    main()
