# SPDX-License-Identifier: MIT
"""A label takes a few instructions of each marker (regionstat-markers(7)), and reading the total of
an event on the calling thread takes at most 150 (regionstat_read(3))."""

import re

# The compiler may need a further instruction, because a label takes a register. In long paths it may
# then also need fewer.
LABEL, GROUPS_LABEL, READ, FURTHER = 2, 6, 150, 1
MARKERS = {"pair": 2, "scope": 2, "nested": 4, "next": 3, "work": 2}  # those that show a label
OPTIONS = ("-e time", "-e instructions:u", "-e instructions:u,cycles:u", "-e {instructions:u},{cycles:u}",
           "-e time --sample 1001", "-e instructions:u --sample 1001")


def lengths_of(run, options):
    """Return {kind: [fewest, most]}, and for `later KIND` only the fewest."""
    lines = re.findall(r"^((?:later )?[a-z-]+) ([0-9 ]+)$", run.section(options), re.MULTILINE)
    return {kind: [int(number) for number in numbers.split()] for kind, numbers in lines}


def judge(run, check):
    for options in OPTIONS:
        most = GROUPS_LABEL if "},{" in options else LABEL
        plain, labelled = lengths_of(run, options), lengths_of(run, options + " --labels")
        for kind, n in MARKERS.items():
            for which in (kind, "later " + kind):
                if check.true(f"{options}: {which}: counted", which in plain and which in labelled,
                              run.section(options)):
                    more = labelled[which][0] - plain[which][0]
                    check.between(f"{options}: {which}: {plain[which][0]} and for labels",
                                  more, -most * n, most * n + FURTHER)
    for options in OPTIONS[:4]:
        lengths = lengths_of(run, options)
        check.between(f"{options}: read time", lengths["read-time"][1], 1, READ)
        if "instructions" in options:
            check.between(f"{options}: read an event", lengths["read-event"][1], 1, READ)
