# SPDX-License-Identifier: MIT
"""The overhead of markers if calibration fails, and if the thread loses its CPU in a marker."""

import re
from collections import defaultdict

import harness


class LittleAddressSpace(harness.TestCase):

    def test_overhead_is_never_taken_as_0(self):
        """It is known, or a message says that it is not."""
        harness.need_no_sanitizer()
        n_ran = 0
        for kib in (16000, 64000, 66000, 70000, 76000, 128000):
            with self.subTest(kib=kib):
                result = harness.regionstat(
                    "-x", ",", "-o", self.path("report.csv"), "-e",
                    "task-clock,page-faults,context-switches", "--", "sh", "-c",
                    'ulimit -v %d; exec "$0" 4' % kib, harness.app("nest"))
                if result.status != 0:
                    continue  # too little for the program itself
                n_ran += 1
                report = harness.read_report(self.path("report.csv"))
                known = report.select(kind="info", event="overhead", region="pixel")
                if not known or float(known[0].value) < 1:
                    self.assertRegex(result.stderr, "cost|memory|address space")
        self.assertGreater(n_ran, 3)


class FirstMarker(harness.TestCase):

    def test_overhead_contains_the_counts_of_switches(self):
        """A thread's first marker looks for context switches. It reads the CPU time last, as the end
        of its overhead, and then restores the signals."""
        harness.need_no_sanitizer("sanitizers do not like to be traced")
        log = self.path("strace.log")
        self.measure(
            harness.need_tool("strace"), "-f", "-o", log, "-e",
            "trace=clock_gettime,getrusage,rt_sigprocmask", harness.app("rules"),
            "threads-in-turn", 3, 3, 1, events="time")
        threads = defaultdict(list)
        for tid, call in re.findall(r"^(\d+) +(\w+\(\w+)", harness.read_text(log), re.MULTILINE):
            threads[tid].append(call)
        n_looks = 0
        for calls in threads.values():
            n_looks += calls.count("getrusage(RUSAGE_THREAD")
            for call, following in zip(calls, calls[1:]):
                self.assertNotEqual((call, following),
                                    ("getrusage(RUSAGE_THREAD", "rt_sigprocmask(SIG_SETMASK"))
        harness.need(n_looks, "this kernel does not tell a thread that it was switched out (rseq)")


class LostTheCpu(harness.TestCase):
    """A thread's off-CPU time within a marker is no overhead."""

    DELAY_NS = 200 * 1000 * 1000

    def test_stopped_in_first_markers(self):
        """strace(1) stops the program in system calls of regions' first markers, and for that long
        none of them runs."""
        harness.need_no_sanitizer("sanitizers do not like to be traced")
        log = self.path("strace.log")
        result = self.measure(
            harness.need_tool("strace"), "-f", "-o", log, "-e", "trace=fallocate",
            "-e", "inject=fallocate:delay_exit=%d" % (self.DELAY_NS // 1000), harness.app("rules"),
            "many-names", 300, 1, events="time")
        rows = [row for row in result.report.select(kind="info", event="overhead") if row.region]
        self.assertGreater(len(rows), 100)
        n_delays = harness.read_text(log).count("DELAYED")
        self.assertGreater(n_delays, 3)
        self.assertLess(result.report.markers_ns(), self.DELAY_NS, "%d delays" % n_delays)
