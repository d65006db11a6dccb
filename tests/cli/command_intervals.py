# SPDX-License-Identifier: MIT
"""Intervals: their rows add up to the report, field by field, whatever happens in the program."""

import collections
import csv
import json
import os
import re

import harness

SUMS = ("calls", "counted", "total", "self_total")
KEY = ("kind", "region", "parent", "event", "unit")
# Known at the end of the run only, so that intervals have no row of them.
AT_END = ("user_time", "system_time")


def number(text):
    return float(text) if text not in ("", None) else None


class Intervals(harness.TestCase):
    def run_with(self, *program, options=(), status=0, ending="csv"):
        """Run a program with intervals. Return their rows and those of the report. The sums must
        agree, unless not all intervals have rows."""
        rows, report = self.path("rows." + ending), self.path("report.csv")
        self.regionstat("--interval-output", rows, "-o", report, *options, "--", *program,
                        status=status)
        with open(rows, encoding="utf-8") as file:
            if ending == "csv":
                found = list(csv.DictReader(file))
            else:
                found = [{name: str(value) for name, value in json.loads(line).items()}
                         for line in file]
        with open(report, encoding="utf-8") as file:
            whole = list(csv.DictReader(file))
        if "--interval-count" not in options:
            self.assertSums(found, whole)
        return found, whole

    def assertSums(self, rows, report):
        """The sums of all intervals equal the report."""
        sums = collections.defaultdict(collections.Counter)
        for row in rows:
            if row["kind"] in ("run", "region"):
                key = tuple(row.get(name, "") for name in KEY)
                sums[key].update({field: number(row.get(field)) or 0 for field in SUMS})
        n = 0
        for row in report:
            key = tuple(row[name] for name in KEY)
            if row["kind"] not in ("run", "region") or row["event"] in AT_END:
                continue
            is_work = row["event"] in ("bytes", "flops")
            for field in ("counted", "total") if is_work else SUMS if row["region"] else ("total",):
                if number(row[field]) is not None:
                    self.assertEqual(sums[key][field], number(row[field]), (field, row))
                    n += 1
        self.assertGreater(n, 0)
        wrong = set(sums) - {tuple(row[name] for name in KEY) for row in report}
        self.assertEqual(wrong, set())

    def test_threads_and_processes(self):
        """8 threads, children that come and go, pauses."""
        rows, report = self.run_with(harness.app("coming"), "3000",
                                     options=["-I", "10", "-e", "page-faults"])
        times = {float(row["interval"]) for row in rows}
        elapsed = next(int(row["total"]) for row in report
                       if (row["kind"], row["event"]) == ("run", "time"))
        self.assertEqual(round(max(times) * 1e9), elapsed)
        self.assertTrue(1 < len(times) <= elapsed / 10e6 + 1, times)
        calls = {row["region"]: int(row["calls"]) for row in report
                 if (row["kind"], row["event"]) == ("region", "time")}
        self.assertEqual(calls["child"], 60)
        for row in rows:
            if row["kind"] == "region" and row["p50"]:
                least, most = number(row["min"]), number(row["max"])
                self.assertTrue(least <= number(row["avg"]) * 1.01 + 1, row)
                self.assertTrue(least <= number(row["p50"]) <= number(row["p99"]) <= most, row)

    def test_work_and_exec(self):
        rows, _ = self.run_with(harness.app("coming"), "500", "exec", options=["-I", "5"])
        self.assertEqual(sum(int(row["total"]) for row in rows if row["event"] == "bytes"),
                         64 * sum(int(row["counted"]) for row in rows if row["event"] == "bytes"))
        self.assertEqual([row["calls"] for row in rows
                          if (row["region"], row["event"]) == ("again", "time")], ["1"])

    def test_killed(self):
        self.run_with(harness.app("coming"), "500", "kill", options=["-I", "5"], status=137)

    def test_sums(self):
        """The sums agree. Each of the fast calls that end while a snapshot is read is in one
        interval."""
        for program, options, more in (
                (("coming", "3000"), ["-I", "10", "--sample", "7"], {}),
                (("coming", "500"), ["-I", "10"], {"ending": "jsonl"}),
                (("coming", "1", "wait"), ["-I", "20", "--timeout", "200"], {"status": 124}),
                (("sampled", "1", "2000000", "0", "2", "0"), ["-I", "5"], {})):
            with self.subTest(program=program, options=options):
                self.run_with(harness.app(program[0]), *program[1:], options=options, **more)

    def test_busy_machine(self):
        """The rows need no idle machine."""
        for _ in range(2 * os.cpu_count()):
            self.spawn(["sh", "-c", "while :; do :; done"])
        self.run_with(harness.app("coming"), "300", options=["-I", "10"])

    def test_addresses(self):
        """Regions that are addresses have their names in every interval."""
        program = self.compile_text("""
            static __attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
            int main(void) { for (int i = 0; i < 300000; i++) inner(); return 0; }
            """, "-finstrument-functions", "-g")
        rows, _ = self.run_with(program, options=["-I", "5"])
        self.assertEqual({row["region"] for row in rows if row["kind"] == "region"},
                         {"main", "inner"})

    def test_metrics(self):
        rows, _ = self.run_with(harness.app("coming"), "500",
                                options=["-I", "20", "-M", "cpus-utilized"])
        values = [float(row["value"]) for row in rows if row["kind"] == "metric" and row["value"]]
        self.assertTrue(values and all(0 <= value <= 16 * os.cpu_count() for value in values), values)

    def test_alone(self):
        """As of perf stat -I, rows for programs are all that is written; lines for people are
        followed by the report. Messages about a slow machine may stand between the rows."""
        def lines(*options):
            result = self.regionstat("-I", "60000", *options, "--", harness.app("nest"), "4")
            return [line for line in result.stderr.splitlines()
                    if not line.startswith("regionstat: ")]

        rows = lines("-x", ";")
        self.assertTrue(rows[0].startswith("interval;run;kind;"), rows)
        self.assertEqual({len(row.split(";")) for row in rows}, {25}, rows)
        self.assertEqual({json.loads(row)["kind"] for row in lines("-j") if row},
                         {"run", "region"})
        text = "\n".join(lines())
        self.assertRegex(text, r"\A#           time region  .*\n +\d+\.\d{9} \(run\)  .*\n")
        self.assertIn("\nregion  ", text)
        self.assertNotIn("\nregion  ", "\n".join(lines("--quiet")))

    def test_regions_with_the_names_of_the_run(self):
        """Only the run's own line and rule have its name."""
        program = self.compile_text('#include <regionstat.h>\nint main(void)\n{\n'
                                    '\tREGIONSTAT_SCOPE("run");\n\tREGIONSTAT_SCOPE("(run)");\n}\n')
        text = self.regionstat("-I", "60000", "--fail-if", "ru[n]:time.calls > 0", program, status=3).stderr
        self.assertEqual(re.findall(r"(?m)^ +\d+\.\d{9}  *(\S+) +(\S+)", text),
                         [("(run)", "-"), ("run", "1"), (r"\x28run)", "1")])

    def test_count(self):
        """--interval-count ends the rows and not the program."""
        rows, _ = self.run_with(harness.app("coming"), "1", "wait", status=124,
                                options=["-I", "10", "--interval-count", "2", "--timeout", "200"])
        self.assertEqual(len({row["interval"] for row in rows}), 2)

    def test_full_pipe(self):
        """A reader that does not read delays neither --timeout nor the end of the program, and the
        rows lack nothing."""
        path, report = self.path("fifo"), self.path("report.csv")
        pipe = harness.FullPipe(path)
        process = self.spawn([harness.REGIONSTAT, "-I", "10", "--interval-output", path, "-x", ",",
                              "--timeout", "300", "-o", report, "--", harness.app("coming"),
                              "300", "wait"])
        harness.wait_until(lambda: harness.children(process.pid))
        harness.wait_until(lambda: not harness.children(process.pid))
        self.assertIsNone(process.poll())  # it waits for the reader at its end only
        rows = list(csv.DictReader(pipe.read(process).splitlines()))
        self.assertEqual(process.returncode, 124)
        with open(report, encoding="utf-8") as file:
            self.assertSums(rows, list(csv.DictReader(file)))
        # the rows that waited for the reader, and those of all that happened meanwhile
        self.assertEqual(len({row["interval"] for row in rows}), 2)

    def test_closed_pipe(self):
        """A reader that ends does not end the program."""
        read, write = os.pipe()
        os.close(read)
        result = harness.regionstat("-I", "5", "--interval-output", "/dev/fd/%d" % write, "-o",
                                    self.path("x.csv"), "--", "sh", "-c", "sleep 0.1; exit 7",
                                    pass_fds=[write])
        os.close(write)
        self.assertEqual(result.status, 7, result)
        self.assertIn("cannot write intervals to '/dev/fd/%d': Broken pipe" % write, result.stderr)

    def test_no_system_call(self):
        """The program makes the same system calls with and without intervals. Of those that a
        marker makes after a context switch, the number depends on other load."""
        after_switch = ("pread64", "rt_sigprocmask")
        harness.need_no_sanitizer("a sanitizer makes system calls of its own")
        strace = harness.need_tool("strace")
        program = self.compile_text("""
            #include <regionstat.h>
            #include <unistd.h>
            int main(void)
            {
                for (int i = 0; i < 50; i++) {
                    REGIONSTAT_SCOPE("sleep");
                    usleep(1000);
                }
                return 0;
            }
            """)

        def count(*options):
            log = self.path("log")
            result = harness.regionstat(*options, "-o", self.path("x.csv"), "--", strace, "-f",
                                        "-o", log, program,
                                        env=harness.without_leak_check())
            harness.need(result.status == 0, "strace does not work here: " + result.stderr[-200:])
            with open(log, encoding="utf-8", errors="replace") as file:
                calls = [re.match(r"\d+ +(\w+)\(", line) for line in file]
            return collections.Counter(call.group(1) for call in calls
                                       if call and call.group(1) not in after_switch)

        without = count()
        with_rows = count("-I", "1", "--interval-output", self.path("rows.csv"))
        with open(self.path("rows.csv"), encoding="utf-8") as file:
            self.assertGreater(len({line.split(",")[0] for line in file}), 2)
        self.assertEqual(with_rows, without)
