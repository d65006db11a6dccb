# SPDX-License-Identifier: MIT
"""Running the programs of the benchmark and reading what they print."""

import re
import subprocess
import sys


def launched(setting, events, *options, markers="auto"):
    """The command that measures what follows it, the report thrown away. markers: of other APIs,
    instead of their libraries; "none" where these are called."""
    return [setting.regionstat, "-o", "/dev/null", "-e", events, "--markers", markers, *options,
            "--"]


def output(setting, command, **keywords):
    """The output of a command. It must succeed, or the benchmark ends."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                          env=setting.environment, cwd=setting.scratch, **keywords)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(words)}\nended with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def rows_of(text, kind=int):
    """Lines of numbers separated by commas."""
    return [[kind(field) for field in line.split(",")] for line in text.splitlines()]


def pair_values(text):
    """The output of pairs, as {variant: [value of one pair in each round]}, less the empty loop."""
    totals = {}
    for line in text.splitlines():
        # beside what a tool says
        if not re.fullmatch(r"\w+(,\d+){3}", line):
            continue
        variant, _, n_pairs, value = line.split(",")
        totals.setdefault(variant, []).append(int(value) / int(n_pairs))
    empty = totals.pop("empty")
    return {variant: [value - nothing for value, nothing in zip(values, empty)]
            for variant, values in totals.items()}


def in_turns(setting, n_turns, *commands):
    """Run commands that print so alternately, and return the measurements of each. They have as
    many rounds as each other: so the same round of two was measured at nearly the same time."""
    values = [{} for _ in commands]
    for _ in range(n_turns):
        for mine, command in zip(values, commands):
            for variant, some in pair_values(output(setting, command)).items():
                mine.setdefault(variant, []).extend(some)
    return values
