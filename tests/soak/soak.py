# SPDX-License-Identifier: MIT
"""Randomized stress programs (soak.c), measured until the time is up. Each program writes the
number of its calls to a file, and the report must agree with it.

REGIONSTAT_MINUTES and REGIONSTAT_SEED make it a long test: see tests/soak.sh.
A failure names its seed. A seed always gives the same programs, but not the same schedule, so a
failure may need some repetitions. With 0 minutes only the given seed runs. Without minutes, this is
a short test: the same programs each time."""

import os
import random
import re
import struct
import time

import harness

# A feature's letter in soak.c: (what it does, why it is turned off, or None if it is on).
FEATURES = {
    "t": ("threads, joined and detached", None),
    "f": ("children of fork()", None),
    "k": ("children killed anywhere", None),
    "x": ("exec", None),
    "u": ("privileges dropped", None),
    "p": ("pauses", None),
    "h": ("a handler that marks, by a timer", None),
    "s": ("fibers by swapcontext()", None),
    "l": ("RLIMIT_NOFILE lowered while it runs", None),
    "w": ("work told of", None),
    "F": ("fork() in the handler", None),
    "R": ("fork() in the handler, and the child goes on from where that came",
          "a child of one thread of many may hang in the C library when that thread ends, measured "
          "or not; without threads (t) it may be on"),
}
EVENTS = (None, None, "time", "page-faults", "page-faults,context-switches", "user_time",
          "system_time,user_time,page-faults")
REGIONS = ["r%d" % n for n in range(8)] + ["async", "handler", "fiber"]
TRUTH = struct.Struct("=%dQ" % (4 * len(REGIONS)))
SKIPPED = re.compile(r"([\d,]+) markers? skipped in signal handlers")
TEST_RUNS, TEST_SEED = 40, 1


class Run:
    """A program and the options to measure it with. All follow from a seed."""

    def __init__(self, seed, case):
        dice = random.Random(seed)
        self.seed = seed
        self.case = case
        self.features = "".join(letter for letter, (_, why_off) in FEATURES.items()
                                if why_off is None and dice.random() < 0.5)
        self.events = dice.choice(EVENTS)
        self.options = ["--wait-all"]
        if dice.random() < 0.3:
            self.options += ["--sample", str(dice.choice((2, 7, 50)))]
        if "w" in self.features and dice.random() < 0.5:
            self.options.append("--by-work")
        if dice.random() < 0.3:
            self.options += ["--slow", "r*:time>%dus" % dice.choice((0, 20, 1000))]
        self.n_steps = dice.choice((50, 300, 1000))

    def __str__(self):
        return "seed %d (features %s, %d steps, -e %s %s)" % (
            self.seed, self.features or "none", self.n_steps, self.events, " ".join(self.options))

    def measure(self):
        """Run the program. Return regionstat's result and the Truth."""
        path = self.case.path("truth")
        with open(path, "wb") as file:
            file.truncate(4096)
        os.chmod(path, 0o666)
        os.chmod(self.case.directory, 0o777)
        result = self.case.measure(SOAK, path, self.seed, self.features, self.n_steps,
                                   events=self.events, options=self.options)
        return result, read_truth(path)

    def check(self):
        """Return the differences as text, and the number of calls that were checked."""
        result, truth = self.measure()
        found = differences(result, truth, {"cut"} if "p" in self.features else ())
        return found, sum(truth.ended.values())


class Truth:
    """What a program has written, by region: calls that had ended, calls that were about to end,
    and the bytes of their work."""

    def __init__(self, numbers):
        n = len(REGIONS)
        self.ending, self.ended, self.bytes_ending, self.bytes_ended = (
            dict(zip(REGIONS, numbers[first:])) for first in range(0, 4 * n, n))


def read_truth(path):
    """Read the Truth from a program's file."""
    with open(path, "rb") as file:
        return Truth(TRUTH.unpack(file.read(TRUTH.size)))


def differences(result, truth, may_be=()):
    """Return the differences between a report and the truth, as text. may_be is {"cut"} if the
    program pauses counting: calls that begin meanwhile are not reported."""
    skipped = SKIPPED.search(result.stderr)
    n_skipped = int(skipped.group(1).replace(",", "")) if skipped else 0
    calls, found = result.report.calls(), []
    if "are invalid and ignored" in result.stderr:
        found.append(result.stderr)
    for region in REGIONS:
        got, cut = calls.get(region, 0), result.report.diagnostics(region).get("cut", 0)
        told = sum(row.total for row in
                   result.report.select(kind="region", region=region, event="bytes"))
        least = truth.ended[region] - (n_skipped if region == "handler" else 0)
        least_told = truth.bytes_ended[region]
        if "cut" in may_be:
            least = least_told = 0
        if not least <= got or not got + cut <= truth.ending[region]:
            found.append("%s: %d calls and %d cut; %d had ended, %d were to" % (
                region, got, cut, truth.ended[region], truth.ending[region]))
        if not least_told <= told <= truth.bytes_ending[region]:
            found.append("%s: %d bytes; calls that ended told of %d, those that were to of %d" % (
                region, told, truth.bytes_ended[region], truth.bytes_ending[region]))
    if found:
        found.append(result.stderr)
    return found


class Soak(harness.TestCase):

    def test_soak(self):
        harness.need_no_sanitizer()
        end = time.monotonic() + SECONDS
        seed, n_runs, n_calls = SEED, 0, 0
        while n_runs < RUNS or time.monotonic() < end:
            run = Run(seed, self)
            try:
                found, n_known = run.check()
            except Exception:
                harness.note("%s; again by: sh tests/soak.sh 0 %d" % (run, seed))
                raise
            if found:
                self.fail("%s; again by: sh tests/soak.sh 0 %d\n%s" % (
                    run, seed, "\n".join(found)))
            seed, n_runs, n_calls = seed + 1, n_runs + 1, n_calls + n_known
        harness.note("seeds %d to %d: %d calls, all of them known" % (SEED, seed - 1, n_calls))
        for letter, (what, why_off) in FEATURES.items():
            if why_off:
                harness.note("off: %s, %s: %s" % (letter, what, why_off))
        self.assertGreater(n_calls, 0)


SOAK = os.path.join(harness.BUILD, "tests", "soak", "soak")
MINUTES = os.environ.get("REGIONSTAT_MINUTES")
SECONDS, RUNS = float(MINUTES or 0) * 60, 1 if MINUTES else TEST_RUNS
SEED = harness.seed(TEST_SEED, MINUTES)
