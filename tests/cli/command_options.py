# SPDX-License-Identifier: MIT
"""The command line: every option, every bad value, verbs, and where options end."""

import json
import os
import re

import harness

PERFS = ("trace", "stat")


def options_of_run():
    """Return the table of the options of a run."""
    options = json.loads(harness.regionstat("list", "-j", "options").stdout)["options"]
    return [option for option in options if "run" in option["verbs"]]


class Help(harness.TestCase):

    def test_help_names_every_option(self):
        for arguments in (["--help"], ["-h"], ["run", "--help"], ["-v", "--help", "true"]):
            result = harness.regionstat(*arguments)
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            self.assertGreater(len(options_of_run()), 50)
            for option in options_of_run():
                self.assertRegex(result.stdout, r"--%s(?![\w-])" % option["option"])

    def test_help_has_the_groups_of_the_manual_in_80_columns(self):
        section = harness.read_man_page("regionstat.1").split(".Sh OPTIONS")[1].split(".Sh ")[0]
        titles = re.findall(r"^\.Ss (.*)$", section, re.MULTILINE)
        for verb in ([], ["list"], ["report"], ["compare"], ["diff"], ["merge"]):
            text = harness.regionstat(*verb, "--help").stdout
            found = [title for title in re.findall(r"^(.*):\n  ", text, re.MULTILINE)
                     if title != "Verbs"]
            self.assertEqual(found, [title for title in titles if not verb or title in found])
            self.assertGreater(len(found), 1)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_of_a_verb_has_the_usage_of_the_command(self):
        usages = harness.regionstat("--help").stdout.partition("\n\n")[0].splitlines()[2:]
        self.assertGreater(len(usages), 5)
        for usage in usages:
            text = harness.regionstat(usage.split()[1], "--help").stdout
            self.assertEqual(text.splitlines()[0].removeprefix("Usage: "), usage.strip())

    def test_help_of_live_has_the_keys_of_the_manual(self):
        page = harness.read_man_page("regionstat-live.1")
        section = page.partition("\n.Sh KEYS\n")[2].partition("\n.Sh ")[0]
        text = harness.regionstat("live", "--help").stdout
        keys = re.findall(r"^  (\w.*?)  ", text.partition("Keys:\n")[2].partition("\n\n")[0],
                          re.MULTILINE)
        self.assertEqual(keys, re.findall(r"^\.It (.*)$", section, re.MULTILINE))
        self.assertIn("--version", text)

    def test_version(self):
        result = harness.regionstat("--version")
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        self.assertRegex(result.stdout, r"^regionstat \d+\.\d+\.\d+\n$")

    def test_help_that_cannot_be_written_is_an_error(self):
        result = self.execute(["sh", "-c", 'exec "$0" --help >/dev/full', harness.REGIONSTAT], 125)
        self.assertIn("ENOSPC", result.stderr)


class Refused(harness.TestCase):
    """Nothing runs: the status is 125, and stderr has the reason and what to do."""

    def refuse(self, *arguments, says):
        ran = self.path("ran")
        command = ["touch", ran] if not arguments or arguments[-1] != "" else []
        result = self.regionstat(*arguments, *command, status=125)
        self.assertFalse(os.path.exists(ran), "COMMAND ran: %s" % result)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Aregionstat: ")
        self.assertRegex(result.stderr, says)
        self.assertRegex(result.stderr, r"\n  try: ")
        self.assertRegex(result.stderr, r"\(exit status 125\)\n\Z")
        return result

    def test_times_with_a_unit(self):
        for words in (["--timeout", "200ms"], ["--timeout=0.2s"], ["--timeout", "200"]):
            self.regionstat(*words, "sleep", harness.TIMEOUT_S, status=124)

    def test_bad_numbers(self):
        """Each option that has a range refuses what is outside of it, and what is no number."""
        of_kinds = {"number": ["1.5"], "region": ["1.5"],
                    "time": [" 5ms", "0x5ms", "-1s", "0.5ms", "1.5 ms"],
                    "share": ["0", "%", "1.", "1e-3", "0.00005", "5 %", "5%%", "a:5%"]}
        options = [option for option in options_of_run() if option["range"]]
        self.assertGreaterEqual(len(options), 14)
        for option in options:
            low, high = option["range"]
            for value in ("", "x", " 5", "+5", "5x", "0x5", "-9", ".5", "9" * 30, low - 1, high + 1,
                          *of_kinds[option["kind"]]):
                with self.subTest(option=option["option"], value=value):
                    self.refuse("--%s=%s" % (option["option"], value), "--",
                                says=r"--%s: '%s' is not a .* from %.10g to %.10g\b"
                                % (option["option"], re.escape(str(value)), low, high))

    def test_bad_values(self):
        cases = (
            (["-x", "a\nb"], r"-x: 'a\\nb' cannot separate"),
            (["--field-separator=\r"], r"--field-separator: '\\r' cannot separate"),
            (["--color="], r"--color: unknown word ''"),
            (["--sample", ""], r"--sample: '' is not a number of calls from 1 to 1000000000\n"),
            (["--sample", "pixel:"], r"--sample: '' is not a number of calls"),
            (["--sample", "4:pixel"], r"--sample: 'pixel' is not a number of calls"),
            (["--sample=a:b:00"], r"--sample: '00' is not a number of calls from 1"),
            (["--sample=:4"], r"--sample: ':4' names no region before its colon"),
            (["--sample", "x" * 128 + ":4"], r"--sample: the region's name is longer than 127"),
            (["--sort", "slef"], "--sort: unknown key 'slef'; keys: calls, total, self, .*order\n  try: self"),
            (["--sort="], "unknown key ''; keys: calls, total, self, avg, min, p50, p90, p99, max, "),
            (["--columns", "avg,,max"], "--columns: unknown column ''; columns: .*error, calls"),
            (["--columns", "mean"], "--columns: unknown column 'mean'; columns: "),
            (["--columns", "p101"], "--columns: '101' is not a percentage from 0.0001 to 100"),
            (["--percentiles", "50,"], "--percentiles: '' is not a percentage"),
            (["--percentiles", "0000050"], "'0000050' is not a percentage"),
            (["--percentiles", "99.99999"], "'99.99999' is not a percentage .* with at most 4 decimals"),
            (["--percentiles=1,2,3,4,5,6,7,8,9"], "--percentiles: more than 8 percentiles"),
            (["--histogram", ":cycles"], "--histogram: ':cycles' names no region"),
            (["--histogram=%d" % i for i in range(33)], "--histogram: more than 32 regions"),
            (["-M", "CPI,IPC", "--columns", "ipc"],
             r"unknown column 'ipc'; .*\n  'ipc' is a metric \(-M\): it has its own row"),
            (["-M", "IPC", "--sort", "IPC"], r"unknown key 'IPC'; .*\n  'IPC' is a metric"),
            (["--by", "cpus-utilized", "-M", "cpus-utilized", "-e", "page-faults"],
             r"regions do not count 'cpus-utilized'\n  'cpus-utilized' is a metric"),
            (["--by", "cycels", "-e", "page-faults"], "--by: regions do not count 'cycels'"),
            (["--by", "page-fault", "-e", "page-faults"], "try: page-faults"),
            (["--slow", "x:cpu-time>1ms"],
             r"--slow: rules compare time and the events of -e, but not 'cpu-time'\n  try: time"),
            (["--by="], "--by: the event is empty"),
            (["--regions", ""], "--regions: the glob is empty"),
            (["--regions", "--all"], "its value is missing: '--all'"),
            (["--regions=%d" % i for i in range(65)], "--regions: more than 64 globs"),
            (["--sample=%d:1" % i for i in range(257)], r"--sample: more than 256 regions"),
            (["--budget", "0,5"], r"--budget: '0,5' is not a percentage"),
            (["--budget", "0.0000%"], r"--budget: '0\.0000%' is not a percentage"),
            (["--budget=100.0001"], r"--budget: '100\.0001' is not a percentage"),
            (["--budget=1", "--sample=7"], r"--budget: --sample 7 already chooses"),
            (["--sample=1", "--budget=1"], r"--budget: --sample 1 already chooses"),
            (["-D", "\x1b[31m"], r"-D: '\\x1b\[31m' is not"),
        )
        for arguments, says in cases:
            with self.subTest(arguments=arguments):
                result = self.refuse(*arguments, "--", says=says)
                self.assertNotRegex(result.stderr, "[\x00-\x09\x0b-\x1f]")

    def test_unknown_options_get_near_names(self):
        """Names that are not near are not offered."""
        near = {"--dealy": "--delay", "--evnet": "--event", "--stric": "--strict",
                "--perthread": "--per-thread"}
        for option in (*near, "--seperator", "--frobnicate", "-Z", "-vZ", "-é", "--" + "x" * 300,
                       "--pit-stop", "--lost", "--new", "--frob", "--cow"):
            with self.subTest(option=option):
                result = self.refuse(option, says="unknown option")
                self.assertRegex(result.stderr, r"\n  try: .*%s\b"
                                 % near.get(option, "regionstat --help"))

    def test_options_of_perf_stat_say_what_to_use(self):
        """regionstat either has every option of perf-stat(1) or explains what to use instead."""
        for options, remedy in (
                ("-a --all-cpus", "perf stat -a"), ("--cgroup --smi-cost", "perf stat"),
                ("-b", "perf stat -b"), ("--topdown --td-level", "-M 'topdown-*'"),
                ("-A --no-aggr --per-core --per-socket -t --tid", "--per-thread"),
                ("-B --big-num --no-big-num", "-x ,"), ("-C --cpu", "taskset -c"),
                ("-d --detailed", "-e L1-dcache-loads"), ("-g", "{"), ("-G", "perf stat -a -G"),
                ("-n --null", "-e time"), ("-S --sync", "sync;"), ("-T", "list"),
                ("--table", "without it"), ("--json", "-j, or"), ("--interval-clear", "--live"),
                ("--metric-only", "-M IPC"), ("--no-scale", "running"), ("--log-fd", "-o /dev/fd"),
                ("--pre --post", "sh -c"), ("--all-user", ":u"), ("--all-kernel", ":k"),
                ("--control", "REGIONSTAT_RESUME")):
            for option in options.split():
                with self.subTest(option=option):
                    result = self.refuse(option, says=r"\Aregionstat: %s of perf stat" % option)
                    self.assertIn(remedy, result.stderr.partition("\n  try: ")[2])
                    self.assertNotIn("unknown", result.stderr)
        for written in (["-t", "1"], ["-t1"], ["--tid=1"], ["--tid", "1"], ["-va"]):
            with self.subTest(written=written):
                self.refuse(*written, says="of perf stat is not supported")

    def test_perf_has_no_option_that_is_unknown(self):
        """perf itself prints the options."""
        perf = harness.need_tool("perf")
        shown = harness.run([perf, "stat", "-h"])
        found = re.findall(r"^ +(?:-(\w), |    )--([a-z-]+)", shown.stdout + shown.stderr,
                           re.MULTILINE)
        harness.need(len(found) >= 20, "perf stat -h could not be read")
        taken = set(re.findall(r"(?<= )--?[\w-]+", harness.regionstat("--help").stdout))
        for letter, word in found:
            for option in [*(["-" + letter] if letter else []), "--" + word]:
                if option in taken:
                    continue
                with self.subTest(option=option):
                    self.refuse(option, says="of perf stat is not supported")


class TestCase(harness.TestCase):

    def program(self, name):
        """Create a program of this name in this test's directory, and put the directory first in
        PATH."""
        self.text_file(name, "#!/bin/sh\necho program %s\n" % name, 0o755)
        return harness.environment(PATH=self.directory + ":" + os.environ["PATH"])


class Verbs(TestCase):

    def test_verbs_of_perf_are_not_needed(self):
        for verb, instead in zip(PERFS, ("regionstat --trace FILE COMMAND", "regionstat COMMAND")):
            for before in ([], ["-v"]):
                result = harness.regionstat(*before, verb, env=self.program(verb))
                self.assertEqual((result.status, result.stdout), (125, ""), result)
                self.assertIn("'%s' is a verb of perf" % verb, result.stderr)
                self.assertIn("\n  try: %s\n  try: regionstat -- %s, or its path" % (instead, verb),
                              result.stderr)

    def test_words_near_to_verbs(self):
        for word, hint in (("lst", "regionstat list"), ("lits", "regionstat list"),
                           ("rnu", "regionstat run COMMAND"), ("help", "regionstat --help"),
                           ("hepl", "man regionstat"), ("version", "regionstat --version")):
            for arguments, hinted in (([word], True), (["-v", word, "x"], True),
                                      (["--", word], False), (["run", word], False)):
                with self.subTest(arguments=arguments):
                    result = harness.regionstat(*arguments, env=harness.environment(PATH="/none"))
                    self.assertEqual((result.status, result.stdout), (127, ""), result)
                    self.assertIn("cannot run '%s'" % word, result.stderr)
                    self.assertIn("\n  try: its path, such as ./%s\n" % word, result.stderr)
                    self.assertEqual(hint in result.stderr, hinted, result)

    def test_words_that_are_near_to_no_verb(self):
        for word in ("ls", "r", "lint", "sh", "helper", "lists", "report-1"):
            stderr = harness.regionstat(word, env=harness.environment(PATH="/none")).stderr
            hinted = word in ("lint", "lists")  # one letter away from list
            self.assertEqual("regionstat list" in stderr, hinted, stderr)
            self.assertEqual(stderr.count("\n  try: "), 2 if hinted else 1, stderr)

    def test_a_program_of_such_a_name_is_run(self):
        for word in ("help", "lst", "version"):
            result = harness.regionstat(word, env=self.program(word))
            self.assertEqual((result.status, result.stdout), (0, "program %s\n" % word), result)

    def test_a_program_named_as_a_verb_runs_by_dashes_or_path(self):
        for verb in PERFS + ("list", "run", "compare", "diff"):
            env = self.program(verb)
            for arguments in (["--", verb], [self.path(verb)], ["./" + verb], ["run", verb],
                              ["-v", "--", verb]):
                with self.subTest(arguments=arguments):
                    result = harness.regionstat(*arguments, env=env, cwd=self.directory)
                    self.assertEqual((result.status, result.stdout),
                                     (0, "program %s\n" % verb), result)

    def test_a_verb_after_options_is_not_guessed(self):
        result = harness.regionstat("-v", "list", env=self.program("list"))
        self.assertEqual((result.status, result.stdout), (125, ""), result)
        self.assertIn("'list' is a verb", result.stderr)
        self.assertIn("\n  try: regionstat list [OPTION...] [GLOB]\n", result.stderr)
        self.assertIn("\n  try: regionstat -- list, or its path", result.stderr)


class Parsing(TestCase):

    def test_options_end_at_the_command(self):
        result = harness.regionstat("echo", "--version", "-e", "--")
        self.assertEqual((result.status, result.stdout), (0, "--version -e --\n"), result)
        result = harness.regionstat("--", "echo", "--", "-x")
        self.assertEqual((result.status, result.stdout), (0, "-- -x\n"), result)
        result = harness.regionstat("echo", "list", "run")
        self.assertEqual((result.status, result.stdout), (0, "list run\n"), result)

    def test_all_ways_to_write_a_value(self):
        for arguments in (["-x", ";", "-o", "FILE", "-e", "page-faults"],
                          ["-x;", "-oFILE", "-epage-faults"],
                          ["--field-separator=;", "--output=FILE", "--event=page-faults"],
                          ["--field-separator", ";", "--output", "FILE", "--event", "page-faults"],
                          ["-vx;", "-ivoFILE", "-ie", "page-faults"]):
            with self.subTest(arguments=arguments):
                self.regionstat(*arguments, "true", cwd=self.directory)
                report = harness.read_report(self.path("FILE"), ";")
                self.assertGreater(report.run("page-faults").total, 0)
                os.unlink(self.path("FILE"))

    def test_budgets(self):
        path = self.path("run.json")
        for value, ppm in (("0.5%", 5000), ("0.5", 5000), ("100", 1000000), ("0.0001%", 1),
                           ("12.3456", 123456), ("007.50%", 75000)):
            with self.subTest(value=value):
                self.regionstat("--budget", value, "-o", path, "true")
                self.assertEqual(harness.read_json(path)["options"]["budget_ppm"], ppm)

    def test_separators(self):
        for separator, written in ((";", ";"), ("\\t", "\t"), ("\t", "\t"), ("|", "|"),
                                   ("<->", "<->")):
            with self.subTest(separator=separator):
                output = self.path("out")
                self.regionstat("-x", separator, "-o", output, "true")
                rows = [line.split(written) for line in harness.read_text(output).splitlines()]
                self.assertEqual(rows[0], harness.COLUMNS)
                self.assertEqual({len(row) for row in rows}, {len(harness.COLUMNS)}, rows)

    def test_colour(self):
        for options, has_colours in (([], False), (["--color=auto"], False), (["--color"], True),
                                     (["--color=always"], True), (["--color=never"], False),
                                     (["--color", "never"], False), (["--color", "auto"], False),
                                     (["--color", "always"], True)):
            with self.subTest(options=options):
                result = self.regionstat(*options, harness.app("rules"), "end", "exit", 1, status=7)
                self.assertEqual("\x1b[" in result.stderr, has_colours, result)

    def test_a_program_named_as_a_word_of_colour(self):
        for name in ("auto", "always", "never"):
            env = self.program(name)
            for options in (["--color", "--", name], ["--color", "never", name],
                            ["--color", self.path(name)],
                            ["--color=never", name]):
                with self.subTest(options=options):
                    self.assertEqual(harness.regionstat(*options, env=env).stdout,
                                     "program %s\n" % name)

    def colours_on_a_terminal(self, *options, **variables):
        text, _ = harness.on_terminal([harness.REGIONSTAT, *options, "-e", "page-faults", "true"],
                                      "stderr", env=harness.environment(**variables))
        self.assertIn(b"page-faults", text)
        return b"\x1b[" in text

    def test_colour_on_a_terminal(self):
        """NO_COLOR as https://no-color.org has it: "when present and not an empty string"."""
        for options, variables, colours in (
                ([], {"TERM": "xterm"}, True),
                ([], {"TERM": "xterm", "NO_COLOR": "1"}, False),
                ([], {"TERM": "xterm", "NO_COLOR": "0"}, False),
                ([], {"TERM": "xterm", "NO_COLOR": ""}, True),
                (["--color"], {"TERM": "xterm", "NO_COLOR": "1"}, True),
                (["--color", "auto"], {"TERM": "xterm", "NO_COLOR": "1"}, False),
                (["--color", "never"], {"TERM": "xterm"}, False),
                ([], {"TERM": "dumb"}, False), ([], {}, False)):
            with self.subTest(options=options, variables=variables):
                self.assertEqual(self.colours_on_a_terminal(*options, **variables), colours)
