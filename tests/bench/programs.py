# SPDX-License-Identifier: MIT
"""Functions that run the programs of the benchmark and parse their output."""

import re
import subprocess
import sys


def launched(setting, events, *options, markers="auto"):
    """Return the command that measures its arguments and discards the report. markers: the APIs to
    measure instead of their libraries, or "none" to call the libraries."""
    return [setting.regionstat, "-o", "/dev/null", "-e", events, "--markers", markers, *options,
            "--"]


def output(setting, command, **keywords):
    """Return the output of a command. If the command fails, the benchmark ends."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                          env=setting.environment, cwd=setting.scratch, **keywords)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(words)}\nended with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def rows_of(text, kind=int):
    """Parse lines of numbers separated by commas."""
    return [[kind(field) for field in line.split(",")] for line in text.splitlines()]


def pair_values(text):
    """Return the output of pairs as {variant: [value of one pair in each round]}, without the time
    of the empty loop."""
    totals = {}
    for line in text.splitlines():
        # skip the messages of a tool
        if not re.fullmatch(r"\w+(,\d+){3}", line):
            continue
        variant, _, n_pairs, value = line.split(",")
        totals.setdefault(variant, []).append(int(value) / int(n_pairs))
    empty = totals.pop("empty")
    return {variant: [value - nothing for value, nothing in zip(values, empty)]
            for variant, values in totals.items()}


def in_turns(setting, n_turns, *commands):
    """Run commands that print rounds, alternately, and return the measurements of each. All have
    the same number of rounds, so the same round of two commands was measured at nearly the same
    time."""
    values = [{} for _ in commands]
    for _ in range(n_turns):
        for mine, command in zip(values, commands):
            for variant, some in pair_values(output(setting, command)).items():
                mine.setdefault(variant, []).extend(some)
    return values
