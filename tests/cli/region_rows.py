# SPDX-License-Identifier: MIT
"""Rows of processes and threads: each process and each thread has its own row, whatever its pid or
tid. The label of a row is for scripts, and the name is for people."""

import re
import subprocess

import harness


def labels(report, region):
    """Return the calls of a region by process label, in the order of the rows."""
    return {row.process: row.calls
            for row in report.select(kind="region", region=region, event="time")}


class Threads(harness.TestCase):

    def test_ended_threads_without_a_measured_call(self):
        result = self.measure(harness.app("rules"), "threads-named", 5, events="time",
                              options=["--per-thread"])
        told = re.findall(r"^thread (\d+) (worker \d)$", result.stdout, re.MULTILINE)
        self.assertEqual(len(told), 5, result)
        rows = result.report.select(kind="region", region="cut", event="time")
        self.assertEqual([(row.thread, row.calls) for row in rows],
                         [(number, 0) for number, name in told])
        cut = result.report.select(kind="diagnostic", region="cut", event="cut")
        self.assertEqual([(row.thread, row.value, row.calls) for row in cut],
                         [(number, "1", 1) for number, name in told])
        names = result.report.select(kind="info", event="thread_name")
        self.assertEqual([(row.thread, row.value) for row in names], told)
        self.assertEqual(len({row.process for row in rows + names}), 1)

    def test_each_of_many_in_turn_is_a_row(self):
        report = self.measure(harness.app("rules"), "threads-in-turn", 200, 3, 2, events="time",
                              options=["--per-thread"]).report
        rows = report.select(kind="region", region="call", event="time")
        self.assertEqual([row.calls for row in rows], [3] * 200)
        self.assertEqual(len({(row.process, row.thread) for row in rows}), 200)

    def test_each_of_many_in_processes_in_turn_is_a_row(self):
        script = 'i=0; while [ $i -lt 30 ]; do "$@"; i=$((i + 1)); done'
        report = self.measure("sh", "-c", script, "sh", harness.app("rules"), "threads", 2, 7,
                              events="time", options=["--per-thread"]).report
        rows = report.select(kind="region", region="call", event="time")
        self.assertEqual([row.calls for row in rows], [7] * 60)
        self.assertEqual(len({(row.process, row.thread) for row in rows}), 60)
        self.assertEqual(len({row.process for row in rows}), 30)

    def test_names_in_the_table(self):
        arguments = ["-e", "time", "--per-thread", harness.app("rules"), "threads-named", "2"]
        result = harness.regionstat("-v", *arguments)
        for name in ("worker 0", "worker 1"):
            self.assertRegex(result.stderr, r"(?m)^\d+ %s  " % name)


class Programs(harness.TestCase):
    """A row of --per-process is a program: a process from its start or exec to its end or exec."""

    def test_six_in_turn(self):
        script = 'for n in 1 2 3 4 5 6; do "$@" gate $n < /dev/null; done'
        result = self.measure("sh", "-c", script, "sh", harness.app("rules"), events="time",
                              options=["--per-process"])
        pids = re.findall(r"^ready (\d+)$", result.stdout, re.MULTILINE)
        self.assertEqual(len(set(pids)), 6, result)
        self.assertEqual(labels(result.report, "gate"),
                         {pid: 2 * (n + 1) for n, pid in enumerate(pids)})
        names = result.report.select(kind="info", event="process_name")
        self.assertEqual([(row.process, row.thread, row.value) for row in names],
                         [(pid, "all", "rules") for pid in pids])

    def test_six_in_one_process(self):
        report = self.measure(harness.app("rules"), "exec", 5, 10, events="time",
                              options=["--per-process"]).report
        rows = report.select(kind="region", region="child", event="time")
        pid = rows[0].process
        self.assertEqual([(row.process, row.calls) for row in rows],
                         [(pid, 10)] + [("%s.%d" % (pid, n), 10) for n in range(2, 7)])
        left = report.select(kind="diagnostic", region="left by exec", event="open")
        self.assertEqual([(row.process, row.calls) for row in left],
                         [(row.process, 1) for row in rows[:5]])

    def test_that_are_number_1_of_their_namespaces(self):
        words = harness.need_pid_namespaces()
        script = 'for n in 3 5 7; do "$@" gate $n < /dev/null; done'
        result = self.measure("sh", "-c", script, "sh", *words, harness.app("rules"),
                              events="time", options=["--per-process"])
        self.assertEqual(result.stdout, "ready 1\n" * 3)
        self.assertEqual(labels(result.report, "gate"), {"1": 6, "1.2": 10, "1.3": 14})

    def run_at_once(self, program, script, *options):
        """Return the report of a script that starts programs. Each has made its first calls before
        any makes its last."""
        output = self.path("report.csv")
        process = self.spawn([harness.REGIONSTAT, "-x", ",", "-o", output, "-e", "time",
                              *options, "sh", "-c", "exec 3<&0; " + script + " wait", "sh",
                              *program], stdin=subprocess.PIPE, bufsize=0)
        lines = [process.stdout.readline() for n in range(3)]
        self.assertEqual(lines, [b"ready 1\n"] * 3, process.stderr.read() if not all(lines) else "")
        process.stdin.close()
        self.assertEqual(process.wait(harness.TIMEOUT_S), 0)
        return harness.read_report(output)

    def test_alive_at_once_that_are_number_1_of_their_namespaces(self):
        program = [*harness.need_pid_namespaces(), harness.app("rules")]
        script = 'for n in 3 5 7; do "$@" gate $n <&3 & done;'
        report = self.run_at_once(program, script)
        self.assertEqual(report.calls(), {"gate": 30})
        report = self.run_at_once(program, script, "--per-process")
        self.assertEqual(sorted(labels(report, "gate").values()), [6, 10, 14])
        self.assertEqual(set(labels(report, "gate")), {"1", "1.2", "1.3"})

    def test_without_proc(self):
        """In a root directory that contains nothing else, the kernel gives a process nothing that
        distinguishes it from others with its number."""
        words = harness.need_pid_namespaces()
        program = [*words, *self.make_bare_root(words)]
        script = 'for n in 3 5 7; do "$@" gate $n <&3 & done;'
        for options in ([], ["--per-process"]):
            report = self.run_at_once(program, script, *options)
            self.assertEqual(sum(labels(report, "gate").values()), 30)
            self.assertClean(report)
        self.assertEqual(sorted(labels(report, "gate").values()), [6, 10, 14])
        self.assertEqual(set(labels(report, "gate")), {"1", "1.2", "1.3"})
