# SPDX-License-Identifier: MIT
"""What markers with system calls cost is taken out of the region around them: an outer region with
20,000 inner calls, of which each has to read its counters by read(2), is as long as its work is
without markers, by the thread's CPU clock and, where nobody disturbs, by the clock. That work is
measured just before and just after each of a run's outer regions, and the run's error is the median
of theirs: so what others do to the machine meanwhile is in neither, or in both.

    REGIONSTAT_BUILD=build python3 tests/cli/own_cost.py RUNS [NEIGHBOURS]

does so RUNS times, beside that many busy processes, and says for each how far off it was; the exit
status says whether all were within 3 %."""

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile

import harness

EVENTS = "task-clock,page-faults,context-switches"
INNER_CALLS, ROUNDS, TIMES = 20000, 400, 15
LIMIT_RATIO = 0.03
NOISE_RATIO = 0.02  # truths that mostly differ by more before and after are none
N_TRIES = 6  # to find a steady one


@contextlib.contextmanager
def busy_neighbours(number):
    """So many processes that do nothing but take time."""
    processes = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Noise(Exception):
    """The truth was not steady in any run."""


def one_run(program, directory, wrap=()):
    """Measure once: the result, its report, and the truths, {clock: [ns of work, ...]}."""
    output = os.path.join(directory, "report.csv")
    result = harness.regionstat("-x", ",", "-o", output, "-e", EVENTS, "--", *wrap, program,
                                INNER_CALLS, ROUNDS, TIMES)
    truths = {}
    for line in result.stdout.splitlines():
        clock, *took = line.split()
        truths[clock] = [int(ns) for ns in took]
    report = None
    if os.path.exists(output):
        with open(output, encoding="utf-8", newline="") as file:
            report = harness.Report(file.read())
        os.unlink(output)
    return result, report, truths


def pairs_of(truths, clock):
    """The truths before and after each outer region."""
    return list(zip(truths[clock], truths[clock][1:]))


def error_of(report, truths, clock):
    """By which part of the truth the outer regions are commonly off. None: one was not measured."""
    event = {"cpu": "task-clock", "wall": "time"}[clock]
    totals = [report.region("outer %d" % i, event).total
              for i in range(len(truths[clock]) - 1)]
    if not all(totals):
        return None
    return statistics.median(2 * total / (before + after) - 1 for total, (before, after)
                             in zip(totals, pairs_of(truths, clock)))


def is_steady(truths, clock):
    return statistics.median(2 * abs(before - after) / (before + after)
                             for before, after in pairs_of(truths, clock)) <= NOISE_RATIO


def steady_errors(program, directory, clocks):
    """The errors by each of the clocks, in a run whose truths by all of them were steady."""
    for _ in range(N_TRIES):
        result, report, truths = one_run(program, directory)
        if result.status != 0:
            raise AssertionError(str(result))
        if all(is_steady(truths, clock) for clock in clocks):
            return {clock: error_of(report, truths, clock) for clock in clocks}
    raise Noise("the same work takes %r ns on this machine, %d times" % (truths, N_TRIES))


def compile_program(directory):
    program = os.path.join(directory, "own_cost")
    subprocess.run([harness.compilers()[0], "-std=gnu11", "-O2", "-I",
                    os.path.dirname(harness.HEADER),
                    os.path.join(harness.APP_SOURCES, "own_cost.c"), "-o", program], check=True)
    return program


def main(runs, neighbours):
    """As said above."""
    clocks = ["cpu"] if neighbours else ["cpu", "wall"]
    n_good = n_noise = 0
    with tempfile.TemporaryDirectory() as directory, busy_neighbours(neighbours):
        program = compile_program(directory)
        for run in range(runs):
            try:
                errors = steady_errors(program, directory, clocks)
            except Noise as noise:
                n_noise += 1
                print("run %d: %s" % (run + 1, noise), flush=True)
                continue
            good = all(abs(error) <= LIMIT_RATIO for error in errors.values())
            n_good += good
            print("run %d: %s%s" % (run + 1, ", ".join(
                "%s %+.2f %%" % (clock, 100 * error) for clock, error in errors.items()),
                "" if good else "  more than %g %%" % (100 * LIMIT_RATIO)), flush=True)
    print("%d of %d runs within %g %%, %d too noisy to tell"
          % (n_good, runs, 100 * LIMIT_RATIO, n_noise))
    return 0 if n_good == runs else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: own_cost.py RUNS [NEIGHBOURS]")
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
