# SPDX-License-Identifier: MIT
"""Any number of groups that take turns: totals are good estimates, counted calls exact, the run's
totals and its regions' agree, however long calls are and however events are read."""

import turns_truth


def judge(run, check):
    if not run.emulated:
        check.skip("turns", "this machine may have more counters, and other load")
        return
    found = turns_truth.sections(run)
    check.equal("measured", len(found), 16)
    for title, report, truth, messages in found:
        check.equal(f"{title}: status", messages.splitlines()[-1], "0")
        turns_truth.check_totals(check, title, report, truth, {"long": 5})
        turns_truth.check_counted(check, title, report, truth)
        turns_truth.check_run(check, title, report, truth)
