# SPDX-License-Identifier: MIT
"""With --raw all values include the markers' overhead, the same in every region."""

import harness


def judge(run, check):
    taken_out = harness.Report(run.section("taken out"))
    left_in = harness.Report(run.section("left in"))
    empty = taken_out.region("empty", "instructions:u").min
    cost = left_in.region("empty", "instructions:u").min - empty
    # the program loads the address of its site for an END
    check.between("empty region without own cost", empty, 0, 4)
    check.true("empty region with it", cost > 0, cost)
    for region in ("100k", "200k"):
        with_it, without = (report.region(region, "instructions:u").min
                            for report in (left_in, taken_out))
        check.equal(f"{region}: what --raw leaves in", with_it - without, cost)
