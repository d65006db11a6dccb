# SPDX-License-Identifier: MIT
"""Verdicts on programs whose instructions are counted: equal source is equal work wherever its
functions are, and 1 % more work in a region is found there alone."""

import json

PARTS = {"request", "parse", "lookup", "render", "format", "sort", "hash", "copy", "reply"}


def judge(run, check):
    if not run.emulated:
        return
    found = {}
    for title in ("reordered", "work"):
        comparison, = json.loads(run.section(title))["comparisons"]
        verdicts = {row["region"]: row["verdict"] for row in comparison["verdicts"]}
        check.true(f"{title}: all regions have a verdict", set(verdicts) == PARTS, verdicts)
        found[title] = {region for region, verdict in verdicts.items() if verdict == "work"}
        counts = {row["region"]: row["self"]["ratio"] for row in comparison["rows"]
                  if row["event"] == "instructions:u" and row["region"]}
        check.true(f"{title}: instructions are counted in all regions", set(counts) == PARTS, counts)
        if title == "work":
            ratio = counts["parse"]
            check.true("1 % more work is that much", abs(ratio - 1.01) < 0.001, ratio)
    check.true("functions in another order are equal work", found["reordered"] == set(),
               found["reordered"])
    check.true("1 % more work is found in its region", found["work"] == {"parse"}, found["work"])
