# SPDX-License-Identifier: MIT
# What the PMU counts, with no line of regionstat involved.
pmu_probe
