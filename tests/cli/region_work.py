# SPDX-License-Identifier: MIT
"""REGIONSTAT_WORK and --by-work: bytes and operations of calls, and their rates. They follow from
tests/apps/work or from the markers of a script (tests/apps/rules/markers.c) by arithmetic, and agree
with those that a program measures itself."""

import math
import re

import harness

RATE_MARGIN = 0.03


class TestCase(harness.TestCase):

    def work(self, *arguments, events="time", **options):
        return self.measure(harness.app("work"), *arguments, events=events, **options).report

    def markers(self, script, n=1, events="time", by_name=False, **options):
        """Perform a script n times."""
        more = ["by-name"] if by_name else []
        return self.measure(harness.app("rules"), "markers", n, script, *more, events=events,
                            **options).report

    def assertWork(self, report, region, calls, told, total_bytes, flops):
        for event, unit, total in (("bytes", "byte", total_bytes), ("flops", "flop", flops)):
            row = report.region(region, event)
            self.assertEqual((row.unit, row.status, row.calls, row.counted, row.total),
                             (unit, "ok", calls, told, total), row)
            self.assertAlmostEqual(row.avg, total / told)
            self.assertEqual((row.min, row.max, row.p90, row.value), (None, None, None, ""))

    def assertNoWork(self, report, region):
        self.assertEqual(report.select(kind="region", region=region, event="bytes"), [])
        self.assertEqual(report.select(kind="metric", region=region, unit="GB/s"), [])


class Work(TestCase):
    """The work of calls, in their regions."""

    def check_calls(self, report, n, times=1):
        """Check `times` times the calls N of tests/apps/work."""
        told = [i for i in range(1, n + 1) if i % 3]
        self.assertWork(report, "told", n * times, len(told) * times, sum(told) * times,
                        2 * sum(told) * times)
        self.assertNoWork(report, "silent")

    @harness.steady
    def test_a_triad(self):
        """Compare the rates with the program's own, and with each other."""
        result = self.measure(harness.app("work"), "triad", 100000, 40, events="time")
        report = result.report
        self.assertWork(report, "triad", 40, 40, 40 * 2400000, 40 * 200000)
        time = report.region("triad")
        for unit, event, own in zip(("GB/s", "GFLOP/s"), ("bytes", "flops"),
                                    map(float, result.stdout.split())):
            rate = report.one(kind="metric", region="triad", unit=unit)
            self.assertAlmostEqual(rate.avg, report.region("triad", event).total / time.total)
            if abs(rate.avg / own - 1) > RATE_MARGIN:
                raise harness.TimeMissing("%g %s, not %g" % (rate.avg, unit, own))
        intensity = report.one(kind="metric", region="triad", unit="flop/byte")
        self.assertAlmostEqual(intensity.avg, report.region("triad", "flops").total /
                               report.region("triad", "bytes").total)

    def test_metrics_over_work(self):
        """They are the rates of a region, once in a table; no other row has them."""
        metrics = ["-M", "GB/s,GFLOP/s,flops-per-byte"]
        report = self.work("triad", 1000, 30, options=metrics)
        for name, rate in (("GB/s", "byte rate"), ("GFLOP/s", "flop rate"),
                           ("flops-per-byte", "intensity")):
            values = [report.one(kind="metric", region="triad", event=event).avg
                      for event in (name, rate)]
            self.assertAlmostEqual(values[0] / values[1], 1, places=9)
            self.assertEqual(report.select(kind="metric", region="", event=name), [])
        self.assertEqual(self.work("calls", 9, options=metrics).select(
            kind="metric", region="silent"), [])
        result = harness.regionstat("-e", "time", "-v", *metrics, harness.app("work"), "triad", 1000,
                                    30)
        for name, unit in (("GB/s", "GB/s"), ("GFLOP/s", "GFLOP/s"), ("flops-per-byte", "flop/B")):
            self.assertEqual(len(re.findall(r"\d %s\n" % unit, result.stderr)), 1, result.stderr)
            self.assertRegex(result.stderr, r"(?m)^ +%s +[\d.]+ %s$" % (name, unit))
        self.assertRegex(result.stderr, r"(?m)^  work: 24\.0 kB, 2\.00 kflop a call$")

    def test_calls_by_arithmetic(self):
        for events in ("time", "page-faults", ["page-faults", "context-switches"]):
            self.check_calls(self.work("calls", 1000, events=events), 1000)

    def test_sampled_calls_are_all_there(self):
        for options in (["--sample", 7], ["--budget", "0.1%"]):
            self.check_calls(self.work("calls", 5000, options=options), 5000)

    def test_threads(self):
        self.check_calls(self.work("threads", 5, 300), 300, times=5)
        report = self.work("threads", 3, 30, options=["--per-thread"])
        self.assertEqual([row.total for row in report.select(kind="region", event="bytes")],
                         [sum(i for i in range(31) if i % 3)] * 3)

    def test_a_forked_child(self):
        report = self.work("fork", 90)
        self.check_calls(report, 90, times=2)
        self.assertWork(report, "across", 1, 1, 5, 0)

    def test_markers_by_arithmetic(self):
        """What happens, how often, and for each region its calls, those with work, their bytes, and their
        operations."""
        depth = range(1, 21)
        recursion = "".join("a=a%d:0" % i for i in depth) + "".join("=a%d:0A" % i for i in depth)
        for what, n, script, regions in (
                ("recursion", 1, recursion, {"a": (20, 20, 2 * sum(depth), 0)}),
                ("NEXT", 300, "f=f3:1F/s=s5:2S",
                 {"f": (300, 300, 900, 300), "s": (300, 300, 1500, 600)}),
                ("overlap", 300, "oc=o7:0=c11:0O=c11:0C",
                 {"o": (300, 300, 2100, 0), "c": (300, 300, 6600, 0)}),
                ("START, and STOP here and on another thread", 200, "+h+t=h13:4=t17:6-H(-T)",
                 {"h": (200, 200, 2600, 800), "t": (200, 200, 3400, 1200)}),
                ("a pause cuts one of three calls", 20, "p=p100:100<>PpPp=p1:0P", {"p": (40, 20, 20, 0)}),
                ("calls that do not end have none", 1, "a" + "l=l1000:1000" * 20 + "=a1:1A",
                 {"a": (1, 1, 1, 1)})):
            for by_name in (False, True):
                for options in ([], ["--sample", 4]):
                    with self.subTest(what, by_name=by_name, options=options):
                        report = self.markers(script, n, by_name=by_name, options=options)
                        for region, work in regions.items():
                            self.assertWork(report, region, *work)
                        self.assertNoWork(report, "l")

    def test_killed(self):
        report = self.markers("t=t1:2T" * 500 + "t=t1000000:1000000!", status=137)
        self.assertWork(report, "t", 500, 500, 500, 1000)

    def test_of_no_call(self):
        result = self.measure(harness.app("work"), "unmatched", 7, events="time")
        self.assertEqual(result.report.regions(), [])
        result = harness.regionstat("-e", "time", harness.app("work"), "unmatched", 7)
        self.assertIn("14 WORKs of a region that was not open", result.stderr)
        self.assertIn("'closed' (7), \"nobody's\" (7)".replace('"', "'"), result.stderr)

    def test_more_than_64_bits(self):
        words = [harness.app("rules"), "markers", 2, "h=h%d:1H" % (2**64 // 3 * 2)]
        report = self.measure(*words, events="time").report
        self.assertEqual(report.region("h", "bytes").total, 2**64 - 1)
        self.assertEqual(report.select(kind="metric", region="h", unit="GB/s"), [])
        result = harness.regionstat("-e", "time", *words)
        self.assertIn("exceed 64 bits, so rates are unknown: 'h'", result.stderr)

    def test_in_the_table(self):
        result = harness.regionstat("-e", "time", "-v", harness.app("work"), "triad", 1000, 30)
        self.assertRegex(result.stderr, r"(?m)^region .* max +GB/s +GFLOP/s")
        self.assertRegex(result.stderr, r"(?m)^  work: \S+ GB/s  \S+ GFLOP/s  0\.0833 flop/B  "
                                        r"24\.0 kB, 2\.00 kflop a call$")

    def test_disabled(self):
        program = self.compile("work.c", "cc", "-DREGIONSTAT_DISABLE")
        self.assertEqual(self.measure(program, "calls", 9).report.regions(), [])

    def test_filtered_work(self):
        report = self.work("calls", 90, options=["--only", "silent"])
        self.assertEqual(report.regions(), ["silent"])


class ByWork(TestCase):
    """Calls with different work have separate rows, in addition to their region's, which has them
    all."""

    def rows(self, report, event="time"):
        return {row.region: row for row in report.select(kind="work", event=event)}

    def check_sizes(self, report, n, repeats, times=1):
        works, region = self.rows(report), report.region("sized")
        self.assertEqual(list(works), ["sized [%d B, %d flop]" % (64 * i, i)
                                       for i in range(1, n + 1)])
        for i, (name, row) in enumerate(works.items(), 1):
            self.assertEqual((row.parent, row.calls), ("sized", repeats * times), row)
            self.assertEqual((self.rows(report, "bytes")[name].total,
                              self.rows(report, "flops")[name].total),
                             (64 * i * row.calls, i * row.calls))
        self.assertEqual(report.regions(), ["sized"])
        self.assertWork(report, "sized", n * repeats * times, n * repeats * times,
                        32 * n * (n + 1) * repeats * times, n * (n + 1) // 2 * repeats * times)
        return works, region

    def test_sizes_make_up_their_region(self):
        works, region = self.check_sizes(self.work("sizes", 12, 50, options=["--by-work"]), 12, 50)
        rows = works.values()
        self.assertEqual((min(row.min for row in rows), max(row.max for row in rows)),
                         (region.min, region.max))
        self.assertAlmostEqual(sum(row.avg * row.counted for row in rows),
                               region.avg * region.counted, delta=1)
        squares = sum(row.counted * (row.stddev**2 + row.avg**2) for row in rows)
        deviation = math.sqrt(squares / region.counted - region.avg**2)
        self.assertAlmostEqual(deviation, region.stddev, delta=0.01 * region.stddev + 1)

    def test_each_size_by_arithmetic(self):
        harness.need_exact_faults()
        # call i of each round has i operations, and 3 i, 3 i + 1 or 3 i + 2 faults
        script = "".join("f%d=f0:%dF" % (3 * i + r % 3, i) for r in range(30) for i in range(1, 6))
        report = self.markers(script, events="page-faults", options=["--by-work"])
        works = self.rows(report, "page-faults")
        self.assertEqual(len(works), 5)
        for i in range(1, 6):
            row = works["f [0 B, %d flop]" % i]
            self.assertEqual((row.calls, row.counted, row.total, row.min, row.max, row.avg),
                             (30, 30, 30 * (3 * i + 1), 3 * i, 3 * i + 2, 3 * i + 1))
            self.assertAlmostEqual(row.stddev, math.sqrt(2 / 3))
        total = report.region("f", "page-faults").total
        self.assertEqual(total, 30 * sum(3 * i + 1 for i in range(1, 6)))

    def test_calls_that_overlap(self):
        """Sleep within the inner call is off-CPU time of the inner region only."""
        report = self.markers("a=a8:1b~AB", options=["--by-work"])
        for region in "ab":
            time, *parts = [report.region(region, event).self_total
                            for event in ("time", "cpu-time", "blocked", "preempted")]
            self.assertEqual(sum(parts), time, region)
        self.assertEqual(report.region("a", "blocked").self_total, 0)
        self.assertGreater(report.region("b", "blocked").self_total, 0)

    def test_threads_processes_and_samples(self):
        self.check_sizes(self.work("sizes", 7, 500, options=["--by-work", "--sample", 5]), 7, 500)
        report = self.work("threads", 3, 5, options=["--by-work"])
        self.assertEqual({name: row.calls for name, row in self.rows(report).items()},
                         {"told [%d B, %d flop]" % (i, 2 * i): 3 for i in (1, 2, 4, 5)})
        self.assertEqual(report.region("told").threads, 3)
        report = self.work("fork", 5, options=["--by-work", "--per-process"])
        self.assertEqual([row.calls for row in report.select(kind="region", region="told",
                                                             event="time")], [5, 5])
        self.assertEqual(len(report.select(kind="work", parent="told", event="time")), 8)

    def test_what_markers_cost_is_known(self):
        """The overhead is known also for markers that make system calls, which counts for the
        region."""
        report = self.work("sizes", 7, 500, events="task-clock", options=["--by-work"])
        for region in ("", "sized"):
            cost = float(report.one(kind="info", region=region, event="overhead").value)
            self.assertGreater(cost, 20)
            self.assertLessEqual(
                float(report.one(kind="info", region=region, event="overhead_share").value), 100)

    def test_others_go_together(self):
        report = self.work("sizes", 1000, 3, options=["--by-work"])
        works = self.rows(report)
        self.assertEqual(len(works), 257)
        self.assertEqual(works["sized [other]"].calls, 744 * 3)
        self.assertEqual(self.rows(report, "flops")["sized [other]"].total,
                         3 * sum(range(257, 1001)))
        self.assertEqual(sum(row.calls for row in works.values()), 3000)
        self.assertEqual(report.region("sized").calls, 3000)
        result = harness.regionstat("-e", "time", "--by-work", harness.app("work"), "sizes", 1000,
                                    3)
        self.assertIn("2,232 calls beyond 256 kinds of work", result.stderr)

    def test_threads_that_meet_take_one_place(self):
        """400 kinds of work that 8 threads use for the first time together: 256 have separate
        rows."""
        works = self.rows(self.work("threads", 8, 600, options=["--by-work"]))
        others = works.pop("told [other]")
        self.assertEqual(len(works), 256)
        self.assertEqual(sum(row.calls for row in works.values()) + others.calls, 8 * 400)

    def test_messages_name_the_regions_of_the_program(self):
        result = harness.regionstat("-v", "-e", "time", "--by-work", "--sample", 2, "--slow",
                                    "sized:time>1s", harness.app("work"), "sizes", 3, 30)
        self.assertIn("p90 of fewer than 10, is the slowest of them: 'sized' (",
                      result.stderr)
        self.assertIn("sampling skipped others: 'sized' (", result.stderr)
        self.assertNotIn("sized [", result.stderr)
        result = harness.regionstat("-e", "time", "--by-work", "--slow", "sized \\[*:time>1s",
                                    harness.app("work"), "sizes", 3, 3)
        self.assertIn("no region matches --slow", result.stderr)
        self.assertNotIn("--by-work has no effect", result.stderr)
        result = harness.regionstat("-e", "time", "--by-work", harness.app("nest"), 3)
        self.assertIn("--by-work has no effect: no region used", result.stderr)

    def test_shares_add_up(self):
        for options in ([], ["--by-work"]):
            result = harness.regionstat("-e", "time", *options, harness.app("work"), "calls", 60)
            report = harness.regionstat("-e", "time", "--raw", *options, harness.app("work"), "calls",
                                        60)
            for text in (result.stderr, report.stderr):
                shares = dict(re.findall(
                    r"(?m)^(told|silent|\(unmarked\)|\(overhead\)) .*?(<?\d[\d.]*)%", text))
                self.assertGreaterEqual(set(shares), {"told", "silent", "(unmarked)"}, text)
                if not any(share.startswith("<") for share in shares.values()):
                    self.assertEqual(sum(round(10 * float(share)) for share in shares.values()),
                                     1000, text)

    def test_rows_name_their_thread(self):
        table = harness.regionstat("-e", "time", "--by-work", "--per-thread", harness.app("rules"),
                                   "markers", 1, "(a=a8:1A)(a=a8:1A)").stderr
        threads = re.findall(r"(?m)^a .*?(\d+) +8 B +1 +1 ", table)
        self.assertEqual(len(set(threads)), 2, table)

    def test_a_distribution_is_of_all_calls(self):
        result = harness.regionstat("-e", "time", "--by-work", "--histogram", "sized",
                                    harness.app("work"), "sizes", 4, 25)
        self.assertRegex(result.stderr, r"(?m)^sized: 100 calls, total ")

    def test_in_every_format(self):
        table = harness.regionstat("-e", "time", "--by-work", harness.app("work"), "sizes", 2, 9)
        self.assertRegex(table.stderr, r"(?m)^region +bytes +flop +calls +total +avg +p90 +max +GB/s")
        for i in (1, 2):
            self.assertRegex(table.stderr,
                             r"(?m)^(?:sized)? +%d B +%d +9 +\S+ [nu]s" % (64 * i, i))
        page = self.path("page.md")
        harness.regionstat("-e", "time", "--by-work", "-o", page, harness.app("work"), "sizes", 2,
                           9)
        text = harness.read_text(page)
        for i in (1, 2):
            self.assertRegex(text, r"(?m)^\| (?:sized)? \| %d B \| %d \| 9 \| \S+ [nu]s \|" %
                             (64 * i, i))

    def test_killed_recursive_and_asynchronous_calls(self):
        for what, n, script, status, works in (
                ("killed", 1, "a=a13:4A" * 9 + "!", 137, {"a [13 B, 4 flop]": 9}),
                ("recursion", 1, "a=a1:0a=a2:0a=a3:0A=a2:0A=a1:0A", 0,
                 {"a [%d B, 0 flop]" % n_bytes: 1 for n_bytes in (3, 4, 2)}),
                ("START, and STOP here and on another thread", 9, "+h+t=h13:4=t17:6-H(-T)", 0,
                 {"h [13 B, 4 flop]": 9, "t [17 B, 6 flop]": 9})):
            with self.subTest(what):
                report = self.markers(script, n, status=status, options=["--by-work"])
                self.assertEqual({row.region: row.calls for row in self.rows(report).values()}, works)
                plain = self.markers(script, n, status=status)
                self.assertEqual(report.calls(), plain.calls())
