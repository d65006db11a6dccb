# SPDX-License-Identifier: MIT
"""Merged runs: regionstat merge, and the same sums in SQL from the lines of --format ndjson."""

import itertools
import json
import os
import re
import sqlite3
from collections import Counter
from random import Random

import harness

EVENTS = ["-e", "page-faults"]
# Keys of values that add up exactly, whatever the order.
SUMS = ("counted", "weight", "sum", "total", "self", "enabled_ns", "running_ns")

# The statements of the manual, which is what users run.
SQL = re.findall(r"(?s)\n\.Bd -literal[^\n]*\n((?:SELECT|WITH) .*?)\n\.Ed\n",
                 harness.read_man_page("regionstat-merge.1"))
assert len(SQL) == 4, "regionstat-merge(1) has %d statements of SQL, not 4" % len(SQL)
SQL_VALUES, SQL_BUCKETS, SQL_SQUARE, SQL_IMBALANCE = SQL


def results_of(document):
    """Return the results of a document by the names of regions. Names replace indexes. Doubles are
    omitted, because the order of sums changes their last digits."""
    names = [region["name"] for region in document["regions"]]
    results = {}
    for result in document["results"]:
        result = dict(result)
        result["parents"] = sorted("" if parent is None else names[parent]
                                   for parent in result["parents"])
        for value in result["values"] + result["ranks"]:
            value.pop("square", None)
            value.pop("variance", None)
        results[names[result.pop("region")]] = result
    return results


def sums_of(paths):
    """Return the calls and sums of each region, added over several documents of one thread."""
    sums = Counter()
    for path in paths:
        for name, result in results_of(harness.read_json(path)).items():
            sums[name] += result["calls"]
            sums.update({(name, value["event"], key): value[key]
                         for value in result["values"] for key in SUMS})
    return sums


def octaves_of(paths):
    """Return the weights and events of all octaves of each region, added over several documents."""
    sums = Counter()
    for path in paths:
        document = harness.read_json(path)
        events = ["weight", *(event["name"] for event in document["events"][4:])]
        for result in document["results"]:
            for octave in result["octaves"]:
                for event, value in zip(events, [octave["weight"], *octave["sums"]]):
                    sums[document["regions"][result["region"]]["name"], event] += value
    return sums


def part_of(document, wanted):
    """Return the document of some processes alone, by their indexes."""
    part = json.loads(json.dumps(document))
    processes = {old: new for new, old in enumerate(wanted)}
    part["processes"] = [document["processes"][old] for old in wanted]
    threads = [index for index, thread in enumerate(document["threads"])
               if thread["process"] in processes]
    part["threads"] = [dict(document["threads"][index],
                            process=processes[document["threads"][index]["process"]])
                       for index in threads]
    part["results"] = [dict(result, thread=threads.index(result["thread"]))
                       for result in document["results"] if result["thread"] in threads]
    return part


def totals_of(paths):
    """Return the total time of each region by the process of each saved run."""
    totals = {}
    for path in paths:
        document = harness.read_json(path)
        pid = document["processes"][0]["pid"]
        for result in document["results"]:
            name = document["regions"][result["region"]]["name"]
            totals.setdefault(name, {})[pid] = result["values"][0]["total"]
    return totals


class TestCase(harness.TestCase):
    def save(self, name, *program, options=EVENTS):
        path = self.path(name + ".json")
        self.regionstat(*options, "-o", path, "--", *program)
        return path

    def save_nests(self, n):
        return [self.save("nest%d" % i, harness.app("nest"), 4 + i) for i in range(n)]

    def merge(self, *arguments, status=0):
        return self.regionstat("merge", *arguments, status=status)

    def merged(self, *arguments, name="merged"):
        """Merge into a file, and return its path."""
        path = self.path(name + ".json")
        self.merge(*arguments, "-o", path)
        return path

    def rows(self, path):
        result = self.regionstat("report", "--format", "csv", path)
        return harness.Report(result.stdout).rows

    def load(self, *paths):
        """Return a database with a table of all lines, a column for each key."""
        lines = [line for path in self.lines_of(*paths) for line in harness.read_json_lines(path)]
        keys = sorted({key for line in lines for key in line})
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE lines (%s)" % ", ".join('"%s"' % key for key in keys))
        database.executemany("INSERT INTO lines VALUES (%s)" % ", ".join("?" * len(keys)),
                             [[line.get(key) for key in keys] for line in lines])
        return database

    def lines_of(self, *paths):
        """Write the lines of each run into a file, and return their paths."""
        files = []
        for path in paths:
            files.append(path.replace(".json", ".ndjson"))
            self.regionstat("report", "-o", files[-1], path)
        return files

    def check_sums(self, paths, values, buckets, squares):
        """Compare the rows of the statements with what merge adds up."""
        document = harness.read_json(self.merged(*paths))
        events = [event["name"] for event in document["events"]]
        merged_values, merged_buckets, merged_squares = [], [], {}
        for result in document["results"]:
            region = document["regions"][result["region"]]
            names = (region["name"], region.get("object", ""))
            for value in result["values"]:
                event = events[value["event"]]
                extremes = (value["min"], value["max"]) if value["weight"] else (None, None)
                numbers = [value[key] for key in SUMS]
                merged_values.append((*names, event, result["calls"], *numbers[:3], *extremes,
                                      *numbers[3:]))
                merged_buckets += [(*names, event, *bucket) for bucket in value["buckets"]]
                if value["weight"]:
                    merged_squares[(*names, event)] = value.get("square", 0)
        self.assertEqual(sorted(values), sorted(merged_values))
        self.assertEqual(sorted(buckets), sorted(merged_buckets))
        found = {tuple(names): square for *names, square in squares}
        self.assertEqual(set(found), set(merged_squares))
        for key, square in merged_squares.items():
            # the last of 53 bits of averages and of their squares, a few times
            self.assertAlmostEqual(found[key], square, delta=1e-12 * (square + 1) * 1e3)

    def check_rows(self, *paths):
        """Check that what SQLite adds up is what merge adds up, and what its rows show."""
        database = self.load(*paths)
        self.check_sums(paths, *(list(database.execute(statement)) for statement in
                                 (SQL_VALUES, SQL_BUCKETS, SQL_SQUARE)))
        merged = self.merged(*paths)
        self.assertEqual(octaves_of([merged]), octaves_of(paths))
        single = [{(row.kind, row.region, row.event): row for row in self.rows(path)}
                  for path in paths]
        rows = self.rows(merged)
        self.assertEqual({(row.region, row.event) for row in rows if row.kind == "region"},
                         {key[1:] for key in single[0] if key[0] == "region"})
        for row in rows:
            parts = [part.get((row.kind, row.region, row.event)) for part in single]
            if row.kind == "region":
                self.assertEqual(row.parent, parts[0].parent, row)
                for key in ("calls", "counted", "threads"):
                    self.assertEqual(getattr(row, key), sum(getattr(part, key) for part in parts), row)
            if row.kind == "region" and row.min is not None:
                self.assertEqual(row.min, min(part.min for part in parts), row)
                self.assertEqual(row.max, max(part.max for part in parts), row)
            # the elapsed time is the longest one
            if row.kind == "region" or row.kind == "run" and row.event != "time":
                self.assertEqual(row.total, sum(part.total for part in parts), row)


class Merge(TestCase):
    def test_order_and_grouping_do_not_matter(self):
        paths = self.save_nests(4)
        expected = results_of(harness.read_json(self.merged(*paths)))
        self.assertEqual(set(expected), {"render", "line", "pixel"})
        for order in itertools.islice(itertools.permutations(paths), 0, None, 5):
            with self.subTest(order=order):
                self.assertEqual(results_of(harness.read_json(self.merged(*order))), expected)
        for cut in (1, 2, 3):
            with self.subTest(cut=cut):
                left = self.merged(*paths[:cut], name="left")
                right = self.merged(*paths[cut:], name="right")
                for both in ((left, right), (right, left)):
                    self.assertEqual(results_of(harness.read_json(self.merged(*both))), expected)

    def test_any_split_of_the_processes_gives_the_whole(self):
        nest, threads = harness.app("nest"), harness.app("work")
        script = "%s 3; %s threads 3 40; %s 5; %s calls 60; %s 4; %s markers 1 aaaaaaaaaA" % (
            nest, threads, nest, threads, nest, harness.app("rules"))
        whole = self.save("whole", "sh", "-c", script,
                          options=[*EVENTS, "--per-process"])  # no process takes over another's place
        document = harness.read_json(whole)
        n = len(document["processes"])
        self.assertEqual(n, 6)
        expected = results_of(harness.read_json(self.merged(whole)))
        self.assertEqual(expected["a"]["open"], 8)
        self.assertEqual([result["ranks"][0]["processes"] for name, result in expected.items()
                          if name == "render"], [3])
        random = Random(1)
        for trial in range(12):
            groups = [[] for _ in range(random.randint(1, n))]
            for process in range(n):
                random.choice(groups).append(process)
            paths = []
            for i, group in enumerate(filter(None, groups)):
                paths.append(self.path("part%d.json" % i))
                harness.write_json(paths[-1], part_of(document, group))
            random.shuffle(paths)
            with self.subTest(groups=groups):
                self.assertEqual(results_of(harness.read_json(self.merged(*paths))), expected)

    def test_events_and_regions_in_another_order(self):
        faults = [harness.app("rules"), "faults", 50, 3]
        one = self.save("one", *faults, options=["-e", "page-faults,major-faults,context-switches"])
        two = self.save("two", *faults,
                        options=["-e", "{context-switches,page-faults},major-faults"])
        self.check_rows(one, two)
        self.check_rows(two, one)
        parts = ["%s 4" % harness.app("nest"), "%s a b" % harness.app("named")]
        self.check_rows(*(self.save("part%d" % i, "sh", "-c", "; ".join(order))
                          for i, order in enumerate((parts, parts[::-1]))))

    def test_regions_of_different_objects_are_apart(self):
        path = self.save("one", harness.app("nest"), 4)
        document = harness.read_json(path)
        for region in document["regions"][1:]:
            region["object"] = "/usr/lib/libother.so"
        other = self.text_file("other.json", json.dumps(document))
        calls = Counter(row.calls for row in self.rows(self.merged(path, other))
                        if (row.kind, row.event) == ("region", "time"))
        self.assertEqual(calls, {1: 2, 4: 2, 4 * 640: 2})

    def test_merging_one_run_changes_no_row(self):
        """Threads and processes of a run become one, and its rows by region stay equal."""
        for program in ([harness.app("nest"), 6], [harness.app("work"), "sizes", "3", "50"]):
            for more in ([], ["--by-work"], ["--sample", "2"]):
                with self.subTest(program=program, more=more):
                    path = self.save("one", *program, options=[*EVENTS, *more])
                    def kept(path):
                        return [repr(row) for row in self.rows(path)
                                if row.kind in ("region", "work", "slowest", "tail", "diagnostic")]
                    self.assertEqual(kept(self.merged(path)), kept(path))

    def test_ranks(self):
        paths = self.save_nests(5)
        totals = totals_of(paths)
        merged = self.merged(*paths)
        document = harness.read_json(merged)
        self.assertEqual([process["merged"] for process in document["processes"]], [5])
        for name, result in results_of(document).items():
            ranks, = result["ranks"]
            times = totals[name]
            self.assertEqual((ranks["processes"], ranks["sum"]), (5, sum(times.values())))
            self.assertEqual((ranks["min"], ranks["max"]), (min(times.values()), max(times.values())))
            self.assertEqual(times[ranks["lowest"]["pid"]], ranks["min"])
            self.assertEqual(times[ranks["highest"]["pid"]], ranks["max"])
            self.assertEqual(sum(count for _, _, count in ranks["buckets"]), 5)
        imbalances = list(self.load(*paths).execute(SQL_IMBALANCE))
        self.assertEqual({row[0] for row in imbalances}, set(totals))
        for name, _, low, high, imbalance in imbalances:
            times = totals[name].values()
            self.assertEqual((low, high), (min(times), max(times)))
            self.assertAlmostEqual(imbalance, max(times) * 5 / sum(times))
        rows = {(row.region, row.event): row for row in self.rows(merged) if row.kind == "ranks"}
        for name, times in totals.items():
            row = rows[name, "time"]
            # a bucket of the histogram is 1/256 of its octave wide
            self.assertAlmostEqual(row.p50, sorted(times.values())[2], delta=row.p50 / 256)
            self.assertAlmostEqual(float(rows[name, "imbalance"].value),
                                   max(times.values()) * 5 / sum(times.values()))
        table = harness.regionstat("report", merged).stdout
        self.assertRegex(table, r"region +processes +imbalance +lowest +median +highest")
        self.assertRegex(table, r"\nrender +5 +\d\.\d\d ")

    def test_the_failure_that_ended_the_others_is_shown(self):
        """A rank that crashes comes before those that the launcher ends, whatever the order."""
        names = []
        for name, end in (("ok", "exit 0"), ("term", "kill -TERM $$"), ("kill", "kill -KILL $$"),
                          ("exit", "exit 3"), ("abort", "kill -ABRT $$")):
            names.append(self.path(name + ".json"))
            harness.regionstat("-o", names[-1], "sh", "-c", end)
        for n, text in ((2, "killed by SIGTERM (signal 15)"), (3, "killed by SIGKILL (signal 9)"),
                        (4, "exit status 3"), (5, "killed by SIGABRT (signal 6)")):
            for files in (names[:n], names[n - 1::-1]):
                result = self.merge(*files)
                self.assertIn("regionstat: the report shows how '%s' ended: %s\n" % (names[n - 1], text),
                              result.stderr)
                self.assertIn("\n%s\n" % text, result.stdout)
        self.assertNotIn("ended", self.merge(names[0]).stderr)

    def test_the_median_of_an_even_number_is_between_the_middle_two(self):
        paths = self.save_nests(2)
        expected = sorted(totals_of(paths)["render"].values())
        expected.insert(1, sum(expected) / 2)
        table = self.merge(*paths).stdout
        row = re.search(r"\nrender +2 +\d\.\d\d +([\d.]+) (\w+) +([\d.]+) (\w+) +([\d.]+) (\w+)", table)
        unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
        for i, ns in enumerate(expected):
            self.assertAlmostEqual(float(row[2 * i + 1]) * unit[row[2 * i + 2]], ns, delta=ns / 100)

    def test_processes_can_be_kept(self):
        paths = self.save_nests(2)
        report = harness.Report(self.merge("--per-process", "--format", "csv", *paths).stdout)
        rows = [row for row in report.rows if (row.kind, row.region, row.event) ==
                ("region", "render", "time")]
        self.assertEqual(len({row.process for row in rows}), 2)

    def test_rules(self):
        """--fail-if judges the sum."""
        paths = self.save_nests(2)
        self.merge("--fail-if", "render:time.calls > 2", *paths)
        self.merge("--fail-if", "render:time.calls > 1", *paths, status=3)

    def test_formats_of_several_runs(self):
        result = self.merge("--format", "junit", *self.save_nests(2), status=125)
        self.assertIn("junit cannot show a sum of runs; formats: table, csv, json, markdown, html, ndjson, "
                      "cali, folded, prometheus, otlp\n", result.stderr)

    def test_a_file_given_twice(self):
        path, link = self.save("one", harness.app("nest"), 4), self.path("link.json")
        os.link(path, link)
        warning = "is given more than once, so its calls count more than once (1 file too many)"
        self.assertNotIn("more than once", self.merge(path).stderr)
        for words in ([path, path], [path, link]):
            self.assertIn(warning, self.merge(*words).stderr)

    def test_label(self):
        paths = self.save_nests(2)
        merged = self.merged("--label", "all of them", *paths)
        self.assertEqual(harness.read_json(merged)["run"]["label"], "all of them")
        self.assertIn('"all of them"', harness.regionstat("report", merged).stdout)

    def test_elapsed(self):
        """The headline has the longest elapsed time and no number of CPUs, since runs may overlap."""
        paths = self.save_nests(3)
        documents = [harness.read_json(path) for path in paths]
        runs = [document["run"] for document in documents]
        self.assertEqual(runs[0]["merged"], 0)
        # the runs share a machine and a cgroup, one after another
        for path, document, stopped_ns in zip(paths, documents, (5000, 7000, 6000)):
            document["run"].update(throttled_ns=stopped_ns, steal_ns=stopped_ns + 1)
            harness.write_json(path, document)
        left = self.merged(*paths[:2], name="left")
        merged = self.merged(left, paths[2])
        run = harness.read_json(merged)["run"]
        self.assertEqual(run["merged"], 3)
        self.assertEqual(run["elapsed_ns"], max(one["elapsed_ns"] for one in runs))
        self.assertEqual(run["user_ns"], sum(one["user_ns"] for one in runs))
        self.assertEqual((run["throttled_ns"], run["steal_ns"]), (18000, 18003))
        for path, document in zip(paths, documents):  # now at the same time
            document["run"]["begin_ns"] = runs[0]["begin_ns"]
            harness.write_json(path, document)
        run = harness.read_json(self.merged(*paths, name="at-once"))["run"]
        self.assertEqual((run["throttled_ns"], run["steal_ns"]), (7000, 7001))
        headline = harness.regionstat("report", merged).stdout.splitlines()[0]
        self.assertRegex(headline, r"^nest 4 +3 runs +longest [0-9.]+ [mun]?s +[0-9.,]+ [mun]?s CPU")
        self.assertNotIn("elapsed", headline)
        self.assertNotIn("CPUs", headline)

    def test_names_of_files_from_a_list(self):
        """A list may have more names than a command line."""
        paths = self.save_nests(3)
        expected = results_of(harness.read_json(self.merged(*paths)))
        names = self.path("names")
        for text in ("\n".join(paths[1:]), "\n".join(paths[1:]) + "\n\n"):
            harness.write_text(names, text)
            merged = self.merged(paths[0], "--files-from", names)
            self.assertEqual(results_of(harness.read_json(merged)), expected)
        harness.write_text(names, "\n".join(paths))
        out = self.path("out.json")
        with open(names, encoding="utf-8") as file:
            result = harness.regionstat("merge", "--files-from", "-", "-o", out, stdin=file)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(results_of(harness.read_json(out)), expected)
        harness.write_text(names, "\n" + paths[0] + " \n")
        self.assertIn("No such file", self.merge("--files-from", names, status=125).stderr)
        for wrong, says in ((os.devnull, "merge: there is no FILE to merge"),
                            (self.path("missing"), "(ENOENT)\n  try: --files-from FILE, with")):
            self.assertIn(says, self.merge("--files-from", wrong, status=125).stderr)

    def test_shares_of_many_files(self):
        """Threads merge shares of the files. Their number does not matter, and wrong files and runs
        with other events cost only themselves, wherever they are."""
        paths = self.save_nests(3)
        other = self.save("other", harness.app("nest"), 9, options=["-e", "minor-faults"])
        wrong = self.path("wrong.json")
        harness.write_text(wrong, "{")
        files = [paths[i % 3] for i in range(300)]
        expected = self.merged(*files, name="expected")
        self.assertEqual(sums_of([expected]), sums_of(files))
        for i in range(0, 300, 10):
            files.insert(i, other if i % 20 and i > 30 else wrong)
        out = self.path("out.json")
        result = self.regionstat("merge", *files, "-o", out, status=125)
        self.assertIn("30 of 330 files were not merged", result.stderr)
        self.assertEqual(result.stderr.count("cannot read '%s'" % wrong), 17)
        self.assertEqual(result.stderr.count("cannot add '%s'" % other), 13)
        self.assertEqual(*(results_of(harness.read_json(path)) for path in (out, expected)))
        cpu = min(os.sched_getaffinity(0))
        one = self.path("one.json")
        result = harness.regionstat("merge", *files, "-o", one,
                                    preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(harness.read_text(one), harness.read_text(out))

    def test_reports(self):
        paths = self.save_nests(2)
        saved = self.merged(*paths)
        for name in ("table", "csv", "json", "markdown", "ndjson", "cali", "folded"):
            direct = self.merge("--format", name, *paths).stdout
            again = harness.regionstat("report", "--format", name, saved).stdout
            self.assertIn("render", direct)
            self.assertEqual(again, direct)


class Wrong(TestCase):
    """A file that cannot be merged is named and costs nothing but itself."""

    def check(self, path, says):
        good = self.save_nests(2)
        out = self.path("out.json")
        for files in itertools.permutations([*good, path]):
            result = self.merge(*files, "-o", out, status=125)
            self.assertIn(says, result.stderr)
            self.assertIn(path, result.stderr)
            self.assertIn("1 of 3 files was not merged (exit status 125)", result.stderr)
            self.assertEqual(results_of(harness.read_json(out)),
                             results_of(harness.read_json(self.merged(*good))))

    def write(self, text):
        return self.text_file("bad.json", text)

    def test_files_that_are_no_runs(self):
        whole = harness.read_text(self.save("whole", harness.app("nest"), 4))
        self.check(self.write(whole[:len(whole) // 2]), "it is a truncated saved run")
        series = self.path("runs.jsonl")
        self.regionstat("-r", 2, "-o", series, "--", "true")
        self.check(series, "it is a series of runs\n  try: regionstat report for a series")
        self.check(self.path("missing.json"), "No such file")
        document = harness.read_json(self.merged(*self.save_nests(2)))
        for key, value in (("min", 2 ** 62), ("processes", 0), ("buckets", [])):
            changed = json.loads(json.dumps(document))
            changed["results"][0]["ranks"][0][key] = value
            self.check(self.write(json.dumps(changed)), "results[0] makes no sense")

    def test_different_events(self):
        """Of runs with different events the first one counts."""
        first = self.save("first", harness.app("nest"), 4)
        other = self.save("other", harness.app("nest"), 4, options=["-e", "minor-faults"])
        result = self.merge(first, other, "-o", self.path("out.json"), status=125)
        self.assertIn("cannot add '%s': cannot merge runs that count different events: "
                      "'minor-faults' is not in both" % other, result.stderr)
        raw = self.save("raw", harness.app("nest"), 4, options=[*EVENTS, "--raw"])
        result = self.merge(first, raw, status=125)
        self.assertIn("cannot add '%s': cannot merge runs with and without --raw" % raw,
                      result.stderr)

    def test_nothing(self):
        result = self.merge(status=125)
        self.assertIn("merge: there is no FILE to merge\n  try: regionstat merge FILE...",
                      result.stderr)
        result = self.merge(self.path("missing"), status=125)
        self.assertIn("no FILE could be merged", result.stderr)
        self.assertIn("nothing was merged (exit status 125)", result.stderr)
        out = self.path("out.json")
        self.merge(self.path("missing"), "-o", out, status=125)
        self.assertFalse(os.path.exists(out))

    def test_too_many_calls(self):
        document = harness.read_json(self.save("one", harness.app("nest"), 4))
        result = document["results"][0]
        result.update(calls=2 ** 47 - 1, measured=1, weight=1, octaves=[])
        path = self.write(json.dumps(document))
        result = self.merge(path, path, status=125)
        self.assertIn("cannot add '%s': cannot merge more than 2^47 calls of a region" % path, result.stderr)
        self.assertIn("1 of 2 files was not merged (exit status 125)", result.stderr)

    def check_lost(self, files, says, n, expected):
        """n files are lost, and the sum is that of the others."""
        out = self.path("out.json")
        result = self.merge(*files, "-o", out, status=125)
        self.assertRegex(result.stderr, "cannot add the files from '[^']+' to '[^']+': " + says)
        self.assertIn("%d of %d files %s not merged (exit status 125)"
                      % (n, len(files), "was" if n == 1 else "were"), result.stderr)
        self.assertEqual(*(results_of(harness.read_json(path)) for path in (out, expected)))

    def test_too_many_calls_among_many_files(self):
        """They cost the files that were added with them."""
        good = self.save("good", harness.app("nest"), 4)
        document = harness.read_json(good)
        document["results"][0].update(calls=2 ** 47 - 1, measured=1, weight=1, octaves=[])
        files = [good] * 60 + [self.write(json.dumps(document))] * 2 + [good] * 40
        self.check_lost(files, "cannot merge more than 2\\^47 calls of a region, as of 'render'", 25,
                        self.merged(*[good] * 77))

    def test_too_many_regions_among_many_files(self):
        good = self.save("good", harness.app("nest"), 4)
        document = harness.read_json(good)
        sides = []
        for side in "ab":
            more = [{**document["regions"][1], "name": "%s %d" % (side, i)} for i in range(3000)]
            sides.append(self.path(side + ".json"))
            harness.write_json(sides[-1], {**document, "regions": document["regions"] + more})
        self.check_lost([sides[0]] * 44 + [sides[1]] * 22,
                        "cannot merge runs: together they have more than 4096 regions", 22,
                        self.merged(*[good] * 44))

    def test_the_standard_input_twice(self):
        path = self.save("one", harness.app("nest"), 4)
        for words in (["-", "-"], [path, "-", "--files-from", "-"]):
            self.assertIn("merge: '-' appears twice", self.merge(*words, status=125).stderr)


class Ndjson(TestCase):
    """Lines of several runs in SQLite, as any other engine reads them."""

    def several_runs(self):
        """Give runs of which all calls were measured, and sampled ones."""
        for more in ([], ["--sample", "3"]):
            with self.subTest(more=more):
                yield [self.save("run%d" % i, harness.app("nest"), 4 + i,
                                 options=[*EVENTS, *more]) for i in range(2)]

    def test_sqlite_gives_what_merge_gives(self):
        harness.need_no_sanitizer(harness.SAME_BYTES)
        for paths in self.several_runs():
            self.check_rows(*paths)

    def test_duckdb_gives_what_merge_gives(self):
        """The statements of the manual, on files as DuckDB reads them."""
        harness.need_no_sanitizer(harness.SAME_BYTES)
        node = harness.need_tool("node")
        folder = harness.need_npm("@duckdb/node-api")
        env = harness.environment(NODE_PATH=os.path.dirname(os.path.dirname(folder)))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "duckdb_rows.js")
        for paths in self.several_runs():
            wish = self.path("wish.json")
            statements = [SQL_VALUES, SQL_BUCKETS, SQL_SQUARE]
            harness.write_json(wish, [statements, *self.lines_of(*paths)])
            with open(wish, encoding="utf-8") as file:
                result = harness.run([node, script], env=env, stdin=file)
            self.assertEqual(result.status, 0, result)
            values, buckets, squares = [
                [(*row[:3], *(None if number is None else kind(number) for number in row[3:]))
                 for row in rows]
                for rows, kind in zip(json.loads(result.stdout), (int, int, float))]
            self.check_sums(paths, values, buckets, squares)

    def test_pandas_gives_what_merge_gives(self):
        harness.need_no_sanitizer(harness.SAME_BYTES)
        python = harness.need_module("pandas")
        script = """
import json, pandas, sys
lines = pandas.concat(pandas.read_json(path, lines=True, dtype=False) for path in sys.argv[1:])
keys = ["region", "object", "event"]
values = lines[lines.kind == "value"]
groups = values.groupby(keys)
sums = groups[["calls", "counted", "weight", "sum", "total"]].sum().astype(int)
sums["min"], sums["max"] = groups["min"].min(), groups["max"].max()
buckets = lines[lines.kind == "bucket"].groupby(keys + ["lo", "hi"])["count"].sum().astype(int)
print(json.dumps([json.loads(sums.reset_index().to_json(orient="records")),
                  json.loads(buckets.reset_index().to_json(orient="records"))]))
"""
        for paths in self.several_runs():
            result = self.execute([python, "-c", script, *self.lines_of(*paths)])
            values, buckets = json.loads(result.stdout)
            database = self.load(*paths)
            self.assertEqual(
                sorted(tuple(row[key] for key in ("region", "object", "event", "calls", "counted",
                                                  "weight", "sum", "min", "max", "total"))
                       for row in values),
                sorted(row[:10] for row in database.execute(SQL_VALUES)))
            self.assertEqual(
                sorted((row["region"], row["object"], row["event"], row["lo"], row["hi"], row["count"])
                       for row in buckets), sorted(database.execute(SQL_BUCKETS)))

    def test_each_key_has_one_type(self):
        """Spark, ClickHouse and Polars find the type of a column from its values, and do not convert
        numbers and strings into each other. Integers above 2^63 - 1 are numbers, too."""
        big = harness.read_json(self.save("big", harness.app("nest"), 4))
        for result in big["results"]:
            result["values"][0].update(total=str(2 ** 64 - 1), self=2 ** 63 - 1)
        harness.write_json(self.path("big.json"), big)
        paths = [self.path("big.json")]
        for name, program, options in (
                ("sampled", ["nest", 6], ["--sample", "3", "-e", "instructions,context-switches"]),
                ("works", ["work", "sizes", "3", "50"], ["--by-work"]),
                ("threads", ["work", "threads", "3", "40"], ["--label", "7"]),
                ("nothing", ["sleep"], [])):
            program = [harness.app(program[0]), *program[1:]] if len(program) > 1 else ["true"]
            paths.append(self.save(name, *program, options=options))
        types = {}
        for path in self.lines_of(*paths):
            for line in harness.read_text(path).splitlines():
                for key, value in json.loads(line).items():
                    types.setdefault(key, set()).add(type(value))
                    self.assertFalse(isinstance(value, int) and not -2 ** 63 <= value < 2 ** 64, line)
        for key, found in types.items():
            self.assertEqual(len(found), 1, (key, found))
            self.assertIn(*found, (int, float, str))
        self.assertIn('"total":%d,' % (2 ** 64 - 1), harness.read_text(self.path("big.ndjson")))
        self.assertIn("work_of", types)

    def test_kinds_and_names(self):
        path = self.save("run", harness.app("nest"), 4)
        database = self.load(path)
        document = harness.read_json(path)
        count = dict(database.execute("SELECT kind, COUNT(*) FROM lines GROUP BY kind"))
        n_values = sum(len(result["values"]) for result in document["results"])
        n_buckets = sum(len(value["buckets"]) for result in document["results"]
                        for value in result["values"])
        self.assertEqual(count, {"run": 1, "value": n_values, "bucket": n_buckets})
        run, = database.execute(
            "SELECT elapsed_ns, user_ns, host, processes FROM lines WHERE kind = 'run'")
        self.assertEqual(run, (document["run"]["elapsed_ns"], document["run"]["user_ns"],
                               document["machine"]["host"], 1))
        pids = set(database.execute("SELECT pid, process FROM lines WHERE kind != 'run'"))
        self.assertEqual(pids, {(document["processes"][0]["pid"], "nest")})

    def test_files_and_append(self):
        path = self.path("runs.ndjson")
        for _ in range(2):
            self.regionstat("--append", "-o", path, "--", harness.app("nest"), "4")
        kinds = [line["kind"] for line in harness.read_json_lines(path)]
        self.assertEqual(kinds.count("run"), 2)
