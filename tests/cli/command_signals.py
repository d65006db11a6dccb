# SPDX-License-Identifier: MIT
"""Signals: a signal sent only to regionstat reaches the program, a signal from a terminal reaches
it once, and the report is always written."""

import os
import pty
import re
import select
import signal
import sys
import time

import harness

# A program that counts and names the signals that it receives, until SIGTERM.
COUNTER = """
import os, signal, sys
counts = {}
def count(number, frame):
    counts[number] = counts.get(number, 0) + 1
    os.write(1, b"got %d\\n" % number)
    if number == signal.SIGTERM:
        os.write(1, b"counts %s\\n" % repr(sorted(counts.items())).encode())
        os._exit(42)
for number in map(int, sys.argv[1:]):
    signal.signal(number, count)
os.write(1, b"pid %d\\nready\\n" % os.getpid())
while True:
    signal.pause()
"""

# A program that orphans its grandchildren and waits until they have been reaped.
ORPHANS = """
import os, sys, time
reader, writer = os.pipe()
for _ in range(20):
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os.write(writer, b"%d\\n" % os.getpid())
        os._exit(0)
    os.waitpid(child, 0)
os.close(writer)
orphans = [int(line) for line in os.fdopen(reader)]
deadline = time.monotonic() + 20
while orphans and time.monotonic() < deadline:
    try:
        os.kill(orphans[-1], 0)
        time.sleep(0.001)
    except ProcessLookupError:
        orphans.pop()
print("%d zombies" % len(orphans) if orphans else "gone")
sys.exit(7)
"""

ALL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1,
       signal.SIGALRM, signal.SIGRTMIN + 3, signal.SIGTERM)


def counter(*numbers):
    return [sys.executable, "-c", COUNTER, *(str(int(number)) for number in numbers)]


def read_until(fd, wanted, seen=b""):
    """Read from fd until the regular expression `wanted` appears. Return all that was read."""
    deadline = time.monotonic() + harness.TIMEOUT_S
    while not re.search(wanted, seen):
        ready, _, _ = select.select([fd], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError("%r did not come: %r" % (wanted, seen))
        try:
            got = os.read(fd, 65536)
        except OSError:  # EIO: no process has the terminal open any more
            got = b""
        if not got:
            raise AssertionError("%r did not come before the end: %r" % (wanted, seen))
        seen += got
    return seen


def read_to_end(fd):
    seen = b""
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:
            return seen
        if not got:
            return seen
        seen += got


class SentToRegionstat(harness.TestCase):

    def start(self, *arguments, **popen):
        return self.spawn([harness.REGIONSTAT, "-e", "page-faults", *arguments], **popen)

    def check_report(self, process, status):
        """Wait for the end of regionstat, which has this status and wrote its report."""
        _, stderr = process.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(process.returncode, status, stderr)
        self.assertIn(b"page-faults", stderr)

    def check_signal(self, number, status):
        """Send a signal to regionstat alone while its program sleeps."""
        process = self.start("sh", "-c", "ulimit -c 0; echo ready; exec sleep 1000")
        read_until(process.stdout.fileno(), b"ready")
        os.kill(process.pid, number)
        self.check_report(process, status)

    def test_each_is_passed_on_once(self):
        process = self.start(*counter(*ALL))
        seen = read_until(process.stdout.fileno(), b"ready")
        for number in ALL:
            os.kill(process.pid, number)
            seen = read_until(process.stdout.fileno(), b"got %d\n" % number, seen)
        self.check_report(process, 42)

    def test_no_signal_costs_the_report(self):
        """All signals that end a program by default, sent only to regionstat."""
        harmless = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
        stopping = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
        others = {signal.SIGKILL, signal.SIGSTOP, signal.SIGINT,  # SIGINT: below
                  signal.SIGUSR2}  # command_so_far.py
        for number in sorted(signal.valid_signals() - harmless - stopping - others):
            with self.subTest(number=number):
                self.check_signal(number, 128 + number)

    def test_sigint_alone_ends_both(self):
        self.check_signal(signal.SIGINT, -signal.SIGINT)

    def test_an_ignored_sighup_stays_ignored(self):
        """As under nohup: regionstat does not forward an ignored SIGHUP, and does not end."""
        process = self.start(
            sys.executable, "-c",
            "import os, signal; os.write(1, b'ready %d\\n' % (signal.getsignal(signal.SIGHUP) == "
            "signal.SIG_IGN)); signal.pause()",
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        seen = read_until(process.stdout.fileno(), b"ready .")
        self.assertIn(b"ready 1", seen)
        os.kill(process.pid, signal.SIGHUP)
        os.kill(process.pid, signal.SIGTERM)
        self.check_report(process, 128 + signal.SIGTERM)


class Terminal(harness.TestCase):
    """regionstat in the foreground of its own terminal."""

    def start(self, *arguments):
        """Start regionstat. Return the other end of the terminal and the PID."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(harness.REGIONSTAT, ["regionstat", *arguments], harness.environment())
        self.addCleanup(self.stop, pid, terminal)
        return terminal, pid

    def check_report(self, terminal, pid, status, seen=b""):
        """Wait for the end of regionstat, which has this status and wrote its report."""
        seen += read_to_end(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), status, seen)
        self.assertIn(b"page-faults", seen)

    def check_key(self, key, status):
        """Press a key on the terminal of regionstat while its program sleeps."""
        terminal, pid = self.start("-e", "page-faults", "sh", "-c",
                                   "ulimit -c 0; echo ready; exec sleep 1000")
        read_until(terminal, b"ready")
        os.write(terminal, key)
        self.check_report(terminal, pid, status)

    def stop(self, pid, terminal):
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(terminal)

    def test_sigint_reaches_the_program_once(self):
        terminal, pid = self.start("-e", "page-faults", *counter(signal.SIGINT, signal.SIGTERM))
        seen = read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        seen = read_until(terminal, b"got 2", seen)
        # the kernel delivers the signal with the lower number first: a SIGINT to be forwarded would
        # precede this one
        os.kill(pid, signal.SIGTERM)
        seen = read_until(terminal, b"counts .*\n", seen)
        self.assertIn(b"counts [(2, 1), (15, 1)]", seen)
        self.check_report(terminal, pid, 42, seen)

    def test_sigint_ends_both_after_the_report(self):
        self.check_key(b"\x03", -signal.SIGINT)

    def check_hang_up(self, *words):
        """Hang up the terminal of `words` followed by a program. The program must receive SIGHUP
        once."""
        reader, writer = os.pipe()
        os.set_inheritable(writer, True)
        pid, terminal = pty.fork()
        if pid == 0:
            os.dup2(writer, 1)
            os.execve(words[0], [*words, *counter(signal.SIGHUP, signal.SIGTERM)],
                      harness.environment())
        os.close(writer)
        self.addCleanup(os.close, reader)
        seen = read_until(reader, b"pid (\\d+)\nready")
        program = int(re.search(b"pid (\\d+)", seen).group(1))
        os.close(terminal)
        seen = read_until(reader, b"got 1\n", seen)
        # a second SIGHUP has a lower number, so it would come first
        os.kill(program, signal.SIGTERM)
        seen = read_until(reader, b"counts .*\n", seen)
        self.assertIn(b"counts [(1, 1), (15, 1)]", seen)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_a_hang_up_reaches_the_program_of_a_session_leader(self):
        """As with ssh -t HOST regionstat ...: the kernel signals only the session leader."""
        output = self.path("report")
        self.assertEqual(self.check_hang_up(harness.REGIONSTAT, "-e", "page-faults", "-o", output),
                         42)
        self.assertIn("page-faults", harness.read_text(output))

    def test_a_hang_up_reaches_the_program_of_a_shell_once(self):
        # the kernel signals the foreground group after the leader, the shell, has died of the
        # signal
        status = self.check_hang_up("/bin/sh", "-c", '"$0" "$@"; exit 0', harness.REGIONSTAT, "-e",
                                    "page-faults", "-o", self.path("report"))
        self.assertEqual(status, -signal.SIGHUP)

    def test_sigquit_ends_the_program_alone(self):
        self.check_key(b"\x1c", 128 + signal.SIGQUIT)

    def test_job_control_stops_and_continues_both(self):
        """A small shell runs regionstat in a separate process group in the foreground."""
        pid, terminal = pty.fork()
        if pid == 0:
            self.small_shell()
        self.addCleanup(self.stop, pid, terminal)
        seen = read_until(terminal, b"ready")
        os.write(terminal, b"\x1a")
        seen = read_until(terminal, b"shell: stopped by \\d+ program \\S+", seen)
        self.assertIn(b"stopped by %d program T" % signal.SIGTSTP, seen)
        seen = read_until(terminal, b"shell: ended with -?\\d+", seen)
        self.assertIn(b"ended with 9", seen)
        self.assertIn(b"page-faults", seen)

    @staticmethod
    def small_shell():
        try:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            child = os.fork()
            if child == 0:
                os.setpgid(0, 0)
                os.tcsetpgrp(0, os.getpgrp())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                os.execve(harness.REGIONSTAT,
                          ["regionstat", "-e", "page-faults", sys.executable, "-c",
                           "import os, signal\n"
                           "signal.signal(signal.SIGCONT, lambda *_: os._exit(9))\n"
                           "os.write(1, b'ready')\n"
                           "while True: signal.pause()"],
                          harness.environment())
            _, status = os.waitpid(child, os.WUNTRACED)
            program = harness.read_text("/proc/%d/task/%d/children" % (child, child)).split()[0]
            state = "?"
            while state != "T":  # the signal to the group stops each process at a different time
                state = harness.read_text("/proc/%s/stat" % program).rpartition(")")[2].split()[0]
            os.write(1, b"shell: stopped by %d program %s\n" % (os.WSTOPSIG(status),
                                                               state.encode()))
            os.killpg(child, signal.SIGCONT)
            _, status = os.waitpid(child, 0)
            os.write(1, b"shell: ended with %d\n" % os.waitstatus_to_exitcode(status))
        finally:
            os._exit(0)

    def test_width_is_the_terminals_and_colour_its_own(self):
        for columns in (80, 140):
            for term, colour in (("xterm", True), ("dumb", False)):
                seen, _ = harness.on_terminal(
                    [harness.REGIONSTAT, harness.app("rules"), "end", "exit", "20"], "stdout",
                    "stderr", size=(24, columns),
                    env=harness.environment(TERM=term, COLUMNS="33"))
                seen = seen.decode().replace("\r", "")
                with self.subTest(columns=columns, term=term):
                    self.assertEqual("\x1b[" in seen, colour, seen)
                    # sentences may be longer, because terminals wrap them
                    table, _, _ = re.sub("\x1b\\[[0-9;]*m", "", seen).partition("\n- ")
                    lines = table.splitlines()
                    widest = max(map(len, lines))
                    self.assertLessEqual(widest, columns, seen)
                    self.assertEqual(any("p50" in line for line in lines), columns >= 120, seen)


class Init(harness.TestCase):
    """regionstat as process 1 of a pid namespace, which becomes the parent of orphans."""

    def test_orphans_are_waited_for(self):
        result = harness.run([*harness.need_pid_namespaces(), harness.REGIONSTAT, "-e",
                              "page-faults", sys.executable, "-c", ORPHANS])
        self.assertEqual((result.status, result.stdout), (7, "gone\n"), result)
        self.assertIn("page-faults", result.stderr)
