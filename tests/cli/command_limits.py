# SPDX-License-Identifier: MIT
"""The command with few resources. With a small stack it does the same as with a large one. If a
resource is exhausted, its message says what to do."""

import os
import re
import resource

import harness

NEST = [harness.app("nest"), "16"]


class Stack(harness.TestCase):
    """ulimit -s 64. The arguments and the environment also use the stack."""

    STACK_BYTES = 64 << 10

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("a sanitizer makes every frame larger")
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                    "XDG_CONFIG_HOME": "/nonexistent", "SOMETHING": "x" * 4000}

    def both(self, *arguments, status=0):
        """Run the command with a small stack and with the usual one."""
        return [self.regionstat(*arguments, env=self.env, cwd=self.directory, status=status,
                                preexec_fn=lambda n=limit: resource.setrlimit(
                                    resource.RLIMIT_STACK, (n, n)))
                for limit in (self.STACK_BYTES, 8 << 20)]

    def test_run(self):
        small, usual = self.both(
            "-x,", "-o", "-", "-e", "{page-faults,task-clock},context-switches", "-M",
            "cpus-utilized,faults-per-second", "--slow", "line:time>1ns", "--slow-output",
            "slow.txt", "--histogram", "line", "--functions", "main", *NEST)
        self.assertEqual(harness.Report(small.stdout).calls(), harness.Report(usual.stdout).calls())
        self.assertIn("line", harness.Report(small.stdout).calls())
        self.assertIn("line", harness.read_text(self.path("slow.txt")))

    def test_report(self):
        saved = self.path("saved.json")
        self.regionstat("-o", saved, "-e", "page-faults,cycles", "-M", "CPI", *NEST)
        for words in ([], ["-v", "--all", "--per-thread", "--histogram", "line"], ["-j"], ["-x,"],
                      ["--format", "markdown"]):
            self.assertSame(*self.both("report", *words, saved))

    def test_a_document_that_is_deep(self):
        for depth in (32, 2000):
            path = self.text_file("deep.json", "[" * depth)
            self.assertSame(*self.both("report", path, status=125))

    def test_list(self):
        for words in ([], ["-j"], ["cache*"], ["metrics"], ["metrics", "-j"], ["-s", "cache"]):
            self.assertSame(*self.both("list", *words))

    def test_what_is_shown_before_a_run(self):
        self.text_file("settings.yaml", "events: [cycles, page-faults]\nprofiles:\n  a: {top: 3}\n")
        self.text_file("wrong.yaml", "profiles:\n  a:\n    regions:\n      b: {nothing: 3}\n")
        self.assertSame(*self.both("--help"))
        self.assertSame(*self.both("-c", "settings.yaml", "--profile", "a", "--print-config"))
        self.assertSame(*self.both("-c", "settings.yaml", "--dry-run", "-M", "CPI", *NEST))
        self.assertSame(*self.both("--dry-run", "--markers", "likwid,nvtx", *NEST))
        self.assertSame(*self.both("-c", "wrong.yaml", "true", status=125))
        self.assertSame(*self.both("-e", "cyclse", "true", status=125))
        self.assertSame(*self.both("--nonsense", "true", status=125))
        self.assertSame(*self.both("no-such-program", status=127))


class Memory(harness.TestCase):
    """ulimit -v."""

    def test_a_file_that_takes_more_than_there_is(self):
        """Each of two million words of a command needs 16 bytes, and a pointer of 8."""
        harness.need_no_sanitizer("a sanitizer's own memory is larger than any limit")
        path = self.text_file("large.json", '{"regionstat":"0.1.0","schema":1,"run":{"command":["x"%s]}}'
                              % (',"x"' * 2000000))
        limit = 48 << 20
        result = self.regionstat("report", path, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (limit, limit)), status=125)
        self.assertIn("large.json': there is no memory for it\n  try: with more memory",
                      result.stderr)


class Refused(harness.TestCase):
    """malloc() fails once in a report: each such report is whole, or is none and says why."""

    FORMATS = ("table", "csv", "json", "html", "ndjson", "prometheus", "otlp", "google-benchmark")

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("a sanitizer has its own malloc()")
        self.library = self.compile("refused.c", harness.compilers()[0], "-shared", "-fPIC",
                                    "-D_GNU_SOURCE", name="refused.so")

    def test_a_series(self):
        """These calls are those of the first process, which keeps the runs of others."""
        for n in range(1, 12):
            result = harness.regionstat(
                "-r", "2", "-e", "time", "-o", self.path("%d.jsonl" % n), harness.app("rules"),
                "markers", 1, "aA",
                env=harness.environment(LD_PRELOAD=self.library, REFUSED=str(n)))
            self.assertIn(result.status, (0, 125), n)
            if result.status:
                self.assertRegex(result.stderr, "^regionstat: ", n)

    def test_each_call_of_malloc(self):
        saved = self.path("saved.json")
        self.regionstat("--quiet", "-e", "time,page-faults", "-o", saved, harness.app("rules"), "markers", 1, "abBAC")
        for name in self.FORMATS:
            with self.subTest(format=name):
                directory = self.path(name)
                os.mkdir(directory)
                whole = self.regionstat(
                    "report", "--format", name, saved,
                    env=harness.environment(LD_PRELOAD=self.library, REFUSED=directory)).stderr
                refused = harness.read_text(os.path.join(directory, "status")).splitlines()
                self.assertGreater(len(refused), 100)
                for n, status in map(str.split, refused):
                    text = harness.read_text(os.path.join(directory, n))
                    if int(status) == 0:
                        self.assertEqual(*[re.sub("(?m)^regionstat: .*\n", "", each)
                                           for each in (text, whole)], n)
                        self.assertTrue(text == whole or "warnings: out of memory" in text, n)
                    else:
                        self.assertEqual(os.waitstatus_to_exitcode(int(status)), 125, n)
                        self.assertRegex(text, r"^regionstat: .*[Mm]emory[^\x00]*\n.*nothing was shown", n)


class Waiting(harness.TestCase):

    @harness.no_sanitizer("the library of a sanitizer must be the first one")
    def test_a_program_that_is_run_and_not_waited_for(self):
        """A filter of system calls refuses wait4(2). The program was run, but there is no report."""
        library = self.compile_text("""
            #include <errno.h>
            #include <sys/wait.h>
            pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
            {
                (void)pid, (void)status, (void)options, (void)usage;
                errno = EPERM;
                return -1;
            }
            """, "-shared", "-fPIC", name="waitless.so")
        result = harness.regionstat("true", env=harness.environment(LD_PRELOAD=library))
        self.assertEqual((result.status, result.stderr), (
            125, "regionstat: cannot wait for the program: Operation not permitted (EPERM)\n"))


class Processes(harness.TestCase):
    """pids.max of a cgroup. regionstat has two threads beside the program."""

    def test_too_few(self):
        for most, what in ((1, "program: fork"), (2, "listener: pthread_create")):
            limit = {"pids.max": most}
            directory = self.make_cgroup("pids", limit, limit)
            result = harness.run(["sh", "-c", 'echo $$ >"$1" && shift && exec "$@"', "sh",
                                  os.path.join(directory, "cgroup.procs"), harness.REGIONSTAT,
                                  "true"])
            self.assertEqual(result.status, 125, result)
            self.assertIn("cannot start the " + what, result.stderr)
            self.assertIn("try: a higher limit on processes (ulimit -u, or the cgroup's pids.max)",
                          result.stderr)
