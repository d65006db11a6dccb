# SPDX-License-Identifier: MIT
"""The same checks as turns_lengths, with any number of groups."""

import turns_truth


def judge(run, check):
    turns_truth.judge_lengths(run, check, n_measured=11)
