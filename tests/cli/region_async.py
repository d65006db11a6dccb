# SPDX-License-Identifier: MIT
"""START and STOP: calls that end in any order and on any thread. Calls and times agree with the
program's own. Only calls that one thread begins and ends have events."""

from functools import partialmethod

import harness

N_WORKERS, FAULTS = 8, 3


class Async(harness.TestCase):

    def runs(self, how, n, events="time", options=(), is_timed=True):
        """Run the program of each compiler. Yield the result and the program's own values of
        "request", with which the report agrees."""
        found = []
        for compiler in harness.compilers():
            program = self.compile("async.c", compiler, "-std=gnu11", "-O2")

            def run_once():
                result = self.measure(program, how, n, events=events, options=options)
                truth = harness.truths(result.stdout)["request"]
                if is_timed:
                    self.assertTruth(result.report, truth)
                return result, truth

            found.append(self.steadily(run_once))
        return found

    def check(self, how, n):
        for result, truth in self.runs(how, n):
            self.assertEqual(truth.calls, n)
            self.assertClean(result.report)
            # without child and parent
            row = result.report.region("request")
            self.assertIsNone(row.self_total, row)

    def test_stopped_again(self):
        """A call counts once; later STOPs of it change nothing."""
        for events in ("time", "page-faults"):
            for options in ((), ("--sample", 2)):
                result = self.measure(harness.app("rules"), "markers", 1, "+r-R-R-R" + "[o[m[i]]]" * 5,
                                      events=events, options=options)
                self.assertEqual(result.report.calls(), {"r": 1, "o": 5, "m": 5, "i": 5})
                self.assertEqual(result.report.diagnostics(), {"unmatched": 2})
                self.assertRegex(result.stderr, r"2 ENDs .* or a call stopped again: 'r'")

    def test_stopped_again_after_too_many_were_open(self):
        """The number of calls remains that of STARTs, also of calls whose frame another one took."""
        n = 17000
        program = self.compile_text("""
            #include <regionstat.h>
            #include <stdlib.h>
            static struct regionstat_call calls[%d];
            int main(int argc, char **argv)
            {
                int n = sizeof(calls) / sizeof(*calls), at_once = argc > 1 ? atoi(argv[1]) : 1;
                for (int i = 0; i < n; i++)
                    calls[i] = REGIONSTAT_START("request");
                for (int again = 0; again < 2; again += at_once)
                    for (int i = 0; i < n; i++)
                        for (int k = 0; k < at_once; k++)
                            regionstat_stop(calls[i]);
                return 0;
            }
            """ % n)
        for at_once in (1, 2):
            report = self.measure(program, at_once).report
            self.assertEqual(report.calls(), {"request": n})
            self.assertEqual(report.diagnostics(), {"unmatched": n})

    def test_stopped_again_after_another_call_of_the_thread_was_open(self):
        """A thread ends with two open calls. The next thread takes the frame of the second one. The
        first one still counts once."""
        program = self.compile_text("""
            #include <regionstat.h>
            #include <pthread.h>
            static struct regionstat_call calls[2];
            static void *leave_open(void *unused)
            {
                for (int i = 0; i < 2; i++)
                    calls[i] = REGIONSTAT_START("request");
                return unused;
            }
            static void *start_and_stop(void *unused)
            {
                struct regionstat_call call = REGIONSTAT_START("other");
                regionstat_stop(call);
                return unused;
            }
            int main(void)
            {
                void *(*const runs[])(void *) = {leave_open, start_and_stop};
                for (int i = 0; i < 2; i++) {
                    pthread_t thread;
                    if (pthread_create(&thread, NULL, runs[i], NULL) || pthread_join(thread, NULL))
                        return 1;
                }
                for (int i = 0; i < 3; i++)
                    regionstat_stop(calls[0]);
                return 0;
            }
            """, "-pthread")
        for events in ("time", "page-faults"):
            report = self.measure(program, events=events).report
            self.assertEqual(report.calls(), {"request": 1, "other": 1})
            self.assertEqual(report.diagnostics(), {"unmatched": 2, "open": 1})

    def test_stopped_again_by_another_thread(self):
        """More calls than may be open at once, in succession: they are not confused, and a call
        that is open all the time keeps its events."""
        n = 40000
        for result, truth in self.runs("handed", n, events="page-faults"):
            report = result.report
            self.assertEqual(report.calls(), {"request": n, "kept": 1})
            self.assertEqual(truth.calls, n)
            self.assertEqual(report.diagnostics(), {"unmatched": n})
            self.assertEqual(report.region("kept", "page-faults").counted, 1)
            self.assertEqual(report.region("request", "page-faults").counted, 0)

    def test_stops_of_what_is_no_call(self):
        """A STOP of an invalid value is ignored and counted. A value of zeros means no call, and is
        not counted."""
        n, bits = 80, 8 * 64
        for events in ("time", "page-faults"):
            for result, _ in self.runs("garbage", n, events=events):
                self.assertEqual(result.report.calls(), {"request": n})
                self.assertClean(result.report)
                self.assertIn("{:,} regionstat_stop()s of a value that no START returned"
                              .format(n * (bits + 1)), result.stderr)

    def test_stopped_by_a_child_too(self):
        for events in ("time", "page-faults"):
            report = self.measure(harness.app("rules"), "markers", 1, "+r{-R}-R", events=events).report
            self.assertEqual(report.calls(), {"r": 1})
            self.assertClean(report)

    test_ended_in_reverse = partialmethod(check, "lifo", 10000)
    test_ended_in_disorder = partialmethod(check, "shuffled", 10000)
    test_by_name = partialmethod(check, "named", 10000)

    def test_ended_in_their_order(self):
        """More calls than a thread has frames are open at once."""
        self.check("fifo", 40000)

    def test_ended_by_other_threads_and_some_never(self):
        n = 10000
        for result, truth in self.runs("workers", n, events="page-faults"):
            self.assertEqual(truth.calls, n * 9 // 10)
            self.assertEqual(result.report.region("worker").calls, n)
            self.assertEqual(result.report.diagnostics("worker"), {})
            self.assertRegex(result.stderr, r"1,?000 asynchronous calls started and never stopped")
            self.assertEqual(set(result.report.diagnostics("request")) - {"open"}, set())
            self.assertEqual(result.report.region("request", "page-faults").counted, 0)

    def test_threads_are_those_that_ended_calls(self):
        """The threads of a region are those that ended its calls, not one that only starts them."""
        for result, truth in self.runs("each", N_WORKERS):
            row = result.report.region("request")
            self.assertEqual((truth.calls, row.calls, row.threads), (N_WORKERS,) * 3, row)
            rows = result.report.select(kind="region", region="request", event="time")
            self.assertEqual(len(rows), 1, rows)

    def test_events_where_one_thread_did_both(self):
        harness.need_exact_faults()
        n = 8000
        for result, _ in self.runs("both", n, events="page-faults"):
            self.assertClean(result.report)
            row = result.report.region("request", "page-faults")
            self.assertEqual((row.calls, row.counted), (n, n // 2), row)
            self.assertEqual((row.min, row.avg, row.p50, row.max, row.stddev),
                             (FAULTS, FAULTS, FAULTS, FAULTS, 0), row)

    def test_within_a_call(self):
        for result, truth in self.runs("nested", 2000):
            self.assertClean(result.report)
            outer = result.report.region("outer")
            self.assertEqual((outer.calls, outer.self_total), (2000, outer.total))
            self.assertGreater(outer.total, truth.within.sum_ns)

    def test_from_one_call_into_the_next(self):
        for result, _ in self.runs("crossing", 2000):
            self.assertClean(result.report)
            self.assertEqual(result.report.region("outer").calls, 2000)

    def test_paused(self):
        n = 48
        for result, _ in self.runs("paused", n):
            calls = result.report.calls()
            self.assertEqual((calls.get("cut", 0), calls.get("ignored", 0)), (0, 0))
            self.assertEqual(result.report.diagnostics(), {"cut": n})

    def test_sampled(self):
        n = 10000
        for result, _ in self.runs("shuffled", n, options=("--sample", 10), is_timed=False):
            row = result.report.region("request")
            self.assertEqual(row.calls, n)
            self.assertClean(result.report)

    def test_not_launched(self):
        for compiler in harness.compilers():
            for flags in ([], ["-DREGIONSTAT_DISABLE"]):
                program = self.compile("async.c", compiler, "-std=gnu11", "-O1", *flags)
                result = harness.run([program, "both", "800"])
                self.assertEqual((result.status, result.stderr), (0, ""), result)
