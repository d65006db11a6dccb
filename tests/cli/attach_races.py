# SPDX-License-Identifier: MIT
"""Attaching and detaching while threads start, end, fork, execute programs, use new names, have open calls
and run signal handlers. races.c counts the calls that a runtime has begun."""

import os
import subprocess

import harness

# measurements of the same process; more of them in a long proof
ROUNDS = int(os.environ.get("REGIONSTAT_ROUNDS", "8"))
PLANS = (["-e", "time"], ["-e", "task-clock:u,page-faults:u"], ["-e", "time", "--per-process"],
         ["-e", "time", "--sample", "3"], ["-e", "time", "--trace", "trace.pftrace"],
         ["-e", "time", "--per-thread", "--trace", "trace.pftrace"])
REGIONS = ("scope", "handler", "child")
# what the program's own jumps, ends of threads and signals explain
EXPECTED = {"open", "lost", "exit", "interrupted", "clamped", "skipped"}


class Races(harness.TestCase):

    def ask(self):
        return harness.ask(self.process)

    def attach(self, i):
        output = self.path("report.csv")
        result = self.regionstat("attach", self.process.pid, "-x", ",", "-o", output, "--quiet",
                                 "--duration", "%dms" % (20 + 7 * i % 60), *PLANS[i % len(PLANS)],
                                 cwd=self.directory)
        return harness.read_report(output), result.stderr

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
        directory = "/proc/%d/" % self.process.pid
        names = []
        for task in os.listdir(directory + "task"):
            try:
                names.append(harness.read_text(directory + "task/%s/comm" % task))
            except OSError:  # it has ended
                pass
        maps = harness.read_text(directory + "maps")
        return "memfd:regionstat" in maps or "regionstat\n" in names

    def test_detaching_at_any_moment(self):
        program = self.compile(os.path.join("attached", "races.c"), harness.compilers()[0], "-O2")
        self.process = self.spawn([program], stdin=subprocess.PIPE, text=True, ready="ready")
        before, begun = self.state(), self.ask()
        self.assertEqual((before[1], begun), (False, [0, 0, 0]))
        n = 0
        for i in range(ROUNDS):
            with self.subTest(round=i):
                report, messages = self.attach(i)
                self.assertEqual(set(report.diagnostics()) - EXPECTED, set(), messages)
                earlier, begun = begun, self.ask()
                ended = [sum(self.begun_of(row) for row in report.select(region=name))
                         for name in REGIONS]
                expected = [now - then for now, then in zip(begun, earlier)]
                self.assertEqual(ended, expected, (report.diagnostics(), messages))
                n += ended[0]
                harness.wait_until(lambda: self.state() == before)
        harness.note("%d calls" % n)
        self.assertGreater(n, 0)
        output, errors = self.process.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual((output, errors, self.process.returncode), ("done\n", "", 0))
