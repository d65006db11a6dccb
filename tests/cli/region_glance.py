# SPDX-License-Identifier: MIT
"""The table of all regions. Their shares, (unmarked) and (overhead) add up to 100.0 % of the marked
threads' lifetimes, or of an event's count. Each share agrees with the sums in CSV."""

import re

import harness

LEVELS = ["level-%d" % i for i in range(10)]
N_RUNS = {"threads": 8, "forks": 7}  # threads, and processes: 1 + 2 + 4


class Glance:
    """The lines of the table: names without the tree's lines, in order, and shares. bounded has the
    regions whose share is at most the one shown, because their calls are shorter than their
    markers' overhead."""

    def __init__(self, text):
        lines = re.search(r"^region.*\n((?:.+\n)+)", text, re.MULTILINE).group(1).splitlines()
        self.depths, self.tenths, self.bounded = {}, {}, set()
        for line in lines:
            if re.match(r"(\d+ threads?|run) +100\.0%", line):
                break
            tree, name, bound, share = re.match(
                r"([│├└ ]*)(\d+ more|\S+)(?: recursive| \d+ parents)? +(<?)"
                r"(\d+\.\d(?=%)|\d+(?=%)|-|100\.0)", line).groups()
            self.depths[name] = len(tree) // 2
            self.bounded |= {name} if bound else set()
            self.tenths[name] = None if share == "-" else int(share.replace(".", ""))
        self.end = line

    def adds_up(self):
        """Check that the shares add up to 100.0 %, with some part of those that are bounds."""
        shares = {name: share for name, share in self.tenths.items() if share is not None}
        exact = sum(share for name, share in shares.items() if name not in self.bounded)
        return exact <= 1000 <= sum(shares.values()) if self.bounded else exact == 1000


class Shares(harness.TestCase):

    def run_glance(self, how, *options):
        """Return the table as text, and the measured values as exact numbers."""
        result = self.regionstat("-o", self.path("run.json"), "-o", self.path("run.csv"),
                                 *options, harness.app("glance"), how)
        document = harness.read_json(self.path("run.json"))
        report = harness.read_report(self.path("run.csv"))
        return result.stderr, document, report

    def lifetimes_ns(self, document):
        """Return the lifetimes of all marked threads."""
        return sum(thread["lifetime_ns"] for thread in document["threads"])

    def check(self, how, *options):
        text, document, report = self.run_glance(how, *options)
        glance = Glance(text)
        self.assertTrue(glance.adds_up(), text)
        self.assertEqual(set(glance.depths) - {"(overhead)"}, {*LEVELS, "sleep", "(unmarked)"})
        for depth, name in enumerate(LEVELS):
            self.assertEqual(glance.depths[name], depth, text)
        self.assertEqual(glance.depths["sleep"], 1)
        lives, outside = self.lifetimes_ns(document), 1
        for name in [*LEVELS, "sleep"]:
            row = report.region(name)
            self.assertEqual(row.calls, 3 * N_RUNS[how])
            outside -= row.self_total / lives
            self.assertAlmostEqual(glance.tenths[name] / 1000, row.self_total / lives, delta=0.001)
        rest = glance.tenths["(unmarked)"] + glance.tenths.get("(overhead)", 0)
        self.assertAlmostEqual(rest / 1000, outside, delta=0.002)
        self.assertRegex(glance.end, r"^%d threads +100\.0%%" % N_RUNS[how])
        return text, glance, report

    def test_threads(self):
        self.check("threads", "-e", "time")

    def test_forks(self):
        self.check("forks", "-e", "time")

    def test_rows_that_are_split(self):
        """The table shows the sums of all threads, also with --per-thread and --per-process."""
        text, document, _ = self.run_glance("forks", "-e", "time", "--per-process")
        glance = Glance(text)
        self.assertTrue(glance.adds_up(), text)
        lives = self.lifetimes_ns(document)
        times = {}
        for row in document["rows"]:
            if row["kind"] == "region" and row["event"] == "time":
                times[row["region"]] = times.get(row["region"], 0) + row["self_total"]
        for name, self_ns in times.items():
            self.assertAlmostEqual(glance.tenths[name] / 1000, self_ns / lives, delta=0.001)

    def test_threads_with_least_and_most(self):
        """The threads with the smallest and largest value are rows of the CSV, and max/avg follows
        from these."""
        text, _, report = self.run_glance("threads", "-e", "time", "--per-thread", "--width", "120")
        lines = text.split("max/avg\n")[1].split("\n\n")[0].splitlines()
        found = {}
        for line in lines:
            name, n, low, median, high, imbalance = re.match(
                r"[│├└ ]*(\S+) +(\d+) +\S+ \S+ +(\S+) +(\S+ \S+) +\S+ \S+ +(\S+) +([\d.]+)$",
                line).groups()
            found[name] = (int(n), (low, high), median, float(imbalance))
        self.assertEqual(set(found), {*LEVELS, "sleep"})
        units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
        for name, (n, threads, median, imbalance) in found.items():
            rows = report.select(kind="region", region=name, event="time")
            totals = sorted((row.total, row.thread) for row in rows)
            self.assertEqual(n, len(totals))
            picked = {row.thread: row.total for row in rows}
            self.assertEqual([picked[thread] for thread in threads],
                             [totals[i][0] for i in (0, 7)])
            number, unit = median.split()
            shown = float(number) * units[unit]
            middle = (totals[3][0] + totals[4][0]) / 2
            self.assertAlmostEqual(shown, middle, delta=0.005 * shown + 1)
            average = sum(total for total, _ in totals) / len(totals)
            self.assertAlmostEqual(imbalance, totals[-1][0] / average, delta=0.0051)

    def test_rows_that_are_folded(self):
        text, _, _ = self.run_glance("threads", "-e", "time", "--top", "1", "--regions", "level-2")
        glance = Glance(text)
        self.assertEqual(set(glance.tenths) - {"(overhead)"},
                         {"level-0", "level-1", "level-2", "7 more", "sleep", "(unmarked)"}, text)
        self.assertTrue(glance.adds_up(), text)

    def test_by_an_event(self):
        """The shares of an event are shares of its count in the whole run."""
        text, _, report = self.run_glance("threads", "-e", "task-clock", "--by", "task-clock")
        glance = Glance(text)
        whole = report.run("task-clock").total
        if report.run("task-clock").status != "ok":
            self.skipTest("the run's task-clock was not counted all the time")
        self.assertTrue(glance.adds_up(), text)
        for name in LEVELS:
            share = report.region(name, "task-clock").self_total / whole
            self.assertAlmostEqual(glance.tenths[name] / 1000, share, delta=0.001)

    def test_what_waits(self):
        """A region's on-CPU share agrees with its rows."""
        text, document, report = self.run_glance("threads", "-e", "time", "--columns", "on-cpu")
        cpu = report.region("sleep", "cpu-time").self_total / self.lifetimes_ns(document)
        line = re.search(r"^\S+ sleep .*", text, re.MULTILINE).group()
        shown = re.findall(r"(\d+\.\d)%", line)[1:] or ["0"]
        self.assertAlmostEqual(float(shown[0]) / 100, cpu, delta=0.001)

    def test_asynchronous_calls_have_no_share(self):
        result = harness.regionstat("-e", "time", harness.app("tree"))
        glance = Glance(result.stderr)
        self.assertIsNone(glance.tenths["asynchronous"])
        if "<" not in result.stderr:  # such short calls have bounds instead of shares
            self.assertTrue(glance.adds_up(), result)
        truth = dict(line.split() for line in result.stdout.splitlines())
        for name, parent in truth.items():
            above = glance.depths[parent] + 1 if parent != "-" else 0
            self.assertEqual(glance.depths[name], above, (name, result.stderr))
