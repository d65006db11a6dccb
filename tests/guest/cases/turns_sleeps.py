# SPDX-License-Identifier: MIT
"""The time by which totals are scaled is the thread's own: while it sleeps, or others run, none of
its events waits for the PMU."""

import turns_truth


def judge(run, check):
    if not run.emulated:
        check.skip("turns", "this machine may have more counters, and other load")
        return
    found = turns_truth.sections(run)
    check.equal("measured", len(found), 13)
    setups = turns_truth.setups(found)
    for title, report, truth, messages in found:
        check.equal(f"{title}: status", messages.splitlines()[-1], "0")
        if title.startswith("setup, "):
            continue
        turns_truth.check_totals(check, title, report, truth)
        turns_truth.check_counted(check, title, report, truth)
        # "outer" contains "inner"
        outermost = {region: row for region, row in truth.items() if region != "inner"}
        turns_truth.check_run(check, title, report, outermost,
                              setups.get(title.partition(", ")[2], ()))
