# SPDX-License-Identifier: MIT
"""Exit statuses: the program's own, those of signals and time-outs, and those of failing to run."""

import os
import signal
import struct
import sys

import harness

EVENTS = ["-e", "page-faults"]


def shell(script):
    return [*EVENTS, "sh", "-c", script]


class Status(harness.TestCase):

    def test_the_programs_own(self):
        for status in (0, 1, 2, 77, 124, 125, 126, 127, 128, 255):
            with self.subTest(status=status):
                result = self.regionstat(*shell("exit %d" % status), status=status)
                self.assertIn("page-faults", result.stderr)
                self.assertNotIn("regionstat:", result.stderr)

    def test_death_by_a_signal(self):
        for name in ("HUP", "QUIT", "ILL", "ABRT", "KILL", "USR1", "SEGV", "PIPE", "ALRM", "TERM",
                     "XCPU"):
            with self.subTest(signal=name):
                number = getattr(signal, "SIG" + name)
                result = harness.regionstat(*shell("ulimit -c 0; kill -%s $$" % name))
                self.assertEqual((result.status, result.signal), (128 + number, 0), result)
                self.assertIn("page-faults", result.stderr)

    def test_a_death_by_sigint_is_followed_and_a_handled_one_is_not(self):
        for script, status, number in (("kill -INT $$", 128 + signal.SIGINT, signal.SIGINT),
                                       ("trap 'exit 3' INT; kill -INT $$; exit 4", 3, 0)):
            result = harness.regionstat(*shell(script))
            self.assertEqual((result.status, result.signal), (status, number), result)
            self.assertIn("page-faults", result.stderr)


class TimeOut(harness.TestCase):

    def test_sigterm_ends_it(self):
        """SIGTERM is blocked before the program starts, so it waits for the program."""
        result = self.regionstat(
            *EVENTS, "--timeout", 100, sys.executable, "-c",
            "import signal; print(signal.sigwait({signal.SIGTERM}).name)", status=124,
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM}))
        self.assertEqual(result.stdout, "SIGTERM\n")
        self.assertIn("page-faults", result.stderr)
        self.assertIn("(exit status 124)", result.stderr)

    def test_a_program_that_ignores_sigterm_or_is_stopped_ends_too(self):
        for script in ("trap '' TERM; exec sleep 1000", "kill -STOP $$; sleep 1000"):
            with self.subTest(script=script):
                self.regionstat("--timeout", 100, *shell(script), status=124)

    def test_a_program_that_ends_in_time(self):
        result = self.regionstat("--timeout", 1000000, *shell("exit 5"), status=5)
        self.assertNotIn("regionstat:", result.stderr)

    def test_finished_calls_are_in_the_report(self):
        """The program counts its finished calls in a file, and would run without end."""
        count_file = self.path("count")
        with open(count_file, "wb") as stream:
            stream.truncate(4096)
        report = self.measure(harness.app("rules"), "counting", count_file,
                              options=["--timeout", "500"], status=124).report
        finished, _ = struct.unpack_from("=QQ", harness.read_bytes(count_file))
        # none, if the program could not start in time
        self.assertIn(report.calls().get("counted", 0), (finished, finished + 1))


class NotRun(harness.TestCase):

    def test_an_empty_path_entry_is_the_current_directory(self):
        self.text_file("here", "#!/bin/sh\necho here\n", 0o755)
        result = harness.regionstat("here", cwd=self.directory,
                                    env=harness.environment(PATH=":" + os.environ["PATH"]))
        self.assertEqual((result.status, result.stdout), (0, "here\n"), result)

    def test_a_script_without_a_first_line_runs_as_by_execvp(self):
        script = self.text_file("script", "echo ran; exit 6\n", 0o755)
        result = harness.regionstat(script)
        self.assertEqual((result.status, result.stdout), (6, "ran\n"), result)

    def test_strict(self):
        harness.need(not harness.has_hardware_counters(), "this machine counts instructions")
        ran = self.path("ran")
        result = self.regionstat("--strict", "-e", "instructions", "touch", ran, status=125)
        self.assertFalse(os.path.exists(ran))
        self.assertIn("instructions", result.stderr)
