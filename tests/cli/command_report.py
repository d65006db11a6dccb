# SPDX-License-Identifier: MIT
"""Saved runs: the contents of JSON for other readers. A report of a saved run equals, byte for
byte, the report at the end of the run."""

import json
import os
import re
import resource
import shutil

import harness

FORMATS = ("table", "csv", "json", "markdown", "ndjson", "cali", "folded")
# Names of regions may be any bytes: those of region_names.py, and bytes that JSON and terminals
# treat specially.
HOSTILE = [b"comma, \"quoted\"", b"two\nlines", b"carriage\r\nreturn", b"not \xff\xfe UTF-8",
           b"\x1b[31mred\x07", b"del \x7f", "\u202eright to left".encode(), "渲染".encode(),
           b"pipe | and `code`", b"back\\slash \\xff", b" around ", b"=1+1", b"<b>html</b>"]
IN_ROWS = [name.replace(b"\\x", b"\\x5cx").decode("utf-8", "backslashreplace") for name in HOSTILE]

NEST = [harness.app("nest"), "16"]
NAMED = [harness.app("named"), *map(os.fsdecode, HOSTILE)]

# Calls with work, with all options except events of the PMU.
EVERYTHING = [harness.app("work"), "sizes", "3", "50"]
MEASURED = ["-e", "user_time,system_time,page-faults", "--by-work", "--sample", "2",
            "-M", "GB/s,GFLOP/s,flops-per-byte,cpus-utilized,faults-per-second,IPC",
            "--slow", "sized:time>1ns", "--slow-output", os.devnull]


class TestCase(harness.TestCase):
    """Tests that write a run in every format."""

    def save(self, *program, options=(), more=()):
        """Measure a program. Return the path of the JSON; the files of the other formats are beside
        it."""
        words = []
        for name in FORMATS:
            words += ["--format", name, "-o", self.path("live." + name)]
        self.regionstat(*words, *options, *more, "--", *program)
        return self.path("live.json")

    def document(self, *program, **options):
        return harness.read_json(self.save(*program, **options))

    def report(self, *arguments, status=0, **options):
        return self.regionstat("report", *arguments, status=status, **options)

    def assertSameAgain(self, *program, options=(), more=()):
        """Check that `regionstat report` writes the same bytes as the run did, for each format, to
        files and to the standard output. options: of both commands. more: of the run only."""
        saved = self.save(*program, options=options, more=more)
        for name in FORMATS:
            with self.subTest(format=name, program=program, more=more, options=options):
                live = harness.read_bytes(self.path("live." + name))
                again = self.path("again")
                self.report(*options, "--format", name, "-o", again, saved)
                self.assertEqual(harness.read_bytes(again), live)
                self.assertEqual(self.report(*options, "--format", name, saved).stdout_bytes, live)


class SameAgain(TestCase):
    """The table, CSV, JSON and Markdown of a saved run."""

    def test_options_of_the_run(self):
        work = harness.app("work")
        for program, more in (
                (NEST, ["-e", "page-faults,task-clock"]),
                (NEST, ["--sample", "4", "--sample", "no such:2"]),
                ([work, "calls", "100"], []), ([work, "unmatched", "3"], []),
                ([work, "sizes", "20", "30"], ["--by-work"]), (NAMED, []),
                (["true"], ["--label", "a \"label\"\n"]),
                (["true"], ["-e", "time", "--no-totals", "--raw"]),
                (["true"], ["-e", "cycles,page-faults,L1-dcache-loads"])):
            self.assertSameAgain(*program, more=more)

    def test_options_of_both(self):
        for options in ([], ["-v"], ["--per-thread"], ["--per-process", "--all"],
                        ["--sort", "calls", "--top", "2", "--regions", "*i*"],
                        ["--percentiles", "50,99.9", "--columns", "avg,p99,max,p10"],
                        ["--width", "130"], ["--histogram", "line", "--histogram", "line:none"]):
            self.assertSameAgain(*NEST, options=options)
        for options in ([], ["-v", "--width", "120"], ["--per-thread", "--all"]):
            self.assertSameAgain(*EVERYTHING, more=MEASURED, options=options)
        self.assertSameAgain(*NEST, more=["-e", "page-faults,task-clock"],
                             options=["--by", "page-faults"])
        self.assertSameAgain(harness.app("work"), "fork", "20", more=["--by-work"],
                             options=["--per-process", "--all"])

    def test_different_names_stay_different(self):
        """Also from the words that reports use themselves. Rules and globs take a name as it is shown."""
        names = [b"a b", b"a_b", b"\xff", b"\\xff", b"\\xff", b"\\\\xff", b"\\\xff", b"\\x5cxff", b"(run)",
                 b"(unmarked)", b"(overhead)", b"(whole run)"]
        program = [harness.app("named"), *map(os.fsdecode, names)]
        saved = self.path("saved.json")
        self.regionstat("--quiet", "-e", "page-faults", "-o", saved, "--", *program)
        _, table = self.report("--all", "-v", saved).stdout.split("\n", 1)  # without the command
        ours = re.findall(r"\((unmarked|overhead|run|whole run)\)", table)
        self.assertEqual(sorted(ours), sorted({"unmarked", *ours}), table)
        for form, pattern in (("csv", r"(?m)^[^,]*,region,([^,]*),.*,time,"),
                              ("json", r'"kind":"region","region":("[^"]*"),[^}]*"event":"time"'),
                              ("ndjson", r'"region":("[^"]*"),"object":"","event":"time","status"'),
                              ("prometheus", r'calls_total\{program="named",region="(.*)"\}'),
                              ("folded", r"(?m)^named;(.*) \d+$"),
                              ("cali", r"(?m)^__rec=node,id=\d+,attr=15,data=(.*)$"),
                              ("html", r"<a (?:href=#r\d+|tabindex=-1)>([^<]*)</a><td class=self"),
                              ("bencher", r'("[^"]*"):\{"latency"'),
                              ("google-benchmark", r'"run_name":("[^"]*")'),
                              ("smaller-is-better", r'"name":("[^"]* time")'),
                              ("go-benchmark", r"(?m)^BenchmarkRegion/(\S+) "),
                              ("table", r"(?m)^(\S.*\S|-) +[<0-9.]+%"),
                              ("markdown", r"(?m)^\| (.*?) \| \\?[<0-9.]+%")):
            found = re.findall(pattern, self.report("--format", form, "--all", saved).stdout)
            self.assertGreaterEqual(len(found), len(set(names)), form)
            self.assertEqual(len(found), len(set(found)), (form, found))
        for glob, n in ((r"\xff", 1), (r"\\xff", 2), (r"\x5cxff", 2), (r"\\\xff", 1)):
            self.report("--fail-if", glob + ":time.calls > %d" % n, saved)
            self.report("--fail-if", glob + ":time.calls >= %d" % n, saved, status=3)
        missed = self.report("--fail-if", r"\\xfff:time > 0s", saved, status=3)
        self.assertRegex(missed.stderr, r"no region matches; try: .*\\x5cxff")
        only = self.measure(*program, "\n\u0085", options=["--only", r"\xff", "--only", r"\n\u0085"]).report
        self.assertEqual(only.calls(), {r"\xff": 1, "\n\u0085": 1})

    def test_what_cannot_be_counted_is_said_again(self):
        saved, csv_path = self.path("saved.json"), self.path("saved.csv")
        words = ["-e", "cycles,page-faults,L1-dcache-loads", "-M", "IPC,CPI,GB/s"]
        live = harness.regionstat(*words, "--quiet", "-o", saved, "-o", csv_path, *NEST)
        again = self.report("-o", csv_path, saved)
        self.assertEqual(again.stderr, live.stderr)

    def test_functions_by_address(self):
        """All that is known of the functions' source lines is saved, also if a line could not be
        found."""
        harness.need(harness.SANITIZE == "none", "a sanitizer's library would have to come first")
        program = self.compile("functions/main.c", "gcc", "-g", "-O1", "-finstrument-functions",
                               os.path.join(harness.APP_SOURCES, "functions", "other.c"), "-ldl")
        copy = shutil.copy(program, self.path("copy"))
        words = [program, "fibonacci", "10", "same", "3"]
        more = ["--markers", "functions"]
        strip = harness.need_tool("strip")
        for code, place, command in (
                ("place", "found", words),
                ("no-symbol", "no-symbol", words),
                ("object-missing", "missing", ["sh", "-c", '"$@"; rm "$1"', "sh", *words])):
            if place == "no-symbol":
                self.assertEqual(harness.run([strip, program]).status, 0)
            for options in ([], ["-v"], ["-v", "--per-thread"]):
                if not os.path.exists(program):
                    shutil.copy(copy, program)
                self.assertSameAgain(*command, options=options, more=more)
            document = harness.read_json(self.path("live.json"))
            self.assertIn(code, [message["code"] for message in document["messages"]])
            found = [region for region in document["regions"] if region["place"] == place]
            self.assertGreater(len(found), 0, document["regions"])
            self.assertEqual({region["object"] for region in found}, {program})
            if place == "found":
                self.assertIn("main.c:", " ".join(region.get("source", "") for region in found))

    def test_one_that_was_killed(self):
        saved = self.path("killed.json")
        self.regionstat("-o", saved, "sh", "-c", "kill -KILL $$", status=137)
        text = self.report(saved).stdout
        self.assertIn("killed by SIGKILL", text)
        document = harness.read_json(saved)
        self.assertIn(("killed", 9), [(message["code"], message.get("number"))
                                      for message in document["messages"]])


NONE_WHERE_MISSING = ("group", "core_pmu", "work_of", "rank", "open_event", "inactive_event",
                      "slowest")


def without_zeros(value):
    """Return a document without keys that have the default value, and with unknown keys. Members of
    arrays stay, because others refer to them by index. Null is an unknown number."""
    if isinstance(value, list):
        return [without_zeros(member) for member in value]
    if not isinstance(value, dict):
        return value
    kept = {key: without_zeros(member) for key, member in value.items()
            if member is None or key in NONE_WHERE_MISSING or member not in (0, "", [], {})}
    return {**kept, "no such key": [1, {"two": 2}]}


class Json(TestCase):
    """The document as other programs read it."""

    def test_rows_are_those_of_csv(self):
        document = self.document(*NEST)
        report = harness.read_report(self.path("live.csv"))
        self.assertEqual(len(document["rows"]), len(report.rows))
        for row, fields in zip(document["rows"], report.rows):
            self.assertEqual(fields.run, document["run"]["label"])
            for name in harness.COLUMNS[1:]:
                expected = getattr(fields, name)
                if expected in ("", None):
                    self.assertNotIn(name, row)
                elif name == "value" and not isinstance(row[name], str):
                    self.assertAlmostEqual(float(row[name]), float(expected))
                else:
                    self.assertEqual(row[name], expected)

    def test_facts(self):
        document = self.document(*NEST, more=["--label", "first"])
        self.assertEqual(document["run"]["label"], "first")
        self.assertEqual(document["run"]["command"], NEST)
        self.assertEqual(document["machine"]["host"], os.uname().nodename)
        allowed = os.sched_getaffinity(0)
        self.assertEqual(document["machine"]["cpus"], len(allowed))
        harness.regionstat("-o", self.path("one.json"), *NEST,
                           preexec_fn=lambda: os.sched_setaffinity(0, {min(allowed)}))
        self.assertEqual(harness.read_json(self.path("one.json"))["machine"]["cpus"], 1)

    def test_values_of_results(self):
        """Other programs add them up, by their documented keys."""
        document = self.document(*NEST, more=["-e", "page-faults"])
        report = harness.read_report(self.path("live.csv"))
        # nest LINES: each line has 640 pixels
        calls = {"render": 1, "line": 16, "pixel": 640 * 16}
        self.assertEqual(report.calls(), calls)
        results = {document["regions"][result["region"]]["name"]: result
                   for result in document["results"]}
        self.assertEqual(set(results), set(calls))
        for name, result in results.items():
            values = {document["events"][value["event"]]["name"]: value
                      for value in result["values"]}
            for event in ("time", "cpu-time", "page-faults"):  # others may have only totals
                value, row = values[event], report.region(name, event)
                self.assertEqual((result["calls"], value["weight"]), (calls[name], calls[name]))
                self.assertEqual(value["total"], row.total)
                # rows print averages with 15 digits
                self.assertAlmostEqual(value["sum"], row.avg * row.counted,
                                       delta=1e-14 * value["sum"])
                self.assertEqual(sum(count for _, _, count in value["buckets"]), calls[name])
                self.assertEqual(value["buckets"], sorted(value["buckets"]))
                for low, high, _ in value["buckets"]:
                    # the bucket's width: 1 below 512, otherwise 256 buckets per octave
                    width = 1 << max(low.bit_length() - 9, 0)
                    self.assertEqual((low % width, high), (0, low + width))

    def test_names_survive(self):
        document = self.document(*NAMED)
        text = harness.read_bytes(self.path("live.json"))
        self.assertLessEqual(max(text), 0x7e)
        self.assertEqual([byte for byte in set(text) if byte < 0x20], [0x0a])
        names = [region["name"] for region in document["regions"] if "name" in region]
        names = [bytes.fromhex(name["bytes"]) if isinstance(name, dict) else name.encode()
                 for name in names]
        self.assertEqual([name for name in names if name in HOSTILE], HOSTILE)
        shown = [row["region"] for row in document["rows"]
                 if row["kind"] == "region" and row["event"] == "time"]
        self.assertEqual(shown, IN_ROWS)
        for name in ("table", "markdown"):
            text = harness.read_bytes(self.path("live." + name)).decode("utf-8")
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f\u202e]")

    def on_a_terminal(self, *arguments):
        text, status = harness.on_terminal([harness.REGIONSTAT, "report", *arguments])
        self.assertEqual(status, 0)
        return text.decode("utf-8")  # the bytes must be valid UTF-8

    def test_nothing_reaches_a_terminal_that_it_would_obey(self):
        saved = self.save(*NAMED)
        for name in FORMATS:
            with self.subTest(format=name):
                text = self.on_a_terminal("-v", "--all", "--format", name, saved)
                self.assertIn("html", text)
                self.assertNotRegex(text.replace("\r\n", ""),
                                    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e]")

    def test_jq(self):
        harness.need_no_sanitizer(harness.SAME_BYTES)
        jq = harness.need_tool("jq")
        saved = self.save(*NAMED)
        regions = '[.rows[] | select(.kind == "region" and .event == "time") | .region]'
        result = self.execute([jq, "-c", regions, saved])
        self.assertEqual(json.loads(result.stdout_bytes), IN_ROWS)

    def test_the_schema(self):
        schema, validator = harness.need_schema()
        validator.check_schema(schema)
        for program, more in ((NEST, []), (EVERYTHING, MEASURED), (["true"], ["-e", "cycles"]),
                              (NAMED, ["-e", "page-faults", "--percentiles", "99.9,12.5"])):
            document = self.document(*program, more=more)
            validator.validate(document)
        self.assertTrue(all("p99.9" in row for row in document["rows"] if row["kind"] == "region"
                            and row["status"] == "ok" and "avg" in row), document["rows"])
        # the schema must reject a wrong document
        negative = {**document["rows"][-1], "p1.5": -1}
        for wrong in ({"schema": 2}, {"rows": [{}]}, {"rows": [negative]},
                      {"run": {"command": "x"}},
                      {"results": {}}, {"results": [{"calls": -1}]}):
            self.assertFalse(validator.is_valid({**document, **wrong}), wrong)

    def test_what_is_missing_is_nothing(self):
        for program, more in ((NEST, ["-e", "page-faults"]), (EVERYTHING, MEASURED)):
            document = self.document(*program, more=more)
            self.assertEqual(document["options"].get("by_work", False), "--by-work" in more)
            less = self.path("less.json")
            harness.write_json(less, {**without_zeros(document), "schema": 1})
            self.assertEqual(self.report("-v", "--format", "csv", less).stdout,
                             self.report("-v", "--format", "csv", self.path("live.json")).stdout)


class Wrong(TestCase):
    """Files that are not runs, or whose values are inconsistent."""

    def refuse(self, text, says):
        path = self.path("wrong.json")
        harness.write_bytes(path, text if isinstance(text, bytes) else text.encode())
        result = self.report(path, status=125)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, "^regionstat: cannot read '[^']*wrong.json': .*" + says)
        self.assertIn("\n  try: ", result.stderr)
        self.assertNotIn("\x1b", result.stderr)

    def test_no_json(self):
        for text in ("\x00", "[1,", "{\"schema\":1,\"schema\":1}", "\x1b[31m", "nul", "[01,2]",
                     "[1.]", "[\"\\u0000\"]", "[\"\\ud800\"]", "[\"\\x\"]", "[1}", "{1:1}", "{} {}",
                     "[1 2]", "{\"a\" 1}", "[-]", "[1e]", "[\"\n\"]"):
            self.refuse(text, r"it is no JSON: line \d+, column -?\d+: ")
        self.refuse("", "it is empty")
        self.refuse("[" * 100000, "it is no JSON: .*objects and arrays are nested more than 32 deep")
        self.refuse("[" * 32, "it is no JSON: line 1, ")
        self.refuse("[\"[[[\\\"[[\"," * 16 + "]" * 16, "it is no JSON: line 1, ")
        self.refuse(b"{\"a\": \"\xff\"}", "column 8: a string is not UTF-8")

    def test_no_run(self):
        for text in ("[]", "{}", "{\"schema\": 1}", "{\"regionstat\": 1, \"schema\": 1}"):
            self.refuse(text, "it is JSON, but no run of regionstat")

    def test_another_version(self):
        self.refuse("{\"regionstat\": \"9.8\x07\", \"schema\": 2}", "it is no JSON")
        self.refuse("{\"regionstat\": \"9.8\", \"schema\": 2}",
                    r"regionstat 9\.8 wrote it, in version 2 of the format; regionstat \S+ reads "
                    r"version 1\n  try: report of regionstat 9\.8, or of a later one")

    def test_other_formats_and_two_runs(self):
        text = harness.read_text(self.save(*NEST))
        self.refuse(text + text, "it is no JSON: .*it continues after its end")
        for name in ("table", "markdown"):
            self.refuse(harness.read_bytes(self.path("live." + name)), "it is no JSON: line ")
        self.refuse(harness.read_bytes(self.path("live.csv")), "it is CSV")
        self.save(*NEST, options=["-x", "\\t"])
        self.refuse(harness.read_bytes(self.path("live.csv")),
                    r"it is CSV, .*\n  try: -o FILE.json")

    def test_a_summary_of_several_runs(self):
        path = self.path("series.json")
        self.regionstat("-r", "2", "-e", "time", "-o", path, "--", *NEST)
        self.refuse(harness.read_bytes(path), r"it contains the sums of several runs, .*\n  try: -o FILE.jsonl")

    def test_tables_in_markdown_are_apart(self):
        """A table right after an item of a list would be a part of that item. The list has the
        slowest call, which takes 20 ms; 999 others take about 1 us."""
        program = self.compile_text(
            "#include <regionstat.h>\n#include <unistd.h>\nint main(void)\n"
            "{ for (int i = 0; i < 1000; i++) { REGIONSTAT_BEGIN(\"a\");\n"
            "for (volatile int j = 0; j < 1000; j++);\n"
            "if (i == 500) usleep(20000);\nREGIONSTAT_END(\"a\"); }\n"
            "for (char b[] = \"b0\"; b[1] < 'Z'; b[1]++)\n"
            "{ regionstat_begin(b); regionstat_end(b); } return 0; }\n", "-O1")
        path = self.path("report.md")
        self.regionstat("-e", "page-faults", "-o", path, "--", program)
        lines = harness.read_text(path).splitlines()
        heads = [i for i, line in enumerate(lines) if line.startswith("|--") or line.startswith("|:-")]
        self.assertIn("\n- a: slowest call: ", "\n".join(lines))
        self.assertIn("totals of the run", "".join(lines[i - 1] for i in heads))
        self.assertEqual({lines[i - 2] for i in heads}, {""}, lines)
        # of 43 regions, 20 are in the tables
        self.assertRegex("\n".join(lines), r"\n\| 23 more \|(.*\n)+23 more regions: --all\n")

    def test_truncated(self):
        text = harness.read_bytes(self.save(*NEST)).rstrip()
        # with a sanitizer, fuzz/corpus-saved has many more
        step = 97 if harness.SANITIZE == "none" else 997
        for n in [1, 2, 3, *range(4, len(text), step), len(text) - 1]:
            self.refuse(text[:n], r"it is a truncated saved run: it ends in line \d+\n"
                                  "  try: a complete copy of the file")

    def test_files_without_end(self):
        """256 MiB and one byte are rejected, whatever they contain, and this much memory is
        enough."""
        path, most = self.path("big"), 256 << 20
        limit = {}
        if harness.SANITIZE == "none":  # the shadow memory of sanitizers is larger than any limit
            limit["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                             (3 * most, 3 * most))
        for bytes_, says in ((most, "it is no JSON"), (most + 1, "it is larger than 256 MiB")):
            with open(path, "wb") as file:
                file.truncate(bytes_)
            result = self.report(path, status=125, **limit)
            self.assertIn(says, result.stderr)
        result = self.report("/dev/zero", status=125, **limit)
        self.assertIn("it is larger than 256 MiB", result.stderr)

    def test_values_that_make_no_sense(self):
        document = self.document(*NEST, more=["-e", "page-faults", "-M", "faults-per-second",
                                              "--slow", "line:time>10s"])
        metric = document["metrics"][0]
        for path, value, says in (
                ("metrics", {}, "metrics is not an array"),
                ("metrics", [metric] * 5000, "metrics has too many members"),
                ("metrics.0", 3, r"metrics\[0\] is not an object"),
                ("metrics.0", {}, r"metrics\[0\].name is missing"),
                ("metrics.0.name", None, r"metrics\[0\].name is not a string"),
                ("metrics.0.unit", 3, r"metrics\[0\].unit is "),
                ("metrics.0.reason", [], r"metrics\[0\].reason is "),
                ("metrics.0.formula", "page-faults /", r"metrics\[0\].formula is no formula"),
                ("metrics.0.formula", "(" * 2000, r"metrics\[0\].formula is no formula"),
                ("metrics.0.formula", "page-faults", r"operands has not one for each name"),
                ("metrics.0.events", [], r"operands has a member that is no event's index"),
                ("metrics.0.events", ["x"] * 17, r"metrics\[0\].events has too many members"),
                ("metrics.0.events", ["x"] * 2, r"positions has not one for each event"),
                ("metrics.0.events.0", 3, r"metrics\[0\].events\[0\] is "),
                ("metrics.0.operands.0", 1, r"operands has a member that is no event's index"),
                ("metrics.0.operands.0", -1, r"operands\[0\] is "),
                ("metrics.0.positions.0", 2 ** 64, r"positions\[0\] is not an integer from 0"),
                ("metrics.0.positions.0", 1.5, r"positions\[0\] is not an integer from 0"),
                ("run.pid", 2 ** 63, "run.pid is out of range"),
                ("slow_calls.rules.0.condition", None, r"rules\[0\].condition is not a string"),
                ("slow_calls.rules.0", {"region": "x"}, r"rules\[0\].condition is missing"),
                ("slow_calls.rules.0.calls", -1, r"slow_calls.rules\[0\].calls is "),
                ("slow_calls.rules", document["slow_calls"]["rules"] * 32, "slow_calls.rules has too many members"),
                ("options.samples", [{"calls": 2}], r"samples\[0\].region is missing"),
                ("options.markers", [{"name": "x"}], r"markers\[0\].environment is missing"),
                ("options.raw", 1, "options.raw is neither true nor false"),
                ("run.command.0", 3, r"run.command\[0\] is not a string"),
                ("run.pid", "x", "run.pid is not an integer"),
                ("run.exit_status", 256, "run has an exit status or a signal that no"),
                ("run.signal", 127, "run has an exit status or a signal that no"),
                ("run.begin_ns", str(2 ** 64 - 1), "run ends after 2\\^64 ns"),
                ("run.running", [{"process": 1}], "run.running is not in the order of processes"),
                ("run.running", [{"process": 0}] * 2, "run.running is not in the order of"),
                ("machine.cpus", -1, "machine.cpus is not an integer from 0"),
                ("machine.cpus", 2 ** 32, "machine.cpus is out of range"),
                ("machine.host", "x" * 500, "machine.host is too long"),
                ("events", [], "events does not begin with time, cpu-time, blocked and preempted"),
                ("events.1.name", "time", "events does not begin with time, cpu-time"),
                ("events.4.name", None, r"events\[4\].name is not a string"),
                ("events.4", {"unit": "ns"}, r"events\[4\].name is missing"),
                ("events.4.unit", "s", r"events\[4\] has a unit that is neither ns nor count"),
                ("events.4.group", 77, r"events\[4\] is in a group that is not there"),
                ("events.4.group", 2 ** 32 - 2, r"events\[4\] is in a group that is not there"),
                ("events.4.core_pmu", 0, r"events\[4\] is of a core_pmu that is not there"),
                ("events.4.status", "good", r"events\[4\].status is no such word"),
                ("plan.groups.0.in_regions", False, r"results\[0\] makes no sense"),
                ("plan.groups", [{}] * 2, r"plan.groups\[1\] has no events, or they are"),
                ("totals.0.event", 0, r"totals\[0\] is of an event that is not there"),
                ("totals.0.running_ns", 2 ** 62, r"totals\[0\] ran longer than it was enabled"),
                ("processes.0.open_event", 5, r"processes\[0\] names an event that is not there"),
                ("collection", 3, "collection is not an object"),
                ("collection.counts", {"memory": "18446744073709551616"},
                 "collection.counts.memory is not an integer from 0"),
                ("collection.damaged", 1, "collection does not say what was damaged"),
                ("regions.1.name", {"bytes": "0g"}, "bytes that are no pairs"),
                ("regions.1.work_of", -1, r"regions\[1\].work_of is "),
                ("regions.1.place", "there", r"regions\[1\].place is no such word"),
                ("regions.1.object", 3, r"regions\[1\].object is not a string"),
                ("threads", [{}] * 65537, "threads has too many members"),
                ("threads.0.process", 1, r"threads\[0\] is of a process that is not there"),
                ("results.0.thread", 5000, r"results\[0\] is of a thread that is not there"),
                ("results.0.region", 4000, r"results\[0\] is of a region that is not there"),
                ("results.1.region", document["results"][0]["region"],
                 r"results\[1\] has the region of an earlier result"),
                ("results.0.parents", [4000], r"results\[0\] has a parent that is not there"),
                ("results.0.calls", 2 ** 60, r"results\[0\] makes no sense"),
                ("results.0.calls", 0, r"results\[0\] makes no sense"),
                ("results.0.measured", 2 ** 60, r"results\[0\] makes no sense"),
                ("results.0.open", 1, r"results\[0\] makes no sense"),
                ("results.0.octaves.0.sums", [], r"results\[0\] makes no sense"),
                ("results.0.values.0.square", "x" * 9,
                 r"results\[0\].values\[0\].square is neither a number nor null"),
                ("results.0.values.0.square", -1, r"results\[0\] makes no sense"),
                ("results.0.values.0.square", 1e300, r"results\[0\] makes no sense"),
                ("results.0.values.0.variance", -1.5, r"results\[0\] makes no sense"),
                ("results.0.values.0.min", 2 ** 63 - 1, r"results\[0\] makes no sense"),
                ("results.0.values.0.event", 1, r"results\[0\] makes no sense"),
                ("results.0.values.0.event", 5, r"results\[0\] makes no sense"),
                ("results.0.values.0.status", "scaled", r"values\[0\].status is no such word"),
                ("results.0.values.2.sum", 1, r"results\[0\] makes no sense"),
                ("results.0.values.0.buckets.0", [1, 2], r"buckets\[0\] is not an array of 3 numbers"),
                ("results.0.values.0.buckets", [[1000, 1001, 1]], r"results\[0\] makes no sense"),
                ("results.0.values", {}, r"results\[0\].values is not an array"),
                ("results", {}, "results is not an array")):
            with self.subTest(path=path, value=value):
                changed = json.loads(json.dumps(document))
                *above, last = [int(word) if word.isdigit() else word for word in path.split(".")]
                at = changed
                for key in above:
                    at = at[key]
                at[last] = value
                self.refuse(json.dumps(changed), says)

    def test_a_key_that_is_there_twice(self):
        saved = self.save(*NEST)
        twice = harness.read_text(saved).replace('\n"rows":[', '\n"results":[],\n"rows":[')
        self.refuse(twice, "a key appears twice")
        document = harness.read_json(saved)
        document["collection"]["counts"] = {"memory": 1}
        document["regions"][1]["name"] = {"bytes": "61"}
        for once, says in (('"memory": 1', "collection.counts.memory"), ('"bytes": "61"', r"regions\[1\].name.bytes")):
            text = json.dumps(document)
            self.assertIn(once, text)
            self.refuse(text.replace(once, once + ", " + once), says + " is there twice")

    def test_results_out_of_order_are_refused_before_the_next_one_is_read(self):
        document = self.document(*NEST)
        first, second = document["results"][:2]
        document["results"] = [first, dict(second, region=first["region"]), 3]
        self.refuse(json.dumps(document), r"results\[1\] has the region of an earlier result")

    def test_the_version_may_follow_the_results(self):
        saved = self.save(*NEST)
        document = harness.read_json(saved)
        for key in ("regionstat", "schema"):
            moved = dict(document)
            moved[key] = moved.pop(key)
            harness.write_json(self.path("moved.json"), moved)
            self.assertEqual(self.report(self.path("moved.json")).stdout, self.report(saved).stdout)

    def test_metrics_of_anybody(self):
        """The event of a metric may be missing, and the metric may have any name."""
        document = self.document(*NEST, more=["-e", "page-faults", "-M", "faults-per-second"])
        metric = document["metrics"][0]
        for changes in ({"positions": [2 ** 62]}, {"positions": [77]},
                        {"label": "\x1b[31m\nx,|\"`", "unit": "\x1b[31m\n", "name": "\x1b"},
                        {"label": "x" * 5000, "unit": "y" * 5000},
                        {"reason": "\x1b[31m\nno", "positions": []}, {"events": ["\x1b[31m"]},
                        {"formula": "page-faults / (time - time)"},
                        {"formula": "page-faults * 1e308 * 1e308", "operands": [0]}):
            with self.subTest(changes=changes):
                document["metrics"] = [dict(metric, **changes)]
                path = self.path("hostile.json")
                harness.write_json(path, document)
                for name in FORMATS:
                    shown = self.report("--format", name, path)
                    if name != "csv":  # CSV contains names unchanged
                        self.assertNotIn("\x1b", shown.stdout)
                    self.assertNotIn("\x1b", shown.stderr)
                again = json.loads(self.report("--format", "json", path).stdout)
                self.assertEqual(again["metrics"], document["metrics"])

    def test_files(self):
        self.assertIn("there is no FILE", self.report(status=125).stderr)
        result = self.report(self.path("none.json"), status=125)
        self.assertIn("No such file", result.stderr)
        for options, verbs in ((["-e", "x"], "run, compare, attach"),
                               (["--by-work"], "run, compare, attach"),
                               (["--markers", "x"], "run, compare")):
            self.assertIn("report: %s is an option of other verbs: %s\n"
                          "  a saved run has what it was measured with\n" % (options[0], verbs),
                          self.report(*options, status=125).stderr)
        result = self.report(self.directory, status=125)
        self.assertIn("Is a directory", result.stderr)


class Several(TestCase):
    """Several runs, and several reports."""

    def test_runs_in_one_report(self):
        for name in ("one", "two"):
            self.regionstat("--label", name, "-o", self.path(name + ".json"), *NEST)
        saved = [self.path("one.json"), self.path("two.json")]
        report = harness.Report(self.report("-x,", *saved).stdout)
        self.assertEqual([row.run for row in report.select(kind="run", event="time")],
                         ["one", "two"])
        self.assertEqual(self.report(*saved).stdout.count(" elapsed "), 2)
        for name, mark in (("table", ""), ("markdown", "## ")):
            self.assertEqual(re.findall("^%sRun (.*)$" % mark,
                                        self.report("--format", name, *saved).stdout, re.M),
                             ["one", "two"])
            self.assertNotRegex(self.report("--format", name, saved[0]).stdout, "(?m)^(## )?Run ")
        self.assertIn("only one of the 2 runs", self.report("-j", *saved, status=125).stderr)

    def test_messages_count_the_reports_that_failed(self):
        saved, good = self.save(*NEST), self.path("good.csv")
        full = ["-o", "/dev/full"]
        for files, says in ((["-o", good, *full], "1 of 2 reports were not written"),
                            (full, "no report was written")):
            result = self.report(*files, "--format", "csv", saved, status=125)
            self.assertIn("cannot write to '/dev/full'", result.stderr)
            self.assertIn("regionstat: %s (exit status 125)\n" % says, result.stderr)
        self.assertEqual(harness.read_bytes(good), harness.read_bytes(self.path("live.csv")))
        # three names of one device, and its table once
        result = self.report("--format", "json", *full, "-o", "/dev/./full", "-o", "/dev/.//full", saved,
                             status=125)
        self.assertEqual(result.stderr.count("cannot write to"), 3)
        self.assertEqual(result.stderr.count(" elapsed "), 1)

    def test_labels_of_anybody(self):
        paths = []
        for number, label in enumerate((b"\x1b[31m\n<b>|`", b"\xff\xfe", b"x" * 5000)):
            paths.append(self.path("%d.json" % number))
            self.execute([harness.REGIONSTAT, "--label", label, "--quiet", "-o", paths[-1], "true"])
        table = self.report(*paths)
        self.assertRegex(table.stdout, r"\nRun \\x1b\[31m\\n<b>\|`\n\n(.|\n)*\nRun \\xff\\xfe\n\n"
                                       r"(.|\n)*\nRun x{100,200}[^x\n]*\n\n")
        markdown = self.report("--format", "markdown", *paths)
        self.assertIn("\n## Run \\\\x1b\\[31m\\\\n\\<b\\>\\|\\`\n\n", markdown.stdout)
        for result in (table, markdown):
            self.assertNotIn("\x1b", result.stdout)

    def test_the_standard_input(self):
        saved = self.save(*NEST)
        with open(saved, "rb") as file:
            result = self.report("-", stdin=file)
        self.assertEqual(result.stdout_bytes, harness.read_bytes(self.path("live.table")))

    def test_a_format_is_of_the_file_behind_it(self):
        one, two = self.path("one.csv"), self.path("two")
        self.regionstat("--format", "json", "-o", one, "-o", two, "--format", "csv", "true")
        harness.read_json(one)
        harness.read_report(two)
        result = harness.regionstat("--format", "json", "true")
        self.assertEqual(json.loads(result.stderr.split("\nregionstat: ")[0])["run"]["command"], ["true"])

    def test_endings_override_options_of_all_files(self):
        files = [self.path(name) for name in ("a.csv", "b.JSON", "c.html", "d.md", "e")]
        outputs = [word for file in files for word in ("-o", file)]
        begins = [r"run,kind,", r"\{\n", r"<!doctype html>", r"true &nbsp;"]
        for options, of_others in (([], "true  "), (["-j"], r"\{\n"), (["-x,"], "run,kind,"),
                                   (["--html"], r"<!doctype html>")):
            self.regionstat(*options, *outputs, "true")
            for file, text in zip(files, [*begins, of_others]):
                self.assertRegex(harness.read_text(file), r"\A" + text, (options, file))
        self.assertEqual(harness.read_report(files[0]).one(kind="run", event="time").calls, 1)
        self.assertEqual(harness.read_json(files[1])["run"]["command"], ["true"])
        others = outputs[:-2]  # without a table, which the standard error gets
        self.assertRegex(self.regionstat(*others, "true").stderr, "(?m)^true   .* elapsed ")
        self.assertEqual(self.regionstat("--quiet", *others, "true").stderr, "")
        self.regionstat("-I", "60000", "-j", "--interval-output", files[0], "-o", files[4], "true")
        self.assertRegex(harness.read_text(files[0]), r"\Ainterval,run,")

    def test_more_reports_than_anybody_wants(self):
        words = [word for i in range(10000) for word in ("-o", self.path("%d.txt" % i))]
        result = self.regionstat(*words[:2 * 64], "--quiet", "true")
        self.assertEqual(len(os.listdir(self.directory)), 64)
        result = self.regionstat(*words, "true", status=125)
        self.assertIn("-o: more than 64 reports\n  try: -o run.json, and", result.stderr)

    def test_one_file_by_two_names(self):
        there, link = self.path("there"), self.path("link.csv")
        harness.write_text(there, "before")
        os.link(there, self.path("hard"))
        for target in ("there", "not there"):
            os.symlink(target, link)
            for other in (self.path(target), *[self.path("hard")] * (target == "there")):
                for words in ((link, other), (other, link)):
                    result = self.regionstat("-o", words[0], "-o", words[1], "true", status=125)
                    self.assertIn("cannot hold two reports", result.stderr)
            os.unlink(link)
        self.assertEqual(sorted(os.listdir(self.directory)), ["hard", "there"])
        self.assertEqual(harness.read_text(there), "before")

    def test_what_contradicts_itself(self):
        one = self.path("one")
        for words, says in (
                (["--format", "xml"], "unknown format 'xml'; formats: table, csv, json"),
                (["--format", "csv", "-j"], "one report cannot be csv and json"),
                (["--html", "-j"], "-j: one report cannot be html and json"),
                (["--quiet"], "--quiet: no report would be written"),
                (["-o", one + ".json,two"], "one.json,two' is the name of one file\n  try: -o '"),
                (["-o", one + ".json,two.csv"], "one.json,two.csv' is the name of one file"),
                (["-o", "/proc/one.json"], "(ENOENT)\n  try: -o in another directory: this one takes "),
                (["-o", one + "/one.json"], "(ENOENT)\n  try: create the directory first"),
                (["-j", "--append", "-o", one], "cannot add a run to a file of format json"),
                (["-o", one, "-o", one], "cannot hold two reports")):
            result = self.regionstat(*words, "true", status=125)
            self.assertIn(says, result.stderr)
            self.assertFalse(os.path.exists(one))

    def test_a_name_with_a_comma_and_a_format(self):
        path = self.path("one.json,two")
        self.assertEqual(harness.regionstat("--format", "csv", "-o", path, "true").status, 0)
        self.assertTrue(os.path.exists(path))
