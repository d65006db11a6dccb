# SPDX-License-Identifier: MIT
"""The man pages: clean for mandoc, and as complete as the command and the header are."""

import json
import os
import re

import harness

MAN = os.path.join(harness.SOURCE, "man")
PAGES = sorted(name for name in os.listdir(MAN) if name != "meson.build")
source = harness.read_man_page


def plain(text, dropped=("Oo", "Oc", "Ns", "=", ",")):
    """A line of mdoc as words: without macros that only mark them, and with its escapes undone."""
    text = text.replace("\\&", "").replace("\\-", "-")
    return [word for word in text.split() if word not in dropped]


BRACKETS = {"Oo": "[", "Oc": "]", ":": ":", "=": "=", ">": ">"}


def options_of_page(name="regionstat.1"):
    """Options of a page with their arguments: {"-e": "event", "--append": ""}"""
    found = {}
    for line in source(name).splitlines():
        if not line.startswith(".It Fl "):
            continue
        words = plain(line[4:], dropped=("Ns", ","))
        names, argument = [], ""
        for before, word in zip(words, words[1:] + [""]):
            if before == "Fl":
                names.append("-" + word)
                argument = ""
            elif before == "Ar":
                argument += word
            elif before in BRACKETS:
                argument += BRACKETS[before]
        for name in names:
            found[name] = re.sub(r"^\[=?([^][]*)\]$", r"\1", argument)
    return found


def table_of_command(what):
    """A table that the command lists, a dictionary for each row."""
    return json.loads(harness.regionstat("list", "--json", what).stdout)[what]


def names_of_options(**wanted):
    """Options of the command with these properties and their arguments, as options_of_page()."""
    return {name: re.sub(r"^\[=?([^][]*)\]$", r"\1", option["argument"].lower())
            for option in table_of_command("options")
            if all(option[key] == value for key, value in wanted.items())
            for name in ["--" + option["option"]] + [option["letter"]] * bool(option["letter"])}


class ManPages(harness.TestCase):
    """Properties of the pages that a reader relies on."""

    def test_mandoc_has_no_warning(self):
        mandoc = harness.need_tool("mandoc")
        for name in PAGES:
            with self.subTest(page=name):
                result = harness.run([mandoc, "-T", "lint", "-W", "warning", os.path.join(MAN, name)])
                self.assertEqual((result.status, result.stdout), (0, ""), result)

    def test_pages_render_alike_in_groff(self):
        groff = harness.need_tool("groff")
        for name in PAGES:
            with self.subTest(page=name):
                result = harness.run([groff, "-mandoc", "-Tutf8", "-ww", os.path.join(MAN, name)])
                self.assertEqual((result.status, result.stderr), (0, ""), result)

    def test_terms_fit_into_their_column(self):
        """A longer term runs into the text beside it."""
        for name in PAGES:
            for width, rows in re.findall(r'(?ms)^\.Bl -column "([^"]*)"[^\n]*\n(.*?)^\.El', source(name)):
                for term in re.findall(r"(?m)^\.It (?!Ta )(?:[A-Z][a-z] )?(.*?) Ta", rows):
                    self.assertLessEqual(len(term.replace(" ,", ",")), len(width), (name, term))

    def test_every_option_is_in_the_page_with_its_argument(self):
        """regionstat(1) has a line for each, and regionstat-compare(1) describes those of series."""
        self.assertEqual(options_of_page(), names_of_options())
        self.assertEqual(options_of_page("regionstat-compare.1"), names_of_options(group="series"))

    def test_groups_and_values_of_options_are_in_the_page(self):
        section, of_series = (source(name).split(".Sh OPTIONS")[1].split(".Sh ")[0]
                              for name in ("regionstat.1", "regionstat-compare.1"))
        groups = {re.sub(r"^What to ", "", text.split("\n")[0]).lower(): text
                  for text in section.split(".Ss ")[1:]}
        of_lists = source("regionstat.1").split(".Sh DESCRIPTION")[1].split(".Sh OPTIONS")[0]
        for option in table_of_command("options"):
            if option["verbs"] == ["list"]:
                text = of_lists
            else:
                text = of_series if option["group"] == "series" else groups[option["group"]]
            item = re.search(r"^\.It Fl (?:\w Ar \w+ , Fl |\w , Fl )?-%s\b.*?(?=^\.It Fl|\Z)"
                             % option["option"], text, re.MULTILINE | re.DOTALL)
            self.assertTrue(item, option)
            words = set(re.findall(r"[\w-]+", item.group(0)))
            for value in option["values"]:
                if not re.match(r"p\d", value):  # "percentiles such as"
                    self.assertIn(value, words, option["option"])

    def test_defaults_have_one_form(self):
        """A sentence in parentheses reads as if it said what the option does."""
        entries = re.split(r"^\.It ", source("regionstat.1").split(".Sh OPTIONS")[1]
                           .split("\n.Sh ")[0], flags=re.MULTILINE)
        for option in table_of_command("options"):
            entry = next((entry for entry in entries
                          if re.search(r"Fl -%s\b(?!-)" % option["option"],
                                       entry.split("\n", maxsplit=1)[0])), "")
            self.assertNotRegex(entry, r"(?m)^\([A-Z].*[.)]$|\([0-9]+\)\.$|^\.P[qo] .*\bauto$")
            # regionstat-compare(1) describes the options of series
            if option["default"] and option["group"] != "series":
                self.assertIn("Default:\n.Cm %s ." % option["default"], entry)

    def test_every_verb_of_the_help_is_in_the_synopsis(self):
        usage = re.findall(r"^(?:Usage:)?\s+regionstat (\w+) ", harness.regionstat("--help").stdout,
                           re.MULTILINE)
        self.assertIn("list", usage)
        synopsis = source("regionstat.1").split(".Sh DESCRIPTION")[0]
        for verb in usage:
            self.assertRegex(synopsis, r"Cm %s\b" % verb)

    def test_every_exit_status_is_in_the_page(self):
        section = source("regionstat.1").split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
        for status in ["128 +", "124", "125", "126", "127"]:
            self.assertIn(".It " + status, section)

    def test_every_csv_column_and_word_is_in_the_page(self):
        section = source("regionstat-output.5").split(".Sh CSV")[1].split(".Sh ")[0]
        words = set(re.findall(r"[\w-]+", section))
        for word in harness.COLUMNS + ["run", "region", "metric", "diagnostic", "info", "ok",
                                       "scaled", "not-counted", "not-supported", "not-permitted", "undefined", "recursive",
                                       "lost", "unmatched", "open", "cut", "clamped", "moved",
                                       "running", "overhead", "overhead_share", "overhead_setup", "time_bound",
                                       "process_name", "thread_name", "tail", "share",
                                       "bound", "command", "started", "host", "kernel",
                                       "architecture", "processor", "cpus"]:
            self.assertIn(word, words)

    def test_every_public_name_of_the_header_is_in_its_page(self):
        header = harness.read_text(harness.HEADER)
        macros = re.findall(r"^#define (REGIONSTAT_[A-Z]+)(?=\()", header, re.MULTILINE)
        functions = re.findall(r"INLINE_ [a-z *]*(regionstat_[a-z_]*[a-z])\(", header)
        self.assertGreaterEqual(len(set(macros)), 6)
        self.assertGreaterEqual(len(set(functions)), 5)
        pages = [source(page) for page in ("regionstat.3", "regionstat_read.3")]
        names = "".join(page.split(".Sh SYNOPSIS")[0] for page in pages)
        synopsis = "".join(page.split(".Sh SYNOPSIS")[1].split(".Sh ")[0] for page in pages)
        for name in set(macros + functions):
            self.assertRegex(names, r"(?m)^\.Nm %s\b" % name)
            self.assertRegex(synopsis, r"(?m)^\.Fn %s\b" % name)
        for word in ["REGIONSTAT_DISABLE", "REGIONSTAT_STATIC"]:
            self.assertIn(".It Dv " + word, source("regionstat.3"))

    def test_the_example_of_settings_is_taken(self):
        example = source("regionstat.yaml.5").partition(".Bd -literal\n")[2].partition(".Ed")[0]
        path = self.text_file("example.yaml", example)
        for profile in re.findall(r"^  (\w+):$", example.partition("profiles:")[2], re.MULTILINE):
            result = harness.regionstat("-c", path, "--profile", profile, "--print-config")
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            self.assertRegex(result.stdout, r"events:\n  - time  # profile quick, ")

    def test_keys_of_settings_that_are_no_words_of_options_are_in_the_page(self):
        keys = re.findall(r"^(?:# )?(\w+):", harness.regionstat("-c", "/dev/null",
                          "--print-config").stdout, re.MULTILINE)
        words = [option["option"].replace("-", "_") for option in table_of_command("options")]
        self.assertIn("events", keys)
        self.assertEqual(sorted(keys), sorted([option["key"] for option in table_of_command("options")
                                               if option["key"]] + ["File"]))
        lists = " ".join(re.findall(r"^\.It Cm (.*)$", source("regionstat.yaml.5"), re.MULTILINE))
        for key in set(keys) - set(words) - {"File", "Profile"}:
            self.assertRegex(lists, r"\b%s\b" % key)

    def test_limits_are_those_of_the_code(self):
        def constant(file, name):
            text = harness.read_text(os.path.join(harness.SOURCE, "lib", file))
            return int(re.search(r"#define %s (\d+)u?\b" % name, text).group(1))
        markers = re.sub(r"\s+", " ", source("regionstat.3"))
        layout = os.path.join("segment", "layout.h")
        depth = constant(os.path.join("runtime", "state.h"), "RS_MAX_FRAMES")
        regions = constant(layout, "RS_MAX_REGIONS") - 1
        name_bytes = constant(layout, "RS_NAME_BYTES") - 1
        self.assertIn("%d events in %d groups" % (constant(layout, "RS_MAX_EVENTS"),
                                                  constant(layout, "RS_MAX_GROUPS")),
                      re.sub(r"\s+", " ", source("regionstat.1")))
        settings = source("regionstat.yaml.5")
        yaml = os.path.join("config", "yaml.h")
        self.assertIn("%d values and %d\nlevels" % (constant(yaml, "RS_YAML_MAX_NODES"),
                                                    constant(yaml, "RS_YAML_MAX_DEPTH")), settings)
        threads = constant(layout, "RS_MAX_SLOTS")
        for phrase in ["{:,} regions".format(regions), "1 to %d bytes" % name_bytes,
                       "{:,} open calls".format(depth), "{:,} threads".format(threads)]:
            self.assertIn(phrase, markers)

    def test_every_code_of_a_message_is_in_the_page(self):
        section = source("regionstat-output.5").partition("\n.Sh MESSAGES\n")[2].partition("\n.Sh ")[0]
        codes = re.findall(r"^\.It Cm ([a-z0-9-]+)(?: Ta .*)?$", section, re.MULTILINE)
        self.assertEqual(sorted({row["finding"] for row in table_of_command("findings")}), codes)
