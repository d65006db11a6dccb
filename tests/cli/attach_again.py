# SPDX-License-Identifier: MIT
"""The regionstat that measures a program is killed. The program goes on unharmed, and regionstat attach
goes on with its run."""

import contextlib
import csv
import os
import signal
import subprocess

import harness
from attach_program import AttachTestCase, Program, is_measured

# How often regionstat is killed; more in a long proof.
KILLS = int(os.environ.get("REGIONSTAT_KILLS", "3" if harness.SANITIZE == "none" else "1"))
# Forked children of a program with AddressSanitizer sometimes crash while they load the runtime.
FORK = "f" if harness.SANITIZE == "none" else ""
# A filter of system calls, which makes close_range(2) fail with ENOSYS. Then a command.
NO_CLOSE_RANGE = """
import ctypes, os, struct, sys
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
codes = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, 436), (RETURN, 0, 0, 0x50000 | 38), (RETURN, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *code) for code in codes))
program = struct.pack("HxxxxxxP", len(codes), ctypes.addressof(text))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
# A program with a library of its own link namespace, whose markers it does not use. Each line of its input
# is answered: has an attaching process asked these markers to load the runtime?
OTHER_NAMESPACE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <regionstat.h>
int main(int n, char **words)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    void *library = dlmopen(LM_ID_NEWLM, words[1], RTLD_NOW);
    int (*is_asked)(void) = library ? (int (*)(void))dlsym(library, "second_is_asked") : NULL;
    puts(is_asked ? "ready" : dlerror());
    while (fflush(stdout) == 0) {
        while (poll(&input, 1, 1) == 0) {
            REGIONSTAT_SCOPE("scope");
        }
        if (getchar() < 0)
            return 0;
        printf("%d\\n", is_asked());
    }
    return n;
}
"""
CLOSE_ALL = "import os, sys; os.closerange(3, 4096); os.execv(sys.argv[1], sys.argv[1:])"


class Again(AttachTestCase):

    def start_program(self, *words, **options):
        """Start the program, maybe by words that end in its command."""
        self.program = Program(self, [*words, self.build()], 4, 1000, **options)

    def ask(self, word=""):
        """Return how many calls of "scope" a runtime has begun."""
        return self.program.ask(word)[0]

    def launch(self, *words, options=()):
        """Start the program under regionstat, and kill this regionstat. Return the program's pid."""
        self.start_program(harness.REGIONSTAT, *options, "-o", self.path("run.txt"), *words, is_child=True)
        while self.ask() == 0:
            pass
        self.kill(self.program.process)
        self.program.status = -signal.SIGKILL
        return self.program.pid

    @staticmethod
    def kill(regionstat):
        os.kill(regionstat.pid, signal.SIGKILL)
        regionstat.wait()

    @staticmethod
    def keeps_segment(pid):
        with contextlib.suppress(OSError):
            return "/memfd:regionstat (deleted)" in harness.descriptors(pid).values()
        return False

    def go_on(self, pid, *options):
        """Return a regionstat that measures the program."""
        rows = self.text_file("rows.csv", "")
        return self.begin(pid, "-I", "20", "--interval-output", rows, *options,
                          until=lambda _: ",scope," in harness.read_text(rows))

    def finish_run(self, measurement):
        """Return the report of an attached regionstat, and its messages."""
        report, messages = self.finish(measurement)
        with open(self.path("rows.csv"), encoding="utf-8", newline="") as file:
            in_intervals = sum(int(row["calls"]) for row in csv.DictReader(file)
                               if (row["kind"], row["region"], row["event"]) == ("region", "scope", "time"))
        self.assertEqual(in_intervals, report.calls()["scope"])  # the first one has all calls before it
        return report, messages

    def test_a_launcher_that_is_killed(self):
        """Each regionstat that attaches has all calls since the start; some of them are killed, too."""
        pid = self.launch(options=["-e", "task-clock:u"])
        before = 0
        for i in range(KILLS):
            least = self.ask()
            measurement = self.go_on(pid)
            if i % 2 == 0:
                self.kill(measurement)
                continue
            report = self.finish_run(measurement)[0]
            self.assertLessEqual(least - 4, report.calls()["scope"])
            self.assertLessEqual(report.calls()["scope"], self.ask())
            self.assertGreater(report.calls()["scope"], before)
            before = report.calls()["scope"]
        measurement = self.go_on(pid)
        refused = self.regionstat("attach", str(pid), "-o", "/dev/null", status=125)
        self.assertIn("is measured already, by regionstat %d\n" % measurement.pid, refused.stderr)
        begun = self.ask("s")
        report, messages = self.finish_run(measurement)
        self.assertIn("which began the measurement, has ended", messages)
        self.assertIn("the report has all calls since it began", messages)
        self.assertEqual(report.calls()["scope"], begun)
        self.assertEqual(report.region("scope", "task-clock:u").counted, begun)
        self.assertEqual(set(report.diagnostics()) - {"clamped"}, set())
        # the counters of the run have ended with its regionstat
        self.assertEqual(report.select(kind="run", event="task-clock:u"), [])

    def test_the_program_ends_meanwhile(self):
        pid = self.launch()
        measurement = self.go_on(pid)
        begun = self.ask("s")
        self.program.end()
        self.assertEqual(measurement.wait(harness.TIMEOUT_S), 0)
        self.assertEqual(harness.read_report(self.path("report.csv")).calls()["scope"], begun)

    def test_periods(self):
        """The first period has the calls before, and all add up."""
        pid = self.launch()
        measurement = self.go_on(pid, "--rotate", "100ms", "-o", self.path("part-%t.json"))
        parts = lambda: [self.path(name) for name in os.listdir(self.directory)
                         if name.startswith("part-")]
        harness.wait_until(lambda: len(parts()) > 2)
        begun = self.ask("s")
        report = self.finish_run(measurement)[0]
        self.assertEqual(report.calls()["scope"], begun)
        merged = harness.regionstat("merge", "-x", ",", "-o", "-", *parts())
        merged = harness.Report(merged.stdout)
        self.assertEqual(merged.calls(), report.calls())
        self.assertEqual(merged.select(kind="ranks"), [])  # there is one process

    def test_a_program_without_the_descriptor(self):
        """As daemons, which close all that they have. Root finds the segment among the mapped files."""
        pid = self.launch("python3", "-c", CLOSE_ALL)
        self.assertNotIn("/memfd:regionstat (deleted)", harness.descriptors(pid).values())
        measurement = self.go_on(pid)
        if measurement.poll() is not None:
            self.assertIn("has closed the descriptor of its run\n  try: as root",
                          measurement.communicate()[1])
        else:
            begun = self.ask("s")
            self.assertEqual(self.finish_run(measurement)[0].calls()["scope"], begun)

    def test_options_of_the_start(self):
        pid = self.launch()
        for options in (["-e", "time"], ["--sample", "2"], ["-D", "5"], ["--trace", "a.json"]):
            result = self.regionstat("attach", str(pid), *options, status=125)
            self.assertIn("cannot change: attach continues the run", result.stderr)
        self.text_file("regionstat.yaml", "sample: 3\nby_work: true\n")
        result = self.regionstat("attach", str(pid), "--duration", "10ms", cwd=self.directory)
        self.assertIn("scope", result.stderr)

    def test_a_kernel_without_close_range(self):
        """The segment's descriptor has a high number in the program, also without a regionstat."""
        self.start_program("python3", "-c", NO_CLOSE_RANGE)
        pid = self.program.pid
        before, begun = set(os.listdir("/proc/%d/fd" % pid)), self.ask()
        self.kill(self.go_on(pid))

        def added():
            return {number: file for number, file in harness.descriptors(pid).items()
                    if number not in before}

        # markers are on before the thread that loads the runtime has closed the low number
        harness.wait_until(lambda: min(map(int, added())) > 63)
        self.assertIn("/memfd:regionstat (deleted)", added().values())
        measurement = self.go_on(pid)
        ended = self.ask("s")
        self.assertEqual(self.finish_run(measurement)[0].calls()["scope"], ended - begun)
        harness.wait_until(lambda: set(os.listdir("/proc/%d/fd" % pid)) == before)

    def test_an_attached_regionstat_that_is_killed(self):
        """The next regionstat has all calls since the first one attached. Then the program detaches."""
        self.start_program()
        pid = self.program.pid
        begun = self.ask()
        for _ in range(KILLS):
            before = begun
            self.kill(self.go_on(pid, "-e", "time"))
            self.ask(FORK)  # memory of the segment without a regionstat
            refused = self.regionstat("attach", str(pid), "-e", "time", status=125)
            self.assertIn("regionstat attach --duration 1ms %d\n" % pid, refused.stderr)
            self.kill(self.go_on(pid))
            self.ask(FORK)
            report, messages = self.finish_run(self.go_on(pid))
            self.assertIn("which began the measurement, has ended", messages)
            begun = self.ask()
            is_open = sum(int(row.value) for row in
                          report.select(kind="diagnostic", event="open", region="scope"))
            self.assertEqual(report.calls()["scope"] + is_open, begun - before)
            self.assertEqual(report.calls().get("child", 0), 200 * len(FORK))
            self.assertEqual(set(report.diagnostics()) - {"clamped", "open"}, set())
            harness.wait_until(lambda: not is_measured(pid))

    def test_markers_that_have_not_loaded_the_runtime(self):
        """They are in another link namespace. The second regionstat turns them off again."""
        harness.need_no_sanitizer("the library of a sanitizer must be the first one")
        library = self.build("-shared", "-fPIC", source="second")
        process = self.spawn([self.compile_text(OTHER_NAMESPACE, "-ldl", name="main"), library],
                             stdin=subprocess.PIPE, text=True, ready="ready")
        self.kill(self.go_on(process.pid, "-e", "time"))
        self.assertEqual(harness.ask(process), [1])
        self.finish_run(self.go_on(process.pid))
        self.assertEqual(harness.ask(process), [0])

    def test_a_child_that_is_forked_before_a_thread_keeps_the_segment(self):
        """The thread that loads keeps it at first, and closes its descriptor before the child looks for it.
        No regionstat has another one, but the child has a copy."""
        harness.need_no_sanitizer("a forked child that starts a thread crashes or ends")
        process = self.spawn([self.build(source="keeper")], stdin=subprocess.PIPE, text=True, ready="ready")
        pid = process.pid
        measurement = self.begin(pid, "-e", "time")
        self.assertEqual(process.stdout.readline(), "forked\n")
        # a program with the same user, capabilities and namespaces needs no helper process
        self.assertEqual(harness.children(measurement.pid), [])
        self.kill(measurement)
        harness.wait_until(lambda: not self.keeps_segment(pid))
        self.assertEqual(harness.ask(process), [100])
        report, _ = self.finish_run(self.go_on(pid))
        self.assertEqual(report.calls()["child"], 100)
        self.assertEqual(report.diagnostics(), {})
