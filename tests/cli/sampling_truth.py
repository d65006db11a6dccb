# SPDX-License-Identifier: MIT
"""Sampled regions of threads that share two CPUs with busy processes. On-CPU time is that of the
same work without markers, off-CPU time is exact, and no child has a larger total than its
parent."""

import math

import harness

THREADS = 4
# Rounds of work for a call of about 100 ns, 1 us and 10 us on a CPU. The number of calls takes some
# tenths of a second of a thread's share of two CPUs.
CALLS = ((45, 250000), (400, 60000), (4000, 6000))
OPTIONS = (("--sample", "50"), ("--sample", "1000"), ("--budget", "0.5%"))
BURNERS = (0, 2)
RUNS = 12  # of each: 216 in all
# The share of a thread's CPU time that context switches take on a busy machine. Each refills caches
# and is accounted in part to the thread, by chance more with or without markers. A time slice takes
# at least 3 ms (sched_base_slice_ns, by the number of CPUs), and 30 us are 1 % of it.
SWITCHES = 0.01
# A switch within a marker may count for the call or for the region around it. If markers take as
# long as calls, this share of off-CPU time may be affected.
EDGES = 0.05
# The error of a calibrated marker in each call: a few ns, which is much of a call of 100 ns.
MARKER_NS = 5


class Truth(harness.TestCase):

    def run_once(self, rounds, calls, sleeps, threads, burners, options):
        result = self.measure(harness.app("sampled"), rounds, calls, sleeps, threads, burners,
                              options=options)
        word, n, wall_ns, cpu_ns = result.stdout.split()
        self.assertEqual((word, int(n)), ("work", calls * threads))
        return result.report, float(wall_ns), float(cpu_ns)

    def check_order(self, report):
        """Check what holds in each run on any machine: no child is above its parent, and no share
        above the whole."""
        for event in ("time", "cpu-time"):
            work, outer = report.region("work", event), report.region("outer", event)
            off = report.region("outer", "blocked").total + report.region(
                "outer", "preempted").total
            # the values of each thread are rounded to a ns
            allowed = 2 * THREADS + EDGES * off
            self.assertLessEqual(work.total, outer.total + allowed, event)
            self.assertLessEqual(
                abs(work.self_total + outer.self_total - outer.total), allowed, event)
        for name in ("work", "outer"):
            self.assertEqual(report.region(name, "blocked").status, "ok")
            self.assertEqual(report.region(name, "preempted").status, "ok")

    def test_on_cpu_time(self):
        """The error is within the stated one, plus that of a busy machine, in 95 of 100 runs."""
        n, n_near, worst = 0, 0, []
        for rounds, calls in CALLS:
            for options in OPTIONS:
                for burners in BURNERS * RUNS:
                    report, _, cpu_ns = self.run_once(rounds, calls, 0, THREADS, burners, options)
                    row = report.region("work", "cpu-time")
                    harness.need(row.status != "not-supported", "on-CPU time is not known here")
                    self.check_order(report)
                    off = row.total - cpu_ns
                    allowed = ((row.error or 0) + (0.02 + SWITCHES) * cpu_ns
                               + MARKER_NS * row.calls)
                    n += 1
                    n_near += abs(off) <= allowed
                    worst.append((abs(off) / cpu_ns, rounds, options, burners))
        harness.note("%d of %d; farthest: %r" % (n_near, n, sorted(worst)[-5:]))
        self.assertGreaterEqual(n_near, 0.95 * n)

    def test_errors_of_nested_regions(self):
        """Counts are within their errors, and those of a well sampled region within 2 % of the
        truth."""
        nest = ("nest", 1, 500, 1, 50, 60)
        for program, *sample in ((nest, "outer:1000", "middle:3", "inner:3"),
                                 (nest, "outer:30", "middle:1000", "inner:3"),
                                 (nest, "outer:1000", "inner:1"), (nest, "inner:1000"),
                                 (("nest", 2, 300, 1, 50, 60), "outer:1000", "inner:3"),
                                 (("recursion", 1, 3000, 1, 0, 0), "51"),
                                 (("flat", 1, 20000, 1, 0, 0), "3")):
            n_near, n = {}, 40
            for _ in range(n):
                result = self.measure(
                    harness.app("estimated"), *program, events="page-faults",
                    options=[word for value in sample for word in ("--sample", value)])
                for name, calls, faults in map(str.split, result.stdout.splitlines()):
                    if not int(calls):
                        continue
                    row = result.report.region(name, "page-faults")
                    off = abs(row.total - int(faults))
                    n_near[name] = n_near.get(name, 0) + (off <= (row.error or 0))
                    if program[0] == "flat":
                        n_near["2 %"] = n_near.get("2 %", 0) + (off <= 0.02 * int(faults))
            harness.note("%s %s: %r of %d" % (program[0], " ".join(sample), n_near, n))
            # of 40 totals 95 % are near, less four standard deviations of chance
            for name, near in n_near.items():
                self.assertGreaterEqual(near, 0.95 * n - 4 * math.sqrt(0.95 * 0.05 * n), name)

    def test_rare_sleeps(self):
        """20 of 100,000 calls sleep for 20 ms: off-CPU time is exact, whichever calls are
        measured."""
        for options in OPTIONS:
            report, wall_ns, _ = self.run_once(250, 100000, 20, 1, 0, options)
            blocked = report.region("work", "blocked")
            self.assertEqual((blocked.status, blocked.counted), ("ok", 20))
            self.assertGreaterEqual(blocked.total, 20 * 20e6)
            time, cpu_time = report.region("work"), report.region("work", "cpu-time")
            harness.note("%s: %+.2f %%" % (" ".join(options), 100 * (time.total / wall_ns - 1)))
            # a thread that is preempted in a call may be preempted in its markers too, which the
            # program does not see
            preempted = report.region("work", "preempted")
            self.assertLessEqual(abs(time.total - wall_ns),
                                 0.01 * wall_ns + (cpu_time.error or 0) + MARKER_NS * time.calls
                                 + EDGES * preempted.total)
