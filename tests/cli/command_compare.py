# SPDX-License-Identifier: MIT
"""Several runs: regionstat -r, compare and diff, their rules, and the formats of other tools. No
test here depends on how long anything takes: calls are exact, and times change by known
factors."""

import json
import math
import os
import re
import signal
import time
import xml.etree.ElementTree

import harness

VERSIONS = harness.app("versions")
CALLS = ["calls=20"]
PARTS = ["parse", "lookup", "render", "format", "sort", "hash", "copy", "reply"]


class TestCase(harness.TestCase):
    call = harness.TestCase.regionstat

    def lines(self, name="s.jsonl"):
        return harness.read_json_lines(self.path(name))

    def series(self, *program, runs=3, name="s.jsonl", options=()):
        """The path of a series of a program's runs."""
        self.call("--quiet", "-r", runs, *options, "-o", self.path(name), "--", *program)
        return self.path(name)

    def save(self, *arguments, name="one.json", options=()):
        """The path of a saved run of `versions`."""
        self.call("--quiet", *options, "-o", self.path(name), "--", VERSIONS, *CALLS, *arguments)
        return self.path(name)

    def compare(self, old, new, *options, runs=3, status=0, **others):
        return self.call("compare", "-r", runs, *options, "-o", self.path("s.jsonl"), "--", *old, ":::",
                         *new, status=status, **others)

    def difference(self, *files, options=()):
        """The only comparison of diff's JSON."""
        found, = json.loads(self.call("diff", "-j", *options, *files).stdout)["comparisons"]
        return found

    def verdicts(self, *files):
        return {row["region"]: row for row in self.difference(*files)["verdicts"]}


class Repeat(TestCase):
    """regionstat -r N"""

    def test_every_run_is_a_run_of_its_own_and_is_kept(self):
        """The report of the series is that of its runs, and a line of it is a saved run."""
        path, saved = self.path("s.jsonl"), self.path("live.json")
        result = self.call("-r", 3, "-o", path, "-o", saved, "--", VERSIONS, *CALLS)
        self.assertEqual(len(result.stdout.splitlines()), 3)
        self.assertEqual([line["run"]["exit_status"] for line in self.lines()], [0, 0, 0])
        self.assertEqual([line["series"]["round"] for line in self.lines()], [0, 1, 2])
        self.assertEqual(len({line["run"]["pid"] for line in self.lines()}), 3)
        self.assertEqual(len({line["series"]["id"] for line in self.lines()}), 1)
        self.assertRegex(result.stderr, r"(?m)^.*versions.*   3 runs$")
        self.assertRegex(result.stderr, r"(?m)^parse .*\( \+- +\d+\.\d% \) +20 ")
        live, again = (document["series"][0]["rows"] for document in (
            harness.read_json(saved), json.loads(self.call("report", "-j", path).stdout)))
        self.assertEqual(again, live)
        medians = {row["region"]: row["avg"] for row in live
                   if row["event"] == "calls" and row["region"] is not None}
        self.assertEqual(medians, dict.fromkeys(
            PARTS + ["request"], {"median": 20, "low": 20, "high": 20, "error": 0}))
        one = self.text_file("one.json", harness.read_text(path).partition("\n")[0])
        report = harness.Report(self.call("report", "--format", "csv", one).stdout)
        self.assertEqual(report.region("parse").calls, 20)

    def test_lines_match_the_schema(self):
        """Each line is valid, each key of its place is in the schema, and a wrong place is not valid."""
        schema, validator = harness.need_schema()
        self.compare([VERSIONS, *CALLS], [VERSIONS, "calls=21"], "--vary", "layout", runs=4)
        known, seen = set(schema["properties"]["series"]["properties"]), set()
        for line in self.lines():
            validator.validate(line)
            seen |= set(line["series"])
            for wrong in ({"id": -1}, {"round": "x"}, {"varied": 1}):
                self.assertFalse(validator.is_valid({**line, "series": {**line["series"], **wrong}}))
            del line["series"]
            self.assertFalse(validator.is_valid(line))
        # no run may have had fixed addresses
        self.assertEqual(seen | {"fixed_addresses"}, known)

    def test_warnings_are_printed_once(self):
        result = self.call("-r", 3, "-e", "nothing/here/,page-faults", "--", "true", status=125)
        self.assertEqual(result.stderr.count("nothing/here/"), 1, result)
        result = self.call("-r", 3, "--", "true")
        self.assertEqual(result.stderr.count("no markers"), 1, result)

    def test_a_run_that_fails_ends_the_series(self):
        result = self.call("-r", 3, "-o", self.path("s.jsonl"), "--", VERSIONS, *CALLS, "fail", status=1)
        self.assertIn("/versions calls=20 fail' failed in run 1 (exit status 1)", result.stderr)
        self.assertEqual(len(self.lines()), 1)
        result = self.call("-r", 2, "--warmup", 1, "--", "false", status=1)
        self.assertIn("'false' failed in a warmup before run 1 (exit status 1)", result.stderr)
        fails = [VERSIONS, *CALLS, "fail"]
        result = self.call("-r", 3, "--ignore-failure", "-o", self.path("s.jsonl"), "--", *fails)
        self.assertEqual(len(self.lines()), 3)
        self.assertRegex(result.stderr, r"(?m)^.*versions.*   3 runs, 3 failed$")
        result = self.compare(fails[:-1], fails, "--ignore-failure", runs=2)
        self.assertRegex(result.stdout, r"(?m)^old: .*   2 runs   .*\nnew: .*   2 runs, 2 failed   ")

    def test_a_program_that_is_not_there(self):
        result = self.call("-r", 3, "--", "./nowhere", status=127)
        self.assertIn("cannot run './nowhere'", result.stderr)
        # the other command ran before, or did not: the order is random
        result = self.call("compare", "-r", 1, "--", "true", ":::", "./nowhere", status=127)
        self.assertNotIn("nothing was run", result.stderr)

    def test_one_run_has_no_medians(self):
        for runs in (1, 2):
            path = self.series(VERSIONS, *CALLS, runs=runs, options=["-o", self.path("rules.xml"), "--fail-if", "any:time > 1000s"])
            text = self.call("report", path).stdout
            self.assertIn("   %d run" % runs, text)
            self.assertEqual("medians over the runs" in text, runs == 2)

    def test_options_that_show_one_run_are_refused(self):
        path = self.series(VERSIONS, *CALLS, runs=1)
        for option in (["--all"], ["--by", "page-faults"], ["--columns", "avg"], ["--histogram", "a"],
                       ["--percentiles", 50], ["--sort", "calls"], ["--top", 5]):
            result = self.call("report", *option, path, status=125)
            self.assertIn(option[0] + " shows one run, and these are several\n", result.stderr)

    def test_a_region_that_there_is_not(self):
        """The reports of runs that were made are shown nevertheless."""
        path = self.series(VERSIONS, *CALLS, runs=1)
        says = "regionstat: --regions: no region matches 'sorr'\n  try: sort\n"
        for words in (["report", path], ["diff", path, path]):
            result = self.call(words[0], "--regions", "sorr", *words[1:], status=125)
            self.assertEqual(result.stdout, "")
            self.assertIn(says, result.stderr)
        for words in (["-r", 2, "--regions", "sorr", "--"],
                      ["compare", "-r", 1, "--regions", "sorr", "--", "true", ":::"]):
            result = self.call(*words, VERSIONS, *CALLS)
            self.assertIn("whole run", result.stdout + result.stderr)
            self.assertIn(says, result.stderr)

    def test_append_adds_runs(self):
        self.series(VERSIONS, *CALLS, runs=2)
        self.series(VERSIONS, *CALLS, runs=1, options=["--append"])
        self.assertEqual(len(self.lines()), 3)
        self.assertEqual(len({line["series"]["id"] for line in self.lines()}), 2)


class Cut(TestCase):

    def test_a_series_that_was_cut_has_its_whole_lines(self):
        path = self.series(VERSIONS, *CALLS, runs=3, options=["--label", 'a {["'])
        text = harness.read_bytes(path)
        ends = [at + 1 for at, byte in enumerate(text) if byte == ord("\n")]
        self.assertEqual(len(ends), 3)
        # around each end, and in between
        cuts = {end + step for end in ends for step in (-3, -2, -1, 0, 1, 2, 100)} | \
            set(range(len(text) // 30, len(text), len(text) // 30))
        for cut in sorted(cut for cut in cuts if cut <= len(text)):
            with self.subTest(cut=cut):
                harness.write_bytes(self.path("cut.jsonl"), text[:cut])
                # a line is whole without the line's end
                n = sum(cut >= end - 1 for end in ends)
                self.check_runs(self.path("cut.jsonl"), n, not {cut, cut + 1} & set(ends))

    def check_runs(self, path, n, is_cut):
        result = self.call("report", "-j", path, status=0 if n else 125)
        if n:
            self.assertEqual(json.loads(result.stdout)["series"][0]["side"]["runs"], n)
            self.assertEqual("a run of '%s' is not whole" % path in result.stderr, is_cut, result)

    def test_one_of_its_runs_is_damaged(self):
        with open(self.series(VERSIONS, *CALLS, runs=2), encoding="utf-8") as file:
            first, second = file
        path = self.text_file("damaged.jsonl", first + second.replace('"schema":1', '"schema":9'))
        result = self.call("report", path, status=125)
        self.assertIn("cannot read run 2 of '%s'" % path, result.stderr)

    def test_a_series_on_a_full_device(self):
        result = self.call("-r", 2, "--format", "series", "-o", "/dev/full", "--", "true", status=125)
        self.assertIn("cannot write the series to '/dev/full': No space left on device (ENOSPC)\n"
                      "  try: -o on a file system with free space\n", result.stderr)

    def test_a_series_that_becomes_too_large(self):
        """It is not read again with more than 256 MiB."""
        with open(self.path("large.jsonl"), "wb") as file:
            file.truncate(256 << 20)
        for more, append in ((True, ["--append"]), (False, [])):
            result = self.call("-r", 1, *append, "-o", self.path("large.jsonl"), "--", "true")
            self.assertEqual("cannot read it again" in result.stderr, more, result.stderr)

    def test_runs_are_appended_to_a_series_that_was_cut(self):
        """The last line is not whole, or whole without its end."""
        whole, path = self.series(VERSIONS, *CALLS, runs=2), self.path("cut.jsonl")
        text = harness.read_bytes(whole)
        first = text.index(b"\n") + 1
        for cut, n in ((first + 9, 1), (len(text) - 9, 1), (len(text) - 1, 2)):
            with self.subTest(cut=cut):
                harness.write_bytes(path, text[:cut])
                self.series(VERSIONS, *CALLS, runs=2, name="cut.jsonl", options=["--append"])
                self.check_runs(path, n + 2, n == 1)


class Order(TestCase):
    """The order of runs, their layouts, and what ends a series."""

    def orders(self):
        rounds = {}
        for line in self.lines():
            rounds.setdefault(line["series"]["round"], []).append(line["series"]["command"])
        return [rounds[number] for number in sorted(rounds)]

    def test_rounds_alternate_and_a_seed_repeats_them(self):
        program = [VERSIONS, "calls=1"]
        words = ["compare", "-r", "8", "-o", self.path("s.jsonl"), "--seed"]
        three = [*program, ":::", *program, ":::", *program]
        seed = 1 << 62
        self.call(*words, seed, "--", *three)
        first = self.orders()
        for even, odd in zip(first[::2], first[1::2]):
            self.assertEqual(sorted(even), [0, 1, 2])
            self.assertEqual(even, odd[::-1])
        self.assertGreater(len({tuple(order) for order in first}), 2)
        self.call(*words, seed, "--", *three)
        self.assertEqual(self.orders(), first)
        self.assertEqual({line["series"]["seed"] for line in self.lines()}, {seed})

    def test_layouts_vary_by_pairs_of_rounds(self):
        # the program tells its environment's size, its name's length, and where its stack is
        script = self.text_file("show", "#!/bin/sh\nprintf '%%s %%s\\n' ${#REGIONSTAT_LAYOUT} "
                                "${#0} >> %s\n" % self.path("seen"), 0o755)
        self.call("compare", "-r", 6, "--vary", "layout", "--seed", 1, "-o", self.path("s.jsonl"), "--",
                  script, ":::", script)
        series = [line["series"] for line in self.lines()]
        with open(self.path("seen"), encoding="utf-8") as file:
            seen = [tuple(map(int, line.split())) for line in file]
        self.assertEqual(seen, [(one["environment_bytes"], len(script) + one["path_bytes"])
                                for one in series])
        layouts = [(one["environment_bytes"], one["path_bytes"], one.get("fixed_addresses", False)) for one in series]
        for start in range(0, 12, 4):  # two rounds of two commands
            self.assertEqual(len(set(layouts[start:start + 4])), 1)
        self.assertEqual(len(set(layouts)), 3)

    def test_warmups_are_not_kept_and_prepare_runs_before_each_run(self):
        count, output = self.path("count"), ["-o", self.path("s.jsonl")]
        prepare = ["--prepare", "echo x >> %s" % count]
        for verb, words, n_kept, n_prepared in (
                ("compare", ["-r", 2, "--", "true", ":::", "true"], 2 * 2, 2 * (1 + 2)),
                ("run", ["-r", 2, "--", "true"], 2, 1 + 2), ("run", ["--", "true"], 1, 1 + 1)):
            self.text_file("count", "")
            self.call(verb, "--warmup", 1, *prepare, *output, *words)
            self.assertEqual(len(self.lines()), n_kept, words)
            self.assertEqual(harness.read_text(count), "x\n" * n_prepared, words)
        for words in (["compare", "--prepare", "exit 1", "--", "true", ":::", "true"],
                      ["run", *prepare, "--prepare", "exit 1", "--", "true"]):
            result = self.call(*words, status=125)
            self.assertIn("--prepare: 'exit 1' failed", result.stderr)
        for option in (["--warmup", 1], prepare):
            result = self.call(*option, "-p", os.getpid(), status=125)
            self.assertIn("%s is not for a running process" % option[0], result.stderr)
            result = self.call(*option, "-I", 100, "--", "true", status=125)
            self.assertIn("-I is not for runs with --warmup or --prepare", result.stderr)

    def test_one_run_with_warmups_and_a_prepare_has_the_report_of_one_run(self):
        count = self.path("count")
        prepare = ["--prepare", "echo x >> %s" % count]
        for options in (["--warmup", 2], prepare, [*prepare, "--warmup", 2]):
            for form in (["-o", self.path("run.json")], ["-x", ","], []):
                result = self.call(*options, *form, "--", "true")
                self.assertNotIn("1 run", result.stderr)
            self.assertIn(" elapsed ", result.stderr)
            headline = self.call("report", self.path("run.json")).stdout.splitlines()[0]
            self.assertEqual(headline.split()[0], "true")
        self.assertEqual(harness.read_text(count), "x\n" * (3 + 3 * 3))
        self.call("--warmup", 1, "--", "sh", "-c", "exit 7", status=7)

    def test_a_command_of_prepare_is_no_option_of_the_shell(self):
        command = self.text_file("-1", "#!/bin/sh\necho x >> %s\n" % self.path("count"))
        os.chmod(command, 0o755)
        self.call("compare", "-r", 1, "--prepare", "-1", "-o", self.path("s.jsonl"),
                  "--", "true", ":::", "true",
                  env=harness.environment(PATH=self.directory + ":" + os.environ["PATH"]))
        self.assertEqual(harness.read_text(self.path("count")), "x\n" * 2)

    def test_a_budget_ends_the_series(self):
        self.call("compare", "--budget-time", "1s", "-o", self.path("s.jsonl"), "--", "true", ":::", "true")
        n = len(self.lines())
        self.assertGreaterEqual(n, 2)
        self.assertLess(n, 10000)
        self.assertEqual(n % 2, 0, "whole rounds")

    def on_terminal(self, *words, streams=("stderr",)):
        """What regionstat writes to a terminal that has these of its streams."""
        text, _ = harness.on_terminal([harness.REGIONSTAT, *words], *streams)
        return text.decode()

    def test_a_terminal_shows_the_progress(self):
        """A line that is replaced, and is empty at the end. The output of programs does not mix with it."""
        for words, n in ((["compare", "-r", 3, "--", "true", ":::", "true"], 6), (["-r", 3, "true"], 3)):
            text = self.on_terminal(*words)
            self.assertEqual(re.findall(r"\r\x1b\[Krun (\d) of %d, \d+ (?:s|min) left" % n, text),
                             list("123456"[:n]))
            self.assertRegex(text, r"left\r\x1b\[K(?!run)")
        self.assertNotIn("left", self.on_terminal("-r", 3, "true", streams=("stdout", "stderr")))

    def test_programs_have_no_terminal_of_ours(self):
        result = self.call("compare", "-r", 1, "--", "sh", "-c", "cat; echo out", ":::", "true",
                           stdin=None)
        self.assertNotIn("out\n", result.stdout)

    def test_an_interrupt_keeps_the_runs(self):
        path = self.path("s.jsonl")
        program = [VERSIONS, "calls=1"]
        # before a run, and by the program in the middle of one
        for interrupt, command in (("kill -INT $PPID", program), (":", ["sh", "-c", "test $(wc -l < %s) -lt 7 "
                                   "|| kill -INT $(cat %s); exec %s" % (path, self.path("pid"), " ".join(program))])):
            with self.subTest(interrupt=interrupt):
                prepare = "echo $PPID > %s; test $(wc -l < %s) -lt 7 || %s" % (self.path("pid"), path, interrupt)
                result = harness.regionstat("compare", "-r", 5000, "--prepare", prepare, "-o", path, "--",
                                            *command, ":::", *command)
                self.assertEqual(result.signal, signal.SIGINT, result)
                self.assertIn("(whole run)", result.stdout)
                self.assertEqual(len(self.lines()), 7)
                found = self.difference(path)
                self.assertEqual({found[side]["runs"] for side in ("old", "new")}, {3, 4})
                self.assertTrue(found["alternated"])

    def test_an_interrupt_before_a_command_has_run(self):
        """Of the first or of the second command: there is nothing to compare, which is said."""
        path = self.path("s.jsonl")
        for n, says in ((0, "interrupted before the first run ended"), (1, "there is nothing to compare")):
            prepare = "test $(wc -l < %s) -lt %d || kill -INT $PPID" % (path, n)
            result = harness.regionstat("compare", "--prepare", prepare, "-o", path, "--", "true", ":::", "true")
            self.assertEqual((result.signal, result.stdout), (signal.SIGINT, ""), result)
            self.assertIn(says, result.stderr)
            self.assertEqual(len(self.lines()), n)


class Verdicts(TestCase):

    def test_calls_are_exact(self):
        for calls, ratio in ((20, 1), (30, 1.5)):
            self.compare([VERSIONS, *CALLS], [VERSIONS, "calls=%d" % calls])
            found = self.difference(self.path("s.jsonl"))
            self.assertTrue(found["alternated"])
            rows = {row["region"]: row for row in found["rows"] if row["event"] == "calls"}
            for name in PARTS + ["request"]:
                row = rows[name]
                self.assertEqual((row["self"]["ratio"], row["self"]["exact"], row["shown"]),
                                 (ratio, True, ratio != 1), row)

    def test_top_limits_the_regions_that_changed(self):
        more = r"(?m)^\d+ more changed: --all shows them$"
        for option, has_more in ((["--top", 1], True), (["--all"], False)):
            for result in (self.compare([VERSIONS, *CALLS], [VERSIONS, "calls=30"], *option),
                           self.call("diff", *option, self.path("s.jsonl"))):
                self.assertEqual(bool(re.search(more, result.stdout)), has_more, result)

    def test_three_times_the_work_is_found_and_sorted_first(self):
        result = self.compare([VERSIONS, *CALLS], [VERSIONS, *CALLS, "sort=50000"], runs=8)
        row = self.verdicts(self.path("s.jsonl"))["sort"]
        self.assertEqual(row["verdict"], "work")
        # with a sanitizer, the other regions take most of the time
        self.assertGreater(row["effect"], 0.02)
        self.assertRegex(result.stdout, r"(?m)^region .*\nsort ")
        self.assertIn("work changed in sort (+", result.stdout)
        for width in (60, 80):
            for line in self.call("diff", "--width", width, self.path("s.jsonl")).stdout.splitlines():
                self.assertLessEqual(len(line), width if line[:5] not in ("old: ", "new: ") else 1000)

    def test_an_inlined_region_moved_to_its_parent(self):
        self.compare([VERSIONS, *CALLS, "lookup=40000"], [VERSIONS, *CALLS, "lookup=40000", "+lookup"],
                     runs=8)
        rows = self.verdicts(self.path("s.jsonl"))
        self.assertEqual((rows["lookup"]["verdict"], rows["lookup"]["partner"]), ("moved", "request"))
        self.assertEqual((rows["request"]["verdict"], rows["request"]["partner"]), ("moved", "lookup"))

    def test_one_run_a_side_proves_nothing(self):
        """The table says so and fits the width, and its columns say what they hold."""
        files = [self.save("sort=5000"), self.save("sort=50000", name="new.json")]
        self.assertEqual({row["verdict"] for row in self.verdicts(*files).values()}, {"unknown"})
        columns = " +old avg +new avg +avg change +"
        narrow = columns + "p50 change +p90 change +of run"
        wide = (" +calls change" + columns + "old p50 +new p50 +p50 change +"
                "old p90 +new p90 +p90 change +of run")
        for width, heads in ((60, " .*"), (80, narrow), (120, " .*"), (160, wide)):
            text = self.call("diff", "--width", width, *files).stdout
            self.assertIn("one run of each side", text)
            self.assertIn("compare -r 10 -- OLD", " ".join(text.split()))
            self.assertRegex(text, r"(?m)^region%s\nsort " % heads)
            for line in text.splitlines():
                if not line.startswith(("old: ", "new: ")):
                    self.assertLessEqual(len(line), width)

    def test_one_run_a_side_has_no_ratio_of_calls_that_are_shorter_than_markers(self):
        old, new = self.save(), self.path("new.json")
        saved = harness.read_json(old)
        index = [region["name"] for region in saved["regions"]].index("hash")
        for result in saved["results"]:
            if result["region"] == index:  # a pair of markers takes 1,000 s
                result["overhead"]["fast_ns"] = 10 ** 12 * result["measured"]
        harness.write_json(new, saved)
        text = self.call("diff", "--width", 200, old, new).stdout
        cells = re.split("  +", re.search("(?m)^hash .*", text).group())
        for first in (2, 5, 8):  # old, new and change of avg, p50 and p90
            self.assertEqual(cells[first + 1:first + 3], ["<1,000 s", "-"])

    def test_several_files_leave_a_table_on_the_standard_error(self):
        files = ["-o", self.path("a.md"), "-o", self.path("b.html")]
        for options, n in ((files, 1), (["--quiet", *files], 0), (files[:2], 0),
                           ([*files, "--format", "table", "-o", self.path("c.txt")], 0)):
            result = self.call("compare", "-r", 1, *options, "--", VERSIONS, *CALLS, ":::", VERSIONS, *CALLS)
            self.assertEqual(len(re.findall(r"(?m)^region ", result.stderr)), n, (options, result))
            self.assertEqual(result.stdout, "")

    def test_what_differs_beside_the_program_is_said_first(self):
        old = self.series(VERSIONS, *CALLS, name="old.jsonl", options=["-e", "minor-faults"])
        new = self.series(VERSIONS, *CALLS, "+hash", name="new.jsonl")
        text = harness.read_text(new)
        text = re.sub(r'"processor": ?"[^"]*"', '"processor":"Other CPU"', text)
        text = re.sub(r'"regionstat": ?"[^"]*"', '"regionstat":"0.0.9"', text)
        harness.write_text(new, text)
        notes = "\n".join(self.difference(old, new)["differences"])
        self.assertRegex(notes, r"another processor: .*, then Other CPU")
        self.assertIn(", then 0.0.9", notes)
        self.assertIn("events of the old runs only: minor-faults", notes)
        self.assertIn("regions of the old runs only: hash", notes)
        text = self.call("diff", old, new).stdout
        self.assertLess(text.index("another processor"), text.index("\nregion "))

    def test_runs_with_raw_values_are_not_like_others(self):
        old = self.series(VERSIONS, *CALLS, name="old.jsonl", options=["--raw"])
        new = self.series(VERSIONS, *CALLS, name="new.jsonl")
        for files, which in (((old, new), "new"), ((new, old), "old"), ((new, new), None)):
            notes = [note for note in self.difference(*files)["differences"] if "--raw" in note]
            self.assertEqual(notes, which and ["the overhead of markers is subtracted from the %s "
                                               "runs only (--raw)" % which] or [])

    def test_a_side_without_cpu_time(self):
        """Regions are compared by their elapsed time, which both sides have."""
        files = [self.series(VERSIONS, *CALLS, name=name, options=["-e", "time", *options])
                 for name, options in (("old.jsonl", []), ("new.jsonl", ["--no-cpu-time"]))]
        for sides in (files, files[::-1]):
            self.assertIn("work is judged by time", " ".join(self.difference(*sides)["notes"]))

    def test_a_whole_run_that_changed(self):
        """The report says so if both sides have the same regions. A region of one side may have
        taken the time that the whole run grew by."""
        self.series(VERSIONS, *CALLS, runs=4)
        every = [region["name"] for region in self.lines()[0]["regions"]]
        self.assertGreater(len(every), 1)
        for names, says in (
                ({}, "- no difference is shown in any region, but the cpu-time of the whole run "
                     "changed by +100.0 %:"),
                ({every[-1]: "other"}, "- no difference is shown in any region of both sides -"),
                ({name: name + " of new" for name in every},
                 "- the sides have no region in common: no difference is judged -")):
            sides = (self.grown("old.jsonl", 1, {}), self.grown("new.jsonl", 2, names))
            text = " ".join(self.call("diff", *sides).stdout.split())
            self.assertIn(says, text)
            self.assertEqual("whole run changed" in text, not names)

    def grown(self, name, factor, names):
        """Return the path of the series with runs of this many seconds, and other names of regions."""
        lines = self.lines()
        for i, line in enumerate(lines):
            line["run"].update(user_ns=factor * (10 ** 9 + i * 10 ** 6), system_ns=0,
                               label="%s %d" % (name, i))
            for region in line["regions"]:
                region["name"] = names.get(region["name"], region["name"])
        return harness.write_json_lines(self.path(name), lines)

    def test_too_few_runs_for_a_verdict(self):
        one = self.series(VERSIONS, *CALLS, runs=1, name="one.jsonl")
        two = self.series(VERSIONS, *CALLS, runs=2, name="two.jsonl")
        result = self.call("diff", "--noise-check", one, two)
        self.assertIn("too few runs to show a difference", result.stdout)
        self.assertNotIn("show no difference", result.stdout)
        self.assertIn("--noise-check: too few runs to compare", result.stderr)

    def test_a_single_run_of_another_machine_is_said_first(self):
        name = self.series(VERSIONS, *CALLS, name="mixed.jsonl")
        lines = self.lines("mixed.jsonl")
        lines[-1]["machine"]["architecture"] = "sparc"
        harness.write_json_lines(name, lines)
        old = self.series(VERSIONS, *CALLS, name="old.jsonl")
        for sides in ((old, name), (name, old)):
            self.assertRegex("\n".join(self.difference(*sides)["differences"]),
                             r"another architecture: .*, then sparc")

    def test_a_side_that_differs_from_itself(self):
        # the order in which --noise-check takes the runs of a file: ABBA
        for calls in (20, 30, 30, 20, 20, 30, 30, 20):
            self.series(VERSIONS, "calls=%d" % calls, runs=1, name="noisy.jsonl", options=["--append"])
        calm = self.series(VERSIONS, "calls=20", name="calm.jsonl")
        result = self.call("diff", "--noise-check", self.path("noisy.jsonl"), calm, status=4)
        self.assertIn("this machine is too noisy to compare", result.stderr)

    def test_an_old_command_is_compared_with_itself_first(self):
        """--noise-check makes runs of the old command first, and keeps none of them."""
        log = self.path("log")
        old, new = [["sh", "-c", "echo %s >> %s" % (word, log)] for word in ("old", "new")]
        self.compare(old, new, "--noise-check", runs=2)
        words = harness.read_text(log).split()
        self.assertEqual((words[:4], sorted(words[4:])), (4 * ["old"], ["new", "new", "old", "old"]))
        self.assertEqual(len(self.lines()), 4)

    def test_instructions_that_cannot_be_counted(self):
        self.compare([VERSIONS, *CALLS], [VERSIONS, *CALLS, "sort=50000"], "-e", "instructions", runs=6)
        found = self.difference(self.path("s.jsonl"))
        is_counted = any(row["event"] == "instructions" and row["region"] for row in found["rows"])
        says_so = any(note.startswith("instructions were not counted") for note in found["notes"])
        self.assertNotEqual(is_counted, says_so)
        sort, = [row for row in found["verdicts"] if row["region"] == "sort"]
        self.assertEqual((sort["verdict"], sort["event"]),
                         ("work", "instructions" if is_counted else "cpu-time"))

    def test_three_commands_are_compared_with_the_first(self):
        program = [VERSIONS, "calls=1"]
        self.call("compare", "-r", 2, "-o", self.path("s.jsonl"), "--", *program, ":::", *program, ":::",
                  *program)
        self.assertEqual(len(json.loads(self.call("diff", "-j", self.path("s.jsonl")).stdout)
                             ["comparisons"]), 2)


    def test_a_file_and_itself(self):
        """Of one run and of a series."""
        series = self.series(VERSIONS, *CALLS)
        for path in (self.save(), series):
            text = self.call("diff", path, path).stdout
            self.assertIn("- both sides are the same runs: there is nothing to compare\n", text)
            self.assertNotIn("cannot show whether", text)
        again = self.series(VERSIONS, *CALLS, name="again.jsonl")
        self.assertNotIn("the same runs", self.call("diff", series, again).stdout)
        self.assertEqual(self.call("diff", *[path] * 17, status=125).stderr,
                         "regionstat: more than 16 files\n"
                         "  try: one file for all runs of a side, which -o FILE.jsonl writes\n"
                         "regionstat: nothing was compared (exit status 125)\n")


class Injected(TestCase):
    """A machine that becomes slower, injected into saved runs: each is a real one whose times are
    multiplied. Chance has no part in it."""

    def setUp(self):
        super().setUp()
        self.series(VERSIONS, *CALLS, runs=1, name="real.jsonl")
        self.real, = self.lines("real.jsonl")
        self.names = [region["name"] for region in self.real["regions"]]

    def run_with(self, factor, number, command=0, series=1):
        """Return the real run, with all times multiplied and with some noise of each region."""
        line = json.loads(json.dumps(self.real))
        line["run"]["label"] = "run %d of %d" % (2 * number + command, series)
        line["run"]["elapsed_ns"] = int(line["run"]["elapsed_ns"] * factor)
        line["series"].update(id=series, command=command, round=number)
        for region, result in enumerate(line["results"]):
            noise = (7 * region + 5 * (2 * number + command) + 3 * series) % 11 - 5
            self.multiply(result, factor * (1 + 0.004 * noise / 5))
            for value in result["values"]:
                value.update(square=0, variance=0, buckets=[])
            result["octaves"] = []
        return line

    def multiply(self, result, factor):
        """Multiply the times of a result."""
        for value in result["values"]:
            for key in ("sum", "min", "max", "total", "self", "enabled_ns", "running_ns"):
                value[key] = int(value[key] * factor)

    def result_of(self, line, region):
        """Return the result of a region in a run."""
        result, = [result for result in line["results"] if self.names[result["region"]] == region]
        return result

    def write(self, name, lines):
        return harness.write_json_lines(self.path(name), lines)

    def test_one_slower_region_on_another_machine(self):
        """Of a machine that is slower or faster, no region is. The ratio of a region is that to the
        others."""
        old = self.write("old.jsonl", [self.run_with(1, i) for i in range(8)])
        for factor in (2, 1.2, 0.7):
            with self.subTest(factor=factor):
                lines = [self.run_with(factor, i, series=2) for i in range(8)]
                for line in lines:
                    self.multiply(self.result_of(line, "hash"), 1.5)
                new = self.write("new.jsonl", lines)
                found = self.difference(old, new)
                self.assertEqual(found["machine"]["verdict"], "changed")
                self.assertAlmostEqual(found["machine"]["control"]["ratio"] / factor, 1, delta=0.01)
                verdicts = {row["region"]: row["verdict"] for row in found["verdicts"]}
                self.assertEqual(verdicts.pop("hash"), "work")
                self.assertEqual(set(verdicts.values()), {"same"})
                ratio, = [row["self"]["ratio"] for row in found["rows"]
                          if (row["region"], row["event"]) == ("hash", "cpu-time")]
                self.assertAlmostEqual(ratio, 1.5, delta=0.02)
                self.assertIn("machine changed: ", self.call("diff", old, new).stdout)

    def test_a_load_that_starts_half_way_is_no_slower_program(self):
        lines = [self.run_with(1.7 if number >= 5 else 1, number, command) for number in range(10)
                 for command in ((0, 1), (1, 0))[number % 2]]
        found = self.difference(self.write("s.jsonl", lines))
        self.assertTrue(found["alternated"])
        self.assertEqual((found["machine"]["verdict"], found["drift"]), ("same", True))
        self.assertEqual({row["verdict"] for row in found["verdicts"]}, {"same"}, found["verdicts"])
        self.assertIn("the machine changed during the series", self.call("diff", self.path("s.jsonl")).stdout)

    def test_the_share_of_layouts(self):
        """Two rounds in a row have one layout. The shares are those of a one-way analysis of variance:
        the third one has 13/12 between layouts and 1/2 within them."""
        for logs, share in (((0.1, 0.1, -0.1, -0.1), 100), ((0.1, -0.1, 0.1, -0.1), 0),
                            ((0.15, 0.05, -0.05, -0.15), 68)):
            lines = [self.run_with(1, number) for number in range(8)]
            for line, log in zip(lines, 2 * logs):
                line["run"].update(user_ns=round(1e9 * math.exp(log)), system_ns=0)
                line["series"]["varied"] = True
            path = self.write("%d.jsonl" % share, lines)
            self.assertIn("layout explains %d %% of the variance of the run\n" % share,
                          self.call("report", path).stdout)
        text = self.call("diff", self.path("100.jsonl"), path).stdout
        self.assertIn("layout explains 100 % of the variance of the old runs and 68 % of that of the new runs",
                      " ".join(text.split()))

    def test_slow_runs_on_one_side_are_no_slower_program(self):
        """Other load makes some runs of a region slower. If all runs of one side are, it is the program."""
        slower = {0: [1, 1, 1, 1.01, 1.055], 1: [1.085, 1.108, 1, 1.085, 1.146]}
        for fastest, verdict in ((1, "same"), (1.08, "work")):
            slower[1][2] = fastest
            lines = []
            for number, command in [(number, command) for number in range(5) for command in (0, 1)]:
                line = self.run_with(1, number, command)
                self.multiply(self.result_of(line, "render"), slower[command][number])
                lines.append(line)
            found = self.difference(self.write("s.jsonl", lines))
            verdicts = {row["region"]: row["verdict"] for row in found["verdicts"]}
            self.assertEqual(verdicts.pop("render"), verdict, found)
            self.assertEqual(set(verdicts.values()), {"same"})

    def test_self_times_near_0_give_no_percentages(self):
        """The self time of the outer region is 3 us or nearly 0 in a run of some 650 us, so its change is
        unknown. The times of the other regions vary by 0.4 %."""
        harness.need_no_sanitizer("markers of sanitizers take longer than the calls")
        lines = [self.run_with(1, number, command) for number in range(8) for command in (0, 1)]
        for line in lines:
            line["run"].update(user_ns=1_000_000, system_ns=0)  # the start took nothing
            is_near_0 = line["series"]["round"] % 4 == 2 * line["series"]["command"]
            for value in self.result_of(line, "request")["values"]:
                value["self"] = 1 if is_near_0 else 3000
        text = self.call("diff", self.write("s.jsonl", lines)).stdout
        self.assertRegex(text, r"(?m)^request +cpu-time +150 ns +150 ns +- +0\.0 %")
        missed, = re.findall(r"a difference of up to ([0-9.]+) % may have been missed", " ".join(text.split()))
        self.assertLess(float(missed), 2)


class Rules(TestCase):
    def test_nothing_but_rules(self):
        """--quiet writes the lines of the rules alone, for all verbs."""
        one = self.save()
        value = [("time.avg > 1000s", "pass", 0), ("time.avg < 1000s", "fail", 3)]
        difference = [("calls.total > +900%", "pass", 0)]
        program = [VERSIONS, *CALLS]
        for verb, words, limits in (
                ("run", ["--", *program], value), ("run", ["-r", 2, "--", *program], value),
                ("report", [one], value), ("merge", [one], value), ("diff", [one, one], difference),
                ("compare", ["-r", 2, "--", *program, ":::", *program], difference)):
            for limit, word, status in limits:
                with self.subTest(verb=verb, limit=limit):
                    rule = "parse:" + limit
                    result = self.call(verb, "--quiet", "--fail-if", rule, *words, status=status)
                    self.assertNotIn("region", result.stdout)
                    self.assertRegex(result.stderr, r"\Aregionstat: %s +%s: .*\n\Z"
                                     % (word, re.escape(rule)))

    def rule(self, text, files=None, verb="report", status=0):
        files = files or [self.path("one.json")]
        return self.call(verb, "--fail-if", text, *files, status=status)

    def test_values(self):
        self.save(options=["-e", "page-faults"])
        for text, status in (("parse:time > 1000s", 0), ("parse:time > 1ns", 3), ("parse:calls = 3", 125),
                             ("any:calls.total > 19", 3), ("any:calls.total > 20", 0),
                             ("any:calls.total >= 20", 3), ("p*:calls.total < 21", 3),
                             ("p*:calls.total <= 19", 0), ("run:time > 1000s", 0), ("run:time < 1000s", 3),
                             ("parse:cpu-time.p90 > 1ns", 3), ("parse:cpu-time.max > 1000s", 0),
                             ("parse:page-faults.total >= 1k", 0), ("parse:page-faults > 1us", 3)):
            with self.subTest(rule=text):
                result = self.rule(text, status=status)
                if status != 125:
                    self.assertRegex(result.stderr, r"(?m)^regionstat: (pass|fail) +" + re.escape(text))

    def test_what_was_not_measured_fails(self):
        self.save(options=["-e", "page-faults"])
        for text, why in (("nowhere:time > 1s", "no region matches; try: a name from the report"),
                          ("prase:time > 1s", "no region matches; try: parse\n"),
                          ("parse:instructions-of-nobody > 1", "was not measured")):
            with self.subTest(rule=text):
                self.assertIn(why, self.rule(text, status=3).stderr)
        self.save()
        self.assertIn("page-faults is not known there; try: a run with -e",
                      self.rule("parse:page-faults > 1", status=3).stderr)
        without = self.save(name="without.json", options=["--only", "nowhere"])
        self.assertIn("one side has no such region; try: runs in which both sides call it",
                      self.rule("parse:time > +5%", [self.path("one.json"), without], "diff", status=3).stdout)

    def test_a_difference_needs_a_second_side(self):
        one, program = self.save(), ["--", "touch", self.path("ran")]
        for verb, *words in (["report", one], ["merge", one], ["run", *program],
                             ["run", "-r", 2, *program]):
            with self.subTest(verb=verb, words=words):
                result = self.call(verb, "--fail-if", "parse:time > +1%", *words, status=125)
                self.assertIn("--fail-if: 'parse:time > +1%' is about a difference", result.stderr)
                self.assertIn("\n  try: regionstat compare OLD ::: NEW", result.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_an_event_that_is_not_counted_is_refused_before_the_run(self):
        program = ["--", "touch", self.path("ran")]
        for event, remedy in (("cpu-tiem", "try: cpu-time"), ("page-fualts", "try: page-faults"),
                              ("nonsense", "try: -e EVENT")):
            rule = ["-e", "page-faults", "--fail-if", "any:%s > 1" % event]
            for verb, *words in (["run", *program], ["run", "-r", 2, *program],
                                 ["run", "--dry-run", *program],
                                 ["compare", *program, ":::", "true"]):
                with self.subTest(event=event, verb=verb, words=words):
                    result = self.call(verb, *rule, *words, status=125)
                    self.assertIn("--fail-if: this run does not count '%s'\n" % event, result.stderr)
                    self.assertIn("\n  %s" % remedy, result.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_run_and_a_failing_program(self):
        rule = ["--fail-if", "parse:time > 1ns"]
        result = self.call(*rule, "--", VERSIONS, *CALLS, status=3)
        self.assertRegex(result.stderr, r"regionstat: fail +parse:time > 1ns: parse has ")
        self.call(*rule, "--", VERSIONS, *CALLS, "fail", status=1)

    def test_settings_have_rules(self):
        """A run ignores a rule about a difference, which is for compared runs."""
        self.text_file("rules.yaml", "fail_if:\n  - 'parse:time > 1ns'\n  - 'any:time > +1%'\n"
                                     "  - 'any:time > 1000s'\n")
        result = self.call("-c", self.path("rules.yaml"), "--", VERSIONS, *CALLS, status=3)
        self.assertEqual(len(re.findall(r"(?m)^regionstat: (?:pass|fail) ", result.stderr)), 2)
        self.assertNotIn("+1%", result.stderr)
        self.call("-c", self.path("rules.yaml"), "--fail-if", "none", "--", VERSIONS, *CALLS)

    def test_settings_of_a_run_are_those_of_compared_runs(self):
        self.text_file("run.yaml", "events: minor-faults\noutputs: run.csv\n"
                       "fail_if: 'any:calls > +1%'\n")
        result = self.compare([VERSIONS, "calls=20"], [VERSIONS, "calls=30"], "-c", self.path("run.yaml"),
                              status=3)
        self.assertIn("\nregion ", result.stdout)
        self.assertIn("minor-faults", {event["name"] for event in self.lines()[0]["events"]})

    def test_differences(self):
        self.compare([VERSIONS, "calls=20"], [VERSIONS, "calls=30"])
        files = [self.path("s.jsonl")]
        for text, status in (("parse:calls > +49%", 3), ("parse:calls > +51%", 0),
                             ("parse:calls < -1%", 0), ("any:calls >= +50%", 3),
                             ("any:nothing > +1%", 3), ("parse:calls.total > 25", 3)):
            with self.subTest(rule=text):
                result = self.rule(text, files, verb="diff", status=status)
                self.assertRegex(result.stdout, r"(?m)^(pass|fail) +" + re.escape(text))
        self.rule("parse:calls > 1%", files, verb="diff", status=125)

    def test_a_difference_by_chance_is_unknown(self):
        # two runs a side that differ among themselves by more than the sides do
        for name, calls in (("a", (20, 40)), ("b", (22, 44))):
            for n in calls:
                self.series(VERSIONS, "calls=%d" % n, runs=1, name=name + ".jsonl", options=["--append"])
        result = self.rule("parse:calls > +1%", [self.path("a.jsonl"), self.path("b.jsonl")], verb="diff")
        self.assertRegex(result.stdout, r"(?m)^unknown +parse:calls > \+1%: parse has \+10\.00 %")

    def test_wrong_rules(self):
        for text in ("", "parse", "parse > 1", "parse:time", "parse:time >", "parse:time > x",
                     "parse:time > 1 parsec", "parse:time > 1", "parse:cpu-time.p9 > 1s", ":time > 1s", "parse:time > 1s 2s",
                     "parse:time >> 1s", "parse:time < > 1s", "parse:time > -5"):
            with self.subTest(rule=text):
                result = self.call("--fail-if", text, "--", "true", status=125)
                self.assertIn("--fail-if: '%s' is no rule: " % text, result.stderr)
                self.assertIn("\n  try: 'render:cpu-time.p90 > 5us', or 'any:instructions > +1%", result.stderr)


class Formats(TestCase):
    """Each is read as its consumer does it."""

    def setUp(self):
        super().setUp()
        self.series(VERSIONS, *CALLS, runs=3, options=["-e", "page-faults"])

    def shown(self, name, *options):
        return self.call("report", "--format", name, *options, self.path("s.jsonl")).stdout

    def test_bencher(self):
        found = json.loads(self.shown("bencher"))
        self.assertLessEqual(set(PARTS), set(found))
        for measures in found.values():
            for value in measures.values():
                self.assertLessEqual(value["lower_value"], value["value"])
                self.assertLessEqual(value["value"], value["upper_value"])
        self.assertLessEqual({"latency", "cpu-time"}, set(found["parse"]))

    def test_smaller_is_better(self):
        found = json.loads(self.shown("smaller-is-better"))
        for entry in found:
            self.assertEqual(set(entry), {"name", "unit", "value", "range"})
            self.assertIsInstance(entry["value"], float)
        self.assertIn("parse cpu-time", [entry["name"] for entry in found])

    def test_google_benchmark(self):
        """Fields that its tools/gbench/report.py and util.py take."""
        found = json.loads(self.shown("google-benchmark"))
        self.assertLessEqual({"host_name", "num_cpus", "executable"}, set(found["context"]))
        runs = [one for one in found["benchmarks"] if one["name"] == "parse"]
        self.assertEqual([one["repetition_index"] for one in runs], [0, 1, 2])
        for one in runs:
            self.assertEqual((one["run_type"], one["iterations"], one["time_unit"]), ("iteration", 20, "ns"))
            self.assertGreaterEqual(one["real_time"] + 1, one["cpu_time"])

    def test_google_benchmark_is_read_by_its_compare(self):
        harness.need_no_sanitizer(harness.SAME_BYTES)
        compare = "/usr/share/benchmark/compare.py"  # Debian: libbenchmark-tools, python3-scipy
        python = harness.need_module("scipy")
        harness.need(os.path.exists(compare), "there is no %s (package libbenchmark-tools)" % compare)
        for name in ("a.json", "b.json"):
            self.call("report", "--format", "google-benchmark", "-o", self.path(name), self.path("s.jsonl"))
        result = self.execute([python, compare, "--no-color", "benchmarks", self.path("a.json"),
                               self.path("b.json")])
        self.assertEqual(len(re.findall(r"(?m)^parse +\+0\.0000 +\+0\.0000 ", result.stdout)), 3, result)

    def test_junit_is_read_by_junitparser(self):
        harness.need_no_sanitizer(harness.SAME_BYTES)
        python = harness.need_module("junitparser")
        self.call("report", "--format", "junit", "-o", self.path("rules.xml"), "--fail-if", "parse:time > 1ns",
                  "--fail-if", "any:time > 1000s", self.path("s.jsonl"), status=3)
        script = ("import junitparser, sys\n"
                  "suite, = junitparser.JUnitXml.fromfile(sys.argv[1])\n"
                  "print(suite.tests, suite.failures, *(case.name for case in suite), sep='|')\n")
        result = harness.run([python, "-c", script, self.path("rules.xml")])
        self.assertEqual(result.stdout, "2|1|parse:time > 1ns|any:time > 1000s\n", result)

    def test_go_benchmark(self):
        """The grammar of golang.org/design/14313-benchmark-format: a name, iterations, value and unit pairs."""
        lines = self.shown("go-benchmark").splitlines()
        config = [line for line in lines if re.match(r"[a-z][^\sA-Z]*: ", line)]
        self.assertEqual([line.split(":")[0] for line in config], ["goos", "goarch", "pkg", "cpu"])
        results = lines[len(config):]
        self.assertEqual(len([line for line in results if line.startswith("BenchmarkRegion/parse ")]), 3)
        for line in results:
            name, iterations, *pairs = line.split()
            self.assertRegex(name, r"^Benchmark[A-Z]\S*$")
            self.assertGreater(int(iterations), 0)
            self.assertEqual(pairs[1], "ns/op")
            for value, unit in zip(pairs[::2], pairs[1::2]):
                float(value)
                self.assertRegex(unit, r"^\S+/op$")

    def test_go_benchmark_is_read_by_benchstat(self):
        """Of golang.org/x/perf, which Debian has no package of."""
        harness.need_no_sanitizer(harness.SAME_BYTES)
        benchstat = harness.need_tool("benchstat")
        text = self.shown("go-benchmark")
        for name in ("old.txt", "new.txt"):
            self.text_file(name, text)
        result = harness.run([benchstat, self.path("old.txt"), self.path("new.txt")])
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        for unit in ("sec/op", "cpu-time-sec/op", "page-faults/op"):
            self.assertRegex(result.stdout, r"(?m)│ +%s +│ +%s +vs base" % (unit, unit))
        for part in PARTS:
            self.assertEqual(len(re.findall(r"(?m)^Region/%s .* n=3\)" % part, result.stdout)), 3)

    def test_junit(self):
        text = self.call("report", "--format", "junit", "--fail-if", "parse:time > 1ns", "--fail-if",
                         'any:time > 1000s', "--fail-if", '<&">:time > 1s', self.path("s.jsonl"),
                         status=3).stdout
        suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "2"))
        runs = [line["run"] for line in self.lines()]
        self.assertEqual(suite.get("timestamp"), time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(runs[0]["started"])))
        seconds = sum(run["elapsed_ns"] for run in runs) / 1e9
        self.assertAlmostEqual(float(suite.get("time")), seconds, delta=0.0006, msg="3 decimals")
        cases = suite.findall("testcase")
        self.assertEqual([case.get("name") for case in cases],
                         ["parse:time > 1ns", "any:time > 1000s", '<&">:time > 1s'])
        self.assertEqual([case.find("failure") is None for case in cases], [False, True, False])
        failure = cases[0].find("failure")
        self.assertRegex(failure.text, r"^parse:time > 1ns: parse has \d\S* [num]s$")
        self.assertEqual(failure.get("message"), failure.text)

    def test_junit_of_one_run_leaves_the_other_files_as_they_are(self):
        rules, rows, saved = (self.path(name) for name in ("rules.xml", "run.csv", "run.json"))
        for verb, *words in (["run", "-o", saved, "--", VERSIONS, *CALLS], ["report", saved]):
            result = self.call(verb, "--fail-if", "parse:calls > 19", "-o", rules, "-o", rows, *words,
                               status=3)
            self.assertEqual(result.stderr.count("fail    parse:calls > 19: parse has 20"), 1, result)
            suite = xml.etree.ElementTree.parse(rules).getroot().find("testsuite")
            self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "1"))
            self.assertEqual(harness.Report(harness.read_text(rows)).region("parse").calls, 20)
            self.assertEqual(harness.read_json(saved)["run"]["exit_status"], 0)
            os.unlink(rules)

    def test_markdown_of_a_difference(self):
        self.compare([VERSIONS, *CALLS], [VERSIONS, *CALLS, "+hash"])
        text = self.call("diff", "--format", "markdown", "--top", 2, self.path("s.jsonl")).stdout
        self.assertRegex(text, r"(?m)^\| region \| event \| old \| new \| change \| \\?\+- \|")
        summary, folded = text.split("<details>")
        self.assertLess(len(summary.splitlines()), 25, "one screen")
        for name in PARTS:
            self.assertIn("| %s |" % name, folded)

    def test_formats_that_show_no_difference(self):
        for name in ("csv", "bencher", "go-benchmark", "series"):
            result = self.call("diff", "--format", name, self.path("s.jsonl"), self.path("s.jsonl"),
                               status=125)
            self.assertIn("%s cannot show a difference" % name, result.stderr)

    def test_junit_without_rules_is_refused(self):
        for command in (["report", self.path("s.jsonl")], ["compare", "--", VERSIONS, ":::", VERSIONS]):
            result = self.call(command[0], "-o", self.path("rules.xml"), *command[1:], status=125)
            self.assertIn("junit has a test for each rule of --fail-if, and there is none", result.stderr)
            self.assertFalse(os.path.exists(self.path("rules.xml")))

    def test_formats_without_names_of_commands_show_one(self):
        """A comparison has two commands, which these formats would mix."""
        self.compare([VERSIONS, *CALLS], [VERSIONS, *CALLS, "+hash"])
        for name in ("bencher", "google-benchmark", "go-benchmark", "smaller-is-better"):
            result = self.call("report", "--format", name, self.path("s.jsonl"), status=125)
            self.assertIn("%s shows one command, and there are runs of 2" % name, result.stderr)
        jq = harness.need_tool("jq")
        for command in (0, 1):  # the remedy of the message
            one = harness.run([jq, "-c", "select(.series.command == %d)" % command, self.path("s.jsonl")])
            self.text_file("one.jsonl", one.stdout)
            found = json.loads(self.call("report", "--format", "bencher", self.path("one.jsonl")).stdout)
            self.assertEqual("hash" in found, command == 0)

    def test_one_run_in_formats_of_series(self):
        path = self.save(name="one.bmf", options=["--format", "bencher"])
        self.assertLessEqual(set(PARTS), set(harness.read_json(path)))
