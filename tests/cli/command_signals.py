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

# A program that orphans its grandchildren and waits until they have been reaped. Zombies get signals.
ORPHANS = """
orphans=$(for n in $(seq 20); do (sh -c 'echo $$' &); done)
n=0
for orphan in $orphans; do
    while kill -0 $orphan 2>&-; do
        [ $((n += 1)) -lt 10000 ] || { echo "$orphan is a zombie"; exit 8; }
        sleep 0.001
    done
done
echo $orphans | wc -w
exit 7
"""

ALL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1,
       signal.SIGALRM, signal.SIGRTMIN + 3, signal.SIGTERM)


SLEEPER = ["sh", "-c", "ulimit -c 0; echo ready; exec sleep 1000"]

# A shell with job control that runs a command until it stops, and continues it after a line of input.
JOBS = '"$@"; echo "stopped with $?"; read line; fg; echo "ended with $?"'


def counter(*numbers):
    return [sys.executable, "-c", COUNTER, *(str(int(number)) for number in numbers)]


def read_some(fd):
    """Return what can be read from fd, or nothing at the end."""
    try:
        return os.read(fd, 65536)
    except OSError:  # EIO: no process has the terminal open any more
        return b""


def read_until(fd, wanted, seen=b""):
    """Read from fd until the regular expression `wanted` appears. Return all that was read."""
    deadline = time.monotonic() + harness.TIMEOUT_S
    while not re.search(wanted, seen):
        ready, _, _ = select.select([fd], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError("%r did not come: %r" % (wanted, seen))
        got = read_some(fd)
        if not got:
            raise AssertionError("%r did not come before the end: %r" % (wanted, seen))
        seen += got
    return seen


class SentToRegionstat(harness.TestCase):

    def start(self, *arguments, **popen):
        return self.spawn([harness.REGIONSTAT, "-e", "page-faults", *arguments], **popen)

    def check_report(self, process, status):
        """Wait for the end of regionstat, which has this status and wrote its report."""
        _, stderr = process.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(process.returncode, status, stderr)
        self.assertIn(b"page-faults", stderr)

    def test_each_is_passed_on_once(self):
        process = self.start(*counter(*ALL))
        seen = read_until(process.stdout.fileno(), b"ready")
        for number in ALL:
            os.kill(process.pid, number)
            seen = read_until(process.stdout.fileno(), b"got %d\n" % number, seen)
        seen = read_until(process.stdout.fileno(), b"counts .*\n", seen)
        self.assertIn(b"counts %r\n" % [(int(number), 1) for number in sorted(ALL)], seen)
        self.check_report(process, 42)

    def test_no_signal_costs_the_report(self):
        """All signals that end a program by default, sent only to regionstat."""
        harmless = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
        stopping = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
        others = {signal.SIGKILL, signal.SIGSTOP, signal.SIGUSR2}  # SIGUSR2: command_so_far.py
        for number in sorted(signal.valid_signals() - harmless - stopping - others):
            with self.subTest(number=number):
                process = self.start(*SLEEPER, ready="ready")
                os.kill(process.pid, number)
                # regionstat ends by SIGINT, as the program does
                self.check_report(process, -number if number == signal.SIGINT else 128 + number)

    def test_an_ignored_sighup_stays_ignored(self):
        """As under nohup: regionstat does not forward an ignored SIGHUP, and does not end."""
        process = self.start(
            sys.executable, "-c",
            "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, flush=True); "
            "signal.pause()", ready="True",
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        os.kill(process.pid, signal.SIGHUP)
        os.kill(process.pid, signal.SIGTERM)
        self.check_report(process, 128 + signal.SIGTERM)


class Terminal(harness.TestCase):
    """regionstat in the foreground of its own terminal."""

    def start(self, *program, shell=()):
        """Start regionstat, or a shell that runs it. Return the other end of the terminal and the
        PID."""
        words = [*shell, harness.REGIONSTAT, "-e", "page-faults", *program]
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe(words[0], words, harness.environment())
        self.addCleanup(self.stop, pid, terminal)
        return terminal, pid

    def check_report(self, terminal, pid, status, seen=b""):
        """Wait for the end of regionstat, which has this status and wrote its report."""
        while got := read_some(terminal):
            seen += got
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), status, seen)
        self.assertIn(b"page-faults", seen)

    def stop(self, pid, terminal):
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(terminal)

    def test_sigint_reaches_the_program_once(self):
        terminal, pid = self.start(*counter(signal.SIGINT, signal.SIGTERM))
        seen = read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        seen = read_until(terminal, b"got 2", seen)
        # the kernel delivers the signal with the lower number first: a SIGINT to be forwarded would
        # precede this one
        os.kill(pid, signal.SIGTERM)
        seen = read_until(terminal, b"counts .*\n", seen)
        self.assertIn(b"counts [(2, 1), (15, 1)]", seen)
        self.check_report(terminal, pid, 42, seen)

    def test_keys_end_the_program(self):
        """SIGINT ends regionstat too, after the report. SIGQUIT does not."""
        for key, status in ((b"\x03", -signal.SIGINT), (b"\x1c", 128 + signal.SIGQUIT)):
            with self.subTest(key=key):
                terminal, pid = self.start(*SLEEPER)
                read_until(terminal, b"ready")
                os.write(terminal, key)
                self.check_report(terminal, pid, status)

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

    def test_job_control_stops_and_continues_both(self):
        terminal, pid = self.start(
            sys.executable, "-c", "import os, signal\n"
            "signal.signal(signal.SIGCONT, lambda *_: os._exit(9))\n"
            "os.write(1, b'pid %d.' % os.getpid())\n"
            "while True: signal.pause()", shell=["sh", "-m", "-c", JOBS, "sh"])
        seen = read_until(terminal, b"pid \\d+\\.")
        status = "/proc/%s/status" % re.search(b"pid (\\d+)", seen).group(1).decode()
        os.write(terminal, b"\x1a")
        seen = read_until(terminal, b"stopped with %d\\s" % (128 + signal.SIGTSTP), seen)
        harness.wait_until(lambda: "\nState:\tT" in harness.read_text(status))
        os.write(terminal, b"\n")
        seen = read_until(terminal, b"ended with 9\\s", seen)
        self.check_report(terminal, pid, 0, seen)

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
        result = self.execute([*harness.need_pid_namespaces(), harness.REGIONSTAT, "-e",
                               "page-faults", "sh", "-c", ORPHANS], status=7)
        self.assertEqual(result.stdout.strip(), "20", result)
        self.assertIn("page-faults", result.stderr)
