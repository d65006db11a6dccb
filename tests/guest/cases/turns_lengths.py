# SPDX-License-Identifier: MIT
"""Multiplexed groups: totals are good estimates, counted calls are exact, and the run's totals
agree with its regions'. This holds for calls of any length and for both ways to read events."""

import turns_truth


def judge(run, check):
    turns_truth.judge_lengths(run, check, n_measured=5)
