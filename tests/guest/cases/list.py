# SPDX-License-Identifier: MIT
"""`regionstat list` names the machine's events and what they mean."""


def judge(run, check):
    everything = run.section("all")
    check.contains("status", everything, "status 0")
    for event in ("cycles", "instructions", "task-clock", "page-faults"):
        check.contains(f"{event} is listed", everything, event)
    some = run.section("some")
    check.contains("a pattern finds instructions", some, "instructions")
    check.true("a pattern leaves the others out", "page-faults" not in some, some)
