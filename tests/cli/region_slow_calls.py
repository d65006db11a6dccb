# SPDX-License-Identifier: MIT
"""--slow: a line for every slow call as it happens, up to the limit, and a count of the rest. This
holds however the program ends, and whatever happens to the file."""

import collections
import datetime
import errno
import fcntl
import os
import re

import harness

LINE = re.compile(r'(?P<time>\S+) slow region=(?P<region>"(?:[^"\\]|\\.)*"|\S+)'
                  r' process=(?P<process>\d+)/(?P<process_name>"[^"]*"|\S+)'
                  r' thread=(?P<thread>\d+)/(?P<thread_name>"[^"]*"|\S+)'
                  r' time=(?P<ns>\d+)ns(?P<events>(?: \S+=\S+)*)')
OFF = re.compile(r" cpu-time=(\d+)ns blocked=(\d+)ns preempted=(\d+)ns")
OVER_LIMIT = re.compile(r"(\S+) slow(?: over_limit=(\d+) lines_per_second=(\d+))?(?: lost=(\d+))?")


class SlowCalls(harness.TestCase):

    def setUp(self):
        super().setUp()
        if "thread" in harness.SANITIZE:
            self.skipTest("not tried with ThreadSanitizer: the launcher forks with a second thread")
        self.program = harness.app("slow_calls")
        self.log = self.path("slow.log")

    def tell(self, *program, rules=("work:time>10us",), options=(), log=None, **more):
        """Run the program with --slow to self.log, or log. Return the result."""
        words = [word for rule in rules for word in ("--slow", rule)]
        words += ["--slow-output", log or self.log, *options]
        return self.measure(self.program, *program, options=words,
                            **{"events": "time", **more})

    def lines(self):
        """Return the lines of calls as matches, and as numbers the lines that say how many calls
        had none."""
        calls, others = [], []
        with open(self.log, encoding="utf-8") as file:
            for text in file.read().splitlines():
                call, other = LINE.fullmatch(text), OVER_LIMIT.fullmatch(text)
                self.assertTrue(call or other, text)
                if call:
                    calls.append(call)
                else:
                    others.append(int(other[2] or 0) + int(other[4] or 0))
        return calls, others

    def facts(self, result):
        """Return the rows of slow calls by name."""
        names = ("slow_calls", "slow_lines", "slow_over_limit", "slow_lost", "slow_unwritten")
        return {name: sum(int(row.value) for row in result.report.select(kind="info", event=name))
                for name in names}

    def test_a_few_of_a_million(self):
        """The times agree with the program's clocks within and around each call. Other calls may
        have been as slow, because they were preempted."""
        n_calls = 1000000 if harness.SANITIZE == "none" else 100000
        before = datetime.datetime.now(datetime.timezone.utc)
        result = self.tell("few", n_calls, 37, rules=["work:time>1ms"])
        after = datetime.datetime.now(datetime.timezone.utc)
        calls, others = self.lines()
        truth = [tuple(map(int, text.split())) for text in result.stdout.splitlines()]
        self.assertEqual(len(truth), 37)
        self.assertEqual(result.report.region("work").calls, n_calls)
        self.assertEqual(self.facts(result)["slow_calls"], len(calls))
        self.assertEqual(others, [])
        rest = iter(calls)
        for within, around in truth:
            slack = 100 + around * 2e-4
            least = within * (1 - harness.MARKERS_RATIO) - slack
            self.assertTrue(any(least <= int(call["ns"]) <= around + slack for call in rest),
                            (within, around, [call.string for call in calls]))
        if len(calls) > 37:
            harness.note("%d others lost their CPU for 1 ms" % (len(calls) - 37))
        for call in calls:
            self.assertGreater(int(call["ns"]), 1000000 - 200)
            parts = OFF.match(call["events"])
            if parts:  # each value is rounded to a ns
                self.assertAlmostEqual(sum(map(int, parts.groups())), int(call["ns"]), delta=3)
            # the clock of the day may be adjusted meanwhile
            time = datetime.datetime.fromisoformat(call["time"])
            self.assertTrue(before - datetime.timedelta(seconds=1) <= time
                            <= after + datetime.timedelta(seconds=1), (before, time, after))

    def test_by_an_event(self):
        """Exactly one of a hundred calls touches 300 pages; the others touch three."""
        result = self.tell("one", rules=["many*:page-faults>=300"], events="page-faults")
        calls, _ = self.lines()
        self.assertEqual([call["region"] for call in calls], ['"many events"'])
        faults = int(calls[0]["events"].partition("page-faults=")[2])
        self.assertEqual(result.report.region("many events", "page-faults").max, faults)
        row = result.report.one(kind="info", event="slow_calls")
        self.assertEqual((row.region, row.unit, row.value), ("many*", "page-faults>=300", "1"))

    def test_the_slowest_call(self):
        """The slowest call of a region of a hundred calls. For a few calls max is enough. The table
        shows it if it takes at least 10 times p90."""
        result = self.measure(self.program, "one", events="page-faults")
        region = result.report.region("many events")
        row = {row.event: row for row in result.report.select(kind="slowest")}
        self.assertEqual({row.region for row in row.values()}, {"many events"})
        self.assertEqual(sorted(row), ["p90_ratio", "page-faults", "start", "time"])
        self.assertEqual(int(row["time"].value), region.max)
        self.assertAlmostEqual(float(row["p90_ratio"].value), region.max / region.p90, 9)
        self.assertEqual(row["time"].process, row["time"].thread)
        self.assertLess(int(row["start"].value) + region.max, result.report.run().total)
        table = harness.regionstat("-e", "page-faults", "-v", self.program, "one").stderr
        line = re.search(r"\n  slowest call: (\S+ \S+), ([\d,]+)x p90, [\d.,]+ (?:us|ms|s) after "
                         r"the start, thread \d+", table)
        self.assertTrue(line, table)
        self.assertGreaterEqual(int(line[2].replace(",", "")), 10)

    def test_every_kind_of_call(self):
        """A region and the one in it, recursion, START and STOP, and NEXT, by site and by name."""
        for more in ((), ("by-name",)):
            self.program, self.log = harness.app("rules"), self.path("slow%d.log" % len(more))
            self.tell("markers", 1, "oi~~IO" + "aaa~~AAA" + "+s~~-S" + "n~~N/qQ", *more,
                      rules=["*:time>1.5ms", "i:time>1ms"])
            calls, _ = self.lines()
            found = collections.Counter(call["region"] for call in calls)
            for name, n in {"o": 1, "i": 1, "a": 3, "s": 1, "n": 1}.items():
                self.assertEqual(found[name], n, (found, more))

    def test_more_than_the_limit(self):
        """Every call is counted, and no second has more lines than permitted."""
        n = 20000
        result = self.tell("burst", n)
        calls, others = self.lines()
        self.assertEqual(self.facts(result)["slow_calls"], n)
        self.assertEqual(len(calls) + sum(others), n)
        facts = self.facts(result)
        self.assertEqual(facts["slow_lines"], len(calls))
        self.assertEqual(facts["slow_over_limit"] + facts["slow_lost"], sum(others))
        self.assertGreaterEqual(len(calls), 100)
        run_s = result.report.run().total / 1e9
        self.assertLessEqual(len(calls), 100 * (run_s + 2))
        self.tell("burst", 50, options=["--slow-rate", "7"])
        calls, others = self.lines()[0][len(calls):], self.lines()[1][len(others):]
        self.assertEqual(len(calls) + sum(others), 50)  # appended to the file

    def test_threads_and_processes(self):
        """The lines have the names and numbers that threads and processes know themselves, also
        after they have ended."""
        result = self.tell("threads", 3, rules=["work:time>1ms"])
        calls, _ = self.lines()
        told = [(call["process"], call["thread"], call["thread_name"].strip('"'))
                for call in calls]
        self.assertEqual(told, [tuple(text.split(" ", 2)) for text in result.stdout.splitlines()])

    def test_killed(self):
        result = self.tell("killed", 300, options=["--slow-rate", "1000"], status=137)
        calls, others = self.lines()
        self.assertEqual((len(calls), others), (300, []), result)

    def test_without_a_reader(self):
        """With a full pipe the program and the report are as without it, and every call is
        counted."""
        os.mkfifo(self.log)
        reader = os.open(self.log, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
        result = self.tell("burst", 3000, options=["--slow-rate", "100000"])
        facts = self.facts(result)
        self.assertEqual(facts["slow_calls"], 3000)
        self.assertEqual(facts["slow_lines"] + facts["slow_over_limit"] + facts["slow_lost"], 3000)
        written = os.read(reader, 1 << 20)
        self.assertLessEqual(len(written), 4096)
        self.assertEqual(facts["slow_unwritten"], facts["slow_lines"] - written.count(b"\n"))
        self.assertIn(" line", result.stderr)
        self.assertIn(" of --slow could not be written: ", result.stderr)

    def test_full_disk(self):
        harness.need(os.path.exists("/dev/full"), "there is no /dev/full")
        result = self.tell("burst", 50, log="/dev/full")
        facts = self.facts(result)
        self.assertEqual((facts["slow_lines"], facts["slow_unwritten"]), (50, 50))
        self.assertIn("could not be written: " + os.strerror(errno.ENOSPC), result.stderr)

    def test_to_the_standard_error(self):
        result = self.measure(self.program, "burst", 3, events="time",
                              options=["--slow", "work:time>10us"])
        self.assertEqual(len(re.findall(r" slow region=work ", result.stderr)), 3, result)

    def test_what_is_said(self):
        """Messages by code: about sampled calls, unknown names, and calls beyond --slow-rate."""
        path = self.path("run.json")
        self.regionstat(
            "-e", "time", "-o", path, "--sample", "100", "--slow", "work:time>10us", "--slow",
            "wrok:time>1s", "--slow-output", self.log, "--slow-rate", "1", "--", self.program,
            "burst", "1000")
        saved = harness.read_json(path)
        messages = {message["code"]: message for message in saved["messages"]}
        self.assertIn("'work'", messages["slow-sampled"]["text"])
        self.assertIn("'wrok'", messages["slow-unmatched"]["text"])
        self.assertEqual(messages["slow-over-rate"]["number"], saved["slow_calls"]["skipped"])
        self.assertEqual([rule["condition"] for rule in saved["slow_calls"]["rules"]],
                         ["time>10us", "time>1s"])
        again = harness.regionstat("report", "-x", ",", path)
        self.assertIn(",info,work,,all,all,slow_calls,time>10us,,", again.stdout)

    def test_wrong_rules(self):
        for rule, text in (("work:tim>1ms", "'tim'"), ("work:cycles>1k", "'cycles'"),
                           ("work:time>1", "no unit of time"), ("time>1ms", "no region"),
                           (":time>1ms", "no region"), ("work:time>many", "number"),
                           ("work:time>1msec", "number"), ("work:time>1.ms", "number"),
                           ("work:time", "no '>'"), ("work:time>=0ns", "every call"),
                           ("work:page-faults>1ms", "not a time"), ("x" * 300 + ":time>1s", "longer")):
            with self.subTest(rule=rule):
                result = harness.regionstat("-e", "time,page-faults", "--slow", rule, "--",
                                            "sh", "-c", "echo ran")
                self.assertEqual((result.status, result.stdout), (125, ""), result)
                self.assertIn(text, result.stderr.splitlines()[0])
                self.assertIn("\n  try: ", result.stderr)
        for options in (["--slow-rate", "5"], ["--slow-output", self.log],
                        ["--slow", "a:time>1s", "--slow-rate", "0"],
                        ["--slow", "a:time>1s", "--slow-output", self.path("no/where")],
                        ["--slow", "a:time>1s", "--slow-output", "-v"],
                        ["--slow", "a:time>1s", "--slow-output", "--"],
                        ["--slow", "a:time>1s", "--slow-output", self.log, "-o", self.log],
                        ["--slow", "a:time>1s", "--slow-output", self.log,
                         "-o", os.path.join(self.directory, ".", os.path.basename(self.log))]):
            with self.subTest(options=options):
                result = harness.regionstat(*options, "--", "sh", "-c", "echo ran")
                self.assertEqual((result.status, result.stdout), (125, ""), result)
