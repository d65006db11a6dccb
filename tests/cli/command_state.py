# SPDX-License-Identifier: MIT
"""All that a program can observe of how it was started (tests/apps/state.c), with and without
regionstat, before and after its markers. The only differences are one or two variables, the
segment's descriptor, and one descriptor for each group of events that is read by system calls.
After a context switch of a thread with markers there is one more descriptor, for the time that it
waits for a CPU."""

import fcntl
import os
import pty
import re
import resource
import signal
import sys
import termios

import harness

# The lines that may be added, each with its least and greatest number: before the first marker, and
# after it with and without events.
OWN = (
    (r"env REGIONSTAT_SEGMENT=.*", (1, 1), (1, 1), (1, 1)),
    (r"env REGIONSTAT_RUNTIME=.*", (0, 1), (0, 1), (0, 1)),
    (r"fd (\d+) /memfd:regionstat \(deleted\) flags 0 0x8002 offset 0", (1, 1), (1, 1), (1, 1)),
    (r"fd (\d+) anon_inode:\[perf_event\] flags 1 0x\w+ offset -1", (0, 0), (0, 1), (0, 0)),
    (r"fd (\d+) /proc/\d+/task/\d+/schedstat flags 1 0x\w+ offset 0", (0, 0), (0, 1), (0, 1)),
)


def ignore_and_block():
    for number in (signal.SIGUSR1, signal.SIGCHLD, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE,
                   signal.SIGTTOU, signal.SIGRTMIN + 3):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGALRM, signal.SIGTERM,
                                              signal.SIGPROF, signal.SIGRTMIN, signal.SIGRTMAX])


def block_everything():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def limit():
    for name, soft, hard in (("NOFILE", 200, 300), ("CORE", 0, 0), ("STACK", 1 << 22, 1 << 24),
                             ("MEMLOCK", 1 << 16, 1 << 16),
                             ("FSIZE", 1 << 30, resource.RLIM_INFINITY),
                             ("CPU", 1000, 2000), ("NICE", 0, 0)):
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (soft, hard))


def change_files():
    os.umask(0o137)
    os.chdir("/")


def open_descriptors():
    """Open descriptors, some with numbers that regionstat might choose itself."""
    null = os.open("/dev/null", os.O_RDONLY)
    for place in (3, 4, 5, 10, 100, 101, 255):
        os.dup2(null, place)
    os.lseek(os.open("/proc/self/status", os.O_RDONLY), 7, os.SEEK_SET)


def close_input():
    os.close(0)


def be_nice():
    os.nice(5)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def take_terminal():
    """Give this process its own terminal and session."""
    other, place = pty.openpty()
    os.set_inheritable(other, True)  # closing the other end would end the session
    fcntl.ioctl(place, termios.TIOCSCTTY, 0)


# A program that runs around both cases, so that the leader of the group and session is the same. A
# shell would unblock signals.
AROUND = """
import os, sys
child = os.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
except ChildProcessError:  # who ignores SIGCHLD is told nothing
    pass
"""

# name: (the action before both cases, further variables)
SETUPS = {
    "plain": (None, {}),
    "signals ignored and blocked": (ignore_and_block, {}),
    "all signals blocked": (block_everything, {}),
    "limits": (limit, {}),
    "umask and directory": (change_files, {}),
    "descriptors": (open_descriptors, {}),
    "no standard input": (close_input, {}),
    "nice, on one processor": (be_nice, {}),
    "a terminal": (take_terminal, {}),
    "locale": (None, {"LC_ALL": "C", "LC_NUMERIC": "de_DE.UTF-8", "TZ": "Asia/Kolkata"}),
    "odd variables": (None, {"A": "", "B": "=", "C": "a b\tc", "D": "\xe4" * 500, "IFS": "x",
                             "REGIONSTATX": "not ours", "TERM": "xterm", "COLUMNS": "7"}),
}


@harness.no_sanitizer()
class State(harness.TestCase):

    def lines(self, result):
        """Return the output without numbers that differ between processes."""
        text = re.sub(r"(pipe:|socket:|/dev/pts/)\[?\d+\]?", r"\1", result.stdout)
        return text.replace(self.path(""), "").splitlines()

    def check_own(self, added, events):
        """Check that these lines may be added."""
        for moment in ("first", "marked"):
            left = [line.partition(" ")[2] for line in added if line.startswith(moment + " ")]
            for pattern, first, with_events, without in OWN:
                found = [line for line in left if re.fullmatch(pattern, line)]
                least, most = first if moment == "first" else with_events if events else without
                self.assertTrue(least <= len(found) <= most, (moment, pattern, found))
                left = [line for line in left if line not in found]
            self.assertEqual(left, [], moment)
        for descriptor in re.findall(r" fd (\d+) ", "\n".join(added)):
            self.assertGreaterEqual(int(descriptor), 100)

    def compare(self, prepare, variables, events):
        options = {"preexec_fn": prepare, "env": harness.environment(**variables),
                   "cwd": self.directory, "close_fds": False}
        program = [harness.app("state")]
        around = [sys.executable, "-S", "-c", AROUND]
        alone = self.execute([*around, *program], **options)
        words = ["-e", events] if events else []
        under = harness.run([*around, harness.REGIONSTAT, "-x", ",", "-o", self.path("report"),
                             *words, "--", *program], **options)
        self.assertEqual((under.status, alone.stderr), (0, ""), under)
        before, after = self.lines(alone), self.lines(under)
        added = [line for line in after if line not in before]
        self.assertEqual([line for line in after if line not in added], before)
        self.check_own(added, events)
        report = harness.read_report(self.path("report"))
        self.assertEqual(report.calls(), {"outer": 100, "inner": 100})

    def test_the_program_sees_what_it_sees_without_regionstat(self):
        for setup, (prepare, variables) in SETUPS.items():
            for events in (None, "page-faults"):
                with self.subTest(setup=setup, events=events):
                    self.compare(prepare, variables, events)
