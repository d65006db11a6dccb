# SPDX-License-Identifier: MIT
"""--trace: the timeline of a run, read by perfetto.py."""

import os
import random
import struct
import subprocess
import sys
from collections import Counter
from xml.etree import ElementTree

import harness
from perfetto import Trace

HERE = os.path.dirname(os.path.abspath(__file__))
TRACED = os.path.join(harness.BUILD, "tests", "trace", "traced")
# More kills and calls for a long run.
N_KILLS = int(os.environ.get("REGIONSTAT_KILLS", "2"))
N_CALLS = int(os.environ.get("REGIONSTAT_CALLS", "200000"))
# The ticks of the clock are converted by two points, each read to better than 1 us.
CLOCK_NS = 2000
PARENTS = {"thread": None, "request": "thread", "step": "request", "next": "request",
           "leaf": "step"}
# What to add to the number of a call of traced -p, so that calls are in the order of their ends.
LATER = {"leaf": -2, "step": 0, "next": -1, "request": 3}
# Slices on these tracks are no calls.
OFF, GAPS = "off-CPU within", "calls not kept"


class TraceTest(harness.TestCase):
    def trace(self, *words, program=TRACED, options=(), **more):
        """Run traced or another program with --trace, and return the Result with its trace."""
        path = self.path("run.pftrace")
        result = self.measure(program, *map(str, words),
                              options=["--trace", path, *options], **more)
        result.trace = Trace(path)
        result.counts = Counter(one.name for one in result.trace.slices
                                if one.track.name not in (OFF, GAPS))
        return result

    def check_nesting(self, trace, parents=PARENTS):
        """Check that each slice lies in one of its parent region, in time too."""
        for one in trace.slices:
            # Of the calls that have not ended or were dropped, only those around a kept one are
            # known. So the call around them may be missing.
            if one.name in parents and one.track.name != OFF \
                    and one.category not in ("open", "cut"):
                self.assertEqual(one.parent, parents[one.name], one)
                # traced -p: the call says which call is around it.
                number = one.args.get("flops")
                self.assertEqual(one.around.get("bytes", number), number, one)

    def check_gaps(self, trace):
        """Check that the trace of traced -p shows where recent requests are missing, and that calls
        are missing there. Return the number of requests of each thread that are there."""
        recent = {}
        for one in sorted(trace.slices, key=lambda one: one.begin):
            if one.track.tid and (one.track.tid in recent
                                  or one.category == "recent" and one.name != "thread"):
                mine = recent.setdefault(one.track.tid, [])
                if one.name == "request" and "bytes" in one.args:
                    mine.append(one)
        for tid, requests in recent.items():
            gaps = [one for one in trace.slices if one.name == GAPS
                    and trace.tracks[one.track.parent].tid == tid]
            for one, after in zip(requests, requests[1:]):
                if after.args["bytes"] != one.args["bytes"] + 4:
                    self.assertTrue([gap for gap in gaps if gap.begin <= after.end
                                     and gap.end >= one.end], (one, after))
            # a gap begins with the end of a call, and ends with that of the next one that is there
            ends = sorted((one.end, one.args["bytes"] + LATER[one.name])
                          for one in trace.slices if one.track.tid == tid
                          and one.name in LATER and "bytes" in one.args)
            for gap in gaps:
                before = [place for end, place in ends if end <= gap.begin]
                after = [place for end, place in ends if end >= gap.end]
                if before and after:
                    self.assertGreater(after[0], before[-1] + 1, gap)
        return {tid: len(requests) for tid, requests in recent.items()}


class Complete(TraceTest):
    """Small runs: every call is in the trace."""

    def test_counts_and_times_equal_the_report(self):
        for options in ([], ["--raw"]):
            result = self.trace("-s", 100, options=options)
            self.assertEqual(result.counts, result.report.calls())
            self.check_nesting(result.trace)
            for region in ("thread", "request", "step", "leaf"):
                slices = [one for one in result.trace.slices if one.name == region]
                total = sum(one.args["time_ns"] for one in slices)
                # Each time, and the overhead in it, is rounded to 1 ns.
                self.assertAlmostEqual(total, result.report.region(region).total,
                                       delta=len(slices) + 1)

    def test_says_that_it_is_complete(self):
        regions, whole = self.trace(500).trace.contents()
        self.assertEqual(whole, {"dropped": 0, "dropped_slow": 0, "damaged": 0})
        for region, args in regions.items():
            self.assertEqual((args["calls"], args["complete_from_ns"]),
                             (args["in_trace"], 0), region)

    def test_a_tight_loop(self):
        # 11,601 calls fit into the rings, however rarely these are read.
        result = self.trace(2900)
        self.assertEqual(result.counts, result.report.calls())

    def test_events_are_arguments(self):
        result = self.trace(100, events="page-faults")
        faults = [one.args["page-faults"] for one in result.trace.slices if one.name == "thread"]
        self.assertEqual(sum(faults), result.report.region("thread", "page-faults").total)

    def test_work_is_an_argument(self):
        leaves = [one for one in self.trace("-w", 100).trace.slices if one.name == "leaf"]
        self.assertEqual({(one.args["bytes"], one.args["flops"]) for one in leaves}, {(64, 8)})
        self.assertEqual(len(leaves), 100)

    def test_eight_threads_have_a_track_each(self):
        result = self.trace("-t", 8, 500)
        self.assertEqual(result.counts, result.report.calls())
        self.check_nesting(result.trace)
        per_track = Counter(one.track.tid for one in result.trace.slices if one.name == "request")
        self.assertEqual(sorted(per_track.values()), [500] * 8)

    def test_a_forked_child_is_a_process_of_its_own(self):
        result = self.trace("-f", 500)
        self.check_nesting(result.trace)
        self.assertEqual(result.counts, result.report.calls())
        self.assertEqual(len({one.track.pid for one in result.trace.slices
                              if one.name == "request"}), 2)

    def test_a_forked_child_does_not_have_the_calls_of_its_parent(self):
        result = self.trace("-F", 500)
        self.assertEqual(result.counts, result.report.calls())
        around, = [one for one in result.trace.slices if one.name == "around"]
        self.assertEqual({one.parent for one in result.trace.slices if one.name == "thread"
                          and one.track.pid == around.track.pid}, {"around"})

    def test_programs_one_after_the_other_are_processes_of_their_own(self):
        # Later programs use the rings of the ones before.
        result = self.trace("-c", 'for i in $(seq 30); do "$0" 20; done', TRACED, program="sh")
        self.check_nesting(result.trace)
        self.assertEqual(result.counts, result.report.calls())
        per_process = Counter((one.track.pid, one.track.tid) for one in result.trace.slices
                              if one.name == "request")
        self.assertEqual(list(per_process.values()), [20] * 30)
        self.assertTrue(all(pid == tid for pid, tid in per_process), per_process)

    def test_sampled_runs_have_the_measured_calls(self):
        result = self.trace(2000, options=["--sample", "leaf:10"])
        regions = result.trace.contents()[0]
        self.assertEqual(regions["leaf"]["in_trace"], regions["leaf"]["calls"])
        self.assertLess(regions["leaf"]["calls"], 2000)

    def test_by_work_names_the_work(self):
        result = self.trace("-w", 100, options=["--by-work"])
        self.assertEqual(sum(n for name, n in result.counts.items() if "leaf" in name), 100)

    def test_clocks_let_traces_share_a_timeline(self):
        trace = self.trace(10).trace
        self.assertEqual([clock for clock, _ in trace.clocks], [3, 6, 1])
        self.assertEqual(trace.clock, 3)


class Cholesky(TraceTest):
    def test_each_step_is_a_slice_on_its_thread(self):
        n = 8
        path, picture = self.path("run.pftrace"), self.path("run.svg")
        self.measure(os.path.join(os.path.dirname(TRACED), "cholesky"), str(n), "32",
                     options=["--trace", path])
        trace = Trace(path)
        steps = [one for one in trace.slices if one.name in ("potrf", "trsm", "syrk", "gemm")]
        pairs = n * (n - 1) // 2
        self.assertEqual(Counter(one.name for one in steps), {
            "potrf": n, "trsm": pairs, "syrk": pairs, "gemm": pairs * (n - 2) // 3})
        self.assertEqual({one.depth for one in steps}, {0})
        self.assertEqual({one.args["flops"] for one in steps if one.name == "gemm"}, {2 * 32**3})
        subprocess.run([sys.executable, os.path.join(HERE, "picture.py"), path, picture],
                       check=True, env=harness.environment(PYTHONPATH=HERE))
        rows = ElementTree.parse(picture).findall(".//{*}text")
        threads = {one.track.tid for one in trace.slices if one.track.tid}
        self.assertEqual(sum("thread" in row.text for row in rows), len(threads))


# Room for some calls, and for all intervals of short runs.
SMALL = ["--trace-size", "256K"]


class Counters(TraceTest):
    """Counts and sums of all intervals equal the report, to the digit, and percentiles of one."""

    def check(self, result):
        sums = {}
        n_points = max(len(points) for points in result.trace.counters.values())
        for uuid, points in result.trace.counters.items():
            name, kind = result.trace.tracks[uuid].name.rsplit(" ", 1)
            values = [value - (1 << 64) if value >> 63 else value for _, value in points]
            self.assertEqual([time for time, _ in points], sorted(time for time, _ in points))
            sums.setdefault(name, {})[kind] = sum(values)
        for region, calls in result.report.calls().items():
            if calls == 0:  # only open ones
                continue
            self.assertEqual(sums[region]["calls"], calls, region)
            row = result.report.region(region)
            self.assertEqual(sums[region]["time"], row.total, region)
            if n_points == 2:  # one interval, and the point after it
                for kind in ("p50", "p99"):
                    self.assertLess(abs(sums[region][kind] - getattr(row, kind)), 1, region)
        return n_points

    def test_of_a_short_run(self):
        self.assertEqual(self.check(self.trace(1000)), 2)

    def test_of_many_calls_on_threads(self):
        self.check(self.trace("-t", 8, N_CALLS // 8, options=SMALL))

    def test_of_a_slow_run(self):
        self.assertGreaterEqual(self.check(self.trace("-s", 600)), 3)

    def test_of_a_killed_run(self):
        self.check(self.trace("-k", self.path("last"), "-u", 600000, 1 << 40, status=128 + 14, options=SMALL))


class Selected(TraceTest):
    """Long runs: the file has a limit, and the telling calls."""

    def test_a_long_run_has_every_outlier_with_its_parents(self):
        size = 256 << 10  # without a limit, the file has more
        result = self.trace("-o", 50, N_CALLS, options=["--trace-size", str(size)])
        self.assertLessEqual(result.trace.bytes, size)
        self.check_nesting(result.trace)
        self.check_outliers(result, 2000000)

    def check_outliers(self, result, least_ns):
        regions, whole = result.trace.contents()
        self.assertEqual((whole["dropped_slow"], whole["damaged"]), (0, 0))
        leaves = sorted(one.begin for one in result.trace.slices
                        if one.name == "leaf" and one.end - one.begin >= least_ns - CLOCK_NS)
        begins = [int(text) for text in result.stdout.split()]
        self.assertGreaterEqual(len(begins), 50)
        for i, begin in enumerate(begins):
            # The program prints this before the outlier begins, and after the ones before it have ended.
            later = sum(leaf >= begin - CLOCK_NS for leaf in leaves)
            # An outlier is not slow if more than one call in 1,000 takes longer.
            if later < len(begins) - i and regions["leaf"]["complete_from_ns"] > least_ns:
                self.skipTest("this host preempted more than one call in 1,000 for longer than "
                              "the outliers")
            self.assertGreaterEqual(later, len(begins) - i, begin)

    # A ring in the segment has 16,384 cells, so the next two runs fill it.
    def test_a_launcher_that_does_not_run_loses_no_outlier(self):
        result = self.trace("-S", "-o", 50, "-d", 500, 20000)
        self.check_nesting(result.trace)
        self.check_outliers(result, 500000)
        whole = result.trace.contents()[1]
        self.assertGreater(whole["dropped"], 0)
        self.assertEqual(whole["dropped_slow"], 0)
        self.assertNotIn("lacks", result.stderr)

    def test_tells_of_outliers_that_do_not_fit(self):
        # Each outlier is three calls, and usual calls have taken three quarters of the ring.
        result = self.trace("-S", "-o", 2000, "-d", 100, "-g", 50, 1500000)
        n = result.trace.contents()[1]["dropped_slow"]
        self.assertGreater(n, 0)
        self.assertIn(f"lacks {n:,} slow call", result.stderr)
        for region in ("request", "step", "leaf"):
            args = result.trace.contents()[0][region]
            self.assertGreater(args["complete_from_ns"], 0, region)
            self.assertLess(args["in_trace"], args["calls"], region)
        # The later ones are slower. Beside a full ring there is room for the slowest 256 calls: each
        # leaf, and the two calls around it. Calls that were preempted outside of the time that the
        # program measures are slow, too.
        took = sorted((int(text) for text in result.stdout.split()), reverse=True)[:40]
        slow = [one for one in result.trace.slices
                if one.category != "recent" and one.end - one.begin >= took[-1] - CLOCK_NS]
        kept = sum(one.name == "leaf" for one in slow)
        others = len(slow) - 3 * kept
        self.assertGreaterEqual(kept, min(len(took), (256 - others) // 3))
        self.check_nesting(result.trace)

    def test_every_call_from_the_stated_time_up_is_there(self):
        result = self.trace("-o", 20, N_CALLS // 4)
        for region, args in result.trace.contents()[0].items():
            self.assertLessEqual(args["in_trace"], args["calls"])
            if args["in_trace"] < args["calls"]:
                self.assertGreater(args["complete_from_ns"], 0, region)

    def test_samples_and_recent_calls_are_there(self):
        kinds = Counter(one.category for one in self.trace(2 * N_CALLS).trace.slices)
        self.assertTrue({"slow", "around", "sample", "recent"} <= set(kinds), kinds)

    def test_the_last_calls_are_more_than_a_ring_has(self):
        # After many calls, the program makes so few that the launcher can copy all of them. A ring
        # in the segment has 2,016 calls with work.
        trace = self.trace("-p", "-n", 1, 21500, options=["--trace-size", "2M"]).trace
        self.check_nesting(trace)
        (n,) = self.check_gaps(trace).values()
        self.assertGreater(4 * n, 4032)


class Killed(TraceTest):
    """A killed program leaves a trace that loads, with its last calls."""

    def kill(self, us, *words):
        """Kill traced, and check its last calls. Return the trace."""
        path = self.path("last")
        harness.write_bytes(path, bytes(1024))
        trace = self.trace("-k", path, "-u", us, *words, 1 << 40, status=128 + 14,
                           options=["--trace-size", "4M"]).trace
        lasts = [last for last in struct.iter_unpack("QQ", harness.read_bytes(path)[:1024]) if last[1]]
        self.assertTrue(lasts, us)
        for tid, begin in lasts:
            mine = [one for one in trace.slices if one.track.tid == tid]
            self.assertGreaterEqual(max(one.begin for one in mine if one.name == "request"),
                                    begin - CLOCK_NS, us)
            opens = [one for one in mine if one.category == "open"]
            self.assertEqual([one.name for one in opens if one.depth == 0], ["thread"], us)
            self.assertEqual({one.end >= begin for one in opens}, {True}, us)
        self.check_nesting(trace)
        return trace

    def test_at_random_times(self):
        chosen = random.Random(os.environ.get("REGIONSTAT_SEED", "1"))
        for _ in range(N_KILLS):
            self.kill(chosen.randrange(20000, 120000))

    def test_with_eight_threads(self):
        self.kill(50000, "-t", 8)

    def test_the_last_seconds_of_tight_loops(self):
        trace = self.kill(500000, "-p", "-t", 2)
        self.check_gaps(trace)
        self.assertIn(GAPS, [one.name for one in trace.slices])


class Others(TraceTest):
    def test_start_and_stop_have_tracks_and_flows(self):
        for n_processes, words in ((1, ["-a"]), (2, ["-a", "-f"])):
            trace = self.trace(*words, 100).trace
            slices = [one for one in trace.slices if one.name == "async"]
            self.assertEqual(len(slices), n_processes * 100)
            self.assertEqual({one.track.name for one in slices}, {"START/STOP calls"})
            self.assertEqual(len({one.track.parent for one in slices}), n_processes)
            self.assertEqual({one.depth for one in slices}, {0})
            ends = [one for one in trace.instants if one.name == "async"]
            for one in slices:
                (flow, is_last), = one.flows
                self.assertFalse(is_last)
                found = sorted((end.begin, end.flows[0][1], end.track.tid) for end in ends
                               if end.flows[0][0] == flow)
                self.assertEqual([(time, last) for time, last, _ in found],
                                 [(one.begin, False), (one.end, True)])
                self.assertNotEqual(found[0][2], found[1][2])

    def test_calls_beyond_the_tracks_are_not_counted(self):
        # All calls overlap, and there are 256 tracks.
        result = self.trace("-a", 300)
        args = result.trace.contents()[0]["async"]
        self.assertEqual(result.counts["async"], 256)
        self.assertEqual((args["calls"], args["in_trace"]), (300, 256))
        self.assertGreater(args["complete_from_ns"], 0)

    def test_off_cpu_time_equals_the_report_and_lies_within_slices(self):
        result = self.trace("-s", 20)
        if result.report.region("leaf", "blocked").status != "ok":
            self.skipTest("this kernel does not show context switches through rseq")
        kinds = ("blocked", "preempted")

        def off_of(one):
            return sum(one.args.get(kind + "_ns", 0) for kind in kinds)

        off = [one for one in result.trace.slices if one.track.name == OFF]
        leaves = [one for one in result.trace.slices if one.name == "leaf"]
        for one in off:
            # Both ends of the slice are rounded, and so are both numbers.
            self.assertLessEqual(off_of(one), one.end - one.begin + 4)
        for leaf in leaves:
            self.assertEqual(leaf.args.get("cpu_time_ns", leaf.args["time_ns"]),
                             max(leaf.args["time_ns"] - off_of(leaf), 0))
            around = [one for one in off if one.begin <= leaf.end and one.end >= leaf.begin]
            self.assertLessEqual(off_of(leaf), sum(map(off_of, around)) + 2)
        # How long a leaf is blocked is up to the kernel: its sleep of 1 ms begins before it gives the
        # CPU up. So the report has to say it.
        for kind in kinds:
            self.assertAlmostEqual(sum(leaf.args.get(kind + "_ns", 0) for leaf in leaves),
                                   result.report.region("leaf", kind).total, delta=len(leaves) + 1)

    def test_signal_handlers_nest_in_what_they_interrupt(self):
        result = self.trace("-h", "-u", 500, 100000)
        self.check_nesting(result.trace)
        handlers = [one for one in result.trace.slices if one.name == "handler"]
        for one in handlers:
            self.assertIn(one.parent, [*PARENTS, None])

    def test_a_condition_keeps_what_is_around_and_within(self):
        result = self.trace("-o", 10, N_CALLS // 8, options=["--trace-if", "request:time>2ms"])
        kinds = {}
        for one in result.trace.slices:
            if one.track.name != OFF:
                kinds.setdefault(one.name, []).append(one)
        self.check_nesting(result.trace)
        self.assertGreaterEqual(len(kinds["request"]), 10)
        # Other requests are slow if the machine is busy; each has one of each region within.
        for name in ("step", "next", "leaf"):
            self.assertEqual(len(kinds[name]), len(kinds["request"]), name)
        self.assertEqual(len(kinds["thread"]), 1)
        self.assertGreater(min(one.args["time_ns"] for one in kinds["request"]), 2000000)

    def test_warns_of_a_condition_without_a_region(self):
        for name, is_wrong in (("request", False), ("reqest", True)):
            result = harness.regionstat("--trace", self.path("x.pftrace"),
                                        "--trace-if", name + ":time>1s", TRACED, "1")
            warning = "--trace-if: no region matches '%s'\n  try: request" % name
            self.assertEqual(warning in result.stderr, is_wrong, result.stderr)

    def test_replaces_the_old_file_only_after_the_run(self):
        path = self.path("run.pftrace")
        harness.write_text(path, "old")
        result = self.measure("sh", "-c", "cat " + path, options=["--trace", path])
        self.assertEqual(result.stdout, "old")
        self.assertEqual(Trace(path).slices, [])

    def test_refused_options(self):
        for words, says in (
                *(("--trace x --trace-if=" + rule, "--trace-if") for rule in (
                    "", "request", "request:time", "request:time>", "request:time>5", ":time>1ms",
                    "request:cycles>1ms", "request:time>1h")),
                *(("--trace x --trace-size=" + size, "--trace-size") for size in (
                    "", "1", "63K", "5G", "10x", "-1", "1.5M")),
                ("--trace-size 1M", "--trace-size needs --trace"),
                ("--trace-if a:time>1ms", "--trace-if needs --trace"),
                ("--trace /nonexistent/run", "--trace: cannot write to '/nonexistent/run': No such file or "
                 "directory (ENOENT)\n  try: --trace with another file"),
                ("--trace x --interval-output x -I 100", "x is the file of --"),
                ("--trace x --slow-output x --slow request:time>1ms", "x is the file of --")):
            with self.subTest(words):
                result = self.regionstat(*words.split(" "), TRACED, "1", status=125)
                self.assertIn(says, result.stderr)


# Write a number into the segment, then become the program.
OVERWRITE = """
import os, struct, sys
folder = "/proc/%d/fd/" % os.getppid()
name, = [n for n in os.listdir(folder) if "memfd:regionstat" in os.readlink(folder + n)]
fd = os.open(folder + name, os.O_RDWR)
os.pwrite(fd, struct.pack("Q", int(sys.argv[2])), int(sys.argv[1]))
os.close(fd)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Overwritten(TraceTest):
    """The program has written other numbers into the segment (lib/segment)."""

    def overwrite(self, offset, number, *words):
        return self.trace("-c", OVERWRITE, offset, number, TRACED, *words, program=sys.executable)

    def test_any_distance_of_samples(self):
        rules = 0x1800000  # sample_calls is the first member
        for number in (1 << 63, (1 << 64) - 1, 1 << 31):
            result = self.overwrite(rules, number, 100)
            self.assertEqual(result.counts, result.report.calls(), number)

    def test_no_memory_for_rings(self):
        # The accumulators fit into the rest of the segment, and the rings do not.
        data_end = 208
        result = self.overwrite(data_end, (1 << 36) - (1 << 19), 100)
        self.assertEqual(result.report.calls()["leaf"], 100)
        self.assertEqual(result.counts, {})
        for region, args in result.trace.contents()[0].items():
            self.assertEqual(args["in_trace"], 0, region)
            self.assertNotIn("complete_from_ns", args)
