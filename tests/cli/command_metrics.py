# SPDX-License-Identifier: MIT
"""Metrics: -M, files of metrics, and the list. A script computes the expected values from other
numbers of the same report. The events are software events, which every machine counts."""

import json
import math
import os
import re

import harness

NEST = [harness.app("nest"), "16"]

OWN = """metrics:
  - name: faults-per-call
    label: faults a call
    formula: page-faults / calls
    unit: count
    meaning: page faults of a call
  - name: IPC
    formula: page-faults / wall_time
    unit: /s
  - {name: nothing, formula: page-faults / (calls - calls)}
  - {name: share, formula: "min(task-clock, time) / wall_time", unit: "%"}
  - {name: never, formula: task-clock / time, cpus: [no-such-cpu]}
"""


def number(row):
    return None if row.value in ("", None) else float(row.value)


class Metrics(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.config = self.path("config")
        self.own = os.path.join(self.config, "regionstat", "metrics")
        self.env = harness.environment(XDG_CONFIG_HOME=self.config)

    def write(self, text, name="own.yaml"):
        return self.text_file(os.path.join(self.own, name), text)

    def take(self, metrics, *options):
        self.regionstat("-x", ",", "-o", self.path("out.csv"), "-M", metrics, *options,
                        *NEST, env=self.env)
        return harness.read_report(self.path("out.csv"))

    def list(self, *words, status=0, **options):
        return self.regionstat("list", "metrics", *words, status=status, env=self.env,
                               cwd=self.directory, **options)

    def assertMetric(self, report, region, name, expected):
        row = report.one(kind="metric", region=region, event=name)
        self.assertTrue(math.isclose(number(row), expected, rel_tol=1e-9), (row, expected))

    def test_values_are_what_the_report_s_numbers_make(self):
        report = self.take("cpus-utilized,*-PER-second")
        self.assertEqual({row.event for row in report.select(kind="metric")},
                         {"cpus-utilized", "faults-per-second", "major-faults-per-second",
                          "switches-per-second", "migrations-per-second"})
        regions = [row.region for row in report.select(kind="region", event="time")]
        self.assertGreater(len(regions), 1)
        for region in regions:
            time = report.region(region).total / 1e9
            for metric, event, factor in (("cpus-utilized", "task-clock", 1e-9),
                                          ("faults-per-second", "page-faults", 1),
                                          ("switches-per-second", "context-switches", 1)):
                total = report.region(region, event).total
                self.assertMetric(report, region, metric, total * factor / time)
        elapsed = report.run("time").total / 1e9
        self.assertMetric(report, "", "faults-per-second",
                          report.run("page-faults").total / elapsed)
        self.assertMetric(report, "", "cpus-utilized",
                          report.run("task-clock").total / 1e9 / elapsed)

    def test_own_files_add_and_replace(self):
        self.write(OWN)
        report = self.take("faults-per-call,ipc,nothing,share")
        region = report.select(kind="region", event="page-faults")[0]
        self.assertMetric(report, region.region, "faults a call", region.total / region.calls)
        self.assertMetric(report, region.region, "IPC",
                          region.total / (report.run("time").total / 1e9))
        self.assertMetric(report, region.region, "share", 100 * min(
            report.region(region.region, "task-clock").total,
            report.region(region.region).total) / report.run("time").total)
        for row in report.select(kind="metric", event="nothing"):
            self.assertEqual((row.status, row.value), ("undefined", ""), row)

    def test_a_file_of_the_command_line_comes_last(self):
        self.write(OWN)
        path = self.text_file(
            "more.yaml", "metrics:\n  - {name: share, formula: page-faults * 2, unit: count}\n")
        report = self.take("share", "--metrics-file", path)
        self.assertMetric(report, "", "share", 2 * report.run("page-faults").total)

    def test_saved_runs_need_no_files(self):
        path = self.write(OWN)
        saved, table = self.path("run.json"), self.path("table.txt")
        harness.regionstat("-M", "faults-per-call,share,nothing,cpus-utilized", "-o", saved,
                           "--format", "table", "-o", table, *NEST, env=self.env)
        os.unlink(path)
        shown = harness.regionstat("report", saved, env=self.env)
        self.assertEqual(shown.stdout, harness.read_text(table))
        self.assertRegex(shown.stdout, r"\n +faults a call +[\d.,]+\n")
        self.assertRegex(shown.stdout, r"\n +share +[\d.]+%\n")
        self.assertRegex(shown.stdout, r"\n +nothing +<undefined>\n")
        markdown = harness.regionstat("report", "--format", "markdown", saved, env=self.env).stdout
        self.assertRegex(markdown, r"\| faults a call \|")
        again = self.path("again.json")
        harness.regionstat("report", "-o", again, saved, env=self.env)
        first = harness.read_json(saved)
        self.assertEqual(first, harness.read_json(again))
        self.assertIn("cpus-utilized", [metric["name"] for metric in first["metrics"]])

    def test_wrong_metrics(self):
        path = self.write("metrics:\n  - name: a\n    formula: b +\n")
        result = self.regionstat("-M", "CPI", "true", env=self.env, status=125)
        self.assertIn("regionstat: " + path + ":3:17: ", result.stderr)
        os.unlink(path)
        for name, remedy in (("cpus-utilised", "cpus-utilized"), ("zzzzzzz", "list metrics"),
                             ("zz*", "list metrics"), ("a,,b", "list metrics")):
            result = self.regionstat("-M", name, "true", env=self.env, status=125)
            self.assertIn(remedy, result.stderr.partition("try: ")[2])

    def refuse(self, text):
        """Check that runs and the list refuse the metrics with this text."""
        for words in (("-M", "faults-per-call", "true"), ("list", "metrics")):
            self.assertIn(text, self.regionstat(*words, env=self.env, status=125).stderr)

    def test_what_is_no_file_is_refused_and_not_waited_for(self):
        os.makedirs(self.own)
        path = os.path.join(self.own, "own.yaml")
        for make, unmake in ((os.mkfifo, os.unlink), (os.mkdir, os.rmdir),
                             (lambda at: os.symlink("/dev/zero", at), os.unlink)):
            make(path)
            self.refuse(path + "': it is not a regular file")
            unmake(path)

    def test_what_anybody_may_have_written_is_refused(self):
        path = self.write(OWN)
        os.chmod(path, 0o666)
        self.refuse(f"regionstat refuses the metrics in '{path}': everybody may write to it\n  try: ")
        if os.geteuid() == 0:
            os.chmod(path, 0o644)
            os.chown(path, 1, 1)
            self.refuse("it is owned by another user")
            os.chown(path, 0, 0)
            os.chmod(path, 0o666)
        moved = self.path("named.yaml")
        os.rename(path, moved)
        self.regionstat("-M", "faults-per-call", "--metrics-file", moved, "true", env=self.env)

    def test_impossible_metrics(self):
        self.write(OWN)
        # with -v all findings are shown, however many others there are
        result = self.regionstat("-v", "-M", "never,cpus-utilized", *NEST, env=self.env)
        reason = "cannot compute 'never': it is for other CPUs: no-such-cpu"
        self.assertIn("regionstat: " + reason, result.stderr)
        self.assertIn("\n- " + reason, result.stderr)
        result = self.regionstat("-M", "NEV*", "true", env=self.env, status=125)
        self.assertIn("-M: all metrics that match 'NEV*' are for other CPUs", result.stderr)
        self.assertIn("try: regionstat list metrics --countable", result.stderr)
        result = self.regionstat("--strict", "-M", "never", "true", env=self.env, status=125)
        self.assertIn(reason, result.stderr)
        result = harness.regionstat("-v", "-M", "GB/s", *NEST, env=self.env)
        self.assertIn("- 'GB/s' has no value: no region used REGIONSTAT_WORK()",
                      result.stderr)

    def test_the_remedy_is_printed_once(self):
        self.write("metrics:\n" + "".join(
            "  - {name: no-%d, formula: cs * %d, cpus: [no-such-cpu]}\n" % (i, i)
            for i in range(1, 41)))
        names = ["no-%d" % i for i in range(1, 41)]
        result = self.regionstat("-e", "time", "-M", ",".join(names), "--quiet", "-o",
                                 self.path("a.csv"), "-o", self.path("b.json"), "true",
                                 env=self.env)
        lines = result.stderr.splitlines()
        self.assertEqual(lines[:40], ["regionstat: cannot compute '%s': it is for other CPUs: "
                                      "no-such-cpu" % name for name in names])
        self.assertEqual(result.stderr.count("  try: regionstat list metrics"), 1, result)
        self.assertIn("no-such-cpu; the same holds for 'no-2'",
                      harness.read_text(self.path("b.json")))
        result = harness.regionstat("-e", "time", "-M", "no-1,cpus-utilized,no-2", "--dry-run",
                                    env=self.env)
        self.assertEqual(result.stdout.count("not possible\n"), 2, result)

    def test_the_list(self):
        self.write(OWN)
        result = self.list()
        self.assertEqual(result.stderr, "")
        names = [line.split()[0] for line in result.stdout.splitlines()]
        self.assertEqual(len(names), len({name.lower() for name in names}))
        self.assertGreater(len(names), 30)
        self.assertRegex(result.stdout, r"(?m)^  faults-per-call +yes  page faults of a call \[")
        self.assertRegex(result.stdout, r"(?m)^  never +no .*\(it is for other CPUs: no-such-cpu\)")
        one = self.list("FAULTS-PER-CALL").stdout
        for line in ("formula: page-faults / calls", "own.yaml:2", "events: page-faults"):
            self.assertIn(line, one)
        some = self.list("*-per-second").stdout
        self.assertEqual(len(some.splitlines()), 4)
        own = json.loads(self.list("-j", "faults-per-call").stdout)["metrics"]
        self.assertEqual(own, [{
            "name": "faults-per-call", "label": "faults a call", "unit": "count",
            "countable": "yes", "formula": "page-faults / calls", "events": ["page-faults"],
            "help": "page faults of a call", "file": os.path.join(self.own, "own.yaml") + ":2"}])

    @staticmethod
    def names_of(text):
        return dict(re.findall(r"^  (\S+) +(yes|no) ", text, re.MULTILINE))

    def test_the_list_leaves_what_is_not_asked_for(self):
        self.write(OWN)
        self.assertEqual(set(self.names_of(self.list("-s", "FAULTS OF A").stdout)),
                         {"faults-per-call"})
        self.assertEqual(set(self.names_of(self.list("--search=TS-PER-CALL", "*").stdout)),
                         {"faults-per-call"})
        for words, said in ((("-s", "share", "never"), "that matches 'never' has 'share'"),
                            (("never", "--countable"), "--countable hides what cannot")):
            result = self.list(*words, status=1)
            self.assertEqual(result.stdout, "")
            self.assertIn(said, result.stderr)

    def test_the_list_knows_files_of_the_settings(self):
        self.text_file("more.yaml",
                       "metrics: [{name: of-a-file, formula: page-faults * 2, unit: count}]\n")
        self.text_file("settings.yaml", "metrics_file: more.yaml\n")
        self.list("of-a-file", status=1)
        for words in (("-c", "settings.yaml"), ("--metrics-file", "more.yaml")):
            self.assertEqual(self.names_of(self.list("of-a-file", *words).stdout),
                             {"of-a-file": "yes"})
