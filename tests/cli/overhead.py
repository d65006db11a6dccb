# SPDX-License-Identifier: MIT
"""The overhead of markers with system calls is subtracted from the region around them. An outer
region has 400 inner calls, each of which reads its counters by read(2). By task-clock and by the
elapsed time, it must be as long as its work without markers. That work is measured just before and
just after each of the outer regions. A region is compared only if no context switch was in it or in
the work before and after it. A switch adds the time of other tasks and cold caches. A run's error
is the median of the errors of its regions."""

import contextlib
import os
import statistics
import subprocess
import typing

import harness

EVENTS = "task-clock,page-faults,context-switches"
# the program's clocks, and the event that is compared with each
CLOCKS = {"cpu": "task-clock", "wall": "time"}
INNER_CALLS, ROUNDS, TIMES = 400, 1200, 400
# 3 % of the work are 40 ns of an inner call's 1.3 us: a pair of markers that reads only the clock
# takes as long. Its overhead is calibrated, not measured each time. 4 % of the overhead are more
# where system calls are slow: the program's own code is then slower after each of them, too.
LIMIT_RATIO, LIMIT_OF_OVERHEAD = 0.03, 0.04
# Factors of a normal distribution: 1.4826 median distances from the median are a standard
# deviation, and 1.2533 standard errors of a mean are that of a median. By chance an error exceeds
# N_ERRORS standard errors once in 15,000 runs.
SIGMA_OF_MEDIAN_DISTANCE, ERROR_OF_MEDIAN, N_ERRORS = 1.4826, 1.2533, 4
# With fewer regions, or a larger error of the median, the result is not used.
MIN_REGIONS, MOST_ERROR_RATIO = 20, 0.01


@contextlib.contextmanager
def busy_neighbours(number):
    """Run this many busy processes."""
    processes = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Noise(Exception):
    """Raised if too few regions had no context switch, or if their times differed too much."""


class Error(typing.NamedTuple):
    """The error of a run's outer regions as a share of the truth, and the error that is allowed."""

    ratio: float
    limit: float

    def is_small(self):
        return abs(self.ratio) <= self.limit

    def __str__(self):
        return "%+.2f %% of at most %.2f" % (100 * self.ratio, 100 * self.limit)


def one_run(program, directory, wrap=()):
    """Run the program once. Return the result, its report, and the truths: {clock: [ns of work,
    ...]}."""
    output = os.path.join(directory, "report.csv")
    result = harness.regionstat("-x", ",", "-o", output, "-e", EVENTS, "--", *wrap, program,
                                INNER_CALLS, ROUNDS, TIMES)
    truths = {}
    for line in result.stdout.splitlines():
        clock, *took = line.split()
        truths[clock] = [int(ns) for ns in took]
    report = None
    if os.path.exists(output):
        report = harness.read_report(output)
        os.unlink(output)
    return result, report, truths


def error_of(report, truths, clock):
    """Return the Error by one of the clocks, or None if the events that it needs were not
    counted."""
    total = {(row.region, row.event): row.total for row in report.select(kind="region", process="all")}
    regions = ["outer %d" % i for i in range(len(truths[clock]) - 1)]

    def has_no_switch(i):
        """Return True if no context switch was in an outer region, nor in the work on both
        sides."""
        return not (truths["switches"][i] or truths["switches"][i + 1] or any(
            total[regions[i], event] for event in ("context-switches", "preempted", "blocked")))

    if not any(total[region, CLOCKS[clock]] for region in regions):
        return None
    errors = [2 * total[region, CLOCKS[clock]] / (truths[clock][i] + truths[clock][i + 1]) - 1
              for i, region in enumerate(regions) if has_no_switch(i)]
    if len(errors) < MIN_REGIONS:
        raise Noise("%d of %d regions had no context switch" % (len(errors), len(regions)))
    median = statistics.median(errors)
    standard_error = (ERROR_OF_MEDIAN * SIGMA_OF_MEDIAN_DISTANCE / len(errors) ** 0.5
                      * statistics.median(abs(error - median) for error in errors))
    if standard_error > MOST_ERROR_RATIO:
        raise Noise("the median of %d regions is sure to %.1f %% only"
                    % (len(errors), 100 * standard_error))
    work = statistics.median(truths[clock]) / INNER_CALLS
    overhead = float(report.one(kind="info", event="overhead", region="inner").value)
    limit = max(LIMIT_RATIO, LIMIT_OF_OVERHEAD * overhead / work)
    return Error(median, limit + N_ERRORS * standard_error)


def errors_of_a_run(program, directory):
    """Return the Error by each of the clocks, in one run."""
    result, report, truths = one_run(program, directory)
    if result.status != 0:
        raise AssertionError(str(result))
    return {clock: error_of(report, truths, clock) for clock in CLOCKS}
