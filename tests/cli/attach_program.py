# SPDX-License-Identifier: MIT
"""Shared code of tests that attach to a running program, mostly tests/apps/attached/load.c. That
program counts the calls that a runtime has begun, so calls are known exactly."""

import os
import signal
import subprocess

import harness


def is_measured(pid):
    """Return True if a process has mapped a segment."""
    return "memfd:regionstat" in harness.read_text("/proc/%d/maps" % pid)


def state_of(pid):
    """Return the letter of a process's state, such as "T" if it is stopped."""
    return harness.read_text("/proc/%d/stat" % pid).split()[2]


class Program:
    """A running program of load.c. It must end well, at the latest after the test."""

    def __init__(self, test, words, n_threads=4, pause_us=100, n_blocked=0, is_child=False,
                 may_fail=False):
        """is_child: the words start a program that starts load.c. may_fail: skip the test if they
        cannot start it."""
        self.test = test
        # libc gives new threads memory of their own, up to a limit, which is no matter here
        self.process = test.spawn([*words, n_threads, pause_us, n_blocked], stdin=subprocess.PIPE,
                                  text=True, env=harness.environment(MALLOC_ARENA_MAX="1"))
        line = self.process.stdout.readline()
        harness.need(line != "refused\n",
                     "this machine does not let a process have %d threads" % (n_threads + n_blocked))
        if line != "ready\n" and may_fail:
            test.skipTest("this may not be done here: " + self.process.stderr.read())
        test.assertEqual(line, "ready\n")
        self.pid = harness.children(self.process.pid)[0] if is_child else self.process.pid
        self.status = 0  # of the first process; a regionstat may be killed
        test.addCleanup(self.end)

    def ask(self, word=""):
        """Return how many calls of "scope" a runtime has begun, and how many were executed. "f" forks
        first. "s" ends all threads first. "w" wakes blocked threads."""
        return harness.ask(self.process, word)

    def end(self):
        """Let it end, as if regionstat had never been there."""
        if not self.process.stdin.closed:
            output = self.process.communicate(timeout=harness.TIMEOUT_S)[0]
            self.test.assertEqual((output, self.process.returncode), ("done\n", self.status))

    def kill(self):
        self.process.kill()
        self.process.communicate()


class AttachTestCase(harness.TestCase):

    def build(self, *flags, source="load"):
        """Compile a program of tests/apps/attached. Return its path."""
        return self.compile(os.path.join("attached", source + ".c"), harness.compilers()[0], "-O2",
                            "-D_GNU_SOURCE", *flags)

    def attach(self, pid, *options, words=(), duration="50ms", status=0, **run_options):
        """Attach for a while. Return the result, with its report."""
        output = self.path("report.csv")
        result = self.execute([*words, harness.REGIONSTAT, "attach", "-x", ",", "-o", output,
                               "--duration", duration, *options, str(pid)], status, **run_options)
        if status == 0:
            result.report = harness.read_report(output)
        return result

    def begin(self, pid, *options, until=is_measured, **popen):
        """Return a regionstat that measures a program, or that has ended. until: what shows it."""
        measurement = self.spawn([harness.REGIONSTAT, "attach", pid, "-x", ",", "-o",
                                  self.path("report.csv"), *options], text=True, **popen)
        harness.wait_until(lambda: until(pid) or measurement.poll() is not None)
        return measurement

    def finish(self, measurement, number=signal.SIGINT):
        """End a measurement by a signal, or wait for its end. Return its report and its messages."""
        if number:
            measurement.send_signal(number)
        messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1]
        self.assertEqual(measurement.returncode, 0, messages)
        return harness.read_report(self.path("report.csv")), messages
