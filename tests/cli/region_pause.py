"""PAUSE and RESUME: regions and the run's totals stop and go on together, at the program's word."""

import os
import re
import statistics
import subprocess
import time

import harness

ROUNDS = 10
PAGES = 50
PAUSED_FAULTS = 100000
REPEATS = 20


class Pause(harness.TestCase):

    def run_pause(self, paused_faults, n_busy):
        """One run; the report and the median time of its PAUSEs in ns."""
        result = self.measure(harness.app("rules"), "pause", ROUNDS, PAGES, paused_faults, n_busy,
                              events="page-faults")
        report = result.report
        work = report.region("work", "page-faults")
        self.assertEqual((work.calls, work.counted, work.min, work.avg, work.p90, work.max,
                          work.total), (ROUNDS, ROUNDS, PAGES, PAGES, PAGES, PAGES, ROUNDS * PAGES))
        self.assertEqual(report.calls().get("ignored", 0), 0)
        self.assertEqual(report.diagnostics("work"), {})
        self.assertNotIn("did not answer", result.stderr)
        return report, int(re.search(r"pause_ns (\d+)", result.stdout).group(1))

    def check_totals(self, n_busy):
        pauses = []
        for repeat in range(REPEATS):
            without, _ = self.run_pause(0, n_busy)
            with_faults, pause_ns = self.run_pause(PAUSED_FAULTS, n_busy)
            difference = (with_faults.run("page-faults").total - without.run("page-faults").total)
            self.assertLess(abs(difference), 100, "repeat %d of %d" % (repeat + 1, REPEATS))
            pauses.append(pause_ns)
        harness.note("REGIONSTAT_PAUSE() with %d busy threads: %.1f us (median of %d runs)"
                     % (n_busy, statistics.median(pauses) / 1000, REPEATS))

    def test_totals_without_busy_threads(self):
        self.check_totals(0)

    def test_totals_with_16_busy_threads(self):
        self.check_totals(16)

    def test_time_of_perfs_own_control(self):
        """Printed for comparison: perf stat's control fifo, a disable and its acknowledgement."""
        perf = harness.need_tool("perf")
        for n_busy in (0, 16):
            harness.note("perf stat --control round trip with %d busy threads: %.1f us" % (
                n_busy, self.perf_round_trip_us(perf, n_busy)))

    def perf_round_trip_us(self, perf, n_busy):
        control, acknowledge = self.path("control%d" % n_busy), self.path("acknowledge%d" % n_busy)
        os.mkfifo(control)
        os.mkfifo(acknowledge)
        script = "for i in $(seq %d); do while :; do :; done & done; exec sleep 1000" % n_busy
        process = harness.start([perf, "stat", "-e", "page-faults", "--control",
                                 "fifo:%s,%s" % (control, acknowledge), "--", "sh", "-c", script],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # both ends are opened for reading and writing, so that neither side waits for the other
            to_perf = os.open(control, os.O_RDWR)
            from_perf = os.open(acknowledge, os.O_RDWR)
            times = []
            for i in range(40):
                start = time.monotonic_ns()
                os.write(to_perf, b"disable\n" if i % 2 == 0 else b"enable\n")
                answer = b""
                while not answer.endswith(b"ack\n") and not answer.endswith(b"ack\n\0"):
                    answer += os.read(from_perf, 64)
                times.append(time.monotonic_ns() - start)
            os.close(to_perf)
            os.close(from_perf)
        finally:
            harness.stop(process)
        return statistics.median(times[2::2]) / 1000


class Rules(harness.TestCase):

    def test_call_across_a_pause_is_cut(self):
        report = self.measure(harness.app("rules"), "cut", "50").report
        self.assertEqual({name: n for name, n in report.calls().items() if n}, {"whole": 50})
        self.assertEqual(report.diagnostics("cut"), {"cut": 50})
        self.assertEqual(report.diagnostics("whole"), {})
        self.assertEqual(report.diagnostics("ignored"), {})

    def test_pauses_nest(self):
        report = self.measure(harness.app("rules"), "pause-nested", "50").report
        self.assertEqual({name: n for name, n in report.calls().items() if n}, {"counted": 50})
        self.assertClean(report)

    def test_static_program(self):
        program = harness.need_app("rules-static")
        report = self.measure(program, "pause", "5", "3", "1000", "1", events="page-faults").report
        work = report.region("work", "page-faults")
        self.assertEqual((work.calls, work.min, work.max, work.total), (5, 3, 3, 15))


if __name__ == "__main__":
    harness.main()
