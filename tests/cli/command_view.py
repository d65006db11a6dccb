# SPDX-License-Identifier: MIT
"""Options of the view: columns, percentiles and the width of tables."""

import collections
import json
import re

import harness


def columns_of(text):
    """Return the headings of the first table."""
    return re.search(r"^region(.*)$", text, re.MULTILINE).group(1).split()


class View(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.saved = self.path("saved.json")
        self.regionstat("-e", "task-clock", "-o", self.saved, harness.app("nest"), "16")

    def show(self, *options, **run_options):
        return self.regionstat("report", *options, self.saved, **run_options).stdout

    def test_columns(self):
        self.assertEqual(columns_of(self.show("--width", "80")),
                         ["self", "total", "calls", "avg", "p90", "max"])
        text = self.show("--columns", "max,p99.5,on-cpu", "--columns", "min,max")
        self.assertEqual(columns_of(text), ["self", "max", "p99.5", "█", "on-CPU", "min"])
        self.assertRegex(text, r"\n\nregion +event +max +p99.5 +min\n")
        # calls belong to no event, so there is no table of events
        text = self.show("--columns", "calls,on-cpu")
        self.assertEqual(len(re.findall("^region", text, re.MULTILINE)), 1)
        self.assertIn("\ntotals of the run", text)
        # in their order, each once, without zeros at their ends
        text = self.show("--percentiles", "100,099.50,50,99.9999,0.0001,2,3,4,50.0",
                         "--columns", "avg", "--width", "200")
        self.assertEqual(columns_of(text), ["self", "avg", "p0.0001", "p2", "p3", "p4", "p50",
                                            "p99.5", "p99.9999", "p100"])
        text = self.show("--percentiles", "25,50,100", "--width", "80")
        self.assertEqual(columns_of(text),
                         ["self", "avg", "p25", "p50", "p100", "max"])

    def test_percentiles_are_those_of_the_histograms(self):
        """Percentiles equal the nearest rank in the record's buckets, within the width of a
        bucket."""
        wanted = ["1", "33.3333", "50", "90", "99", "99.9", "100"]
        document = json.loads(self.show("--percentiles", ",".join(wanted), "-j"))
        rows = {row["region"]: row for row in document["rows"]
                if row["kind"] == "region" and row["event"] == "time"}
        of_regions = collections.defaultdict(list)
        for result in document["results"]:
            for low, high, count in result["values"][0]["buckets"]:
                of_regions[result["region"]] += [(low, high)] * count
        for region, values in of_regions.items():
            row = rows[document["regions"][region]["name"]]
            values.sort()
            for percent in wanted:
                rank = max(1, -(-len(values) * int(float(percent) * 10000) // 1000000))
                low, high = values[rank - 1]
                # the least and the greatest call are known better than their bucket, by 1/128
                self.assertTrue(low * 0.991 - 1 <= row["p" + percent] <= high * 1.009 + 1,
                                (percent, row, low, high))

    def test_regions_that_there_are_not(self):
        """An unknown region is an error that suggests similar names; the report of a run is printed
        too."""
        for option, wish in (("--histogram", "pixl"), ("--histogram", "pixl:time"), ("--regions", "pixl")):
            result = harness.regionstat("report", option, wish, self.saved)
            self.assertEqual((result.status, result.stdout), (125, ""), result)
            self.assertIn("%s: no region matches '%s'\n  try: pixel\n" % (option, wish), result.stderr)
            result = self.regionstat(option, wish, harness.app("nest"), "1")
            self.assertIn("\n1 thread ", result.stderr)
            self.assertIn("regionstat: %s: no region matches '%s'\n  try: pixel\n" % (option, wish),
                          result.stderr)

        result = self.regionstat("report", "--regions", "z*", self.saved, status=125)
        self.assertIn("no region matches 'z*'\n  try: a name from the report without --regions\n",
                      result.stderr)

    def test_histograms(self):
        """Each wish has a histogram of all calls. stats/distribution_test and report/table_test check
        the lines."""
        text = self.show("--histogram", "pixel", "--histogram", "line:task-clock",
                         "--histogram", "line:none")
        self.assertIn("\nline:none: this event has no distribution\n"
                      "  try: --histogram REGION:EVENT, with an event that regions count\n", text)
        for head, calls in (("pixel", 16 * 640), ("line task-clock", 16)):
            part = text.split("\n%s: %s calls, total " % (head, format(calls, ",")))[1]
            lines = re.findall(r"(?m)^ *[\d.,]+ \w+ +[\d.,]+ \w+ +([\d,]+)", part.split("\n\n")[1])
            self.assertEqual(sum(int(n.replace(",", "")) for n in lines), calls, part)

    def test_width(self):
        wide = self.show("--width", "130")
        self.assertIn("p99", columns_of(wide))
        self.assertEqual(self.show(env=harness.environment(COLUMNS="130")), wide)
        every = ["total", "self", "calls", "avg", "p50", "p90", "p99", "p99.9", "max", "stddev"]
        text = self.show("--columns", ",".join(every))  # a pipe is as wide as the table
        self.assertEqual(columns_of(text), ["self", "total", "self", "time", *every[2:]])
        for nonsense in ("", "x", "-5", "130x", "3", "99999999999999999999"):
            self.assertEqual(self.show(env=harness.environment(COLUMNS=nonsense)), self.show())
        narrow = self.show("--width", "60", env=harness.environment(COLUMNS="130"))
        self.assertNotEqual(narrow, wide)
        for line in self.show("--width", "80").splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_a_terminal_is_as_wide_as_it_is(self):
        text, _ = harness.on_terminal([harness.REGIONSTAT, "report", self.saved], size=(25, 80),
                                      env=harness.environment(COLUMNS="200", TERM="dumb"))
        for line in text.decode("utf-8").splitlines():
            self.assertLessEqual(len(line), 80)

    def test_ascii_where_the_locale_has_no_more(self):
        self.assertIn("\n└ line", self.show())
        text = self.show(env=harness.environment(LC_ALL="C"))
        self.assertIn("\n`-line", text)
        self.assertTrue(text.isascii())

    def test_an_event_that_there_is_not(self):
        result = self.regionstat("report", "--by", "task-clok", self.saved, status=125)
        self.assertIn("regions do not count 'task-clok'\n  try: task-clock\n", result.stderr)
