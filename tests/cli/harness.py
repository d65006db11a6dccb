# SPDX-License-Identifier: MIT
"""Shared code of all command tests: it runs the built regionstat on the built programs, and reads
its CSV into objects. It writes TAP, so that meson shows each test, skip and reason by name.

A test file defines classes of TestCase, and tests/run.py runs them. meson passes the build directory
in REGIONSTAT_BUILD. Every child process has a time limit and ends with the test.
"""

import contextlib
import csv
import dataclasses
import fcntl
import functools
import io
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("REGIONSTAT_BUILD") or os.path.join(SOURCE, "build")
REGIONSTAT = os.path.join(BUILD, "cmd", "regionstat")
# the sanitizer with which everything is built
SANITIZE = os.environ.get("REGIONSTAT_SANITIZE", "none")
APPS = os.path.join(BUILD, "tests", "apps")
APP_SOURCES = os.path.join(SOURCE, "tests", "apps")
HEADER = os.path.join(SOURCE, "lib", "regionstat.h")

COLUMNS = ("run,kind,region,parent,process,thread,event,unit,status,value,error,calls,counted,threads,"
           "total,self_total,avg,min,p50,p90,p99,max,stddev,running").split(",")
INTEGERS = {"calls", "counted", "threads", "total", "self_total", "min", "p50", "p90", "p99", "max"}
REALS = {"error", "avg", "stddev", "running"}

# Restore signals that this process may have inherited as ignored, from nohup or a background job.
# Tests that send signals must not depend on that. Python itself ignores SIGPIPE, and restores it in
# children.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)

# The limit for the markers' overhead, as a share of the time within them. Sanitizers check each
# step of a marker, so the share is larger.
INNER_RATIO = 0.05  # in a recursion also of the stated overhead, with the page faults of first calls
MARKERS_RATIO = 0.02 if SANITIZE == "none" else 0.5 if "thread" in SANITIZE else 0.1

# Why a program that reads reports does not run with a sanitizer.
SAME_BYTES = "a sanitizer changes none of the bytes that another program reads"

# Much longer than any test program runs, so a time-out is a hang.
TIMEOUT_S = 120


def app(name):
    """Return the path of a program of tests/apps."""
    return os.path.join(APPS, name)


def environment(**changes):
    """Return this process's environment without variables that change regionstat's behaviour. A
    change to None removes a variable."""
    result = {name: value for name, value in os.environ.items()
              if not name.startswith(("REGIONSTAT_", "LC_", "MESON_"))
              and name not in ("NO_COLOR", "COLUMNS", "LANG", "LANGUAGE", "TERM")}
    result.update({"LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": "/nonexistent",  # no settings of the user
                   **changes})
    return {name: value for name, value in result.items() if value is not None}


def without_leak_check(**changes):
    """Return environment() for programs that LeakSanitizer must not check, because they are traced
    or have no descriptors left."""
    options = [text for text in (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0") if text]
    return environment(ASAN_OPTIONS=":".join(options), **changes)


class Result:
    """A finished command: its status as a shell reports it (128 + signal), stdout and stderr as
    text, and stdout_bytes. The report is that of measure()."""

    report = None

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


GROUPS = set()  # of processes that may run; each child process leads one


def end_groups(*_):
    """Kill all child processes when this process is ended, as meson does after a test's time limit."""
    for group in GROUPS:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    os._exit(128 + signal.SIGTERM)


signal.signal(signal.SIGTERM, end_groups)


def start(argv, *, env=None, **popen):
    """Start argv in a new session with its output in pipes, for tests that act while it runs. The
    caller ends it with stop()."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([word if isinstance(word, bytes) else str(word) for word in argv],
                               env=environment() if env is None else env, start_new_session=True,
                               **{**streams, **popen})
    GROUPS.add(process.pid)
    return process


def run(argv, *, timeout=TIMEOUT_S, **popen):
    """Run argv as start() does, to its end. Return its Result. After the time limit, kill the child
    and all its descendants, and raise subprocess.TimeoutExpired."""
    process = start(argv, **popen)
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):  # the child may have ended, and left others
            os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        stop(process)
    return Result([str(word) for word in argv], process.returncode, stdout or b"", stderr or b"")


def regionstat(*arguments, **options):
    """Run regionstat with these arguments. The options are those of run()."""
    return run([REGIONSTAT, *map(str, arguments)], **options)


def row_of(record):
    """Return a CSV row: columns are attributes, numbers are numbers, and an empty number is None."""
    row = types.SimpleNamespace(**dict(zip(COLUMNS, record)))
    for names, number in ((INTEGERS, int), (REALS, float)):
        for name in names:
            setattr(row, name, number(getattr(row, name)) if getattr(row, name) else None)
    return row


class Report:
    """The rows of one CSV report. Methods that return one row raise unless exactly one matches."""

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
            self.rows.append(row_of(record))

    def select(self, **wanted):
        """Return the rows whose columns equal the wanted values."""
        return [row for row in self.rows
                if all(getattr(row, name) == value for name, value in wanted.items())]

    def one(self, **wanted):
        """Return the only row whose columns equal the wanted values."""
        found = self.select(**wanted)
        if len(found) != 1:
            raise AssertionError("%d rows have %r, among:\n%s"
                                 % (len(found), wanted, "\n".join(map(repr, self.rows))))
        return found[0]

    def region(self, name, event="time"):
        """Return the row of an event of a region over all processes and threads."""
        return self.one(kind="region", region=name, event=event, process="all", thread="all")

    def run(self, event="time"):
        """Return the row of an event of the whole run."""
        return self.one(kind="run", event=event)

    def regions(self):
        """Return the regions' names in the order of their rows, each once."""
        return list(dict.fromkeys(row.region for row in self.rows if row.kind == "region"))

    def calls(self):
        """Return the calls of each region over all processes and threads."""
        return {row.region: row.calls
                for row in self.select(kind="region", event="time", process="all", thread="all")}

    def diagnostics(self, region=None):
        """Return the numbers of all diagnostics (of one region) by event, without zeros and without
        "clamped", which check_clamped() checks."""
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
        """Return the overhead of all regions in the report."""
        calls = self.calls()
        return sum(float(row.value) * calls[row.region]
                   for row in self.select(kind="info", event="overhead") if row.region)

    def check_clamped(self, row):
        """Check the calls that were shorter than their markers' overhead. Their number depends on
        speed and on other load, but it is at most that of all calls. The shortest of them took 0,
        within the width of a histogram's bucket: a 64th of the overhead. For calls that end on
        another thread, the time may be missing from the unknown on-CPU time."""
        width = 1 + max([float(found.value) / 64 for found in
                         self.select(kind="info", region=row.region, event="overhead")], default=0)
        rows = self.select(kind="region", region=row.region)
        shortest = [one for one in rows if one.min is not None and one.min <= width
                    or (one.event, one.status) == ("cpu-time", "not-supported")]
        if not shortest or row.calls > max(one.calls for one in shortest):
            raise AssertionError("more calls are clamped than were short: %r, %r" % (row, rows))


def read_text(path):
    """Return the text of a file, with its line ends as they are."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write_text(path, text):
    """Make the text that of a file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read_bytes(path):
    """Return the bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def write_bytes(path, data):
    """Make these bytes those of a file."""
    with open(path, "wb") as file:
        file.write(data)


def read_json(path):
    """Return what a JSON file holds."""
    return json.loads(read_text(path))


def read_json_lines(path):
    """Return what each line of a JSON Lines file holds."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_json(path, document):
    """Write a document into a JSON file."""
    write_text(path, json.dumps(document))


def write_json_lines(path, documents):
    """Write each document into a line of a JSON Lines file. Return the path."""
    write_text(path, "".join(json.dumps(document) + "\n" for document in documents))
    return path


def line_of(path, text):
    """Return the number of the only line of a file that contains a text."""
    (found,) = [n for n, line in enumerate(read_text(path).split("\n"), 1) if text in line]
    return found


def read_man_page(name):
    """Return the source of a page of the manual, such as "regionstat.1"."""
    return read_text(os.path.join(SOURCE, "man", name))


def read_report(path, separator=","):
    """Return the Report in a CSV file. Names in it may be no UTF-8."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return Report(file.read(), separator)


def steady(test):
    """Decorate a test that TestCase.steadily() shall call."""
    @functools.wraps(test)
    def repeated(self):
        self.steadily(functools.partial(test, self))
    return repeated


class TestCase(unittest.TestCase):
    """A TestCase with a scratch directory for each test, and with measure()."""

    maxDiff = None
    n_repeated = 0  # of all tests in a file

    def __init_subclass__(cls):
        if cls.__module__ == "__main__":
            sys.exit("try: python3 tests/run.py %s" % sys.argv[0])

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="regionstat-test-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def make_cgroup(self, controller, old, new):
        """Make a cgroup below this process's own and write its limits: {file: text}, `old` in
        version 1, `new` in version 2. Return its directory, or skip the test."""
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
        of_old = [path for _, controllers, path in lines if controller in controllers.split(",")]
        of_new = [path for _, controllers, path in lines if not controllers]
        parent = ("/sys/fs/cgroup/" + controller + of_old[0] if of_old else
                  "/sys/fs/cgroup" + (of_new[0] if of_new else ""))
        try:
            directory = tempfile.mkdtemp(prefix="regionstat-test-", dir=parent)
            self.addCleanup(os.rmdir, directory)
            for name, text in (old if of_old else new).items():
                write_text(os.path.join(directory, name), str(text))
        except OSError as error:
            self.skipTest("no cgroup can be made here: %s" % error)
        return directory

    def path(self, name):
        """Return a path in this test's scratch directory."""
        return os.path.join(self.directory, name)

    def text_file(self, name, text, mode=0o644):
        """Write a text file with these permissions in this test's scratch directory or in one below
        it. Return its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_text(path, text)
        os.chmod(path, mode)
        return path

    def measure(self, *program, events=None, options=(), status=0, output="report.csv",
                **run_options):
        """Run `regionstat -x , -o FILE [-e EVENTS] OPTIONS -- PROGRAM` and read the report. events:
        one argument of -e, a list of them, or None. status: the expected exit status. output: the
        name of FILE, another one for each of several runs at a time."""
        output = self.path(output)
        if os.path.exists(output):
            os.unlink(output)
        arguments = ["-x", ",", "-o", output]
        for event in [events] if isinstance(events, str) else events or []:
            arguments += ["-e", event]
        result = self.execute([REGIONSTAT, *map(str, (*arguments, *options, "--", *program))],
                              status, **run_options)
        if os.path.exists(output):
            result.report = read_report(output)
        return result

    def execute(self, argv, status=0, **options):
        """Run argv as run() does. It must end with this status."""
        result = run(argv, **options)
        self.assertEqual(result.status, status, result)
        return result

    def regionstat(self, *arguments, status=0, **options):
        """Run regionstat with these arguments as execute() does."""
        return self.execute([REGIONSTAT, *map(str, arguments)], status, **options)

    def spawn(self, argv, ready=None, **popen):
        """Start argv as start() does, and wait for its first line, which must be `ready`. The
        process ends with this test."""
        process = start(argv, **popen)
        self.addCleanup(stop, process)
        if ready:
            line = process.stdout.readline()
            self.assertEqual(line if isinstance(line, str) else line.decode(), ready + "\n")
        return process

    def spawn_waiting(self, *options, rounds=10):
        """Start regionstat with these options on a program that does its rounds, and then waits for
        SIGUSR1."""
        return self.spawn([REGIONSTAT, *options, "--", app("coming"), rounds, "wait"],
                          ready="waiting")

    def finish_waiting(self, process):
        """Let a program of spawn_waiting() end, which must succeed. Return regionstat's stderr."""
        os.kill(process.pid, signal.SIGUSR1)
        _, stderr = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, stderr)
        return stderr.decode()

    def make_bare_root(self, unshare):
        """Return words to put after those of need_pid_namespaces(): they run the static rules in a
        root directory that contains nothing else. Skip the test if that is not possible."""
        program, root = need_app("rules-static"), self.path("root")
        os.mkdir(root)
        shutil.copy(program, os.path.join(root, "rules"))
        words = ["--root=" + root, "/rules"]
        result = run([*unshare, *words, "nested", "1"])
        need(result.status == 0, "unshare --root does not work here: " + result.stderr.strip())
        return words

    def split_debug(self, program, debug):
        """Move a program's debug information to another file, which the program names."""
        for words in (["--only-keep-debug", program, debug],
                      ["--strip-all", "--add-gnu-debuglink=" + debug, program]):
            self.execute([need_tool("objcopy"), *words])

    def assertSame(self, *runs):
        """Check that programs wrote the same, and ended with the same status."""
        first, *others = [(result.status, result.stdout, result.stderr) for result in runs]
        self.assertEqual(others, [first] * len(others))

    def assertClean(self, report):
        """Check that no region has diagnostics."""
        self.assertEqual(report.diagnostics(), {})

    def compile(self, source, compiler, *flags, name="program"):
        """Compile a source of tests/apps into this test's scratch directory, once for all tests with
        the same flags. Return the program's path."""
        if SANITIZE != "none":
            flags = ("-fsanitize=" + SANITIZE, *flags)
        command = [compiler, "-pthread", "-Wall", "-Wextra", "-Werror",
                   "-I" + os.path.dirname(HEADER), os.path.join(APP_SOURCES, source), *flags]
        is_own = any(self.directory in word for word in command)
        return shutil.copy((build if is_own else build_once)(*command), self.path(name))

    def compile_text(self, text, *flags, compiler=None, name="program"):
        """Compile a source text, in the language of the compiler, by default C. Return the
        program's path."""
        compiler = compiler or compilers()[0]
        source = self.text_file(name + (".cpp" if "++" in compiler else ".c"), text)
        return self.compile(source, compiler, *flags, name=name)

    def steadily(self, attempt):
        """Call attempt(), and once more if it raises TimeMissing. run.py prints how often that was,
        and check_summary.py prints the sum of all tests. Return the result."""
        try:
            return attempt()
        except TimeMissing as reason:
            note("once more: %s" % str(reason)[:200])
            TestCase.n_repeated += 1
            return attempt()

    def assertBetweenClocks(self, row, within_ns, around_ns):
        """Check the total time of a row whose calls do not nest. A clock around the markers gives
        its maximum, a clock within them its minimum. Raise TimeMissing if the total is below the
        minimum, as assertTruth() does."""
        slack = CLOCKS_NS * row.calls
        self.assertLessEqual(row.total, around_ns * (1 + CLOCKS_RATIO) + slack, row)
        if row.total < within_ns * (1 - MARKERS_RATIO) - slack:
            raise TimeMissing("total is %d, not %d: %r" % (row.total, within_ns, row))

    def assertTruth(self, report, truth, margin=MARKERS_RATIO):
        """Check that a region's row of time agrees with the program's own measurement. margin: the
        limit for the markers' overhead, as a share of the time within them. Raise TimeMissing if
        time is missing: a preempted marker may take that time for overhead."""
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
                slack += report.markers_ns()  # the overhead of all calls may lie in the longest one
            elif what != "min" and truth.inner:
                # markers of inner calls lie in a call around them, and in all of them in the sum
                around = truth.within.sum_ns / truth.within.once_ns if what == "sum" else 1
                slack += min(around * report.markers_ns(), INNER_RATIO * least)
            if value < least * (1 - margin) - slack:
                raise TimeMissing("%s is %.0f, not %.0f: %r, %r" % (what, value, least, row, truth))
        if row.self_total is not None:  # asynchronous calls have no self time
            self.assertTrue(0 <= row.self_total <= row.total, row)


def on_terminal(argv, *streams, size=None, **popen):
    """Run argv with streams, by default stdout, on a terminal of its own, of a size in (lines,
    columns). Return the bytes that it wrote there, and its exit status."""
    ours, theirs = os.openpty()
    if size:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    process = start(argv, **dict.fromkeys(streams or ["stdout"], theirs), **popen)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # EIO: the other end is closed
        pass
    finally:
        os.close(ours)
    process.communicate(timeout=TIMEOUT_S)
    stop(process)
    return text, process.returncode


def wait_until(condition):
    """Wait until a condition holds. Fail after the time limit."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("a condition never held")
        time.sleep(0.01)


def has_ended(pid):
    """Return whether a process has ended, even if its parent has not waited for it yet."""
    try:
        return read_text("/proc/%d/stat" % pid).rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


PROGRAMS = tempfile.TemporaryDirectory(prefix="regionstat-test-")


def build(*command):
    """Run a compiler's command. Return the path of the program, which is deleted with this process."""
    path = os.path.join(tempfile.mkdtemp(dir=PROGRAMS.name), "program")
    result = run([*command, "-o", path])
    if result.status or result.stderr:
        raise AssertionError(result)
    return path


build_once = functools.cache(build)


def children(pid):
    """Return the process ids of a process's children."""
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def descriptors(pid):
    """Return {number: file} of a process, which may be closing some of them."""
    links = {}
    for number in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):
            links[number] = os.readlink("/proc/%d/fd/%s" % (pid, number))
    return links


def ask(process, word=""):
    """Write a line to a program. Return the numbers of the line with which it answers."""
    process.stdin.write(word + "\n")
    process.stdin.flush()
    return [int(number) for number in process.stdout.readline().split()]


class FullPipe:
    """A FIFO that is full at first, so that its writers wait."""

    def __init__(self, path):
        os.mkfifo(path)
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.filled = 0
        try:
            while True:
                self.filled += os.write(self.fd, b"x" * 65536)
        except BlockingIOError:
            pass

    def read(self, process):
        """Read until a process ends. Return what was written to the full FIFO."""
        text = b""
        while True:
            has_ended = process.poll() is not None
            try:
                text += os.read(self.fd, 65536)
            except BlockingIOError:
                if has_ended:
                    break
                time.sleep(0.01)
        os.close(self.fd)
        return text[self.filled:].decode()


def stop(process):
    """Kill what start() started, with all its children, if it still runs, and close its pipes."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    GROUPS.discard(process.pid)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


class TimeMissing(AssertionError):
    """Raised if time is missing in a run, because a preempted marker takes that time for overhead.
    Two such runs in succession are a failure."""


# The largest differences between the clock of regions and CLOCK_MONOTONIC: as a ratio in the long
# run, and in one call.
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
    """The line of a region that a program printed with truth_print()."""

    region: str
    calls: int
    inner: int
    within: Side
    around: Side


def truths(text):
    """Return the Truths in a program's output, by region."""
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
    """Return the compilers of "c" or "c++" that are installed, or skip the test. A runtime with a
    sanitizer works only in programs of its own compiler."""
    names = {"gcc": "g++", "clang": "clang++"}
    found = [name for name in names if shutil.which(names[name])]
    if SANITIZE != "none":
        found = [name for name in found if name in os.environ.get("REGIONSTAT_COMPILER", "gcc")]
    need(found, "there is no compiler of %s to make programs with" % language)
    return found if language == "c" else [names[name] for name in found]


NOT_MEASURED = "a sanitizer is no part of what is measured"


def need(value, reason):
    """Return a value. If it is false, skip the test for this reason."""
    if not value:
        raise unittest.SkipTest(reason)
    return value


def need_no_sanitizer(reason=NOT_MEASURED, name=""):
    """Skip the test for this reason with any sanitizer, or only with the one of this name."""
    need(SANITIZE == "none" or name not in SANITIZE, reason)


def no_sanitizer(reason=NOT_MEASURED):
    """Return a decorator that skips a test or a class of them with any sanitizer."""
    return unittest.skipIf(SANITIZE != "none", reason)


def need_root(reason):
    """Skip the test for this reason if it does not run as root."""
    need(os.geteuid() == 0, reason)


def need_tool(name):
    """Return the path of a tool, or skip the test."""
    return need(shutil.which(name), "%s is not installed" % name)


def need_header(name, package):
    """Skip the test if a header of C is not installed."""
    result = run(["gcc", "-E", "-include", name, "-x", "c", os.devnull, "-o", os.devnull])
    need(result.status == 0, "%s is not installed (package %s)" % (name, package))


def need_module(name):
    """Return a python3 that has a module, or skip the test."""
    found = [python for python in ("python3", "/usr/bin/python3")
             if shutil.which(python) and run([python, "-c", "import " + name]).status == 0]
    return need(found, "no python3 has the module " + name)[0]


def need_schema():
    """Return the schema of saved runs, and a validator of documents, or skip the test."""
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise unittest.SkipTest("there is no python3-jsonschema to validate with") from error
    schema = read_json(os.path.join(BUILD, "lib", "record", "regionstat.schema.json"))
    return schema, jsonschema.Draft202012Validator(schema)


def need_npm(name):
    """Return the folder of a package that `npm install -g` installed, or skip the test."""
    roots = [*filter(None, os.environ.get("NODE_PATH", "").split(":")),
             "/usr/local/lib/node_modules", "/usr/lib/node_modules"]
    found = [os.path.join(root, name) for root in roots if os.path.isdir(os.path.join(root, name))]
    return need(found, "npm's package %s is not installed globally" % name)[0]


def need_sources(name):
    """Return the directory of a real program's sources, which apps/fetch.sh fetches, or skip the
    test."""
    cache = run(["sh", os.path.join(SOURCE, "tests", "guest", "cache.sh")]).stdout.strip()
    directory = os.path.join(os.path.dirname(cache), name)
    need(os.path.exists(os.path.join(directory, "complete")),
         "the sources of %s are not there (try: sh %s %s)" % (
             name, os.path.join(APP_SOURCES, "fetch.sh"), directory))
    return directory


def need_pid_namespaces():
    """Return the words that run a program as process 1 of a new pid namespace, or skip the test."""
    unshare = need_tool("unshare")
    for words in (["-p"], ["-r", "-p"]):
        argv = [unshare, *words, "--fork", "--kill-child"]
        result = run([*argv, "sh", "-c", "echo $$"])
        if result.status == 0 and result.stdout == "1\n":
            return argv
    raise unittest.SkipTest("no pid namespace may be made here: " + result.stderr.strip())


def need_other_user(number=65534):
    """Return the words that run the command as a user without privileges, or skip the test. Other tests
    run programs of user 65534 at the same time."""
    words = [need_tool("setpriv"), "--reuid=%d" % number, "--regid=65534", "--clear-groups"]
    need(run([*words, REGIONSTAT, "--version"]).status == 0, "another user cannot reach the command here")
    return words


def need_app(name):
    """Return the path of a program of tests/apps that is not built everywhere, or skip the test."""
    need(os.path.exists(app(name)), "%s is not built here" % name)
    return app(name)


def need_exact_faults():
    """Skip the test if regions have page faults that are not the program's own."""
    need("thread" not in SANITIZE, "ThreadSanitizer's own memory faults within regions")


def built_apps(*names):
    """Return those of these programs that are built. With a sanitizer it is the first one: there are no
    static programs, and a program that links the runtime has the same one."""
    built = [name for name in names if os.path.exists(app(name))]
    return built if SANITIZE == "none" else built[:1]


def steal_ns(since=None):
    """Return the time that hypervisors have taken from all CPUs so far. since: an earlier result. With
    it, return at most how much they have taken since then: the kernel rounds to ticks."""
    tick_ns = 10**9 // os.sysconf("SC_CLK_TCK")
    with open("/proc/stat", encoding="utf-8") as stat:
        taken_ns = int(stat.readline().split()[8]) * tick_ns
    return taken_ns if since is None else taken_ns - since + tick_ns


def sysctl(name):
    """Return the value of a sysctl such as kernel.perf_event_paranoid as an int, or None if it does
    not exist."""
    try:
        with open("/proc/sys/" + name.replace(".", "/"), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def has_hardware_counters():
    """Return True if perf itself can count cycles. Tests for both kinds of machine rely on this."""
    perf = shutil.which("perf")
    if not perf:
        return False
    result = run([perf, "stat", "-x", ",", "-e", "cycles", "true"])
    return bool(re.search(r"^\d+,", result.stderr, re.MULTILINE))


class TapResult(unittest.TestResult):
    """Print one TAP line for each test method, after the details of a failure as comments."""

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
        # report a skipped subtest by the name of its method
        test = getattr(test, "test_case", test)
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

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.comment(self._exc_info_to_string(err, test))
        self.line(False, test)

    addError = addFailure

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


def seed(usual, is_random=False):
    """Return the seed of random programs: REGIONSTAT_SEED, or another one each time, or the usual
    one. Print it if it is not the usual one."""
    value = int(os.environ.get("REGIONSTAT_SEED")
                or (random.SystemRandom().randrange(10 ** 6) if is_random else usual))
    if value != usual:
        note("from seed %d" % value)
    return value


def note(text):
    """Print a figure that is of interest but that no test checks."""
    for line in str(text).rstrip("\n").split("\n"):
        print("# " + line, flush=True)
