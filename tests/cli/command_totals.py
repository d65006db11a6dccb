# SPDX-License-Identifier: MIT
"""The run's totals compared with perf stat's, for the same program."""

import os
import re
import shutil

import harness

# The number of page faults at the start of a program varies by at most this much.
START_NOISE = 100


def actor(*acts):
    """Return the words for a program that touches pages on demand (tests/launch/actor.c)."""
    path = os.path.join(harness.BUILD, "tests", "launch", "launch-actor")
    if not os.path.exists(path):
        raise harness.unittest.SkipTest("the unit tests' programs are not built here")
    return [path, *acts]


class Totals(harness.TestCase):

    def perf(self, *command, options=()):
        result = harness.run([harness.need_tool("perf"), "stat", "-x", ",", "-e", "page-faults:u",
                              *options, "--", *command])
        found = re.search(r"^(\d+),,page-faults:u", result.stderr, re.MULTILINE)
        if not found:
            self.skipTest("perf cannot count page faults here: %s" % result)
        return int(found.group(1))

    def ours(self, *command, options=()):
        return self.measure(*command, events="page-faults:u", options=options).report.run(
            "page-faults:u").total

    def check(self, *acts, at_least, options=()):
        command = actor(*acts)
        ours, perfs = self.ours(*command, options=options), self.perf(*command, options=options)
        harness.note("%s: %d faults, perf stat %d" % (" ".join(acts), ours, perfs))
        self.assertGreaterEqual(ours, at_least)
        self.assertLess(abs(ours - perfs), START_NOISE)

    def test_as_perf_stat(self):
        self.check("touch=10000", at_least=10000)
        self.check("threads=5x2000", at_least=10000)
        self.check("forks=5x2000", at_least=10000)

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

    def test_as_perf_stat_without_inherit(self):
        self.check("threads=5x2000", "touch=3000", at_least=3000, options=["-i"])

    def test_counters_that_the_kernel_takes_away(self):
        """As from a process that executes a program without permission to read it."""
        harness.need_root("only root can become another user")
        prefix = harness.need_other_user()
        program = self.path("program")
        shutil.copy("/bin/sh", program)
        os.chmod(self.directory, 0o755)
        script = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"
        for mode, taken in ((0o755, False), (0o711, True)):
            with self.subTest(mode=oct(mode)):
                os.chmod(program, mode)
                result = self.execute([*prefix, harness.REGIONSTAT, "-e", "page-faults:u",
                                       program, "-c", script])
                self.assertEqual("may not be read" in result.stderr, taken, result)

    def test_the_delay_ends_with_the_first_resume(self):
        options = ["-D", "-1"]
        nothing = self.ours(*actor("touch=9000", "resume", "touch=0"), options=options)
        faults = self.ours(*actor("touch=9000", "resume", "touch=1500"), options=options)
        # the difference from touch=0, because a sanitizer touches memory too
        expected = self.ours(*actor("touch=1500")) - self.ours(*actor("touch=0"))
        self.assertLess(nothing, 9000)
        self.assertLess(abs(faults - nothing - expected), 4 * START_NOISE)

    def test_a_program_shorter_than_the_delay_is_not_counted(self):
        for delay, remedy in (("1000000", "use a shorter -D"), ("-1", "call REGIONSTAT_RESUME()")):
            result = self.measure(*actor("touch=1000"), events="page-faults",
                                  options=["-D", delay])
            row = result.report.run("page-faults")
            self.assertEqual((row.status, row.total), ("not-counted", None))
            self.assertRegex(result.stderr, r"regionstat: counting never began: .*; "
                             + re.escape(remedy))

    def test_a_delay_that_ends_has_no_message(self):
        for options, words in ((["-D", "-1"], ["resume", "touch=10"]), ([], ["touch=10"])):
            result = self.measure(*actor(*words), events="page-faults", options=options)
            self.assertNotIn("never began", result.stderr)

    def test_a_program_that_writes_over_the_segment(self):
        result = self.measure(*actor("touch=1000", "scribble", "exit=3"), events="page-faults",
                              status=3)
        self.assertGreaterEqual(result.report.run("page-faults").total, 1000)
        self.assertRegex(result.stderr, "overwrote")


if __name__ == "__main__":
    harness.main()
