# SPDX-License-Identifier: MIT
"""If a program is killed at any instruction, each call is either completely in the results or not
at all."""

import os

CASES = ("leaf", "outer", "recursion", "growth", "next", "skipped", "start-stop",
         "work", "adoption", "takeover", "pause")


def judge(run, check):
    cases = [os.environ["steps_case"]] if "steps_case" in os.environ else CASES
    for case in (*cases, "swapped"):
        text = run.section(case)
        check.true(case, "status 0" in text.splitlines(), text)
