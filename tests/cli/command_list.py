# SPDX-License-Identifier: MIT
"""regionstat list: its options, its results, and the additional results for root."""

import json
import re

import harness


def names_of(text):
    """Return the events or metrics of a list as {name: countable}."""
    return dict(re.findall(r"^  (\S+) +(yes|user|no)(?= |$)", text, re.MULTILINE))


class List(harness.TestCase):

    def list(self, *words, status=0, **options):
        return self.regionstat("list", *words, status=status, cwd=self.directory, **options)

    def test_time_is_there(self):
        for words in ((), ("time",), ("TI*",), ("-s", "elapsed"), ("--countable",)):
            self.assertEqual(names_of(self.list(*words).stdout).get("time"), "yes", words)
        self.assertNotIn("time", names_of(self.list("page-faults").stdout))
        self.assertNotIn("time", names_of(self.list("-s", "fault").stdout))
        self.assertEqual(list(names_of(self.list("time").stdout)), ["time"])

    def test_json_has_what_the_page_has(self):
        for kind, *words in (["events"], ["events", "*fault*"], ["events", "time"],
                             ["events", "-s", "PAGE", "--countable"],
                             ["metrics"], ["metrics", "*-per-*"], ["metrics", "CPUS-utilized"],
                             ["metrics", "-s", "FAULT", "--countable"]):
            with self.subTest(kind=kind, words=words):
                words = [kind, *words] if kind == "metrics" else words
                entries = json.loads(self.list("--json", *words).stdout)[kind]
                page = names_of(self.list(*words).stdout)
                # the line that replaces tracepoints that cannot be listed
                page.pop("SYSTEM:NAME", None)
                self.assertEqual({entry["name"]: entry["countable"] for entry in entries}, page)
                self.assertTrue(entries)
                for entry in entries:
                    self.assertEqual("reason" in entry, entry["countable"] == "no")
                    self.assertIn(entry["kind"] if kind == "events" else "time", (
                        "time", "hardware", "software", "cache", "raw", "sysfs", "tracepoint", "model"))
        for kind, words in (("events", ["no-such-*"]), ("metrics", ["metrics", "zzz"])):
            self.assertEqual(json.loads(self.list("-j", *words, status=1).stdout)[kind], [])

    def test_countable_leaves_what_cannot_be_counted(self):
        for words, name in (([], "page-faults"), (["metrics"], "cpus-utilized")):
            everything = names_of(self.list(*words).stdout)
            countable = names_of(self.list(*words, "--countable").stdout)
            self.assertEqual(countable, {name: offer for name, offer in everything.items()
                                         if offer != "no"})
            self.assertIn(name, countable)

    def test_globs_are_of_names_and_searches_of_meanings_too(self):
        everything = self.list().stdout.splitlines()
        for text in ("fault", "MIGRAT", "the core"):
            wanted = {line.split()[0] for line in everything if line.startswith("  ") and
                      text.lower() in re.sub(r" \([^()]*\)$", "", line.lower())
                      and re.match(r"  \S+ +(yes|user|no)", line) and "SYSTEM:" not in line}
            found = {name for name in names_of(self.list("-s", text).stdout)
                     if "SYSTEM:" not in name}
            self.assertEqual(found, wanted)
        self.assertEqual(list(names_of(self.list("--search=served", "*faults").stdout)), ["minor-faults"])
        self.assertEqual(list(names_of(self.list("*-FAULTS").stdout)), [
            "page-faults", "minor-faults", "major-faults", "alignment-faults", "emulation-faults"])

    def test_agrees_with_what_a_run_can_count(self):
        listing = harness.regionstat("list").stdout
        for name in ("page-faults", "task-clock", "context-switches", "instructions", "branches"):
            offer = re.search(r"^  %s +(\w+)" % name, listing, flags=re.M).group(1)
            run = harness.regionstat("--strict", "-e", name, "true")
            self.assertEqual(run.status, 125 if offer == "no" else 0, name)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            result = self.list(stdout=full, status=125)
        self.assertIn("ENOSPC", result.stderr)

    def test_profiles(self):
        result = self.list("profiles", status=1)
        self.assertIn("there is no settings file", result.stderr)
        self.text_file("regionstat.yaml",
                       "profiles:\n  b: {description: what is second}\n  a: {}\n")
        result = self.list("profiles")
        self.assertEqual(re.split(r"\s*\n", result.stdout), ["b  what is second", "a  -", ""])
        self.assertEqual(json.loads(self.list("profiles", "--json").stdout),
                         {"profiles": [{"name": "b", "description": "what is second"},
                                       {"name": "a", "description": ""}]})
        self.assertEqual(self.list("profiles", "-s", "SECOND").stdout,
                         "b  what is second\n")
        self.list("profiles", "-c", "/dev/null", status=1)
        self.text_file("wrong.yaml", "profiles: {a: {tpo: 1}}\n")
        result = self.list("profiles", "-c", "wrong.yaml", status=125)
        self.assertIn("wrong.yaml:1:16: unknown key 'tpo'", result.stderr)

    def on_terminal(self, columns, *words):
        """Return the lines that a list has on a terminal with a window of this width."""
        text, status = harness.on_terminal([harness.REGIONSTAT, "list", *words], size=(24, columns))
        self.assertEqual(status, 0)
        return text.decode().replace("\r", "").splitlines()

    def test_lines_fit_the_window(self):
        """Only the lines of a terminal are wrapped, and no word is lost. Names are not broken."""
        for words in (["options"], ["findings"], ["columns"], ["options", "slow*"]):
            wide = self.list(*words).stdout
            self.assertGreater(len(wide.splitlines()[-1]), 10)
            for columns in (60, 80, 200, 1000):
                lines = self.on_terminal(columns, *words)
                self.assertLessEqual(max(map(len, lines)), columns, (words, columns))
                said = re.sub(r"\s", "", "".join(lines))
                for line in wide.splitlines()[1:]:
                    for cell in re.split(r"  +", line):
                        self.assertTrue(cell == "-" or re.sub(r"\s", "", cell) in said, cell)
        self.assertEqual(self.on_terminal(10000, "options"),
                         self.list("options").stdout.splitlines())

    def test_options(self):
        """The table of options: the help texts and the other properties of each option."""
        options = json.loads(self.list("-j", "options").stdout)["options"]
        by_word = {option["option"]: option for option in options}
        self.assertEqual(by_word["sort"]["default"], "self")
        self.assertIn("order", by_word["sort"]["values"])
        self.assertEqual(by_word["color"]["bare"], "always")
        self.assertEqual(by_word["width"]["range"], [20, 10000])
        self.assertEqual(by_word["budget"]["range"], [0.0001, 100])
        self.assertEqual(by_word["regions"]["key"], "show_regions")
        self.assertEqual(by_word["no-totals"]["key"], "totals")
        self.assertEqual(by_word["help"]["verbs"],
                         ["run", "list", "report", "compare", "diff", "merge"])
        self.assertEqual((by_word["help"]["key"], by_word["output"]["letter"]), ("", "-o"))
        self.assertTrue(by_word["append"]["needs_trust"] and by_word["only"]["repeatable"])
        help_text = re.sub(r"\s+", " ", harness.regionstat("--help").stdout)
        for option in options:
            if "run" in option["verbs"]:
                self.assertIn(option["help"], help_text)
            verb = option["help"].split()[0]
            self.assertRegex(verb, r"^[a-z]+$", "a help text begins with its verb")
        lines = self.list("options").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines],
                         ["option"] + [option["option"] for option in options])
        self.assertEqual(lines[0].split(), list(options[0]))
        for line, option in zip(lines[1:], options):  # as completion reads them
            cells = line.split(None, len(option) - 1)
            self.assertEqual(cells[-1], option["help"])
            self.assertEqual(cells[5], ",".join(option["values"]) or "-")
        self.assertEqual(len(self.list("options", "PER-*").stdout.splitlines()), 3)
        self.assertIn("slow-rate", self.list("options", "-s", "per second").stdout)

    def test_columns(self):
        """Each word is accepted by the options that the list names, and by no other."""
        path = self.path("run.json")
        harness.regionstat("-o", path, harness.app("nest"), "1")
        rows = json.loads(self.list("-j", "columns").stdout)["columns"]
        self.assertGreater(len(rows), 10)
        for row in rows:
            for option in "--columns", "--sort":
                result = harness.regionstat("report", option, row["column"], path)
                self.assertEqual(result.status == 0, option in row["options"], result)
        self.assertIn("on-cpu  --columns\n", self.list("columns").stdout)

    def test_findings(self):
        """The list contains the findings of a run: code, severity and the text around the
        numbers."""
        path = self.path("run.json")
        harness.regionstat("-v", "-o", path, harness.app("nest"), "1")
        rows = json.loads(self.list("-j", "findings").stdout)["findings"]
        found = harness.read_json(path)["messages"]
        self.assertTrue(found)
        for message in found:
            texts = [re.sub(r"\\{\w+\\}", ".*", re.escape(row["text"])) for row in rows
                     if (row["finding"], row["severity"]) == (message["code"], message["kind"])]
            self.assertTrue([text for text in texts if re.fullmatch(text, message["text"], re.DOTALL)],
                            message)
        # a remedy that depends on the run has a general form
        self.assertEqual({row["remedy"] for row in rows if row["finding"] == "overhead"},
                         {"mark larger parts, or use --budget",
                          "mark in threads that live longer", ""})
        lines = self.list("findings", "LOST").stdout.splitlines()
        self.assertEqual(lines[0].split(), ["finding", "severity", "text", "remedy"])
        self.assertEqual({line.split()[0] for line in lines[1:]}, {"lost"})

    def test_without_rights_root_would_see_more(self):
        harness.need_root("needs root, to compare with")
        other = harness.need_other_user()
        mine = self.list().stdout
        self.assertNotIn("As root", mine)
        result = self.execute([*other, "--bounding-set=-all", harness.REGIONSTAT, "list"])
        n_user = sum(offer == "user" for offer in names_of(result.stdout).values())
        told = re.search(r"^  (\d+) of these also count in the kernel", result.stdout,
                         re.MULTILINE)
        self.assertEqual(int(told.group(1)) if told else 0, n_user)
        if n_user > 0:
            self.assertIn("\nAs root, or with CAP_PERFMON, there is more:\n", result.stdout)
            # and root does see them so
            whole = names_of(mine)
            for name, offer in names_of(result.stdout).items():
                if offer == "user":
                    self.assertEqual(whole[name], "yes", name)
