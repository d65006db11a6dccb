# SPDX-License-Identifier: MIT
"""The run's totals agree with what the program is known to do, also with pauses and delays, and
with the totals of perf stat."""

import os
import re
import resource
import shutil
import sys
import time

import harness

# The number of page faults at the start of a program varies by at most this much.
START_NOISE = 100
# Each child copies pages as well. AddressSanitizer touches one page for every eight of the program.
NOISE = 4 * START_NOISE if harness.SANITIZE == "none" else 4000


def actor(*acts):
    """Return the words for a program that touches pages on demand (tests/launch/actor.c)."""
    return [os.path.join(harness.BUILD, "tests", "launch", "launch-actor"), *acts]


class Totals(harness.TestCase):

    def perf(self, *command, options=()):
        result = harness.run([harness.need_tool("perf"), "stat", "-x", ",", "-e", "page-faults:u",
                              *options, "--", *command])
        found = re.search(r"^(\d+),,page-faults:u", result.stderr, re.MULTILINE)
        harness.need(found, "perf cannot count page faults here: %s" % result)
        return int(found.group(1))

    def ours(self, *command, options=()):
        result = self.measure(*command, events="page-faults:u", options=options)
        self.assertNotIn("never began", result.stderr)
        return result.report.run("page-faults:u").total

    def test_as_perf_stat(self):
        for least, options, *acts in ((10000, [], "touch=10000"), (10000, [], "threads=5x2000"),
                                      (10000, [], "forks=5x2000"),
                                      (3000, ["-i"], "threads=5x2000", "touch=3000")):
            with self.subTest(options=options, acts=acts):
                command = actor(*acts)
                ours, perfs = (run(*command, options=options) for run in (self.ours, self.perf))
                harness.note("%s: %d faults, perf stat %d" % (" ".join(acts), ours, perfs))
                self.assertGreaterEqual(ours, least)
                self.assertLess(abs(ours - perfs), START_NOISE)

    def test_none_at_all(self):
        report = self.measure(harness.app("rules"), "faults", 100, 3, events="page-faults",
                              options=["--no-totals"]).report
        self.assertEqual([row.event for row in report.select(kind="run")],
                         ["time", "user_time", "system_time"])
        self.assertEqual(report.region("touch", "page-faults").calls, 100)
        result = harness.regionstat("--no-totals", "-v", "-e", "page-faults",
                                    harness.app("rules"), "faults", 100, 3)
        self.assertIn("page-faults", result.stderr)
        self.assertNotRegex(result.stderr, r"(?m)^ *\d+ +page-faults")

    def test_counters_that_the_kernel_takes_away(self):
        """As from a process that executes a program without permission to read it, or one that
        is set-user-ID. The message's remedy works."""
        harness.need_root("only root can become another user")
        prefix = harness.need_other_user()
        program = self.path("program")
        shutil.copy("/bin/sh", program)
        os.chmod(self.directory, 0o755)
        script = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"
        for owner, user, mode, taken in ((0, prefix, 0o755, False), (0, prefix, 0o711, True),
                                         (0, [], 0o711, False), (65534, [], 0o4755, True),
                                         (65534, prefix, 0o4755, False)):
            with self.subTest(owner=owner, user=user, mode=oct(mode)):
                os.chown(program, owner, -1)
                os.chmod(program, mode)
                result = self.execute([*user, harness.REGIONSTAT, "-e", "page-faults:u",
                                       program, "-c", script])
                self.assertEqual("may not read: run regionstat as the program's owner"
                                 in result.stderr, taken, result)

    def test_what_is_counted(self):
        """Pauses and delays count for threads and children, too."""
        for pages, options, *acts in (
                (20000, [], "touch=20000"),
                (8 * 2000, [], "threads=4x2000", "forks=4x2000"),
                (1000, ["-i"], "threads=2x2000", "touch=1000"),
                (500, [], "touch=200", "pause", "touch=20000", "resume", "touch=300"),
                (1000, [], "pause", "threads=2x4000", "forks=2x4000", "resume", "forks=1x1000"),
                (700, [], "pause", "pause", "touch=4000", "resume", "touch=4000", "resume",
                 "touch=700"),
                (3000, [], "die-paused", "touch=3000"),
                (1500, ["-D", "-1"], "touch=9000", "resume", "touch=1500"),
                (1500, ["-D", "-1"], "pause", "touch=9000", "resume", "touch=1500")):
            with self.subTest(options=options, acts=acts):
                without = [re.sub(r"\d+$", "0", act) for act in acts]
                faults, at_start = (self.ours(*actor(*words), options=options)
                                    for words in (acts, without))
                self.assertLess(abs(faults - at_start - pages), NOISE)

    def test_times(self):
        before_ns = time.monotonic_ns()
        report = self.measure(*actor("touch=20000"), events="task-clock").report
        elapsed_ns = report.run("time").total
        self.assertTrue(0 < report.run("task-clock").total < elapsed_ns)
        self.assertLess(elapsed_ns, time.monotonic_ns() - before_ns)

    def test_child_that_nobody_waits_for(self):
        """The CPU time of the run has the child's, although wait4(2) does not return it."""
        script = ("import os, signal, time\n"
                  "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                  "if os.fork() == 0:\n"
                  "    while time.process_time() < 0.3: pass\n"
                  "    os._exit(0)\n"
                  "try: os.wait()\n"
                  "except ChildProcessError: pass\n")
        before = harness.steal_ns()
        report = self.measure(sys.executable, "-c", script, events="task-clock").report
        stolen_ns = harness.steal_ns(before)  # task-clock has this time, too
        used = sum(report.run(event).total for event in ("user_time", "system_time"))
        self.assertGreaterEqual(used, 3e8)
        more = report.run("task-clock").total - used
        self.assertTrue(-1e7 < more < 1e7 + stolen_ns, (more, used, stolen_ns))

    def test_one_that_cannot_be_opened_leaves_the_others(self):
        harness.need_no_sanitizer("sanitizers need descriptors of their own")
        events = "page-faults,task-clock,context-switches,cpu-migrations,minor-faults"
        result = self.measure(
            *actor("touch=1000"), events=events,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)))
        self.assertGreaterEqual(result.report.run("page-faults").total, 1000)
        self.assertEqual(result.report.run("minor-faults").status, "not-counted")
        self.assertIn("cannot count 'minor-faults' over the whole run: ", result.stderr)
        self.assertNotIn("cannot count 'page-faults'", result.stderr)

    def test_a_program_shorter_than_the_delay_is_not_counted(self):
        for delay, says in (
                ("1000000",
                 r"the program took [\d.]+ m?s, less than the 1000000 ms of -D; use a shorter -D"),
                ("-1", r"-D -1 waits for a .*, and the program called none; call REGIONSTAT_RESUME\(\)")):
            result = self.measure(*actor("touch=1000"), events="page-faults",
                                  options=["-D", delay])
            row = result.report.run("page-faults")
            self.assertEqual((row.status, row.total), ("not-counted", None))
            self.assertRegex(result.stderr, "regionstat: counting never began: " + says)

    def test_a_program_that_writes_over_the_segment(self):
        for least, options, *acts in (
                (1000, [], "touch=1000", "scribble", "exit=3"),
                (0, ["--per-process"], "pause", "scribble", "touch=9", "exit=3")):
            result = self.measure(*actor(*acts), events="page-faults", status=125, options=options)
            self.assertGreaterEqual(result.report.run("page-faults").total, least)
            self.assertRegex(result.stderr, "overwrote")
            self.assertIn("the program's own exit status was 3 (exit status 125)", result.stderr)
