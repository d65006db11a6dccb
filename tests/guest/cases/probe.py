# SPDX-License-Identifier: MIT
"""The machine under test counts events: everything else in this directory relies on that."""


def judge(run, check):
    rows = {}
    for line in run.text.splitlines():
        words = line.split()
        if len(words) == 3:
            rows[words[0]] = words[1:]
    check.equal("exit status", run.status, 0)
    first, second = (int(count) for count in rows["instructions"])
    check.equal("100,000 more instructions count as 100,000", second - first, 100000)
    check.between("the cost of read() around them", first - 100000, 0, 5000)
    check.true("cycles are counted", int(rows["cycles"][0]) > 0, rows["cycles"])
    if run.emulated:
        check.equal("the kernel refuses branches", rows["branches"][0], "unsupported")
