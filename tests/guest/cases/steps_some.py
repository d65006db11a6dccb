# SPDX-License-Identifier: MIT
"""Killed at any instruction, a program leaves each call wholly in or wholly out."""

CASES = ("leaf", "outer", "recursion", "growth", "next", "skipped", "multiplexed", "start-stop",
         "work", "adoption", "takeover", "pause", "swapped-count", "swapped-moments")


def judge(run, check):
    for case in CASES:
        text = run.section(case)
        check.true(f"{case}: {text.count('states')} ways to step", "status 0" in text.splitlines(),
                   text)
