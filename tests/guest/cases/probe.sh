# SPDX-License-Identifier: MIT
# The PMU's counts, without any code of regionstat.
pmu_probe
