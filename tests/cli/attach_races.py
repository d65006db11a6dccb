# SPDX-License-Identifier: MIT
"""Attaching and detaching while threads start, end, fork, execute programs, use new names, have open calls
and run signal handlers. races.c counts the calls that a runtime has begun."""

import contextlib
import os
import subprocess

import harness
from attach_program import AttachTestCase, is_measured

# measurements of the same process; more of them in a long proof
ROUNDS = int(os.environ.get("REGIONSTAT_ROUNDS", "8"))
PLANS = (["-e", "time"], ["-e", "task-clock:u,page-faults:u"], ["-e", "time", "--per-process"],
         ["-e", "time", "--sample", "3"], ["-e", "time", "--trace", "trace.pftrace"],
         ["-e", "time", "--per-thread", "--trace", "trace.pftrace"])
REGIONS = ("scope", "handler", "child")
# what the program's own jumps, ends of threads and signals explain
EXPECTED = {"open", "lost", "exit", "interrupted", "clamped", "skipped"}


class Races(AttachTestCase):

    @staticmethod
    def begun_of(row):
        """Return the calls of a row: those that have ended, or will not."""
        if row.kind == "region" and row.event == "time":
            return row.calls
        is_unended = row.kind == "diagnostic" and row.event in ("open", "lost", "exit")
        return int(row.value) if is_unended else 0

    def state(self):
        return [len(os.listdir("/proc/%d/fd" % self.process.pid)), self.has_runtime()]

    def has_runtime(self):
        """Return true if a segment is mapped, or the runtime's thread is there."""
        directory = "/proc/%d/task/" % self.process.pid
        names = []
        for task in os.listdir(directory):
            with contextlib.suppress(OSError):  # it has ended
                names.append(harness.read_text(directory + task + "/comm"))
        return is_measured(self.process.pid) or "regionstat\n" in names

    def test_detaching_at_any_moment(self):
        self.process = self.spawn([self.build(source="races")], stdin=subprocess.PIPE, text=True,
                                  ready="ready")
        before, begun = self.state(), harness.ask(self.process)
        self.assertEqual((before[1], begun), (False, [0, 0, 0]))
        n = 0
        for i in range(ROUNDS):
            with self.subTest(round=i):
                result = self.attach(self.process.pid, "--quiet", *PLANS[i % len(PLANS)],
                                     duration="%dms" % (20 + 7 * i % 60), cwd=self.directory)
                report = result.report
                self.assertEqual(set(report.diagnostics()) - EXPECTED, set(), result)
                earlier, begun = begun, harness.ask(self.process)
                ended = [sum(self.begun_of(row) for row in report.select(region=name))
                         for name in REGIONS]
                expected = [now - then for now, then in zip(begun, earlier)]
                self.assertEqual(ended, expected, (report.diagnostics(), result.stderr))
                n += ended[0]
                harness.wait_until(lambda: self.state() == before)
        harness.note("%d calls" % n)
        self.assertGreater(n, 0)
        output, errors = self.process.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual((output, errors, self.process.returncode), ("done\n", "", 0))
