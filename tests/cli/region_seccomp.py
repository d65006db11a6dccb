# SPDX-License-Identifier: MIT
"""Programs that install a filter of seccomp(2), which kills them at most system calls or refuses
memory."""

import os
import re
import signal

import harness

PROGRAM = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <regionstat.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Permit these system calls from now on, and kill the process at all others. */
static void confine(int n, char **numbers)
{
	struct sock_filter code[256] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog filter = {1, code};
	for (int i = 0; i < n; i++) {
		code[filter.len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(numbers[i]), 0, 1);
		code[filter.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[filter.len++] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(77);
}

/* Let mmap(2) fail from now on. */
static void refuse_memory(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(77);
}

/* Sleep 1 ms before each call, so that the thread loses its CPU. */
static void mark(const char *name, int n)
{
	static const struct timespec ms = {0, 1000000};
	for (int i = 0; i < n; i++) {
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ms, NULL);
		regionstat_begin(name);
		regionstat_end(name);
	}
}

/* Make calls until they are measured. */
static void mark_until_measured(void)
{
	struct regionstat_values values;
	if (write(1, "ready\\n", 6) != 6)
		_exit(1);
	do
		mark("marked", 1);
	while (!regionstat_read("marked", REGIONSTAT_TIME, REGIONSTAT_THREAD, &values));
}

static void *run(void *nothing)
{
	mark("thread", 10);
	return nothing;
}

static void grow(void)
{
	char name[16];
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		regionstat_begin(name);
	}
	for (int i = 300; i-- > 0;) {
		snprintf(name, sizeof(name), "r%d", i);
		regionstat_end(name);
	}
}

int main(int argc, char **argv)
{
	const char *steps = argv[1];
	pthread_t thread;
	int status = 0;
	pid_t child;
	for (; *steps; steps++) {
		switch (*steps) {
		case 'f': confine(argc - 2, argv + 2); break;
		case 'e': refuse_memory(); break;
		case 'm': mark("marked", 10); break;
		case 'a': mark_until_measured(); break;
		case 'g': grow(); break;
		case 'p': REGIONSTAT_PAUSE(); REGIONSTAT_RESUME(); break;
		case 't':
			if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
				return 1;
			break;
		case 'c': /* the child does the rest */
			if ((child = fork()) == 0)
				break;
			if (waitpid(child, &status, 0) != child)
				return 1;
			return status ? 100 : 0;
		}
	}
	return 0;
}
"""

# what the program itself needs
OWN = ("clock_nanosleep", "exit_group")
OF_THREADS = ("clone", "clone3", "exit", "mprotect", "rt_sigaction", "set_robust_list", "wait4")
ALL_STEPS = ("mfmgptcmgpt", "fmgptcmgpt")


def numbers(directory, names):
    """Return the numbers of those system calls that this architecture has."""
    text = "#include <sys/syscall.h>\n" + "".join(
        "#ifdef SYS_%s\nNUMBER SYS_%s\n#endif\n" % (name, name) for name in names)
    path = os.path.join(directory, "numbers.c")
    with open(path, "w") as file:
        file.write(text)
    output = harness.run([harness.compilers()[0], "-E", "-P", path]).stdout
    return re.findall(r"NUMBER (\d+)", output)


def permitted():
    """Return the system calls that the manual lists."""
    with open(os.path.join(harness.SOURCE, "man", "regionstat.3")) as file:
        text = file.read().split("to permit all system calls of markers.")[1].split(".Sh")[0]
    others = {"pread": "pread64", "prlimit": "prlimit64", "sigprocmask": "rt_sigprocmask",
              "stat": "newfstatat"}
    return [others.get(name, name) for name in re.findall(r"\.Xr (\w+) 2", text)]


class Seccomp(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("sanitizers make system calls of their own")
        self.program = self.compile_text(PROGRAM, "-O1")

    def words(self, steps, names):
        words = [self.program, steps, *numbers(self.directory, names)]
        harness.need(harness.run([self.program, "f"]).status != 77, "no seccomp filters here")
        return words

    def test_the_manual_lists_all_system_calls(self):
        """A filter with these calls kills no process, whatever is measured."""
        names = (*permitted(), *OWN, *OF_THREADS)
        for options in (["-e", "time"], ["-e", "page-faults,task-clock,user_time"],
                        ["-e", "time", "--labels", "--by-work"],
                        ["-e", "page-faults", "--sample", "2", "--slow", "marked:time>1s",
                         "--trace", self.path("trace")]):
            for steps in ALL_STEPS:
                with self.subTest(options=options, steps=steps):
                    result = harness.regionstat(*options, "-o", self.path("out.csv"),
                                                *self.words(steps, names))
                    self.assertEqual(result.status, 0, result)
                    report = harness.read_report(self.path("out.csv"))
                    self.assertEqual(report.region("marked").calls, 10 * steps.count("m"))
                    self.assertEqual(report.region("thread").calls, 20)
                    self.assertEqual(report.region("r299").calls, 2)

    def test_memory_that_a_filter_refuses(self):
        """The messages name the filter: a thread without memory, and results without memory."""
        for steps, message in (("em", "1 thread not measured: no memory"),
                               ("meg", "memory for results was refused")):
            with self.subTest(steps):
                result = harness.regionstat("-e", "time", *self.words(steps, ()))
                self.assertEqual(result.status, 0, result)
                self.assertRegex(re.sub(r"\s+", " ", result.stderr),
                                 message + r"[^\n]* a seccomp filter")

    def test_no_cpu_time_without_system_calls(self):
        """A region that was called before the filter makes no system call, not even at the end."""
        words = self.words("mfmmm", OWN)
        self.assertEqual(harness.run(words).status, 0)
        result = self.measure(*words, events="time", options=["--no-cpu-time"])
        row = result.report.region("marked")
        self.assertEqual(row.calls, 40)
        self.assertEqual(result.report.region("marked", "cpu-time").status, "not-supported")

    def test_a_child_without_markers_makes_no_system_call(self):
        words = self.words("mfc", (*OWN, "clone", "gettid", "rt_sigprocmask",
                                   "set_robust_list", "wait4"))
        self.assertEqual(harness.run(words).status, 0)
        result = self.measure(*words, events="time", options=["--no-cpu-time", "--sample", "2"])
        self.assertEqual(result.report.region("marked").calls, 10)

    def test_a_process_that_dies_in_a_marker(self):
        """The report names the process and the call: of the program itself, of a child, and of a
        child that uses its first marker."""
        for steps, own, of in (("fm", True, ""), ("cmfm", False, ""), ("cfm", False, "a child of "),
                               ("mcfm", False, "a child of ")):
            with self.subTest(steps):
                words = self.words(steps, (*OWN, *OF_THREADS))
                self.assertEqual(harness.run(words).status, 0)
                result = harness.regionstat("-e", "time", *words)
                self.assertEqual(result.status, 128 + signal.SIGSYS if own else 100, result)
                self.assertRegex(re.sub(r"\s+", " ", result.stdout + result.stderr),
                                 of + r"process \d+ \(program\) died in \w+\(2\), which a marker called "
                                 r"a seccomp filter may forbid this system call: --no-cpu-time")

    def test_an_attached_process_that_dies_in_a_marker(self):
        """regionstat is not its parent, and does not know which signal killed it."""
        process = self.spawn(self.words("afm", OWN), text=True, ready="ready")
        result = self.regionstat("attach", "-e", "time", process.pid)
        self.assertEqual(process.wait(harness.TIMEOUT_S), -signal.SIGSYS)
        self.assertRegex(result.stdout + result.stderr,
                         r"process %d \(program\) died in \w+\(2\)" % process.pid)

    def test_a_region_that_dies_after_the_filter(self):
        """The calls before the filter are in the report."""
        result = harness.regionstat("-e", "time", "-o", self.path("out.csv"),
                                    *self.words("mfmmm", OWN))
        self.assertEqual(result.status, 128 + signal.SIGSYS)
        self.assertEqual(harness.read_report(self.path("out.csv")).region("marked").calls, 10)
        self.assertIn("died in getrusage(2)", result.stderr)
