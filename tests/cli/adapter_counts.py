# SPDX-License-Identifier: MIT
"""Helpers for programs that use other marker APIs: variables that load an adapter of the build, and
the counts of adapters."""

import os
import re
import shutil

import harness

ADAPTERS = os.path.join(harness.BUILD, "lib", "adapters")
STANDIN = os.path.join(ADAPTERS, "standin")
STANDIN_SOURCE = os.path.join(harness.SOURCE, "lib", "adapters", "standin")

# Options that link a program with the stand-in of LIKWID.
WITH_LIKWID = ["-I" + STANDIN_SOURCE, "-L" + STANDIN, "-Wl,-rpath," + STANDIN, "-llikwid"]

# A program with LIKWID's markers.
MARKED = """
#include <likwid.h>
#include <stdio.h>
int main(void)
{
	likwid_markerStartRegion("region");
	puts("out");
	fputs("err\\n", stderr);
	likwid_markerStopRegion("region");
	return 7;
}
"""

# The tests load adapters themselves; the command must not find them once more.
OPTIONS = ["--markers", "none"]


def path(name):
    """Return the path of the adapter of an API."""
    return os.path.join(ADAPTERS, "libregionstat-%s.so" % name)


def tree(test, adapters):
    """Make a copy of regionstat with the same command and runtime, and with these adapters: {name:
    file}. Return the path of the command."""
    for directory in ("cmd", "lib/runtime", "lib/adapters", "lib/metrics"):
        os.makedirs(test.path("tree/" + directory))
    command = shutil.copy(harness.REGIONSTAT, test.path("tree/cmd"))
    shutil.copy(os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1"),
                test.path("tree/lib/runtime/libregionstat.so.1"))
    os.symlink(os.path.join(harness.SOURCE, "lib", "metrics", "files"),
               test.path("tree/lib/metrics/files"))
    for name, file in adapters.items():
        shutil.copy(file, test.path("tree/lib/adapters/libregionstat-%s.so" % name))
    return command


def preloaded(name, **changes):
    """Return an environment that preloads an adapter, after the libraries of a sanitizer."""
    before = [word for word in (os.environ.get("LD_PRELOAD"), sanitizer_library()) if word]
    return harness.environment(LD_PRELOAD=":".join([*before, path(name)]), **changes)


def unordered(**changes):
    """Return an environment in which a sanitizer accepts that the launcher loads an adapter before
    it, and ignores leaks of libraries."""
    if "address" in harness.SANITIZE:
        changes["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + \
            ":verify_asan_link_order=0:detect_leaks=0"
    return harness.environment(**changes)


def sanitizer_library():
    """Return the library to preload before an adapter that is built with a sanitizer, or None."""
    if harness.SANITIZE == "none" or "gcc" not in harness.compilers():  # clang links its own
        return None
    name = "libtsan.so" if "thread" in harness.SANITIZE else "libasan.so"
    result = harness.run([os.environ.get("CC", "gcc"), "-print-file-name=" + name])
    return result.stdout.strip()


def of(report, name):
    """Return an adapter's counts from a report: processes and regions, and those of ignored,
    unmatched, refused, memory and chained that are not 0."""
    found = {row.event.removeprefix("markers_"): int(row.value)
             for row in report.select(kind="info", unit=name)
             if row.event.startswith("markers_")}
    return {key: value for key, value in found.items()
            if value or key in ("processes", "regions")}


def check_auto(test, name, why, calls, *program, ignored=0):
    """Run a program for which the launcher must find and load the adapter itself. why: the reason
    that it prints. The adapter has this count of ignored calls, in one process."""
    counts = {"ignored": ignored} if ignored else {}
    env = unordered()
    result = test.measure(*program, options=["--markers", "auto"], events="time", env=env)
    test.assertEqual(result.report.calls(), calls, result)
    test.assertEqual(of(result.report, name), {"processes": 1, "regions": len(calls), **counts})
    told = harness.regionstat("-v", "-e", "time", "--", *program, env=env).stderr
    more = f"; {ignored:,} calls? ignored" if counts else ""
    test.assertRegex(told, r"- markers %s: %s regions? in 1 process%s\n  %s\n  \w+=%s\n" % (
        name, f"{len(calls):,}", more, why, re.escape(path(name))))
    test.assertEqual(told.count("ignored"), len(counts), told)


def without_runtime(test, *program, env=None, status=0):
    """Run a program with a runtime that does not exist. Check that the report says why there are no
    regions. Return the program's result."""
    words = ["env", "REGIONSTAT_RUNTIME=/nonexistent/libregionstat.so"]
    if env and "LD_PRELOAD" in env:
        words.append("LD_PRELOAD=" + env.pop("LD_PRELOAD"))
    result = test.measure(*words, *program, env=env, options=OPTIONS, status=status)
    test.assertEqual(result.report.calls(), {})
    test.assertIn("/nonexistent/libregionstat.so", result.stderr)
    return result


class Sums:
    """A program's own values of a region over all its threads."""

    within = around = 0


def sums(text):
    """Return the Sums of each region from all lines that a program printed."""
    found = {}
    for line in text.split("\n"):
        if line.startswith("truth "):
            for region, truth in harness.truths(line).items():
                side = found.setdefault(region, Sums())
                side.within += truth.within.sum_ns
                side.around += truth.around.sum_ns
    return found


def skipped(result):
    """Return how many calls the run skipped because too many were open at once."""
    return sum(int(n.replace(",", "")) for n in re.findall(
        r"^regionstat: ([\d,]+) calls? skipped: more than 16,384 open at once on one thread;",
        result.stderr, re.MULTILINE))


def check_nested(test, result, inner):
    """Compare regions on several threads with the program's own times. inner: the row of the region
    inside."""
    for region, side in sums(result.stdout).items():
        row = result.report.region(region)
        slack, took = harness.CLOCKS_NS * row.calls, row.avg * row.calls
        test.assertLessEqual(took, side.around * (1 + harness.CLOCKS_RATIO) + slack)
        # the outer region does not include the overhead of the inner calls
        if row is inner and took < side.within * (1 - harness.MARKERS_RATIO) - slack:
            raise harness.TimeMissing("%r, %r" % (row, side))


class TestCase(harness.TestCase):
    """Tests of one adapter."""

    adapter = None  # the API's name in --markers
    variable = "LD_PRELOAD"  # the variable that loads the adapter
    program = None  # what check() runs

    def environment(self):
        """Return the environment of a program that loads the adapter without a launcher."""
        if self.variable == "LD_PRELOAD":
            return preloaded(self.adapter)
        return harness.environment(**{self.variable: path(self.adapter)})

    def measure_with(self, *program, extra=(), options=(), events="time", **more):
        """Run a program with the adapter, as its API loads it, and with further variables."""
        env = self.environment()
        variable = "%s=%s" % (self.variable, env.pop(self.variable))
        return self.measure("env", variable, *extra, *program, env=env,
                            options=[*OPTIONS, *options], events=events, **more)

    def counts(self, report):
        """Return the adapter's counts in a report, other than that of regions."""
        found = of(report, self.adapter)
        found.pop("regions", None)
        return found

    def check_result(self, result, calls, counts=None, diagnostics=None):
        """Check a run's calls, diagnostics and counts of the adapter."""
        self.assertEqual(result.report.calls(), calls, result)
        self.assertEqual(result.report.diagnostics(), diagnostics or {}, result)
        self.assertEqual(self.counts(result.report), {"processes": 1, **(counts or {})}, result)
        return result

    def check(self, how, n, calls, counts=None, diagnostics=None, program=None, arguments=()):
        """Check a run of the program, or of another one, like check_result()."""
        result = self.measure_with(program or self.program, how, n, *arguments)
        return self.check_result(result, calls, counts, diagnostics)

    def assertClocks(self, result, inner_ns=0):
        """Check that each time is between the program's two clocks. inner_ns: the overhead of markers
        within the calls. Return the names of the regions."""
        sides = sums(result.stdout)
        for region, side in sides.items():
            self.assertBetweenClocks(result.report.region(region), side.within - inner_ns, side.around)
        return set(sides)

    def assertCounts(self, report, processes=1, **counts):
        """Check the adapter's counts other than that of regions."""
        self.assertEqual(self.counts(report), {"processes": processes, **counts})
