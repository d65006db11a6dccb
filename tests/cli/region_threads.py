# SPDX-License-Identifier: MIT
"""Threads that come and go: counts are exact, and memory is used for no more threads than were
alive at once."""

import re

import harness


class Threads(harness.TestCase):

    def check(self, *arguments, events="page-faults", program="rules"):
        result = self.measure(harness.app(program), *arguments, events=events)
        self.assertClean(result.report)
        return result

    def test_64_threads(self):
        for program in harness.built_apps("rules", "rules-static"):
            report = self.check("threads", "64", "1000", program=program).report
            for event in ("time", "page-faults"):
                row = report.region("call", event)
                self.assertEqual((row.calls, row.counted), (64000, 64000))

    def test_no_room_where_threads_are_made_with_it(self):
        """The runtime's thread-local pointer is then at a different distance from every thread. By
        default the C library reserves memory for libraries that are loaded late; this test turns
        that off."""
        env = harness.environment(GLIBC_TUNABLES="glibc.rtld.optional_static_tls=0")
        result = self.measure(harness.app("rules"), "threads", "16", "1000", env=env)
        self.assertClean(result.report)
        self.assertEqual(result.report.region("call").calls, 16000)

    def test_64_threads_one_row_each(self):
        result = self.measure(harness.app("rules"), "threads", "64", "1000",
                              options=["--per-thread"])
        rows = result.report.select(kind="region", region="call", event="time")
        self.assertEqual([row.calls for row in rows], [1000] * 64)
        self.assertEqual(len({row.thread for row in rows}), 64)

    def test_threads_without_cpu_time(self):
        """The table of threads has no columns for it, and does not take time for CPU time."""
        path = self.path("run.json")
        self.regionstat("-e", "time", "--no-cpu-time", "--per-thread", "-o", path, "--",
                        harness.app("rules"), "threads", "2", "10")
        shown = self.regionstat("report", "--per-thread", path).stdout
        self.assertRegex(shown, r"(?m)^thread +lifetime +calls +most time in$")
        self.assertNotIn("CPU time in", shown)
        self.assertIn("on-CPU time is unknown: 'call'; --no-cpu-time was given",
                      self.regionstat("report", "-v", path).stdout)

    def segment_bytes(self, result):
        found = re.search(r"segment_bytes (\d+)", result.stdout)
        harness.need(found, "the program has no descriptor of the segment")
        return int(found.group(1))

    def test_tasks_that_share_their_thread_local_memory(self):
        """Tasks made by clone(CLONE_VM) alone: one thread for the program's libraries, several for
        the kernel. The program ends as without regionstat. Threads that run in succession are
        counted completely."""
        if harness.SANITIZE != "none":
            self.skipTest("sanitizers keep what they know of a thread in memory that both have")
        program = self.compile("shared_tls.c", "gcc", "-O1")
        for kind in ("thread", "process", "vfork"):
            for _ in range(5):
                with self.subTest(kind=kind):
                    result = self.measure(program, kind)
                    self.assertEqual(result.stdout, "200000 200000 200000\n")
                    self.assertNotIn("signal handlers", result.stderr)
                    if kind == "vfork":
                        self.assertEqual(result.report.calls(),
                                         {"first": 1, "outer": 600000, "inner": 600000})

    def test_10000_short_threads(self):
        """Memory is that of the threads alive at once, not of all threads that ever ran."""
        many = self.check("threads-in-turn", "10000", "3", "16")
        self.assertEqual(many.report.region("call").calls, 30000)
        self.assertEqual(many.report.region("call", "page-faults").calls, 30000)
        few = self.check("threads", "16", "3")
        self.assertEqual(few.report.region("call").calls, 48)
        many_bytes, few_bytes = self.segment_bytes(many), self.segment_bytes(few)
        harness.note("segment: %d KiB after 10,000 threads in turn, %d KiB for 16 at once"
                     % (many_bytes / 1024, few_bytes / 1024))
        # 30,000 calls use more octaves of time than 48 calls: 512 bytes each
        octaves = 2 * 59 * 512
        self.assertLessEqual(many_bytes, few_bytes + 17 * octaves)

    def test_threads_that_a_saved_run_does_not_keep_apart(self):
        """Each thread reuses the memory of the one before it, so one row has the calls of all."""
        path = self.path("run.json")
        self.regionstat("-o", path, "--", harness.app("rules"), "threads-in-turn", 10, 3, 1)
        shown = self.regionstat("report", "--per-thread", path).stdout
        self.assertIn("--per-thread when you run the program", shown)

    def test_cancelled_threads(self):
        report = self.measure(harness.app("rules"), "threads-cancelled", "50").report
        self.assertEqual(report.calls()["before"], 50)
        # C without -fexceptions does not end scopes when a cancelled thread unwinds
        self.assertEqual(report.calls()["cancelled"], 0)
        self.assertEqual(report.diagnostics(), {"open": 50})
