#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw the slices of a trace as SVG: a row for each thread, a color for each region.

usage: picture.py TRACE SVG
"""

import sys
from html import escape

from perfetto import Trace

COLORS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#d4d4d4", "#b07aa1", "#9c755f", "#edc948"]
WIDTH, ROW, LEFT = 1000, 26, 60


def main():
    trace = Trace(sys.argv[1])
    calls = [one for one in trace.slices if one.track.tid and one.end]
    rows = sorted({one.track.tid for one in calls})
    by_time = {}
    for one in calls:
        by_time[one.name] = by_time.get(one.name, 0) + one.end - one.begin
    # Waiting is grey; the others have their colors by their time.
    names = sorted(by_time, key=lambda name: (name == "wait", -by_time[name]))
    colors = {name: COLORS[i % 4] if name != "wait" else COLORS[4] for i, name in enumerate(names)}
    begin, end = min(one.begin for one in calls), max(one.end for one in calls)
    scale = (WIDTH - LEFT) / (end - begin)
    height = ROW * len(rows) + 44
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 10}" height="{height}" '
           'font-family="sans-serif" font-size="12">', "<!-- SPDX-License-Identifier: MIT -->"]
    for row, tid in enumerate(rows):
        out.append(f'<text x="2" y="{ROW * row + 17}">thread {row}</text>')
        for name in names:
            path = "".join(f"M{LEFT + (one.begin - begin) * scale:.1f} {ROW * row + 2}"
                           f"h{max((one.end - one.begin) * scale - 0.3, 0.3):.1f}v{ROW - 4}"
                           f"H{LEFT + (one.begin - begin) * scale:.1f}z"
                           for one in sorted(calls, key=lambda one: one.begin)
                           if one.track.tid == tid and one.name == name)
            if path:
                out.append(f'<path fill="{colors[name]}" d="{path}"/>')
    y = ROW * len(rows) + 16
    out.append(f'<text x="{LEFT}" y="{y}">0</text><text x="{WIDTH}" y="{y}" text-anchor="end">'
               f'{(end - begin) / 1e6:.1f} ms</text>')
    for i, name in enumerate(names):
        out.append(f'<rect x="{LEFT + 110 * i}" y="{y + 8}" width="12" height="12" '
                   f'fill="{colors[name]}"/><text x="{LEFT + 16 + 110 * i}" y="{y + 18}">'
                   f'{escape(name)}</text>')
    out.append("</svg>")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
