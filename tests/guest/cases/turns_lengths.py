# SPDX-License-Identifier: MIT
"""Groups that take turns: totals are good estimates, counted calls exact, the run's totals and its
regions' agree, however long calls are and however events are read."""

import turns_truth


def judge(run, check):
    turns_truth.judge_lengths(run, check, n_measured=5)
