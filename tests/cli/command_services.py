# SPDX-License-Identifier: MIT
"""Services: periods add up to the run, and what Prometheus and OpenTelemetry read is complete."""

import contextlib
import fractions
import glob
import os
import re
import signal
import subprocess
import textwrap
import time

import harness

PERIOD = r"svc-\d{8}T\d{6}\.\d{3}Z\.json"
SERIES = re.compile(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\]|\\.)*",?)*)\} ([0-9.]+)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')

# 8 threads with calls of all lengths, and children, for 0.2 s or more
SERVICE = [harness.app("coming"), "20000"]


def series(text):
    """Return the series of a file, which is strictly in the format. Each metric has HELP and TYPE
    before its samples, which stand together. No series is there twice."""
    found, families, name = {}, {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            assert name not in families and len(line.split(" ")) > 3, line
        elif line.startswith("# TYPE "):
            assert line.split(" ")[2] == name, line
            families[name] = line.split(" ")[3]
        elif not line.startswith("# "):
            match = SERIES.fullmatch(line)
            assert match, line
            suffix = "_(bucket|sum|count)" if families[name] == "histogram" else ""
            assert re.fullmatch(name + suffix, match[1]), line
            assert families[name] != "counter" or name.endswith("_total"), line
            key = (match[1], *sorted(LABEL.findall(match[2])))
            assert key not in found, line
            found[key] = fractions.Fraction(match[3])
    assert text.endswith("\n")
    return found


def of(found, name, **labels):
    """Return the only series with this name and these labels."""
    values = [value for key, value in found.items()
              if key[0] == "regionstat_" + name and set(labels.items()) <= set(key[1:])]
    assert len(values) == 1, (name, labels, values)
    return values[0]


def rows(files):
    """Return the rows of merged runs that must add up. Each period counts its threads, and has a
    place of its own among the processes."""
    result = harness.regionstat("merge", "--format", "csv", *files)
    assert result.status == 0, result
    return {(row.kind, row.region, row.parent, row.event, row.unit):
            {name: value for name, value in vars(row).items() if name not in ("run", "threads")}
            for row in harness.Report(result.stdout).rows
            if row.kind in ("run", "region", "work", "slowest", "diagnostic")}


# Three times: a call of 10 ms of CPU time, and a sleep of 250 ms in no region. Prints its CPU time.
SLEEPER = """
    #include <regionstat.h>
    #include <stdio.h>
    #include <time.h>
    #include <unistd.h>
    int main(void)
    {
        for (int i = 0; i < 3; i++) {
            REGIONSTAT_BEGIN("work");
            clock_t begin = clock();
            while (clock() - begin < CLOCKS_PER_SEC / 100)
                ;
            REGIONSTAT_END("work");
            usleep(250000);
        }
        /* and how long the thread has waited for a CPU: regionstat knows that later than a sleep */
        long waited = 0;
        FILE *schedstat = fopen("/proc/thread-self/schedstat", "r");
        if (schedstat && fscanf(schedstat, "%*s %ld", &waited) != 1)
            return 1;
        printf("%ld\\n", clock() * (1000000000 / CLOCKS_PER_SEC) + waited);
        return 0;
    }
"""

# The outer call ends first.
OVERLAP = """
    #include <regionstat.h>
    #include <stdio.h>
    #include <unistd.h>
    int main(void)
    {
        REGIONSTAT_BEGIN("outer");
        REGIONSTAT_BEGIN("inner");
        usleep(1000);
        REGIONSTAT_END("outer");
        puts("waiting");
        fflush(stdout);
        getchar();
        REGIONSTAT_END("inner");
        return 0;
    }
"""


class Periods(harness.TestCase):
    def assertAddUp(self):
        """The periods in the directory add up to total.json."""
        files = sorted(glob.glob(self.path("svc-*.json")))
        for file in files:
            self.assertRegex(os.path.basename(file), PERIOD)
        periods, total = rows(files), rows([self.path("total.json")])
        self.assertEqual(set(periods), set(total))
        for key, row in total.items():
            for field, value in row.items():
                if field in ("error", "stddev", "value") and value:
                    self.assertAlmostEqual(float(periods[key][field]), float(value),
                                           delta=1e-9 * float(value), msg=(key, field))
                else:
                    self.assertEqual(periods[key][field], value, (key, field))
        headline = harness.regionstat("merge", *files).stdout.splitlines()[0]
        self.assertRegex(headline, r" elapsed .* CPU \(")  # not of several runs
        return files, total

    def calls_in_each(self, files, region, parent=""):
        """Return the calls of a region in each period."""
        key = ("region", region, parent, "time", "ns")
        return [rows([file]).get(key, {"calls": 0})["calls"] for file in files]

    def run_with(self, *program, options=()):
        return self.regionstat(*options, "-o", self.path("svc-%t.json"), "-o",
                               self.path("total.json"), "--", *program)

    def test_threads_and_processes(self):
        """8 threads, and children that come and go."""
        self.run_with(harness.app("coming"), "3000", options=["--rotate", "20ms", "-e", "page-faults"])
        files, total = self.assertAddUp()
        self.assertGreater(len(files), 1)
        self.assertEqual(total["region", "child", "", "time", "ns"]["calls"], 60)

    def test_a_sleep_in_no_region_is_no_cpu_time(self):
        """Most periods end during a sleep, of which the runtime does not know yet."""
        program, before = self.compile_text(SLEEPER), harness.steal_ns()
        result = self.run_with(program, options=["--rotate", "100ms"])
        stolen_ns = harness.steal_ns(before)  # it may look like CPU time
        files, total = self.assertAddUp()
        self.assertGreater(len(files), 3)
        threads = [thread for file in files for thread in harness.read_json(file)["threads"]]
        cpu = [thread["lifetime_ns"] - thread["blocked_ns"] - thread["preempted_ns"]
               for thread in threads]
        self.assertGreater(sum(cpu), 0.99 * 3 * 10000000)
        self.assertLess(max(cpu), int(result.stdout) + stolen_ns)

    def test_sampled_work(self):
        n, elements = 50000, 10000
        self.run_with(harness.app("work"), "triad", elements, n,
                      options=["--rotate", "20ms", "--sample", "7"])
        files, total = self.assertAddUp()
        self.assertGreater(len(files), 2)
        self.assertEqual(total["region", "triad", "", "time", "ns"]["calls"], n)
        self.assertEqual(total["region", "triad", "", "bytes", "byte"]["total"], 24 * elements * n)
        self.assertLess(max(self.calls_in_each(files, "triad")), n)

    def test_signal(self):
        """SIGUSR1 ends a period; the program does not get it."""
        total = self.path("total.json")
        process = self.spawn_waiting("-o", self.path("svc-%t.json"), "-o", total)
        before = None
        for _ in range(2):
            os.kill(process.pid, signal.SIGUSR1)
            harness.wait_until(
                lambda: os.path.exists(total) and os.stat(total).st_ino != before)
            before = os.stat(total).st_ino
            # the call "waiting" continues in each report of the run so far
            codes = [message["code"] for message in harness.read_json(total)["messages"]]
            self.assertIn("calls-running", codes)
            self.assertNotIn("open-at-exit", codes)
        self.assertEqual(len(glob.glob(self.path("svc-*.json"))), 2)
        (child,) = harness.children(process.pid)
        os.kill(child, signal.SIGUSR1)  # the program waits for it
        self.assertEqual(process.wait(harness.TIMEOUT_S), 0, process.stderr.read())
        files, _ = self.assertAddUp()
        self.assertEqual(len(files), 3)

    def test_a_call_that_ends_after_all(self):
        """When the period ends, the end of the outer call has passed the inner one, and has its
        time as self time."""
        process = self.spawn([harness.REGIONSTAT, "-o", self.path("svc-%t.json"), "-o",
                              self.path("total.json"), "--", self.compile_text(OVERLAP)],
                             ready="waiting", stdin=subprocess.PIPE)
        os.kill(process.pid, signal.SIGUSR1)
        harness.wait_until(lambda: glob.glob(self.path("svc-*.json")))
        _, stderr = process.communicate(b"\n", timeout=harness.TIMEOUT_S)
        self.assertEqual(process.returncode, 0, stderr)
        total = rows([self.path("total.json")])
        self.assertEqual(total["region", "inner", "outer", "time", "ns"]["calls"], 1)
        self.assertEqual([key for key in total if key[0] == "diagnostic"], [])
        report = harness.Report(self.regionstat("report", "--format", "csv",
                                                self.path("total.json")).stdout)
        time, *parts = [report.region("outer", event).self_total
                        for event in ("time", "cpu-time", "blocked", "preempted")]
        self.assertEqual(sum(parts), time)

    def test_keep(self):
        """Files of earlier runs go, too; all others stay."""
        old = [self.text_file("svc-20200101T00000%d.000Z.json" % n, "{}") for n in range(3)]
        others = [self.text_file(name, "") for name in
                  ("svc-20200101T000000.000Z.json.gz", "svc-20200101T00000x.000Z.json", "svc-.json")]
        self.regionstat("--rotate", "20ms", "--keep", "2", "-o", self.path("svc-%t.json"),
                        "--", *SERVICE)
        left = [name for name in os.listdir(self.directory) if re.fullmatch(PERIOD, name)]
        self.assertEqual(len(left), 2)
        self.assertEqual([os.path.exists(path) for path in old + others], [False] * 3 + [True] * 3)

    def test_killed(self):
        """A collector that dies leaves complete files, and a program that makes calls until its
        end."""
        process = self.spawn([harness.REGIONSTAT, "--rotate", "50ms", "-o",
                              self.path("svc-%t.json"), "-o", self.path("m.prom"), "--", "sh", "-c",
                              '"$0" "$1"; "$2" gate 1000 && echo ended', *SERVICE,
                              harness.app("rules")], stdin=subprocess.PIPE)
        harness.wait_until(lambda: len(glob.glob(self.path("svc-*.json"))) >= 3)
        harness.wait_until(lambda: 'region="part"' in harness.read_text(self.path("m.prom")))
        process.kill()
        process.wait()
        files = sorted(glob.glob(self.path("svc-*.json")))
        calls = self.calls_in_each(files, "part", "step")
        scraped = of(series(harness.read_text(self.path("m.prom"))), "region_calls_total",
                     region="part")
        # the file of the period is there before that of the run so far
        self.assertIn(scraped, (sum(calls), sum(calls[:-1])))
        self.assertRegex(process.communicate(b"")[0], rb"\Aready \d+\nended\n\Z")

    def test_full_disk(self):
        """A period whose file cannot be written goes on, so that nothing is lost."""
        directory = self.path("d")
        os.mkdir(directory)
        process = self.spawn_waiting("-o", directory + "/svc-%t.json",
                                     "-o", self.path("total.json"))
        os.rename(directory, self.path("e"))
        os.kill(process.pid, signal.SIGUSR1)
        self.assertIn(b"cannot write to", process.stderr.readline())
        os.rename(self.path("e"), directory)
        os.kill(harness.children(process.pid)[0], signal.SIGUSR1)
        self.assertEqual(process.wait(harness.TIMEOUT_S), 0)
        self.assertEqual(rows(glob.glob(directory + "/svc-*.json")), rows([self.path("total.json")]))

    def test_a_failure_is_told_once(self):
        """Periods of 150 ms whose directory the program removes, and the end, which says it again."""
        directory = self.path("d")
        for files in (["d/%t.json"], ["%t.json", "d/run.json"]):
            os.mkdir(directory)
            outputs = [word for file in files for word in ("-o", self.path(file))]
            result = self.regionstat("--rotate", "150ms", *outputs, "--", "sh", "-c",
                                     f"rm -r {directory}; sleep 0.7", status=125)
            failures = re.findall("cannot write to|is gone", result.stderr)
            self.assertLessEqual(len(failures), 2, result)
            self.assertEqual(len(re.findall("reports? w.+ written", result.stderr)), 1, result)
            self.assertEqual(result.stderr.count("totals of the run"), 1, result)

    def test_a_period_that_is_the_whole_run_is_shown_once(self):
        """The standard error gets the run's table in place of all files."""
        for files in (["%t.json", "run.json"], ["run.json", "%t.json"], ["%t.html", "%t.json"]):
            directory = self.path("d")
            os.mkdir(directory)
            outputs = [word for file in files for word in ("-o", directory + "/" + file)]
            result = self.regionstat(*outputs, "--quiet", "rmdir", directory, status=125)
            self.assertEqual(len(re.findall("cannot write to|is gone", result.stderr)), 2, result)
            self.assertEqual(result.stderr.count("totals of the run"), 1, result)


def text_of(path):
    """Return the text of a file, or "" if there is none. Before the run, an empty file shows for a
    moment that it can be written."""
    with contextlib.suppress(FileNotFoundError):
        return harness.read_text(path)
    return ""


class Metrics(harness.TestCase):
    def test_scrapes(self):
        """Each file is complete, no counter goes back, and the last one has the report's numbers."""
        path = self.path("m.prom")
        process = self.spawn([harness.REGIONSTAT, "-I", "20", "--interval-output", "/dev/null",
                              "-o", path, "-o", self.path("m.otlp.jsonl"), "-o",
                              self.path("run.json"), "-e", "page-faults", "--", *SERVICE])
        last, n = {}, 0
        harness.wait_until(lambda: text_of(path))
        while True:
            has_ended = process.poll() is not None
            text = harness.read_text(path)
            found = series(text) if text else {}
            for key, value in last.items():
                self.assertGreaterEqual(found[key], value, key)
            n += found != last
            last = found
            if has_ended:
                break
            time.sleep(0.01)
        self.assertEqual(process.returncode, 0, process.stderr.read())
        self.assertGreater(n, 1)
        self.check_report(last)
        self.check_otlp(last)

    def test_promtool(self):
        promtool = harness.need_tool("promtool")
        path = self.path("m.prom")
        self.regionstat("-o", path, "-e", "page-faults", "--", *SERVICE)
        with open(path, encoding="utf-8") as file:
            result = self.execute([promtool, "check", "metrics"], stdin=file)
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def check_report(self, found):
        document = harness.read_json(self.path("run.json"))
        values = {(row.get("region"), row["event"]): row for row in document["rows"]
                  if row["kind"] == "region"}
        n = 0
        for (region, event), row in values.items():
            labels = {"program": "coming", "region": region}
            name = {"time": "time", "cpu-time": "cpu_time", "blocked": "blocked_time",
                    "preempted": "preempted_time"}.get(event)
            if name and "total" in row:
                self.assertEqual(of(found, "region_%s_seconds_total" % name, **labels) * 10**9,
                                 row["total"])
                n += 1
        self.assertGreaterEqual(n, 4)  # the time of each region
        self.assertEqual(of(found, "region_calls_total", region="child"), 60)
        self.check_buckets(found, document)

    def check_buckets(self, found, document):
        """A bucket has the calls of the saved buckets below its bound."""
        names = [region["name"] for region in document["regions"]]
        saved = {}
        for result in document["results"]:
            for value in result["values"]:
                key = names[result["region"]], document["events"][value["event"]]["name"]
                saved.setdefault(key, []).extend(value.get("buckets", []))
        grid = {m * 2**k / fractions.Fraction(4) for k in range(64) for m in (4, 5, 6, 7)}
        n = 0
        for key, value in found.items():
            labels = dict(key[1:])
            if not key[0].endswith("_bucket"):
                continue
            unit = 10**9 if key[0] == "regionstat_call_seconds_bucket" else 1
            most = float("inf") if labels["le"] == "+Inf" else fractions.Fraction(labels["le"]) * unit
            self.assertTrue(most == float("inf") or most in grid, labels)
            self.assertEqual(value, sum(count for _, high, count in
                                        saved[labels["region"], labels["event"]] if high - 1 <= most),
                             labels)
            n += 1
        self.assertGreater(n, 10)

    def check_otlp(self, found):
        """The last line has the same numbers."""
        lines = harness.read_json_lines(self.path("m.otlp.jsonl"))
        self.assertGreater(len(lines), 2)
        (resource,) = lines[-1]["resourceMetrics"]
        attributes = {one["key"]: list(one["value"].values())[0]
                      for one in resource["resource"]["attributes"]}
        self.assertEqual(attributes["service.name"], "coming")
        self.assertEqual(attributes["host.name"], os.uname().nodename)
        self.assertGreater(int(attributes["process.pid"]), 0)
        starts, n = set(), 0
        for metric in resource["scopeMetrics"][0]["metrics"]:
            data = metric.get("sum") or metric["histogram"]
            self.assertEqual(data["aggregationTemporality"], 2)
            for point in data["dataPoints"]:
                starts.add(point["startTimeUnixNano"])
                labels = {one["key"]: one["value"]["stringValue"] for one in point["attributes"]}
                n += 1
                if "sum" in metric:
                    unit = {"s": "_seconds", "By": "_bytes"}.get(metric["unit"], "")
                    name = metric["name"].removeprefix("regionstat.region.")
                    value = point.get("asDouble", point.get("asInt"))
                    expected = of(found, "region_%s%s_total" % (name, unit), **labels)
                    self.assertAlmostEqual(float(value), float(expected), delta=1e-9)
                    continue
                name = "call_seconds" if metric["unit"] == "s" else "call_events"
                self.assertEqual(int(point["count"]), of(found, name + "_count", **labels))
                self.assertEqual(len(point["bucketCounts"]), len(point["explicitBounds"]) + 1)
                self.assertEqual(sum(map(int, point["bucketCounts"])), int(point["count"]))
                self.assertEqual(point["explicitBounds"], sorted(set(point["explicitBounds"])))
        self.assertEqual(len(starts), 1)
        self.assertGreater(n, 6)
        metrics = [line["resourceMetrics"][0]["scopeMetrics"][0]["metrics"] for line in lines]
        times = [found[0]["sum"]["dataPoints"][0]["timeUnixNano"] for found in metrics if found]
        self.assertEqual(times, sorted(times))

    def test_otlp_is_read_by_protobuf(self):
        python = harness.need_module("google.protobuf")
        path = self.path("m.otlp.jsonl")
        self.regionstat("-o", path, "-e", "page-faults", "--", *SERVICE)
        self.execute([python, os.path.join(harness.HERE, "otlp_messages.py"), path])

    def test_the_file_is_moved_away(self):
        """As logrotate does: the next report is in a new file."""
        names = ["m.prom", "m.otlp.jsonl"]
        process = self.spawn_waiting("-o", self.path(names[0]), "-o", self.path(names[1]))

        def are_written():
            found = [harness.read_text(self.path(name)) if os.path.exists(self.path(name)) else ""
                     for name in names]
            return "child" in found[0] and found[1].endswith("\n")
        for _ in range(2):
            os.kill(process.pid, signal.SIGUSR2)
            harness.wait_until(are_written)
            for name in names:
                os.rename(self.path(name), self.path(name + ".1"))
            self.text_file(names[0], "another")
        os.kill(harness.children(process.pid)[0], signal.SIGUSR1)
        self.assertEqual(process.wait(harness.TIMEOUT_S), 0, process.stderr.read())
        self.assertEqual(process.stderr.read(), b"")
        text = harness.read_text(self.path(names[0]))
        self.assertEqual(of(series(text), "region_calls_total", region="child"), 60)
        self.assertEqual(len(harness.read_json_lines(self.path(names[1]))), 1)

    def test_no_counter_vanishes_with_the_first_asynchronous_call(self):
        """"started" is open until the end, and then has no self time."""
        path = self.path("m.prom")
        program = self.compile(os.path.join("attached", "load.c"), harness.compilers()[0])
        process = self.spawn([harness.REGIONSTAT, "-o", path, "--", program, 1], ready="ready",
                             stdin=subprocess.PIPE)
        harness.wait_until(lambda: os.kill(process.pid, signal.SIGUSR2)
                           or "started" in text_of(path))
        before = series(harness.read_text(path))
        process.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(set(before) - set(series(harness.read_text(path))), set())

    def test_any_name(self):
        """Only a backslash, a quote and a newline are escaped, and nothing is cut."""
        name = "\\n" + "\t" + chr(0x200b) + "\"\n\xe9" + "x" * 90
        label = "l" * 600 + "\x01"
        path = self.path("m.prom")
        # names that differ only in a byte that is not UTF-8
        invalid = [os.fsdecode(b"x\xff"), os.fsdecode(b"x\xfe")]
        self.regionstat("-o", path, "--label", label, "--", harness.app("named"), name, *invalid)
        text = harness.read_text(path)
        shown = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        for label_text in (shown, r"x\\xff", r"x\\xfe"):
            self.assertIn('region="%s"' % label_text, text)
        self.assertIn('run="%s"' % label, text)

    def test_independent_reader(self):
        python = harness.need_module("prometheus_client")
        path = self.path("m.prom")
        self.regionstat("-o", path, "--label", 'a "b"\\', "--", harness.app("coming"), "30")
        script = textwrap.dedent("""
            import sys
            from prometheus_client.parser import text_fd_to_metric_families
            for family in text_fd_to_metric_families(open(sys.argv[1])):
                for sample in family.samples:
                    if sample.name == "regionstat_region_calls_total" and \
                            sample.labels["region"] == "child":
                        print(family.type, sample.value, sample.labels["run"])
            """)
        result = harness.run([python, "-c", script, path])
        self.assertEqual(result.stdout, 'counter 60.0 a "b"\\\n', result)

    def test_many_regions(self):
        """At most 20,000 series; regions beyond are one, and nothing is lost."""
        path = self.path("m.prom")
        names = ["region %d" % i for i in range(3000)]
        self.regionstat("-o", path, "--quiet", "--", harness.app("named"), *names, *names)
        text = harness.read_text(path)
        found = series(text)
        self.assertTrue(15000 < len(found) <= 20000, len(found))
        n_other = of(found, "other_regions")
        self.assertIn("# %d regions are summed as one" % n_other, text)
        self.assertEqual(of(found, "region_calls_total", region="other"), 2 * n_other)
        self.assertEqual(sum(value for key, value in found.items()
                             if key[0] == "regionstat_region_calls_total"), 6000)


class Wrong(harness.TestCase):
    def test_refused(self):
        for options, message, remedy in (
                (["--rotate", "1h"], "--rotate: there is no file", "-o 'svc-%t.json'"),
                (["--rotate", "5", "-o", "x-%t.json"], "'5' has no unit; units: ms, s, m, h", "--rotate 5s"),
                (["--rotate", "60d", "-o", "x-%t.json"], "'60d' is not a time", "1h"),
                (["--keep", "3", "-o", "x.json"], "--keep: no file has %t", "%t.json"),
                (["--keep", "3", "-o", "%t/x-%t.json"], "--keep: '%t/x-%t.json' must contain %t once", "svc-%t"),
                (["--keep", "3", "-o", "%t/x.json"], "--keep: '%t/x.json' must contain %t once", "svc-%t"),
                (["--rotate", "1s", "-r", "3", "-o", "x.json"], "--rotate shows one run", "without -r"),
                (["-o", "no/dir-%t.json"], "cannot write to 'no/dir-", "create the directory")):
            result = self.regionstat(*options, "--", "true", status=125, cwd=self.directory)
            self.assertIn(message, result.stderr)
            self.assertIn(remedy, result.stderr)
