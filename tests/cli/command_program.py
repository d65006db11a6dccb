# SPDX-License-Identifier: MIT
"""The program must not notice regionstat: its streams, environment, signals, descriptors and limits
are the same as without it."""

import os
import resource
import signal
import sys

import harness

STATE = """
import os, sys
for line in open("/proc/self/status"):
    if line.startswith(("Sig", "Shd", "Umask", "NoNewPrivs")) and not line.startswith("SigQ"):
        print(line.strip())
print("cwd", os.getcwd())
import resource
for name in dir(resource):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
print("nice", os.nice(0))
"""

DESCRIPTORS = """
import os
open_ones = []
for number in os.listdir("/proc/self/fd"):
    try:
        open_ones.append("%s=%s" % (number, os.readlink("/proc/self/fd/" + number)))
    except OSError:
        pass
print("\\n".join(sorted(open_ones)))
"""


def python(script, *arguments):
    return [sys.executable, "-S", "-c", script, *arguments]


class Untouched(harness.TestCase):

    def both(self, command, **options):
        """Return the Result of the command alone and under regionstat. The status and stdout must
        be equal."""
        alone = harness.run(command, **options)
        under = harness.regionstat("-e", "page-faults", "-o", self.path("report"), "--", *command,
                                   **options)
        self.assertEqual(under.status, alone.status, under)
        return alone, under

    def test_environment(self):
        alone, under = self.both(["env", "-0"])
        before, after = (result.stdout_bytes.split(b"\0") for result in (alone, under))
        self.assertEqual(after[:len(before) - 1], before[:-1], "order and values are kept")
        added = after[len(before) - 1:-1]
        self.assertLessEqual(len(added), 2)
        for variable in added:
            self.assertTrue(variable.startswith((b"REGIONSTAT_SEGMENT=", b"REGIONSTAT_RUNTIME=")),
                            variable)

    def test_stale_variables_are_replaced(self):
        env = harness.environment(REGIONSTAT_SEGMENT="1:3:1:0", REGIONSTAT_RUNTIME="/nowhere")
        result = harness.regionstat("env", env=env)
        self.assertEqual(result.stdout.count("REGIONSTAT_SEGMENT="), 1)
        self.assertNotIn("1:3:1:0", result.stdout)
        self.assertNotIn("/nowhere", result.stdout)

    def test_an_empty_environment(self):
        self.regionstat("/usr/bin/env", env={})

    def test_streams(self):
        data = os.urandom(100000)
        path = self.path("data")
        with open(path, "wb") as file:
            file.write(data)
        with open(path, "rb") as file:
            result = harness.regionstat("-o", self.path("report"), "sh", "-c", "cat; echo e >&2",
                                        stdin=file)
        self.assertEqual(result.stdout_bytes, data)
        self.assertEqual(result.stderr, "e\n")

    def test_signals_limits_directory(self):
        def prepare():
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGWINCH])
            resource.setrlimit(resource.RLIMIT_NOFILE, (123, 456))
            os.umask(0o027)
        for options in ({}, {"preexec_fn": prepare}):
            alone, under = self.both(python(STATE), cwd=self.directory, **options)
            self.assertEqual(under.stdout, alone.stdout)

    def test_process_group_and_parent(self):
        script = "import os; print(os.getpgrp(), os.getppid(), os.getsid(0))"
        process = harness.start([harness.REGIONSTAT, *python(script)])
        stdout, _ = process.communicate(timeout=harness.TIMEOUT_S)
        harness.stop(process)
        self.assertEqual(list(map(int, stdout.split())), [process.pid] * 3)

    def test_one_descriptor_more(self):
        alone, under = self.both(python(DESCRIPTORS))
        before = [line.split("=")[0] for line in alone.stdout.splitlines()]
        added = [line for line in under.stdout.splitlines() if line.split("=")[0] not in before]
        self.assertEqual(len(added), 1, under)
        number, name = added[0].split("=")
        self.assertGreaterEqual(int(number), 100)
        self.assertIn("memfd:regionstat", name)

    def test_closed_streams(self):
        """Standard streams that were closed are closed in the program too, and regionstat opens
        nothing in their place."""
        check = ("import os, sys\nn = 0\nfor fd in (0, 1, 2):\n try:\n  os.fstat(fd)\n"
                 " except OSError:\n  n += 1\nsys.exit(n)\n")
        for closed in ("<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"):
            with self.subTest(closed=closed):
                report = self.path("report")
                result = harness.run(
                    ["sh", "-c", 'exec "$@" ' + closed, "sh", harness.REGIONSTAT, "-o", report,
                     *python(check)])
                self.assertEqual(result.status, closed.count("-"), result)
                self.assertIn("page-faults", harness.read_text(report))

    def test_a_closed_stderr_loses_the_report_and_says_so_by_its_status(self):
        result = harness.run(["sh", "-c", 'exec "$@" 2>&-', "sh", harness.REGIONSTAT, "true"])
        self.assertEqual(result.status, 125, result)

    def test_few_descriptors(self):
        for limit in (12, 16, 64):
            with self.subTest(limit=limit):
                report = self.measure(
                    harness.app("rules"), "end", "exit", "10", status=7,
                    events="page-faults,task-clock,context-switches",
                    preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)),
                ).report
                self.assertEqual(report.region("finished").calls, 10)

    def test_too_few_descriptors_are_an_error(self):
        result = harness.regionstat(
            "true", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))
        # one more descriptor than the standard ones; starting a program needs a segment and two
        # pipes
        self.assertEqual(result.status, 125, result)
        self.assertIn("EMFILE", result.stderr)
        self.assertIn("ulimit -n", result.stderr)

    def test_nothing_is_left_behind(self):
        shm = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
        harness.regionstat(harness.app("rules"), "end", "exit", "10", cwd=self.directory)
        after = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
        self.assertEqual(os.listdir(self.directory), [])
        self.assertEqual({name for name in after - shm if "regionstat" in name}, set())


if __name__ == "__main__":
    harness.main()
