# SPDX-License-Identifier: MIT
"""For every command test: run the built regionstat on the built programs, and read its CSV back
into objects. Write TAP so that meson shows each test, each skip and each reason by name.

A test file defines unittest.TestCase classes and ends with `harness.main()`. meson gives the build
directory in REGIONSTAT_BUILD. Every child process has a time limit and ends with the test.
"""

import csv
import dataclasses
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("REGIONSTAT_BUILD") or os.path.join(SOURCE, "build")
REGIONSTAT = os.path.join(BUILD, "cmd", "regionstat")
SANITIZE = os.environ.get("REGIONSTAT_SANITIZE", "none")  # the option that all is built with
APPS = os.path.join(BUILD, "tests", "apps")
APP_SOURCES = os.path.join(SOURCE, "tests", "apps")
HEADER = os.path.join(SOURCE, "lib", "regionstat.h")

COLUMNS = ("run,kind,region,parent,process,thread,event,unit,status,value,error,calls,counted,threads,"
           "total,self_total,avg,min,p50,p90,p99,max,stddev,running").split(",")
INTEGERS = {"calls", "counted", "threads", "total", "self_total", "min", "p50", "p90", "p99", "max"}
REALS = {"error", "avg", "stddev", "running"}

# Programs inherit ignored signals (nohup, a shell's background job): tests that send signals must
# not depend on how they were started. Python itself ignores SIGPIPE, and restores it in children.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)

# The most that markers may cost, as a part of the time within them. Where a sanitizer looks at each
# of their steps it is more.
MARKERS_RATIO = 0.02 if SANITIZE == "none" else 0.5 if "thread" in SANITIZE else 0.1

# More than any test program takes, so that this is a hang and not slowness.
TIMEOUT_S = 120


def app(name):
    """The path of a program of tests/apps."""
    return os.path.join(APPS, name)


def environment(**changes):
    """This process's environment without what would change regionstat's behaviour; a change to
    None removes a variable."""
    result = {name: value for name, value in os.environ.items()
              if not name.startswith(("REGIONSTAT_", "LC_", "MESON_"))
              and name not in ("NO_COLOR", "COLUMNS", "LANG", "LANGUAGE", "TERM")}
    result["LC_ALL"] = "C.UTF-8"
    result["XDG_CONFIG_HOME"] = "/nonexistent"  # no settings of the user
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def without_leak_check(**changes):
    """environment() for programs that LeakSanitizer must not stop to look at, since they are
    traced or have no descriptor left for it."""
    options = [text for text in (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0") if text]
    return environment(ASAN_OPTIONS=":".join(options), **changes)


class Result:
    """A finished command: status as a shell gives it (128 + signal), stdout and stderr as text,
    and stdout_bytes."""

    def __init__(self, argv, returncode, stdout, stderr):
        self.argv = argv
        self.status = returncode if returncode >= 0 else 128 - returncode
        self.signal = -returncode if returncode < 0 else 0
        self.stdout_bytes = stdout
        self.stdout = stdout.decode("utf-8", "backslashreplace")
        self.stderr = stderr.decode("utf-8", "backslashreplace")

    def __str__(self):
        return "%s\n  status %d\n  stdout: %s\n  stderr: %s" % (
            " ".join(self.argv), self.status, self.stdout[-2000:], self.stderr[-4000:])


def run(argv, *, env=None, cwd=None, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, **popen):
    """Run argv to its end and return its Result. On a time-out it kills the child and all that the
    child started, and raises subprocess.TimeoutExpired."""
    process = subprocess.Popen(argv, env=environment() if env is None else env, cwd=cwd,
                               stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, **popen)
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Result([str(word) for word in argv], process.returncode, stdout, stderr)


def regionstat(*arguments, **options):
    """Run regionstat with these arguments; options as of run()."""
    return run([REGIONSTAT, *map(str, arguments)], **options)


class Row:
    """One CSV row: the columns as attributes, numbers as numbers, an empty number as None."""

    def __init__(self, fields):
        for name, text in fields.items():
            setattr(self, name, self.value_of(name, text))

    @staticmethod
    def value_of(name, text):
        if name in INTEGERS:
            return int(text) if text != "" else None
        if name in REALS:
            return float(text) if text != "" else None
        return text

    def __repr__(self):
        return "Row(%s)" % ", ".join("%s=%r" % item for item in vars(self).items())


class Report:
    """The rows of one CSV report. rows that a question does not match exactly once raise."""

    def __init__(self, text, separator=","):
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
        if not records:
            raise AssertionError("the CSV is empty")
        if records[0] != COLUMNS:
            raise AssertionError("CSV header is %r" % records[0])
        self.rows = []
        for number, record in enumerate(records[1:], 2):
            if len(record) != len(COLUMNS):
                raise AssertionError("CSV record %d has %d fields, not %d: %r"
                                     % (number, len(record), len(COLUMNS), record))
            self.rows.append(Row(dict(zip(COLUMNS, record))))

    def select(self, **wanted):
        """The rows whose columns equal the wanted values."""
        return [row for row in self.rows
                if all(getattr(row, name) == value for name, value in wanted.items())]

    def one(self, **wanted):
        """The one row whose columns equal the wanted values."""
        found = self.select(**wanted)
        if len(found) != 1:
            raise AssertionError("%d rows have %r, among:\n%s"
                                 % (len(found), wanted, "\n".join(map(repr, self.rows))))
        return found[0]

    def region(self, name, event="time"):
        """The row of an event of a region over all processes and threads."""
        return self.one(kind="region", region=name, event=event, process="all", thread="all")

    def run(self, event="time"):
        """The row of an event of the whole run."""
        return self.one(kind="run", event=event)

    def regions(self):
        """The regions' names in the order of their rows, each once."""
        return list(dict.fromkeys(row.region for row in self.rows if row.kind == "region"))

    def calls(self):
        """Calls by region, over all processes and threads."""
        return {row.region: row.calls
                for row in self.select(kind="region", event="time", process="all", thread="all")}

    def diagnostics(self, region=None):
        """The numbers of all diagnostics (of one region) by event; without zeros, and without "clamped",
        which is checked by itself."""
        found = {}
        for row in self.select(kind="diagnostic"):
            if (region is not None and row.region != region) or not row.calls:
                continue
            if row.event == "clamped":
                self.check_clamped(row)
            else:
                found[row.event] = found.get(row.event, 0) + row.calls
        return found

    def markers_ns(self):
        """The overhead of all regions in the report."""
        calls = self.calls()
        return sum(float(row.value) * calls[row.region]
                   for row in self.select(kind="info", event="own_cost") if row.region)

    def check_clamped(self, row):
        """How many calls were shorter than their markers depends on speed and on neighbours. But no
        more calls than there were; and then the shortest took 0, but for the width of a histogram's
        bucket: a 64th of what the markers took. The time may be missing in the unknown on-CPU time
        of calls that end on another thread."""
        width = 1 + max([float(found.value) / 64 for found in
                         self.select(kind="info", region=row.region, event="own_cost")], default=0)
        rows = self.select(kind="region", region=row.region)
        shortest = [one for one in rows if one.min is not None and one.min <= width
                    or (one.event, one.status) == ("cpu-time", "not-supported")]
        if not shortest or row.calls > max(one.calls for one in shortest):
            raise AssertionError("more calls are clamped than were short: %r, %r" % (row, rows))


class Measured(Result):
    """A Result of regionstat with the report that it wrote: report (None when it wrote none)."""

    report = None


class TestCase(unittest.TestCase):
    """Adds a scratch directory per test and measure()."""

    maxDiff = None
    n_repeated = 0  # of all tests of a file

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="regionstat-test-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        """A path in this test's own directory."""
        return os.path.join(self.directory, name)

    def text_file(self, name, text):
        """A file of that text in this test's own directory; its path."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def measure(self, *program, events=None, options=(), status=0, **run_options):
        """Run `regionstat -x , -o FILE [-e EVENTS] OPTIONS -- PROGRAM` and read the report back.
        events: one -e argument, a list of them, or None. status: the one expected."""
        output = self.path("report.csv")
        if os.path.exists(output):
            os.unlink(output)
        arguments = ["-x", ",", "-o", output]
        for event in [events] if isinstance(events, str) else events or []:
            arguments += ["-e", event]
        result = regionstat(*arguments, *options, "--", *program, **run_options)
        result.__class__ = Measured
        self.assertEqual(result.status, status, result)
        if os.path.exists(output):
            with open(output, encoding="utf-8", errors="surrogateescape", newline="") as file:
                result.report = Report(file.read())
        return result

    def make_bare_root(self, unshare):
        """The words behind those of need_pid_namespaces() that run the static rules where the root
        directory holds nothing else; or skip the test."""
        program, root = need_app("rules-static"), self.path("root")
        os.mkdir(root)
        shutil.copy(program, os.path.join(root, "rules"))
        words = ["--root=" + root, "/rules"]
        result = run([*unshare, *words])
        if result.status != 0:
            self.skipTest("unshare --root does not work here: " + result.stderr.strip())
        return words

    def assertClean(self, report):
        """No diagnostic of any region."""
        self.assertEqual(report.diagnostics(), {})

    def compile(self, source, compiler, *flags, name="program"):
        """Make a program of a source of tests/apps in this test's own directory; its path."""
        program = self.path(name)
        if SANITIZE != "none":
            flags = ("-fsanitize=" + SANITIZE, *flags)
        result = run([compiler, "-pthread", "-Wall", "-Wextra", "-Werror",
                      "-I" + os.path.dirname(HEADER), os.path.join(APP_SOURCES, source),
                      "-o", program, *flags])
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        return program

    def compile_text(self, text, *flags, compiler=None, name="program"):
        """The same of a text, in C or C++ as the compiler has it; in C by default."""
        compiler = compiler or compilers()[0]
        source = self.text_file(name + (".cpp" if "++" in compiler else ".c"), text)
        return self.compile(source, compiler, *flags, name=name)

    def steadily(self, attempt):
        """attempt(), and once more where it raises TimeMissing: main() prints how often that was,
        and check_summary.py how often in all tests. Returns its result."""
        try:
            return attempt()
        except TimeMissing as reason:
            note("once more: %s" % str(reason)[:200])
            TestCase.n_repeated += 1
            return attempt()

    def assertBetweenClocks(self, row, within_ns, around_ns):
        """The total time of a row's calls, none of which lies in another. A clock around the
        markers gives its maximum, a clock within them its minimum. Below that, raises TimeMissing,
        as assertTruth() does."""
        slack = CLOCKS_NS * row.calls
        self.assertLessEqual(row.total, around_ns * (1 + CLOCKS_RATIO) + slack, row)
        if row.total < within_ns * (1 - MARKERS_RATIO) - slack:
            raise TimeMissing("total is %d, not %d: %r" % (row.total, within_ns, row))

    def assertTruth(self, report, truth, margin=MARKERS_RATIO):
        """The row of time of a region agrees with what the program knows of it. margin: the most
        that the markers may cost, as a part of the time within them. Raises TimeMissing where time
        is missing: a preempted marker may take that for overhead."""
        row = report.region(truth.region)
        calls, late = truth.calls, 1 + CLOCKS_RATIO
        self.assertEqual((row.calls, row.counted, row.status), (calls, calls, "ok"))
        for what, value, least, most in (
                ("sum", row.avg * calls, truth.within.sum_ns, truth.around.sum_ns),
                ("total", row.total, truth.within.once_ns, truth.around.once_ns),
                ("min", row.min, truth.within.min_ns, truth.around.min_ns),
                ("max", row.max, truth.within.max_ns, truth.around.max_ns)):
            slack = CLOCKS_NS * (calls if what in ("sum", "total") else 1)
            self.assertLessEqual(value, most * late + slack, (what, row, truth))
            if what == "max" and truth.inner:
                slack += report.markers_ns()  # those of all calls may have been in the longest
            if value < least * (1 - margin) - slack:
                raise TimeMissing("%s is %.0f, not %.0f: %r, %r" % (what, value, least, row, truth))
        if row.self_total is not None: # it is of calls that nest
            self.assertTrue(0 <= row.self_total <= row.total, row)


def start(argv, **popen):
    """Start argv in a session of its own, its output in pipes; for tests that act while it runs.
    The caller ends it with stop()."""
    popen.setdefault("env", environment())
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.PIPE)
    popen.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([str(word) for word in argv], start_new_session=True, **popen)


def stop(process):
    """Kill what start() started, with all its children, if it still runs; and close its pipes."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


class TimeMissing(AssertionError):
    """A run in which time is missing. A marker that is preempted may take that for overhead: two runs in
    succession are a failure."""


# The difference between the clock of regions and CLOCK_MONOTONIC, in the long run and in one call.
CLOCKS_RATIO, CLOCKS_NS = 2e-4, 30


@dataclasses.dataclass
class Side:
    """One side of tests/apps/truth.h: within the markers, or around them."""

    sum_ns: int
    once_ns: int
    min_ns: int
    max_ns: int


@dataclasses.dataclass
class Truth:
    """A program's output of a region by truth_print()."""

    region: str
    calls: int
    inner: int
    within: Side
    around: Side


def truths(text):
    """The Truths in a program's output, by region."""
    found = {}
    for line in text.split("\n"):
        if line.startswith("truth "):
            *numbers, region = line.split(" ", 11)[1:]
            calls, inner, *times = map(int, numbers)
            found[region] = Truth(region, calls, inner, Side(*times[:4]), Side(*times[4:]))
    if not found:
        raise AssertionError("the program told no truth: %r" % text)
    return found


def compilers(language="c"):
    """The compilers of "c" or "c++" to try programs with; skips where there is none. A runtime with
    a sanitizer takes programs of its own compiler only."""
    names = {"gcc": "g++", "clang": "clang++"}
    found = [name for name in names if shutil.which(names[name])]
    if SANITIZE != "none":
        found = [name for name in found if name in os.environ.get("REGIONSTAT_COMPILER", "gcc")]
    if not found:
        raise unittest.SkipTest("there is no compiler of %s to make programs with" % language)
    return found if language == "c" else [names[name] for name in found]


def need_no_sanitizer():
    """Skip the test where a sanitizer makes markers slower than in any program."""
    if SANITIZE != "none":
        raise unittest.SkipTest("a sanitizer is no part of what is measured")


def need_tool(name):
    """The path of a tool, or skip the test."""
    path = shutil.which(name)
    if not path:
        raise unittest.SkipTest("%s is not installed" % name)
    return path


def need_pid_namespaces():
    """The words that run a program as number 1 of a pid namespace of its own, or skip the test."""
    unshare = need_tool("unshare")
    for words in (["-p"], ["-r", "-p"]):
        argv = [unshare, *words, "--fork", "--kill-child"]
        result = run([*argv, "sh", "-c", "echo $$"])
        if result.status == 0 and result.stdout == "1\n":
            return argv
    raise unittest.SkipTest("no pid namespace may be made here: " + result.stderr.strip())


def need_other_user():
    """The words that run the command as a user without rights, or skip the test."""
    words = [need_tool("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
    if run([*words, REGIONSTAT, "--version"]).status != 0:
        raise unittest.SkipTest("another user cannot reach the command here")
    return words


def need_app(name):
    """The path of a program of tests/apps that is not built everywhere, or skip the test."""
    path = app(name)
    if not os.path.exists(path):
        raise unittest.SkipTest("%s is not built here" % name)
    return path


def need_exact_faults():
    """Skip the test where regions have page faults that are not the program's own."""
    if "thread" in SANITIZE:
        raise unittest.SkipTest("ThreadSanitizer's own memory faults within regions")


def built_apps(*names):
    """Those of these programs that are built here: static ones are not with sanitizers."""
    return [name for name in names if os.path.exists(app(name))]


def sysctl(name):
    """The value of a sysctl such as kernel.perf_event_paranoid as an int, None without it."""
    try:
        with open("/proc/sys/" + name.replace(".", "/"), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def has_hardware_counters():
    """Whether perf itself can count cycles here: the judge in tests for both kinds of machine."""
    perf = shutil.which("perf")
    if not perf:
        return False
    result = run([perf, "stat", "-x", ",", "-e", "cycles", "true"])
    return bool(re.search(r"^\d+,", result.stderr, re.MULTILINE))


class TapResult(unittest.TestResult):
    """One TAP line a test method; the details of a failure as comments before it."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream
        self.number = 0
        self.failed_subtests = 0

    def comment(self, text):
        for line in text.rstrip("\n").split("\n"):
            self.stream.write("# %s\n" % line)

    def line(self, ok, test, directive=""):
        self.number += 1
        test = getattr(test, "test_case", test)  # a skipped subtest has the name of its method
        name = "%s.%s" % (type(test).__name__, getattr(test, "_testMethodName", test))
        name = name.replace("#", "")
        self.stream.write("%sok %d - %s%s\n" % ("" if ok else "not ", self.number, name, directive))
        self.stream.flush()

    def startTest(self, test):
        super().startTest(test)
        self.failed_subtests = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line(True, test)

    def addError(self, test, err):
        super().addError(test, err)
        self.comment(self._exc_info_to_string(err, test))
        self.line(False, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.comment(self._exc_info_to_string(err, test))
        self.line(False, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line(True, test, " # SKIP " + reason.replace("\n", " "))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed_subtests += 1
            self.comment("%s\n%s" % (subtest, self._exc_info_to_string(err, test)))

    def stopTest(self, test):
        super().stopTest(test)
        # unittest reports neither success nor failure of a method whose subtests failed
        if self.failed_subtests:
            self.line(False, test)


def note(text):
    """Print a figure that a reader wants but no test asserts."""
    for line in str(text).rstrip("\n").split("\n"):
        print("# " + line, flush=True)


def main():
    """Run the tests of the calling file (those named on the command line only, if any)."""
    module = sys.modules["__main__"]
    loader = unittest.TestLoader()
    if len(sys.argv) > 1:
        suite = loader.loadTestsFromNames(sys.argv[1:], module)
    else:
        suite = loader.loadTestsFromModule(module)
    result = TapResult(sys.stdout)
    suite.run(result)
    print("1..%d" % result.number, flush=True)
    if TestCase.n_repeated:
        print("# repeated: %d" % TestCase.n_repeated, flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)
