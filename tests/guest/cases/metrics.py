# SPDX-License-Identifier: MIT
"""Metrics over counters equal what a script computes from the other numbers of the same report."""

import math

import harness


def events_of(report, region):
    kind = "region" if region else "run"
    return {row.event: row for row in report.select(kind=kind, region=region)
            if row.status in ("ok", "scaled")}


def value_of(report, region, name):
    rows = report.select(kind="metric", region=region, event=name)
    return float(rows[0].value) if len(rows) == 1 and rows[0].value else None


def near(got, expected):
    return got is not None and math.isclose(got, expected, rel_tol=1e-9)


def judge(run, check):
    report = harness.Report(run.section("alone"))
    for region in ("200k", ""):
        events = events_of(report, region)
        cycles, instructions = events["cycles"].total, events["instructions"].total
        of = f"of {region or 'the run'}"
        ratio = value_of(report, region, "IPC")
        check.true(f"IPC {of}", near(ratio, instructions / cycles), (ratio, instructions, cycles))
        ratio = value_of(report, region, "CPI")
        check.true(f"CPI {of}", near(ratio, cycles / instructions), (ratio, instructions, cycles))
        calls = events["instructions"].calls
        mean = value_of(report, region, "instructions-a-call")
        check.true(f"instructions a call {of}", near(mean, instructions / calls), (mean, calls))
        user, kernel = events["instructions:u"].total, events["instructions:k"].total
        part = value_of(report, region, "kernel-part")
        check.true(f"the kernel's part {of}", near(part, 100 * kernel / (user + kernel)),
                   (part, user, kernel))
    check.true("200,000 instructions a call and little more",
               200000 <= value_of(report, "200k", "instructions-a-call") < 210000, report)
    report = harness.Report(run.section("beside"))
    names = [row.event for row in report.select(kind="region", region="200k")]
    check.equal("cycles are counted once", names.count("cycles"), 1)
    events = events_of(report, "200k")
    ratio = value_of(report, "200k", "IPC")
    check.true("IPC beside other events",
               near(ratio, events["instructions"].total / events["cycles"].total), ratio)
    if run.emulated:
        check.contains("what cannot be counted is told", run.section("beside messages"),
                       "cannot compute 'branch-MPKI': its event 'branch-misses'")
    check.contains("groups that lie apart are refused", run.section("refused"),
                   "cannot compute 'CPI': 'cycles' is in a {group} of -e")
    check.contains("the list says what is possible", run.section("list"), "CPI ")
