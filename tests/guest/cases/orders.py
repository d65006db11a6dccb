# SPDX-License-Identifier: MIT
"""Events of different kernel PMUs in many orders count what the program did, on old kernels and new.
The same program and the same rules as outside the emulated machine: tests/cli/region_orders.py."""

import harness
import region_orders

CALLS = 2


def sections(text):
    """Return the lines of all sections by title, because there are too many to look for each."""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("=== "):
            lines = found.setdefault(line[4:], [])
        else:
            lines.append(line)
    return {title: "\n".join(lines) for title, lines in found.items()}


def judge(run, check):
    if not run.emulated:
        check.skip("orders", "on this machine cli/region_orders tries all of them")
        return
    found = sections(run.text)
    measured = [title[4:] for title in found if title.startswith("csv ")]
    # 30 pairs
    if not check.equal("pairs and triples, with one thread and four", len(measured), 30):
        return
    wrong = []
    for title in measured:
        order, threads = title.split()
        if found["status " + title] != "0":
            wrong.append(f"{title}: status {found['status ' + title]}")
            continue
        found_wrong = region_orders.find_wrong(
            harness.Report(found["csv " + title]), region_orders.read_truth(found["truth " + title]),
            order.split(","), int(threads) * CALLS)
        wrong += [f"{threads} threads, {text}" for text in found_wrong]
    check.equal("what is counted is what was done", "\n".join(wrong), "")
