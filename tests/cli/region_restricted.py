# SPDX-License-Identifier: MIT
"""Programs with limits on descriptors, address space or locked memory. They get all that they need,
as without regionstat, and messages name what is not measured."""

import os
import shutil

import harness

NOBODY = 65534


class Restricted(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("sanitizers need room of their own")
        self.program = harness.need_app("restricted")

    def restrict(self, limit, *arguments, events="page-faults", **run_options):
        """Run the program under `ulimit LIMIT`: without regionstat, where it must work, and then
        measured."""
        words = ["sh", "-c", 'ulimit %s && exec "$@"' % limit, "sh", self.program, *arguments]
        alone = harness.run(words, **run_options)
        self.assertEqual((alone.status, alone.stdout), (0, "fine\n"), alone)
        result = self.measure(*words, events=events, **run_options)
        self.assertEqual(result.stdout, "fine\n", result)
        return result

    def test_descriptors_that_are_others_by_now(self):
        """All numbers up to the limit are in use again: regionstat reads no byte of them."""
        for events in ("page-faults", "page-faults,task-clock"):
            with self.subTest(events=events):
                result = self.restrict("-n 256", "stolen", events=events)
                self.assertEqual(result.report.region("marked").calls, 20)
                self.assertRegex(result.stderr, r"reading of counters failed: from then on")

    def test_a_limit_that_is_lowered(self):
        """At most a quarter of 64 descriptors are used, and none below three quarters of them."""
        result = self.restrict("-n 1024", "lowered")
        self.assertEqual(result.report.region("marked").calls, 3 + 60 * 3)
        self.assertRegex(result.stderr, r"4[0-9] threads measured time only")

    def test_addresses_that_are_limited(self):
        """The program uses 500 of 600 MB."""
        result = self.restrict("-v 614400", "addresses", "500")
        self.assertEqual(result.report.region("marked").calls, 20)

    def test_data_that_is_limited(self):
        """RLIMIT_DATA leaves more or less memory to the first marker. If the calibration gets too
        little, the report says so, and not that the program has too many open calls."""
        n_uncalibrated = 0
        for kib in range(1536, 3072, 16):
            result = harness.run(["sh", "-c", 'ulimit -d %d && exec "$@"' % kib, "sh",
                                  harness.REGIONSTAT, "-e", "page-faults,context-switches", "--",
                                  harness.app("nest"), "1"])
            self.assertNotIn("open at once", result.stderr, "%d KiB" % kib)
            n_uncalibrated += "could not calibrate" in result.stderr
        self.assertGreater(n_uncalibrated, 0)

    def test_memory_that_may_be_locked(self):
        """The limit covers all that is mapped, touched or not (mlockall(2))."""
        words = ["sh", "-c", 'ulimit -l 8192 && exec "$@"', "sh", self.program, "locked", "1"]
        if os.geteuid() == 0:
            harness.need(shutil.which("setpriv"), "setpriv is not installed: root may lock all memory")
            words = ["setpriv", "--reuid=%d" % NOBODY, "--clear-groups",
                     "--inh-caps=-all", "--bounding-set=-all", *words]
        alone = harness.run(words)
        harness.need(alone.status == 0, "alone it fails, too: " + alone.stderr.strip())
        result = self.measure(*words, events="time")
        self.assertEqual(result.stdout, "fine\n", result)

    def test_a_memory_cgroup(self):
        """Threads and regions fit into memory, but their results do not: no process is killed, and
        a message says so. With more memory nothing is missing. Each of 100 threads times 200
        regions takes at most 4 KiB and 512 bytes for each of 20 octaves. Calls with a context
        switch take as much again. That is 560 MB; results may take an eighth of the limit. The
        program alone takes 4 MB, the kernel's stacks of its threads take 2 MB, and the runtime
        takes 1 MB beside the results."""
        for limit_mb, all_of_it in ((16, False), (8192, True)):
            with self.subTest(limit_mb=limit_mb):
                limit = limit_mb << 20
                directory = self.make_cgroup(
                    "memory", {"memory.limit_in_bytes": limit}, {"memory.max": limit})
                words = ["sh", "-c", 'echo $$ >"$1" && shift && exec "$@"', "sh",
                         os.path.join(directory, "cgroup.procs"), self.program, "grown", "100",
                         "200"]
                alone = harness.run(words)
                self.assertEqual((alone.status, alone.stdout), (0, "fine\n"), alone)
                result = self.measure(*words, events="time")
                self.assertEqual(result.stdout, "fine\n", result)
                (self.assertNotIn if all_of_it else self.assertIn)(
                    "memory for results was refused", result.stderr)
                calls = sum(result.report.calls().values())
                if all_of_it:
                    self.assertEqual(calls, 100 * 200 * 20)
                else:
                    # the kernel decides how much fits into 16 MiB beside the program; a part of it
                    # does
                    self.assertTrue(0 < calls < 100 * 200 * 20, calls)
