# SPDX-License-Identifier: MIT
"""A program reads its own results (tests/apps/reading.c): when its last call has ended, they are
those of the report. This is also tested in handlers, with many threads, recursion and sampling, and
without a launcher."""

import calendar
import csv
import io
import os
import re
import time

import harness

# The report knows the length of a tick from the whole run, and the program from a part of it. Both are
# exact to 1 in 50,000 (segment/segment.h).
TICK = 2 / 50000
OF_TIME = ("time", "cpu-time", "blocked", "preempted", "task-clock")
N_COLUMNS = 11


class Reading(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.program = harness.need_app("reading")

    def assertNear(self, name, read, reported, is_time, terms=None):
        """terms: the sum of the values from which the reported one is computed."""
        most = 3 + TICK * (terms or reported) if is_time else 0
        self.assertLessEqual(abs(read - reported), most, (name, read, reported))

    def bounded_events(self, rows, report):
        """Return the events of which a report has limited an estimate, since it exceeded the lifetime
        of a thread or the parent. A reading knows no such limit, so it is larger."""
        found = set()
        for line in (line for line in rows if line[0] == "process" and int(line[3])):
            row = report.region(line[1], line[2])
            if row.status == "scaled" and row.total < float(line[5]) * (1 - TICK) - 3:
                found.add(line[2])
        return found

    def check(self, text, report):
        """Compare what the program printed with the report. Return the number of values compared,
        and the facts."""
        n = 0
        rows = list(csv.reader(io.StringIO(text)))
        bounded = self.bounded_events(rows, report)
        for line in (line for line in rows if line[0] == "process"):
            self.assertEqual(len(line), N_COLUMNS, line)
            name, event, validity = line[1], line[2], int(line[3])
            row = report.region(name, event)
            status = {0: ("not-supported", "not-counted"), 1: ("ok",), 2: ("scaled",)}[validity]
            self.assertIn(row.status, status, (line, row))
            self.assertEqual(int(line[4]), row.calls, line)
            if not validity:
                continue
            is_time = event in OF_TIME
            if event in bounded:
                self.assertLess(row.total, float(line[5]) * (1 + TICK) + 3, line)
                # The limit is no less than the truth, so it takes no more than the estimate's error.
                self.assertGreater(row.total, 0.8 * float(line[5]), line)
            else:
                self.assertNear(line, float(line[5]), row.total, is_time)
            if row.self_total is not None and event not in bounded:
                self.assertNear(line, float(line[6]), row.self_total, is_time,
                                2 * row.total - row.self_total)  # the total and the inner regions
            if int(line[7]):
                for place, column in ((8, "p50"), (9, "p90"), (10, "p99")):
                    # a quantile is the middle of a bucket, 1/256 of its value wide
                    bucket = getattr(row, column) / 256 if is_time else 0
                    self.assertLessEqual(abs(float(line[place]) - getattr(row, column)),
                                         bucket + 3 * is_time, (line, column))
            n += 1
        # one thread: its values are those of the process
        of = {(line[0], line[1], line[2]): line[3:] for line in rows}
        for event in ("time", "cpu-time"):
            self.assertEqual(of["thread", "handled", event][1], of["process", "handled", event][1])
            self.assertNear(event, float(of["thread", "handled", event][2]),
                            float(of["process", "handled", event][2]), True)
        return n, [int(number) for number in rows[-1][1:]]

    def check_facts(self, facts):
        n_handled, n_wrong, peeked, _ = facts
        self.assertGreater(n_handled, 50)
        self.assertEqual(n_wrong, 0)
        self.assertEqual(peeked, 1)

    def test_it_equals_the_report(self):
        for events, options in (("page-faults,minor-faults", ()), ("task-clock,page-faults", ()),
                                ("time", ())):
            with self.subTest(events=events):
                result = self.measure(self.program, events=events, options=options)
                n, facts = self.check(result.stdout, result.report)
                self.assertGreaterEqual(n, 4 * 5)
                self.check_facts(facts)

    def test_it_equals_the_report_of_sampled_calls(self):
        result = self.measure(self.program, events="page-faults", options=["--sample", "5"])
        self.check(result.stdout, result.report)

    def test_reading_makes_no_system_call(self):
        """The program writes "<" before its readings and ">" after them."""
        harness.need_no_sanitizer("strace(1) and a sanitizer's check for leaks trace the program")
        program, log = self.compile_text("""
            #include <regionstat.h>
            #include <unistd.h>
            int main(void)
            {
                struct regionstat_values values;
                int done = 1;
                for (int i = 0; i < 100; i++) {
                    REGIONSTAT_BEGIN("loop");
                    REGIONSTAT_END("loop");
                }
                done &= write(1, "<", 1) == 1;
                for (int i = 0; i < 100; i++) {
                    for (unsigned what = REGIONSTAT_THREAD; what <= REGIONSTAT_PROCESS; what++) {
                        done &= REGIONSTAT_READ("loop", REGIONSTAT_CPU_TIME, what, &values);
                        done &= regionstat_read("loop", REGIONSTAT_TIME,
                            what | REGIONSTAT_SELF | REGIONSTAT_QUANTILES, &values);
                    }
                }
                done &= write(1, ">", 1) == 1;
                return !done;
            }
            """), self.path("log")
        self.regionstat("-e", "time", "-o", os.devnull, "--", harness.need_tool("strace"), "-o", log, program)
        self.assertIn('write(1, "<", 1) = 1\nwrite(1, ">", 1) = 1\n',
                      re.sub(" +=", " =", harness.read_text(log)))

    def environment(self):
        """Return one in which a program finds the library and the command."""
        harness.need_no_sanitizer("a runtime with a sanitizer needs a program with it")
        return harness.environment(
            LD_LIBRARY_PATH=os.path.join(harness.BUILD, "lib", "runtime"),
            PATH=os.path.dirname(harness.REGIONSTAT) + ":" + os.environ["PATH"])

    def test_reports_that_fail(self):
        program = self.compile_text("""
            #include <regionstat.h>
            #include <signal.h>
            #include <stdio.h>
            #include <sys/wait.h>
            #include <unistd.h>
            int main(int argc, char **argv)
            {
                const char *why = regionstat_open("");
                int status;
                if (argc > 2 && argv[2][0] == 'f' && fork())
                    return wait(&status) < 0 || status;
                if (argc > 2 && argv[2][0] == 'c')
                    for (int fd = 3; fd < 1000; fd++)
                        close(fd);
                if (argc > 2 && argv[2][0] == 'i')
                    signal(SIGCHLD, SIG_IGN);
                why = why ? why : regionstat_report(argv[1]);
                puts(why ? why : "written");
                return 0;
            }
            """)
        env = self.environment()
        folder = os.path.dirname(program)
        for words, expected in ((["-"], "written"), (["--x.txt"], "written"),
                                (["x.csv", "close"], "the program has closed the descriptor"),
                                (["x.csv", "ignore"], "the program ignores SIGCHLD or waits"),
                                (["x.csv", "fork"], "this process was forked from process"),
                                (["x.foo"], "regionstat: report: -o: 'x.foo' has an unknown"),
                                (["x.jsonl"], "regionstat: report: -o: only a run or regionstat compare "
                                               "writes a series\n  try: -o FILE.json"),
                                (["no/x.csv"], "regionstat: cannot write to 'no/x.csv': No such")):
            result = harness.run([program, *words], env=env, cwd=folder)
            self.assertTrue(result.stdout.startswith(expected), result)
            self.assertEqual(result.stderr, "")
        for name in ("-", "--x.txt"):
            self.assertGreater(os.path.getsize(os.path.join(folder, name)), 0)

    def test_report_of_a_program_that_was_root(self):
        """A server opens the measurement as root, and then becomes another user."""
        harness.need_root("only root can become another user")
        harness.need_other_user()
        program = self.compile_text("""
            #include <regionstat.h>
            #include <stdio.h>
            #include <unistd.h>
            int main(int argc, char **argv)
            {
                const char *why = regionstat_open("");
                REGIONSTAT_BEGIN("region");
                REGIONSTAT_END("region");
                if (argc < 2 || setuid(65534))
                    return 1;
                why = why ? why : regionstat_report(argv[1]);
                puts(why ? why : "written");
                return 0;
            }
            """)
        os.chmod(self.directory, 0o777)
        output = self.path("own.csv")
        result = harness.run([program, output], env=self.environment())
        self.assertEqual((result.status, result.stdout), (0, "written\n"))
        self.assertEqual(harness.Report(harness.read_text(output)).calls(), {"region": 1})

    def test_the_run_of_a_program_without_a_launcher(self):
        """Its start, and its CPU time, which proc(5) rounds to 10 ms."""
        program = self.compile_text("""
            #include <regionstat.h>
            #include <stdio.h>
            #include <time.h>
            static long long now(clockid_t clock)
            {
                struct timespec time;
                clock_gettime(clock, &time);
                return time.tv_sec * 1000000000LL + time.tv_nsec;
            }
            int main(int argc, char **argv)
            {
                printf("%lld ", now(CLOCK_REALTIME) / 1000000000);
                if (argc < 2 || regionstat_open(""))
                    return 1;
                while (now(CLOCK_PROCESS_CPUTIME_ID) < 35000000)
                    ;
                printf("%lld ", now(CLOCK_PROCESS_CPUTIME_ID));
                if (regionstat_report(argv[1]))
                    return 1;
                printf("%lld ", now(CLOCK_PROCESS_CPUTIME_ID));
                printf("%lld\\n", now(CLOCK_REALTIME) / 1000000000);
                return 0;
            }
            """)
        output = self.path("cpu.csv")
        result = self.execute([program, output], env=self.environment())
        before_s, least_ns, most_ns, after_s = map(int, result.stdout.split())
        report = harness.Report(harness.read_text(output))
        used_ns = report.run("user_time").total + report.run("system_time").total
        self.assertGreaterEqual(used_ns, least_ns - 1000)
        self.assertLessEqual(used_ns, most_ns)
        started = calendar.timegm(time.strptime(report.rows[0].run[:20], "%Y-%m-%dT%H:%M:%SZ"))
        self.assertGreaterEqual(started, before_s)
        self.assertLessEqual(started, after_s)

    def test_without_a_launcher(self):
        """The library counts within the process, its report has the same values, and a forked child is
        not measured."""
        env = self.environment()
        output = self.path("100%t.json")  # no code of -o
        for events in ("", "page-faults"):
            result = self.execute([self.program, "open", events, output], env=env)
            shown = harness.regionstat("report", "-x", ",", "-o", "-", output)
            n, facts = self.check(result.stdout, harness.Report(shown.stdout))
            self.assertGreaterEqual(n, 4 * 5)
            self.check_facts(facts)
            self.assertNotIn("still ran", harness.read_text(output))  # of itself
            self.assertEqual(result.stderr, "")
            self.assertEqual(facts[3], 0)  # the child's validity: absent
        for events, reason in (("page-faults,none", "unknown event 'none'"),
                               ("none", "try: regionstat list"),
                               ("page-faults:z", "try: page-faults, or page-faults:u"),
                               ("r+1", "unknown event 'r+1'"),
                               ("r12345678123456781", "unknown event 'r12345678123456781'"),
                               ("page-faults,page-faults", "'page-faults' is named twice")):
            result = harness.run([self.program, "open", events], env=env)
            self.assertEqual((result.status, result.stdout), (1, ""), result)
            self.assertIn(reason, result.stderr)
        del env["LD_LIBRARY_PATH"]
        result = harness.run([self.program, "open", ""], env=env)
        if result.status:  # unless it is installed
            self.assertRegex(result.stderr, r"cannot load regionstat's runtime: libregionstat\.so\.1: "
                                            r".*\n  try: install regionstat")

    def test_without_regionstat(self):
        result = harness.run([self.program])
        self.assertEqual((result.status, result.stdout), (0, "facts,%s,0,0,0\n" %
                                                          result.stdout.split(",")[1]))

    @harness.steady
    def test_the_example_chooses_a_good_block(self):
        """Its choice costs at most 5 % more than the best size of the sweep in the same run. The sweep
        takes the least of 12 passes of each size. Other programs only add to a pass. There is one
        more try, since a busy machine may have added to all three passes of the first choice."""
        program = self.compile("block_size.c", harness.compilers()[0], "-O2")
        result = self.regionstat("--quiet", "-e", "time", "-o", "/dev/null", program)
        first, *rest = result.stdout.splitlines()
        cost = {int(size): float(value) for size, value in (line.split() for line in rest[:8])}
        chosen = int(first.split()[1])
        if cost[chosen] > 1.05 * min(cost.values()):
            raise harness.TimeMissing("chosen %d of %r" % (chosen, cost))
