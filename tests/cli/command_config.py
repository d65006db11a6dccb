# SPDX-License-Identifier: MIT
"""Settings from files: they have the same effect as options. The tests check which file or option
wins, which files are accepted, and what --print-config and --dry-run print."""

import json
import os
import re
import unittest

import harness

SETTINGS = """\
events: [task-clock, 'page-faults:u']
top: 3
per_thread: true
inherit: false
totals: true
sample: 100
regions:
  parse: {sample: 7, histogram: true}
profiles:
  first:
    description: what comes first
    top: 4
    per_thread: false
    sort: max
  second:
    extends: first
    top: 5
    sample: ['read:3']
"""


def without_origins(text):
    """Return the output of --print-config without the origins."""
    return [line.split("  # ")[0] for line in text.splitlines() if not line.startswith("#")]


class ConfigCase(harness.TestCase):

    def regionstat(self, *arguments, **options):
        """Run regionstat in this test's directory."""
        return super().regionstat(*arguments, cwd=self.directory, **options)

    def settings(self, *arguments, **options):
        """Return the output of --print-config as {key: (value, origin)}, with each list as one
        text."""
        found, key = {}, None
        for line in self.regionstat("--print-config", *arguments, **options).stdout.splitlines():
            if line.startswith("#"):
                continue
            text, _, origin = line.partition("  # ")
            if text.startswith("  - "):
                found[key] = (found[key][0] + text.strip() + ";", origin or found[key][1])
            else:
                key, _, value = text.partition(":")
                found[key] = (value.strip(), origin)
        return found


class Precedence(ConfigCase):

    def test_the_command_line_wins_over_the_profile_over_the_file(self):
        self.text_file("regionstat.yaml", SETTINGS)
        plain = self.settings()
        self.assertEqual(plain["top"], ("3", "regionstat.yaml:2"))
        self.assertEqual(plain["per_thread"], ("true", "regionstat.yaml:3"))
        self.assertEqual(plain["inherit"], ("false", "regionstat.yaml:4"))
        self.assertEqual(plain["totals"], ("true", "regionstat.yaml:5"))
        self.assertEqual(plain["sort"], ("self", "default"))
        self.assertEqual(plain["pin"], ("false", "default"))
        self.assertIn("\n# trace_size: 50M  # default\n",
                      self.regionstat("--print-config").stdout)
        self.assertEqual(plain["sample"][0], '- 100;- "parse:7";')
        first = self.settings("--profile", "first")
        self.assertEqual(first["top"], ("4", "profile first, regionstat.yaml:12"))
        self.assertEqual(first["per_thread"], ("false", "profile first, regionstat.yaml:13"))
        self.assertEqual(first["sample"][0], '- 100;- "parse:7";')
        second = self.settings("--profile", "second")
        self.assertEqual(second["top"], ("5", "profile second, regionstat.yaml:17"))
        self.assertEqual(second["sort"], ("max", "profile first, regionstat.yaml:14"))
        self.assertEqual(second["sample"][0], '- "read:3";')
        told = self.settings("--profile", "second", "--top", "6", "-e", "cs", "--sample=9",
                             "--per-thread", "--inherit", "--no-totals")
        self.assertEqual(told["top"], ("6", "command line"))
        self.assertEqual(told["sample"], ("- 9;", "command line"))
        self.assertEqual(told["events"], ("- cs;", "command line"))
        self.assertEqual(told["per_thread"], ("true", "command line"))
        self.assertEqual(told["inherit"], ("true", "command line"))
        self.assertEqual(told["totals"], ("false", "command line"))
        self.assertEqual(told["histogram"][0], "- parse;")

    def test_flags_can_be_taken_back(self):
        self.text_file("regionstat.yaml", "pin: true\nstrict: true\nraw: true\n")
        self.assertEqual(self.settings("--no-pin", "--no-strict")["pin"], ("false", "command line"))
        self.assertEqual(self.settings("--no-pin", "--pin")["pin"], ("true", "command line"))
        self.assertEqual(self.settings("--no-raw")["strict"], ("true", "regionstat.yaml:2"))
        result = self.regionstat("--no-help", status=125)
        self.assertIn("unknown option '--no-help'", result.stderr)
        result = self.regionstat("--no-pin=1", "true", status=125)
        self.assertIn("takes no value", result.stderr)

    def test_no_report_has_no_format(self):
        for words in (["--fail-if", "a:time.p50>2ms"], ["-I", "100"]):
            result = self.regionstat("--quiet", *words, "--print-config")
            self.assertIn("\n# format: no report is written\n", result.stdout, words)

    def test_one_way_of_sampling_gives_way_to_the_other(self):
        self.text_file("regionstat.yaml", "sample: [100, 'parse:3']\n"
                   "profiles: {share: {budget: 1%}}\n")
        for words in (["--budget", "0.5"], ["--profile", "share"]):
            found = self.settings(*words)
            self.assertEqual(found["sample"][0], '- "parse:3";')
            self.assertIn("budget", found)
        self.text_file("regionstat.yaml", "budget: 1%\n")
        found = self.settings("--sample", "100")
        self.assertNotIn("budget", found)

    def test_a_format_of_the_file_is_not_that_of_another_report(self):
        self.text_file("a.yaml", "format: csv\n")
        output = self.path("run.json")
        self.regionstat("-c", "a.yaml", "-o", output, "--", "true")
        with open(output, encoding="ascii") as file:
            self.assertEqual(file.read(1), "{")
        result = self.regionstat("-c", "a.yaml", "--", "true")
        self.assertTrue(result.stderr.startswith(",".join(harness.COLUMNS)), result)
        result = self.regionstat("-c", "a.yaml", "-j", "--", "true")
        self.assertTrue(result.stderr.startswith("{"), result)


class Files(ConfigCase):

    def test_which_file_is_taken(self):
        home = self.text_file("home/.config/regionstat/config.yaml", "top: 2\n")
        other = self.text_file("xdg/regionstat/config.yaml", "top: 3\n")
        told = self.text_file("told.yaml", "top: 4\n")
        at_home = harness.environment(HOME=self.path("home"), XDG_CONFIG_HOME=None)
        both = dict(at_home, XDG_CONFIG_HOME=self.path("xdg"))
        # the XDG specification ignores relative paths
        relative = dict(at_home, XDG_CONFIG_HOME="xdg")
        self.assertEqual(self.settings(env=at_home)["top"], ("2", home + ":1"))
        self.assertEqual(self.settings(env=relative)["top"], ("2", home + ":1"))
        self.assertEqual(self.settings(env=both)["top"], ("3", other + ":1"))
        here = self.text_file("regionstat.yaml", "top: 1\n")
        self.assertEqual(self.settings(env=both)["top"], ("1", "regionstat.yaml:1"))
        self.assertEqual(self.settings("-c", told, env=both)["top"], ("4", told + ":1"))
        self.assertNotIn("top", self.settings("-c", "/dev/null", env=both))
        os.unlink(here)
        neither = harness.environment(HOME=None, XDG_CONFIG_HOME=None)
        self.assertNotIn("top", self.settings(env=neither))
        result = self.regionstat("--profile", "a", "true", env=neither, status=125)
        self.assertIn("there is no settings file", result.stderr)

    def passed_over(self, reason):
        """Check that ./regionstat.yaml is ignored, that a message says why, and that the run
        continues."""
        result = self.regionstat("--print-config")
        self.assertNotIn("\ntop:", result.stdout)
        self.assertIn("regionstat ignores the settings in 'regionstat.yaml': " + reason, result.stderr)
        self.assertIn("try: -c regionstat.yaml", result.stderr)
        result = self.regionstat("-c", "/dev/null", "--print-config")
        self.assertEqual(result.stderr, "")

    def test_a_file_that_may_be_anybodys_is_passed_over(self):
        path = self.text_file("regionstat.yaml", "top: 1\n")
        os.chmod(path, 0o666)
        self.passed_over("everybody may write to it")
        if os.geteuid() == 0:
            os.chmod(path, 0o664)
            os.chown(path, 0, 12345)
            self.passed_over("other users may write to it through its group")
            os.chown(path, 0, 0)
            self.assertEqual(self.settings()["top"][0], "1")
        self.assertEqual(self.settings("-c", path)["top"], ("1", path + ":1"))
        os.unlink(path)
        os.symlink(self.text_file("other.yaml", "top: 1\n"), path)
        self.passed_over("it is a symbolic link")
        os.unlink(path)
        os.mkfifo(path)
        self.passed_over("it is not a regular file")
        os.unlink(path)
        os.mkdir(path)
        self.passed_over("it is not a regular file")

    @unittest.skipIf(os.geteuid() != 0, "needs root, to give a file away")
    def test_a_file_of_another_user_is_passed_over(self):
        path = self.text_file("regionstat.yaml", "top: 1\n")
        os.chown(path, 65534, 65534)
        self.passed_over("it is owned by another user")
        self.text_file("home/.config/regionstat/config.yaml", "top: 2\n")
        os.chown(self.path("home/.config/regionstat/config.yaml"), 65534, 65534)
        env = harness.environment(HOME=self.path("home"), XDG_CONFIG_HOME=None)
        result = self.regionstat("--print-config", env=env)
        self.assertIn("and those in", result.stderr)
        self.assertNotIn("\ntop:", result.stdout)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become another user")
    def test_a_home_that_this_user_may_not_search_is_no_reason_for_a_message(self):
        """sudo may keep $HOME of another user. A file that exists there is named, as before."""
        path = self.text_file("home/.config/regionstat/config.yaml", "top: 2\n")
        home = self.path("home")
        env = harness.environment(HOME=home, XDG_CONFIG_HOME=None)

        def say():
            return harness.run([*words, harness.REGIONSTAT, "--print-config"], env=env,
                               cwd="/").stderr

        words = harness.need_other_user()
        os.chmod(self.directory, 0o755)
        os.chmod(path, 0o600)
        self.assertIn("regionstat ignores the settings in '%s': Permission denied" % path, say())
        os.chmod(home, 0o700)
        self.assertEqual(say(), "")

    def test_a_file_that_was_only_found_names_no_file(self):
        for text in ("outputs: [run.csv]\n", "outputs: run.csv\n", "append: true\n",
                     "outputs: [{file: /etc/x}]\n", "outputs: '-'\n",
                     "metrics_file: own.yaml\n", "metrics_file: [/etc/passwd]\n",
                     "slow_output: slow.log\n"):
            for form in (text, "profiles: {a: {%s}}\n" % text.strip()):
                with self.subTest(text=form):
                    column = form.index(text[:6]) + 1
                    self.text_file("regionstat.yaml", form)
                    result = self.regionstat("--", "touch", "ran", status=125)
                    self.assertIn("regionstat.yaml:1:%d: '%s' needs a settings file"
                                  % (column, text.split(":")[0]), result.stderr)
                    self.assertIn("try: -c regionstat.yaml", result.stderr)
                    self.assertEqual(os.listdir(self.directory), ["regionstat.yaml"])
        self.text_file("regionstat.yaml", "outputs: [run.csv]\n")
        self.regionstat("-c", "regionstat.yaml", "--", "true")
        self.assertTrue(os.path.exists(self.path("run.csv")))

    def test_every_option_that_names_a_file_needs_trust(self):
        """Every option of the table with FILE as its argument needs a settings file that the user
        named."""
        options = json.loads(harness.regionstat("list", "-j", "options").stdout)["options"]
        keys = [option["key"] for option in options if "FILE" in option["argument"]]
        self.assertIn("outputs", keys)
        for key in filter(None, keys):
            self.text_file("regionstat.yaml", key + ": x\n")
            result = self.regionstat("true", status=125)
            self.assertIn("needs a settings file that you named", result.stderr)


class PrintAndPlan(ConfigCase):

    NEVER = "metrics: [{name: never, formula: cs * 2, cpus: [no-such-cpu]}]\n"

    OPTIONS = ["-e", "alignment-faults", "-e", "{page-faults,cs}", "--top", "3", "--sort", "max",
               "--sample", "parse:7", "--sample", "50", "--only", "p*", "--only", "r*",
               "--columns", "avg,max", "--percentiles", "50,99.9", "--histogram", "a:b",
               "--regions", "x*", "--label", "a \"label\"\t#1: \\ é", "--color", "--per-thread",
               "--no-inherit", "--no-totals", "--no-cpu-time", "--timeout", "5000", "-D", "-1", "-x", "\\t",
               "--width", "100", "--raw", "--by", "task-clock", "-M", "cpus-utilized",
               "-M", "*-per-second,GB/s", "--metrics-file", "own.yaml", "--metrics-file",
               "more.yaml", "-M", "own,more", "--slow", "parse:time>1.5ms", "--slow",
               "parse:page-faults>=10", "--slow", "a:b>c:task-clock>2us", "--slow", "*:cs>3",
               "--slow-rate", "7", "--slow-output", "slow.log", "--by-work"]
    FILE = """\
events: [alignment-faults, "{page-faults,cs}"]
top: 3
sort: max
sample: ['parse:7', 50]
only: [p*, r*]
columns: [avg, max]
percentiles: [50, 99.9]
metrics: [cpus-utilized, "*-per-second,GB/s", "own,more"]
metrics_file: [own.yaml, more.yaml]
slow_output: slow.log
regions:
  a: {histogram: b}
  parse: {slow: ['time>1.5ms', 'page-faults>=10']}
  "a:b>c": {slow: 'task-clock>2us'}
slow: '*:cs>3'
slow_rate: 7
by_work: true
show_regions: x*
label: "a \\"label\\"\\t#1: \\\\ \\u00e9"
color: always
per_thread: true
inherit: false
totals: false
cpu_time: false
timeout: 5000
delay: -1
field_separator: '\\t'
width: 100
raw: true
by: task-clock
"""

    def write_metrics(self):
        """Write the files of metrics that OPTIONS and FILE name."""
        for name in "own", "more":
            self.text_file(name + ".yaml", "metrics: [{name: %s, formula: cs * 2}]\n" % name)

    def test_options_and_a_file_give_the_same_plan(self):
        self.write_metrics()
        path = self.text_file("same.yaml", self.FILE)
        for words in (["--dry-run"], ["--dry-run", "--", "ls", "-l", "a b"]):
            from_options = self.regionstat(*self.OPTIONS, *words)
            from_file = self.regionstat("-c", path, *words)
            self.assertEqual(from_options.stdout, from_file.stdout)
            self.assertRegex(from_file.stdout, "(?m)^  alignment-faults ")
            for line in (r"cpus-utilized +task-clock \(group \d\)", r"GB/s +no events",
                         r"parse +time>1\.5ms", r"parse +page-faults>=10",
                         r"a:b>c +task-clock>2us", r"\* +cs>3", r"more +cs \(group \d\)",
                         "at most 7 lines a second to slow.log"):
                self.assertRegex(from_file.stdout, "(?m)^  %s$" % line)
            self.assertIn("\ncalls with different work: separate rows\n", from_file.stdout)
            self.assertEqual(from_file.stderr, "")

        def values(lines):
            """Values in one word and in a list are the same."""
            return " ".join(lines).replace('"', "").replace(",", " ").replace(
                " - ", " ").split()
        options = values(without_origins(self.regionstat(*self.OPTIONS, "--print-config").stdout))
        file = values(without_origins(self.regionstat("-c", path, "--print-config").stdout))
        self.assertEqual(options, file)
        self.assertEqual(sorted(os.listdir(self.directory)), ["more.yaml", "own.yaml", "same.yaml"])

    def test_what_is_printed_loads_again(self):
        output = self.path("a b.txt")
        self.write_metrics()
        for arguments in (self.OPTIONS, [], ["-j"], ["--quiet", "--format", "json", "-o", output,
                                                     "-o", "b.csv", "-e", "time"],
                          ["--metrics-file", "own.yaml", "-M", "own,GB/s", "--slow", "a b:cs>1k",
                           "--slow-output", "slow: #1.log", "--by-work"]):
            printed = self.regionstat(*arguments, "--print-config").stdout
            path = self.text_file("printed.yaml", printed)
            again = self.regionstat("-c", path, "--print-config").stdout
            self.assertEqual(without_origins(again), without_origins(printed))
            self.assertEqual(self.regionstat("-c", path, "--dry-run").stdout,
                             self.regionstat(*arguments, "--dry-run").stdout)
        self.assertEqual(sorted(os.listdir(self.directory)),
                         ["more.yaml", "own.yaml", "printed.yaml"])

    def test_every_option_that_is_a_setting_has_a_key(self):
        """Each option of the help has a key, except those that choose settings files or print
        something instead of a run."""
        words = re.findall(r"^  (?:-\w,|   ) --([\w-]+)", harness.regionstat("--help").stdout,
                           re.MULTILINE)
        names = {"event": "events", "output": "outputs", "regions": "show_regions"}
        wanted = {names.get(word, re.sub("^no-", "", word)).replace("-", "_") for word in words
                  if word not in ("help", "version", "config", "profile", "print-config",
                                  "dry-run", "json-output", "html", "live", "pid", "duration",
                                  "warmup", "prepare")}  # commands before a run
        printed = self.regionstat("--print-config").stdout
        self.assertEqual(set(re.findall(r"^(?:# )?([a-z_]+):", printed, re.MULTILINE)), wanted)

    def test_a_dry_run_runs_and_writes_nothing(self):
        self.text_file("a.yaml", "outputs: [run.csv, run.json]\n")
        result = self.regionstat("-c", "a.yaml", "--dry-run", "-o", "x.txt", "--", "touch", "ran")
        self.assertEqual(os.listdir(self.directory), ["a.yaml"])
        self.assertIn("command: touch ran\n", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^  table +x.txt$")
        self.assertNotIn("run.csv", result.stdout)
        self.assertTrue(result.stdout.endswith("nothing was run\n"))

    def test_a_dry_run_says_which_metrics_are_not_possible(self):
        self.text_file("own.yaml", self.NEVER)
        result = self.regionstat("--metrics-file", "own.yaml", "-M", "never,cpus-utilized",
                                 "--dry-run")
        self.assertRegex(result.stdout, r"(?m)^  never +not possible\n"
                         r"      it is for other CPUs: no-such-cpu$")
        self.assertRegex(result.stdout, r"(?m)^  cpus-utilized +task-clock \(group 0\)$")
        self.assertIn("  at most 100 lines a second",  # the default
                      self.regionstat("--slow", "a:time>1s", "--dry-run").stdout)
        self.assertNotRegex(self.regionstat("--dry-run", "-e", "cs").stdout,
                            "(?m)^(metrics|slow calls|calls with different work):")

    def test_what_is_wrong_for_a_run_is_wrong_for_a_dry_run(self):
        self.text_file("own.yaml", self.NEVER)
        for words in (["-M", "no-such-metric"], ["--metrics-file", "none.yaml"],
                      ["--metrics-file", "own.yaml", "--strict", "-M", "never"],
                      ["-e", "cs", "--slow", "a:page-faults>1"], ["--slow", ":time>1s"],
                      ["-e", "cs", "--slow", "a:cs>1ms"], ["--slow", "a:time>1"],
                      ["--slow-rate", "3"], ["-e", "cs", "--by", "page-faults"]):
            with self.subTest(words=words):
                run = self.regionstat(*words, "--", "touch", "ran", status=125)
                dry = self.regionstat(*words, "--dry-run", "--", "touch", "ran", status=125)
                self.assertEqual((dry.stdout, dry.stderr), ("", run.stderr))
        self.assertEqual(os.listdir(self.directory), ["own.yaml"])

    def test_what_is_wrong_has_its_place(self):
        """Also if only the plan of the run shows it, and among several values."""
        time, faults = ["-e", "time"], ["-e", "page-faults"]
        for text, options, line in (
                ("metrics:\n  - cpus-utilized\n  - no-such-metric\n", [], 3),
                ("events: cs\nslow: ['a:cs>1', 'a:time>1s',\n  'a:page-faults>1']\n", [], 3),
                ("events: cs\nregions:\n  a: {slow: 'time>1s'}\n  b: {slow: 'page-faults>1'}\n",
                 [], 4),
                ("top: 3\nevents:\n  - no-such-event\n", [], 3),
                ("metrics: no-such-metric\n", time, 1), ("slow: ['r:time>1']\n", time, 1),
                ("slow: ['r:page-faults>1']\n", time, 1), ("slow: [':time>1ms']\n", time, 1),
                ("by: cs\n", faults, 1), ("\nquiet: true\n", [], 2)):
            self.text_file("regionstat.yaml", text)
            for words in (["--dry-run"], ["true"]):
                with self.subTest(text=text, words=words):
                    result = self.regionstat(*options, *words, status=125)
                    self.assertIn("this is from regionstat.yaml:%d:" % line, result.stderr)
        path = self.text_file("told.yaml", "metrics: GB/s\nmetrics_file: [%s,\n  none.yaml]\n"
                          % self.text_file("own.yaml", self.NEVER))
        for words in (["--dry-run"], ["true"]):
            result = self.regionstat("-c", path, *words, status=125)
            self.assertIn("cannot read 'none.yaml': ", result.stderr)
            self.assertIn("\n  this is from %s:3:" % path, result.stderr)
        path = self.text_file("own.yaml", "append: true\nrotate: 1h\n")
        result = self.regionstat("-c", path, "--dry-run", "-o", "x.csv", "--budget", "1%",
                                 "--sample", "9", status=125)
        self.assertNotIn("own.yaml", result.stderr)
        for place, words in ((":1:1", ()), (":2:9", ("--no-append",))):
            result = self.regionstat("-c", path, "--dry-run", *words, status=125)
            self.assertIn("this is from %s%s\n" % (path, place), result.stderr)
        result = self.regionstat("--dry-run", "-e", "no-such-event", "-o", "x", status=125)
        self.assertNotIn("regionstat.yaml", result.stderr)

    def test_a_dry_run_says_what_a_run_would_count(self):
        events = "page-faults,task-clock,context-switches,{cpu-clock,minor-faults}"
        shown = self.regionstat("-e", events, "--dry-run").stdout
        counted = self.measure("true", events=events).report
        for name in events.replace("{", "").replace("}", "").split(","):
            row = counted.one(kind="run", event=name)
            self.assertRegex(shown, r"(?m)^  %s +(regions, run|not)" % name)
            self.assertEqual("not-" in row.status, "  %s not" % name in re.sub(" +", " ", shown))
        groups = re.findall(r"^  group \d+: (.*)$", shown, re.MULTILINE)
        self.assertEqual(len(groups), 2)
        self.assertEqual(groups[1], "cpu-clock, minor-faults")
        self.assertIn("each thread with markers: 5 counters in 2 groups", shown)

    def test_a_run_with_settings(self):
        self.text_file("regionstat.yaml", "events: time\nlabel: from a file\nformat: csv\n"
                   "only: [line]\n")
        result = self.regionstat("--", harness.app("nest"), "5")
        report = harness.Report(result.stderr.split("regionstat:")[0])
        self.assertEqual(report.rows[0].run, "from a file")
        self.assertEqual(report.calls(), {"line": 5})
