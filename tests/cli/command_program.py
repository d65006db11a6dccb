# SPDX-License-Identifier: MIT
"""The program must not notice regionstat: its streams, an odd environment, and few descriptors.
command_state.py compares all that a program can observe."""

import glob
import os
import resource
import sys

import harness


class Untouched(harness.TestCase):

    def test_stale_variables_are_replaced(self):
        env = harness.environment(REGIONSTAT_SEGMENT="1:3:1:0", REGIONSTAT_RUNTIME="/nowhere")
        result = harness.regionstat("env", env=env)
        self.assertEqual(result.stdout.count("REGIONSTAT_SEGMENT="), 1)
        self.assertNotIn("1:3:1:0", result.stdout)
        self.assertNotIn("/nowhere", result.stdout)

    def test_variables_that_are_there_twice(self):
        execute = ("import ctypes, sys\n"
                   "texts = lambda *words: (ctypes.c_char_p * (len(words) + 1))(*map(str.encode, words))\n"
                   "ctypes.CDLL(None).execve(sys.argv[1].encode(), texts(*sys.argv[1:]),\n"
                   "  texts('LD_PRELOAD=', 'LD_PRELOAD=', 'REGIONSTAT_SEGMENT=1', 'REGIONSTAT_SEGMENT=2'))\n")
        result = harness.run([sys.executable, "-c", execute, harness.REGIONSTAT, "--markers", "likwid",
                              "/usr/bin/env"])
        self.assertEqual([result.stdout.count(name) for name in ("LD_PRELOAD=", "REGIONSTAT_SEGMENT=")],
                         [1, 1], result.stdout)

    def test_an_empty_environment(self):
        self.regionstat("/usr/bin/env", env={})

    def test_streams(self):
        data = os.urandom(100000)
        path = self.path("data")
        harness.write_bytes(path, data)
        with open(path, "rb") as file:
            result = harness.regionstat("-o", self.path("report"), "sh", "-c", "cat; echo e >&2",
                                        stdin=file)
        self.assertEqual(result.stdout_bytes, data)
        self.assertEqual(result.stderr, "e\n")

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
                     sys.executable, "-S", "-c", check])
                self.assertEqual(result.status, closed.count("-"), result)
                self.assertIn("page-faults", harness.read_text(report))

    def test_a_closed_stderr_loses_the_report_and_says_so_by_its_status(self):
        self.execute(["sh", "-c", 'exec "$@" 2>&-', "sh", harness.REGIONSTAT, "true"], 125)

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
        """There is one more than the standard ones. The start of a program needs a segment and two
        pipes, and the report a file."""
        for words in ([], ["-o", self.path("report")]):
            result = self.regionstat(*words, "true", status=125, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (4, 4)))
            self.assertIn("(EMFILE)\n  try: ulimit -n", result.stderr)
            self.assertEqual(os.listdir(self.directory), [])

    def test_nothing_is_left_behind(self):
        before = glob.glob("/dev/shm/*regionstat*")
        harness.regionstat(harness.app("rules"), "end", "exit", "10", cwd=self.directory)
        self.assertEqual(os.listdir(self.directory), [])
        self.assertEqual(set(glob.glob("/dev/shm/*regionstat*")) - set(before), set())
