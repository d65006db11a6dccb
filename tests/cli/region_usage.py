# SPDX-License-Identifier: MIT
"""user_time and system_time as events, compared with a program's own values by getrusage(2) around
its calls."""

import harness

TICK_NS = 10_000_000  # of the slowest kernels, CONFIG_HZ=100
N_CALLS = 100_000
EVENTS = ("user_time", "system_time")


class Usage(harness.TestCase):

    def check(self, report, stdout, calls):
        for event, own in zip(EVENTS, map(int, stdout.split())):
            row = report.region("all", event)
            self.assertEqual((row.calls, row.counted, row.unit, row.status, row.running),
                             (calls, calls, "ns", "ok", 1), row)
            self.assertLessEqual(abs(row.total - own), TICK_NS, (row, own))
            inner = [report.region(name, event).total for name in ("compute", "kernel")]
            self.assertLessEqual(sum(inner), row.total + TICK_NS)
            self.assertLessEqual(row.self_total, row.total - sum(inner) + TICK_NS)
            self.assertLessEqual(row.total, report.run(event).total + TICK_NS)

    def test_beside_getrusage(self):
        for events in ("user_time,system_time", ["system_time", "user_time"],
                       "user_time,page-faults,system_time", "{user_time,page-faults,system_time}"):
            result = self.measure(harness.app("accounted"), 4, events=events)
            self.check(result.report, result.stdout, 4)

    def test_the_run_has_each_once(self):
        report = self.measure("true", events="user_time").report
        for event in EVENTS:
            self.assertEqual(report.run(event).unit, "ns")

    def test_what_is_slept_is_neither(self):
        report = self.measure(harness.app("accounted"), 4, events="user_time,system_time").report
        on_cpu = sum(report.region("all", event).total for event in EVENTS)
        time = report.region("all").total
        self.assertLess(on_cpu, time - 4 * 20_000_000 + 2 * TICK_NS)

    def test_sampled_calls_and_threads(self):
        for program, calls, threads in ((("threads", 3, 200), 3 * 200, 3), (("fork", 200), 2 * 200, 2)):
            report = self.measure(harness.app("work"), *program, events="user_time,system_time",
                                  options=["--sample", 4]).report
            rows = [report.region("told", event) for event in EVENTS]
            for row in rows:
                # every fourth call and the first ones are measured, the same for each thread
                self.assertEqual((row.calls, row.counted, row.threads, row.unit),
                                 (calls, report.region("told").counted, threads, "ns"))
            # no estimate exceeds the threads' lifetimes
            self.assertLessEqual(sum(row.total for row in rows), threads * report.run().total)

    def test_a_note_tells_that_markers_take_most(self):
        """Each marker asks the kernel, and the calls do nothing. Without markers, there is no note."""
        for program, severity in (((harness.app("rules"), "markers", 20000, "aA"), "note"),
                                  (("true",), "detail")):
            with self.subTest(program=program):
                path = self.path("report.json")
                self.regionstat("-v", "-e", "system_time", "-o", path, "--", *program)
                kinds = [message["kind"] for message in harness.read_json(path)["messages"]
                         if message["code"] == "coarse-times"]
                self.assertEqual(kinds, [severity])

    def test_markers_cost_is_taken_out(self):
        """The markers of many short calls take more than the work of the region around them."""
        harness.need_no_sanitizer()
        program = self.compile_text("""
            #include <regionstat.h>
            #include <stdio.h>
            #include <sys/resource.h>
            int main(void)
            {
                struct rusage usage;
                REGIONSTAT_BEGIN("outer");
                for (int i = 0; i < %d; i++) {
                    REGIONSTAT_SCOPE("inner");
                }
                REGIONSTAT_END("outer");
                getrusage(RUSAGE_SELF, &usage);
                printf("%%ld\\n", 1000000 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
                return 0;
            }
            """ % N_CALLS)
        for events in ("user_time,system_time", "task-clock,user_time,system_time"):
            with self.subTest(events=events):
                result = self.measure(program, events=events)
                left = sum(result.report.region("outer", event).total for event in EVENTS)
                cost = N_CALLS * float(result.report.one(
                    kind="info", event="overhead", region="inner").value)
                harness.note("%d ns are left of %s us, of which markers take %d ns" % (
                    left, result.stdout.strip(), cost))
                # the program does little else
                self.assertGreater(cost, 0.5 * 1000 * int(result.stdout))
                self.assertLess(left, 1000 * int(result.stdout) - 0.5 * cost)

    def test_calls_shorter_than_a_tick(self):
        """The sum of both is the calls' CPU time, also if they often lose the CPU to others. A clock
        around the markers gives its maximum, a clock within them its minimum, from which at most
        the stated overhead is subtracted."""
        harness.need_no_sanitizer()
        program = self.compile_text("""
            #include <regionstat.h>
            #include <stdio.h>
            #include <time.h>
            static long long cpu_ns(void)
            {
                struct timespec now;
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
                return now.tv_sec * 1000000000LL + now.tv_nsec;
            }
            int main(void)
            {
                REGIONSTAT_BEGIN("call"); /* the first one has its thread's set-up before it */
                REGIONSTAT_END("call");
                long long begin = cpu_ns(), within = 0;
                for (int i = 0; i < 500; i++) {
                    REGIONSTAT_SCOPE("call");
                    within -= cpu_ns();
                    for (volatile int k = 0; k < 1000000; k++)
                        ;
                    within += cpu_ns();
                }
                printf("%lld %lld\\n", within, cpu_ns() - begin);
            }
            """)
        for _ in range(2):
            self.spawn(["sh", "-c", "while :; do :; done"])
        result = self.measure(program, events="user_time,system_time")
        total = sum(result.report.region("call", event).total for event in EVENTS)
        within, around = map(int, result.stdout.split())
        self.assertLessEqual(total, around + TICK_NS)
        self.assertGreaterEqual(total, within - result.report.markers_ns() - TICK_NS)

    def test_a_modifier_is_refused(self):
        for event in ("user_time:u", "{user_time,system_time}:u"):
            result = self.regionstat("-e", event, "true", status=125)
            self.assertIn("'user_time' takes no modifiers", result.stderr)

    def test_a_metric_of_both(self):
        metrics = self.text_file("metrics.yaml", "metrics:\n  - {name: both, unit: ms,"
                                 " formula: user_time + system_time}\n")
        report = self.measure(harness.app("nest"), 4, options=[
            "--metrics-file", metrics, "-M", "both"]).report
        for region in report.regions():
            times = [report.region(region, event).total for event in EVENTS]
            row = report.one(kind="metric", region=region, event="both")
            self.assertAlmostEqual(float(row.value), sum(times) / 1e6, places=9)

    def test_listed(self):
        result = harness.regionstat("list", "*_time")
        for event in EVENTS:
            self.assertRegex(result.stdout, r"(?m)^  %s +yes " % event)
