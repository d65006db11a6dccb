# SPDX-License-Identifier: MIT
"""As turns_lengths, with any number of groups."""

import turns_truth


def judge(run, check):
    turns_truth.judge_lengths(run, check, n_measured=11)
