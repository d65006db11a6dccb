# SPDX-License-Identifier: MIT
"""A user's program: three calls of a region, each of which prints an x."""

import regionstat

for _ in range(3):
    with regionstat.region("installed"):
        print("x", end="")
print()
