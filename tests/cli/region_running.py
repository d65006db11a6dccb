# SPDX-License-Identifier: MIT
"""Processes that outlive the started program: the report says that they still run, or with
--wait-all regionstat waits for them. Calls whose thread or process ended before them are reported
as still open."""

import os
import re
import select
import signal
import subprocess
import sys

import harness


def wait_until_childless(pid):
    """Wait until a process has reaped its last child."""
    def parents():
        for entry in os.listdir("/proc"):
            try:
                with open("/proc/%d/stat" % int(entry), encoding="utf-8", errors="replace") as file:
                    yield int(file.read().rpartition(")")[2].split()[1])
            except (ValueError, OSError):
                pass
    while pid in parents():
        os.sched_yield()


class Run:
    """regionstat with a program that leaves a process behind, which continues after let_go()."""

    def __init__(self, test, *program, options=()):
        self.test, self.output = test, test.path("report-%d.csv" % id(self))
        arguments = ["-x", ",", "-o", self.output, "-e", "time", *options]
        self.process = harness.start([harness.REGIONSTAT, *arguments, *program],
                                     stdin=subprocess.PIPE, bufsize=0)
        test.addCleanup(harness.stop, self.process)
        test.addCleanup(self.let_go)

    def read_word(self, word):
        """Return the number after the word that the program prints now."""
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(word + r" (\d+)\n", line)
        self.test.assertTrue(found, line or self.process.stderr.read())
        return int(found.group(1))

    def let_go(self):
        """Let the processes that were left behind continue to their end."""
        if not self.process.stdin.closed:
            self.process.stdin.close()

    def wait(self, status):
        """Wait for regionstat. Return its report and its messages."""
        self.test.assertEqual(self.process.wait(harness.TIMEOUT_S), status)
        report = harness.read_report(self.output)
        # processes that still run hold the same stderr, so do not read to its end
        said = os.read(self.process.stderr.fileno(), 65536).decode() if self.said() else ""
        return report, said

    def said(self):
        """Return True if there is something to read."""
        poller = select.poll()
        poller.register(self.process.stderr, select.POLLIN)
        return any(event & select.POLLIN for _, event in poller.poll(0))


class Daemons(harness.TestCase):
    """A daemon has made 5 calls and begun one when the program ends with status 3. Then the test
    releases it; it ends that call and makes 5 more."""

    def start(self, *options):
        run = Run(self, harness.app("rules"), "daemon", "5", options=options)
        return run, run.read_word("alone")

    def check_running(self, run, pid, status, why):
        """Check that the report has the daemon as still running, with its finished calls."""
        report, said = run.wait(status)
        self.assertEqual(report.region("daemon work").calls, 5)
        self.assertEqual(report.region("daemon open").calls, 0)
        self.assertEqual(report.diagnostics(), {"running": 1})
        row = report.one(kind="diagnostic", event="running")
        self.assertEqual((row.region, row.value, row.calls), ("daemon open", "1", 1))
        row = report.one(kind="info", event="running")
        self.assertEqual((row.process, row.value), (str(pid), "rules"))
        self.assertIn("1 process with markers still ran when %s, and later calls are not counted: "
                      "'rules %d'" % (why, pid), said)
        self.assertNotIn("still open", said)
        return said

    def test_still_running(self):
        run, pid = self.start()
        said = self.check_running(run, pid, 3, "the program had ended")
        self.assertIn("--wait-all waits", said)

    def test_still_running_has_a_row_of_its_own(self):
        run, pid = self.start("--per-process")
        report, _ = run.wait(3)
        self.assertEqual([(row.process, row.calls) for row in report.select(
            kind="region", region="daemon work", event="time")], [(str(pid), 5)])

    def test_waited_for(self):
        run, _ = self.start("--wait-all")
        wait_until_childless(run.process.pid)
        self.assertFalse(os.path.exists(run.output), "there is a report")
        run.let_go()
        report, said = run.wait(3)
        self.assertEqual(report.calls(), {"daemon work": 10, "daemon open": 1})
        self.assertClean(report)
        self.assertEqual(report.select(kind="info", event="running"), [])
        if harness.SANITIZE != "none":  # a thread's first marker takes long, beside so little work
            said = re.sub("^regionstat: markers take at least .*\n", "", said)
        self.assertEqual(said, "")

    def test_nothing_to_wait_for(self):
        report = self.measure(harness.app("rules"), "nested", 3, options=["--wait-all"]).report
        self.assertClean(report)

    def test_an_interrupt_ends_the_waiting(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                run, pid = self.start("--wait-all")
                wait_until_childless(run.process.pid)
                os.kill(run.process.pid, number)
                said = self.check_running(run, pid, 3, "the waiting for all was interrupted")
                self.assertNotIn("--wait-all waits", said)
                run.let_go()

    def test_other_signals_do_not(self):
        run, _ = self.start("--wait-all")
        wait_until_childless(run.process.pid)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
            os.kill(run.process.pid, number)
        run.let_go()
        report, _ = run.wait(3)
        self.assertEqual(report.calls(), {"daemon work": 10, "daemon open": 1})

    def test_an_interrupted_program_is_the_end(self):
        """After Ctrl-C the report comes at once."""
        go = self.path("go")
        os.mkfifo(go)
        run = Run(self, "sh", "-c", 'exec 3<&0; "$@" gate 5 <&3 & read x < ' + go, "sh",
                  harness.app("rules"), options=["--wait-all"])
        pid = run.read_word("ready")
        os.kill(run.process.pid, signal.SIGINT)
        report, _ = run.wait(-signal.SIGINT)
        self.assertEqual(report.calls(), {"gate": 5})
        self.assertEqual(report.one(kind="info", event="running").process, str(pid))

    def test_timeout_ends_them(self):
        runs = {}
        for ignored in ("", "trap '' TERM; "):
            runs[ignored] = Run(self, "sh", "-c", ignored + 'exec "$@"', "sh", harness.app("rules"),
                                "daemon", "5", options=["--wait-all", "--timeout", "2000"])
        for ignored, run in runs.items():
            with self.subTest(ignored):
                run.read_word("alone")
                report, said = run.wait(124)
                self.assertEqual(report.region("daemon work").calls, 5)
                self.assertEqual(report.diagnostics(), {"open": 1})
                self.assertIn("ended after --timeout 2000", said)


# A daemon whose first thread ends. Another thread of it then ends the program.
FIRST_ENDS = r"""
#include <pthread.h>
#include <regionstat.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ready[2];

static void *work(void *nothing)
{
	char text[512] = "", path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getpid());
	while (!strstr(text, ") Z")) {
		FILE *file = fopen(path, "r");
		text[fread(text, 1, sizeof(text) - 1, file)] = 0;
		fclose(file);
	}
	write(ready[1], "", 1);
	while (getchar() >= 0)
		;
	return nothing;
}

int main(void)
{
	pthread_t thread;
	char byte;
	if (pipe(ready) != 0 || fork() > 0)
		return read(ready[0], &byte, 1) != 1;
	printf("alone %d\n", (int)getpid());
	fflush(stdout);
	REGIONSTAT_BEGIN("daemon");
	REGIONSTAT_END("daemon");
	pthread_create(&thread, NULL, work, NULL);
	pthread_exit(NULL);
}
"""


class Others(harness.TestCase):

    def test_a_daemon_whose_first_thread_has_ended(self):
        """/proc/PID then has no mappings."""
        run = Run(self, self.compile_text(FIRST_ENDS, "-pthread"))
        pid = run.read_word("alone")
        report, said = run.wait(0)
        self.assertEqual(report.calls(), {"daemon": 1})
        self.assertEqual(report.one(kind="info", event="running").process, str(pid))
        self.assertIn("1 process with markers still ran when the program had ended", said)

    def test_a_program_is_waited_for_before_its_first_marker(self):
        """Its object contains the marker header."""
        go = self.path("go")
        os.mkfifo(go)
        run = Run(self, "sh", "-c", 'exec 3<&0; "$@" gate 5 late <&3 & read x < ' + go, "sh",
                  harness.app("rules"), options=["--wait-all"])
        run.read_word("ready")
        harness.write_text(go, "go\n")
        wait_until_childless(run.process.pid)
        self.assertFalse(os.path.exists(run.output), "there is a report")
        run.let_go()
        report, _ = run.wait(0)
        self.assertEqual(report.calls(), {"gate": 5})
        self.assertClean(report)

    def test_a_daemon_that_forks_during_the_search(self):
        """A process forks again and ends, after regionstat has read the list of processes, and before
        its turn in that list. So that this takes long enough, the list has 100 other processes."""
        program = self.compile_text("""
            #include <regionstat.h>
            #include <unistd.h>
            int main(void)
            {
                REGIONSTAT_BEGIN("a");
                REGIONSTAT_END("a");
                if (fork() != 0)
                    return 0;
                usleep(5000);
                if (fork() != 0)
                    _exit(0);
                for (int i = 0; i < 100; i++) {
                    REGIONSTAT_SCOPE("b");
                    usleep(10000);
                }
                return 0;
            }
            """)
        self.spawn([sys.executable, "-c", """if True:
            import ctypes, os, signal
            for _ in range(100):
                if os.fork() == 0:
                    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
                    signal.pause()
            print("ready", flush=True)
            signal.pause()
            """], ready="ready", text=True)
        for _ in range(3):
            report = self.measure(program, options=["--wait-all"]).report
            self.assertEqual(report.calls(), {"a": 1, "b": 100})

    def test_a_program_without_markers_is_not_waited_for(self):
        """The program that executed it used markers before, and does not any more."""
        run = Run(self, harness.app("rules"), "daemon-exec", "5", options=["--wait-all"])
        run.read_word("executed")
        report, said = run.wait(0)
        self.assertEqual(report.calls(), {"before exec": 5, "left by exec": 0})
        self.assertEqual(report.diagnostics(), {"open": 1})
        self.assertNotIn("still ran", said)


    def test_a_process_without_markers_so_far_is_named(self):
        """It is a child of a program without markers, or of a program that has used markers."""
        forks = self.compile_text("""
            #include <regionstat.h>
            #include <stdio.h>
            #include <unistd.h>
            int main(void)
            {
                REGIONSTAT_BEGIN("a");
                REGIONSTAT_END("a");
                if (fork() == 0) {
                    printf("child %d\\n", (int)getpid());
                    fflush(stdout);
                    getchar();
                }
                return 0;
            }
            """)
        for words in (["sh", "-c", 'exec 3<&0; cat <&3 & echo "child $!"'], [forks]):
            run = Run(self, *words)
            pid = run.read_word("child")
            _, said = run.wait(0)
            run.let_go()
            self.assertIn("process %d continues after the program's end, and has used no markers: --wait-all, if it has markers\n" % pid, said)

    def test_a_daemon_that_starts_up_has_one_message(self):
        """A daemon may use its first marker while regionstat makes the report."""
        program = self.compile_text("""
            #include <regionstat.h>
            #include <unistd.h>
            int main(void)
            {
                REGIONSTAT_BEGIN("a");
                REGIONSTAT_END("a");
                int end = dup(0);
                if (daemon(1, 0))
                    return 1;
                REGIONSTAT_BEGIN("b");
                REGIONSTAT_END("b");
                char byte;
                return read(end, &byte, 1) != 0;
            }
            """)
        reader, writer = os.pipe()  # at its end the daemons end, too
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        for _ in range(30):
            said = self.regionstat("-e", "time", "--", program, stdin=reader).stderr
            self.assertEqual(("has used no markers" in said) + ("still ran" in said), 1, said)


    def test_its_cpu_time(self):
        """No process has waited for the child, and without task-clock no counter has its time."""
        go = self.path("go")
        os.mkfifo(go)
        run = Run(self, "sh", "-c", 'exec 3<&0; "$@" gate 300000 <&3 & read x < ' + go, "sh",
                  harness.app("rules"))
        pid = run.read_word("ready")
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            ticks = sum(int(word) for word in file.read().rpartition(")")[2].split()[11:13])
        self.assertGreater(ticks, 0)
        harness.write_text(go, "go\n")
        report, _ = run.wait(0)
        used_ns = sum(row.total for row in report.select(kind="run")
                      if row.event in ("user_time", "system_time"))
        self.assertGreaterEqual(used_ns, ticks * 10**9 // os.sysconf("SC_CLK_TCK"))


class Namespaces(harness.TestCase):
    """A process of another pid namespace is identified by /proc."""

    def check(self, *program):
        """Run a program whose child continues in the background after it has ended."""
        go = self.path("go")
        if not os.path.exists(go):
            os.mkfifo(go)
        script = 'exec 3<&0; "$@" gate 5 <&3 & read x < ' + go
        for options in ([], ["--wait-all"]):
            with self.subTest(program=program, options=options):
                run = Run(self, "sh", "-c", script, "sh", *program, options=options)
                self.assertEqual(run.read_word("ready"), 1)
                harness.write_text(go, "go\n")
                wait_until_childless(run.process.pid)
                if options:
                    run.let_go()
                report, said = run.wait(0)
                run.let_go()
                self.assertEqual(report.calls(), {"gate": 10 if options else 5})
                self.assertEqual([(row.process, row.value)
                                  for row in report.select(kind="info", event="running")],
                                 [] if options else [("1", "rules")])

    def test_another_pid_namespace(self):
        self.check(*harness.need_pid_namespaces(), harness.app("rules"))

    def test_without_proc(self):
        words = harness.need_pid_namespaces()
        self.check(*words, *self.make_bare_root(words))


class Open(harness.TestCase):
    """Calls that can never end, by what ended first."""

    def check(self, *words, region, message):
        result = self.measure(harness.app("rules"), *words)
        self.assertEqual(result.report.diagnostics(region), {"open": 1})
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stderr.count("still open"), 1)

    def test_a_thread_that_ended(self):
        self.check("markers", 1, "(f)", region="f",
                   message="1 call still open when the thread ended, not in the figures: 'f' (1)")

    def test_a_detached_thread_of_a_program_that_ended(self):
        self.check("detached", region="detached work",
                   message="1 call still open when the process ended or executed another program, "
                   "not in the figures: 'detached work' (1)")
