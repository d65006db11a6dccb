# SPDX-License-Identifier: MIT
"""Random programs with markers, measured by regionstat and traced by an independent oracle. Both
must agree on every call, every diagnostic and every page fault.

REGIONSTAT_SEED is the first program's seed, and REGIONSTAT_PROGRAMS their number. Without them, this
is a test of some seconds. A failure names its seed. The program of a seed depends on the sources in
this directory and on the installed compilers.
"""

import math
import os
import platform
import random
import shutil
import subprocess
import tempfile

import harness
import oracle
import random_programs

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST = harness.seed(1)
N = int(os.environ.get("REGIONSTAT_PROGRAMS", "25"))
FEATURES = ("threads", "forks", "pauses", "handlers", "jumps", "disorder", "async")
EVENTS = ("time", "page-faults", "page-faults,context-switches",
          "page-faults,context-switches,cpu-migrations",
          "page-faults,minor-faults,major-faults,context-switches",
          "page-faults,minor-faults,major-faults,context-switches,cpu-migrations",
          "minor-faults,{page-faults,major-faults},context-switches")
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def memory_directory():
    """Return a directory in memory from which programs can be run, or None."""
    path = "/dev/shm"
    usable = os.access(path, os.W_OK) and not os.statvfs(path).f_flag & os.ST_NOEXEC
    return path if usable else None


class Case:
    """A program and the options to measure it with. All follow from a seed."""

    def __init__(self, seed, directory):
        self.random = random.Random(seed)
        self.features = [f for f in FEATURES if self.random.random() < 0.4]
        self.events = self.random.choice(EVENTS)
        self.sample = self.random.choice((None, None, None, 2, 7))
        self.compiler = self.random.choice(COMPILERS)
        self.flags = [self.random.choice(("-O0", "-O1", "-O2", "-O3", "-Os"))]
        if self.compiler == "gcc" and self.random.random() < 0.3:
            self.flags.append("-flto")
        self.static = self.random.random() < 0.2
        self.options = []
        if self.sample:
            self.options += ["--sample", str(self.sample)]
        if self.random.random() < 0.2:
            self.options.append("--raw")
        self.n_compared, self.n_left = 0, 0  # regions
        self.program = os.path.join(directory, "program")
        self.source = os.path.join(directory, "program.c")
        self.log = os.path.join(directory, "log")
        self.report = os.path.join(directory, "report.csv")
        harness.write_text(self.source, random_programs.Generator(seed, self.features).program())

    def __str__(self):
        return "%s, %s%s, -e %s %s: %s" % (self.compiler, " ".join(self.flags), ", static"
                                           if self.static else "", self.events,
                                           " ".join(self.options), ", ".join(self.features))

    def compile(self):
        """Compile the program."""
        argv = [self.compiler, "-std=gnu11", "-pthread", *self.flags, "-w", "-I", HERE,
                "-I", os.path.join(harness.SOURCE, "lib"), "-o", self.program, self.source]
        if self.static:
            argv += ["-static", "-DREGIONSTAT_STATIC",
                     os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")]
        subprocess.run(argv, check=True)

    def measure(self):
        """Run the program. Return the command's result, its report, and the oracle's values."""
        for path in (self.log, self.report):
            if os.path.exists(path):
                os.unlink(path)
        result = harness.regionstat("-x", ",", "-o", self.report, "-e", self.events,
                                    *self.options, "--", self.program,
                                    env=harness.environment(TRACE=self.log))
        report = harness.read_report(self.report)
        expected = oracle.Oracle(harness.read_bytes(self.log))
        return result, report, expected

    def compare(self):
        """Run the program. Return the differences as text."""
        result, report, expected = self.measure()
        found = []
        if expected.is_full:
            self.n_left += len(expected.regions)
            return found  # the oracle knows nothing of what follows
        # Programs end by return, by abort() or by SIGKILL.
        if result.status not in (0, 134, 137) or "are invalid and ignored" in result.stderr:
            found.append("status %d: %s" % (result.status, result.stderr))
        for number, region in sorted(expected.regions.items()):
            found += self.compare_region(report, "r%d" % number, region, expected)
        return found

    def compare_region(self, report, name, region, expected):
        counts = report.diagnostics(name)
        counts["calls"] = report.calls().get(name, 0)
        wanted = {what: n for what, n in region.counts.items() if n}
        wanted.setdefault("calls", 0)
        # If an END by name ended a scope's call, the scope's own END may be reported as unmatched.
        extra = counts.get("unmatched", 0) - wanted.get("unmatched", 0)
        if 0 < extra <= region.taken_scopes:
            wanted["unmatched"] = counts["unmatched"]
        if not expected.is_recursion_known(region):
            wanted.pop("recursive", 0)
            counts.pop("recursive", 0)
        self.n_compared += 1
        found = []
        if counts != wanted:
            found.append("%s: %r instead of %r" % (name, counts, wanted))
        for row in report.select(kind="region", region=name, process="all", thread="all"):
            found += inconsistencies(row)
        if not region.faults or self.sample or "page-faults" not in self.events or \
                "forks" in self.features:
            return found
        row = report.region(name, "page-faults")
        for what, value in oracle.page_faults(region).items():
            got = getattr(row, what)
            # The value moves to the middle of an accumulator's bucket, and then of a collection's.
            near = 1 / 128 + 1 / 512 if what in ("p50", "p90", "p99") else 1e-9
            if got is None or abs(got - value) > near * value:
                found.append("%s: page-faults: %s is %r, not %r" % (name, what, got, value))
        return found


def inconsistencies(row):
    """Return the contradictions in a row, which no program can cause."""
    values = [row.min, row.p50, row.p90, row.p99, row.max]
    found = []
    # The average time contains the off-CPU time of skipped calls, which the maximum does not know.
    most = math.inf if row.event == "time" and row.counted < row.calls else row.max
    if None not in values and (values != sorted(values) or not row.min <= row.avg <= most):
        found.append("disorder: %r" % row)
    # Time is not checked: if calls overlap, it depends on the error of the overhead.
    if row.event != "time" and row.total is not None and row.self_total is not None and \
            row.self_total > row.total:
        found.append("more self than total: %r" % row)
    statuses = ["ok", "scaled", "not-counted"]
    if row.event in ("cpu-time", "blocked", "preempted"):
        statuses.append("not-supported")
    if row.status not in statuses:
        found.append("status: %r" % row)
    return found


class Differential(harness.TestCase):

    def setUp(self):
        # The directory is in memory, since pages of a file may fault again when they are written.
        self.directory = tempfile.mkdtemp(prefix="differential-", dir=memory_directory())
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def test_random_programs(self):
        harness.need_no_sanitizer("programs without the sanitizer cannot load a runtime that has it")
        if platform.machine() not in ("x86_64", "aarch64"):
            self.skipTest("the stack pointer of %s is not known" % platform.machine())
        harness.need(COMPILERS, "there is neither gcc nor clang")
        n_compared = n_left = 0
        for seed in range(FIRST, FIRST + N):
            case = Case(seed, self.directory)
            case.compile()
            found = case.compare()
            n_compared += case.n_compared
            n_left += case.n_left
            if found:
                self.fail("seed %d (%s):\n%s" % (seed, case, "\n".join(found)))
        harness.note("%d regions agree in %d programs; of %d the oracle cannot know"
                     % (n_compared, N, n_left))
        self.assertGreater(n_compared, N)
