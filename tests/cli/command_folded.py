# SPDX-License-Identifier: MIT
"""Collapsed stacks: each line is read as flamegraph.pl and speedscope read it."""

import os
import re
import shutil

import harness

# flamegraph.pl: the last number, and before it perhaps a second one
LINE = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")


def read(text):
    """Return {(path,): value} and refuse lines that a reader would misunderstand."""
    stacks = {}
    for line in text.splitlines():
        stack, value = LINE.match(line).groups()
        if LINE.match(stack):
            raise AssertionError("two numbers: " + line)
        path = tuple(stack.split(";"))
        if path in stacks or "" in path or "." in value:
            raise AssertionError(line)
        stacks[path] = int(value)
    return stacks


class TestFolded(harness.TestCase):
    def fold(self, *program, options=(), event="time"):
        """Measure a program. Return its stacks and the CSV report of the same run. Their self
        values must agree."""
        saved, path = self.path("run.json"), self.path("run.folded")
        by = [] if event == "time" else ["--by", event]
        self.regionstat(*options, *by, "-o", saved, "-o", path, "--", *program)
        text = harness.read_text(path)
        again = harness.regionstat("report", *by, "--format", "folded", saved)
        self.assertEqual((again.status, again.stdout), (0, text))
        # Each path begins with the program, and Perfetto needs two names in each line.
        stacks = {path[1:]: value for path, value in read(text).items()
                  if path[0] == os.path.basename(program[0])}
        self.assertEqual(len(stacks), text.count("\n"))
        self.assertNotIn((), stacks)
        report = harness.Report(harness.regionstat("report", "-x", ",", saved).stdout)
        rows = report.select(kind="region", event=event)
        if event == "blocked" and any(row.status == "not-supported" for row in rows):
            self.skipTest("this kernel does not tell off-CPU time")
        regions = {path[-1].encode().decode("unicode_escape"): value for path, value in stacks.items()
                   if path[0] not in ("(unmarked)", "(overhead)")}
        self.assertEqual(regions, {row.region: row.self_total for row in rows
                                   if row.self_total is not None})
        return stacks, report

    def test_paths_and_values(self):
        stacks, _ = self.fold(harness.app("nest"), "6")
        self.assertEqual([path for path in stacks if path[0] == "render"],
                         [("render",), ("render", "line"), ("render", "line", "pixel")])
        self.assertIn(("(unmarked)",), stacks)

    def test_event(self):
        """--by chooses the event; what no region used is (unmarked)."""
        stacks, report = self.fold(harness.app("nest"), "6", options=["-e", "page-faults"],
                                   event="page-faults")
        self.assertEqual(sum(stacks.values()), report.run("page-faults").total)

    def test_off_cpu(self):
        """Off-CPU time needs no counter."""
        program = self.compile_text("""
            #include <regionstat.h>
            #include <time.h>
            int main(void)
            {
                for (int i = 0; i < 2; i++) {
                    REGIONSTAT_SCOPE("work");
                }
                nanosleep(&(struct timespec){0, 50000000}, NULL);
                REGIONSTAT_SCOPE("work");
                return 0;
            }
            """)
        self.fold(harness.app("nest"), "6", event="blocked")
        stacks, _ = self.fold(program, event="blocked")
        self.assertGreaterEqual(stacks[("(unmarked)",)], 50000000)

    def test_several_parents(self):
        """A region with several parents has one line, where the table has it."""
        stacks, report = self.fold(harness.app("tree"))
        parents = {row.region: row.parent for row in report.select(kind="region", event="time")}
        for path in stacks:
            for parent, child in zip(("",) + path, path):
                self.assertEqual(parents.get(child, ""), parent)

    def test_names(self):
        names = ["a;b", "two\nlines", "end 12", "12 34 .5", " x", "y ", "(unmarked) 7", "tab\t9"]
        stacks, _ = self.fold(harness.app("named"), *names)
        shown = ["a\\x3bb", "two\\nlines", "end\\x2012", "12\\x2034\\x20.5", " x", "y\\x20",
                 "(unmarked)\\x207", "tab\\t9"]
        self.assertEqual({path for path in stacks} - {("(unmarked)",), ("(overhead)",)},
                         {(name,) for name in shown})

    def test_asynchronous_calls(self):
        """They lie outside the nesting and have no self time."""
        self.fold(self.compile("async.c", harness.compilers()[0], "-O1"), "fifo", "64")

    def test_no_regions(self):
        stacks, _ = self.fold("true")
        self.assertEqual(stacks, {})

    def test_flamegraph(self):
        tool = shutil.which("flamegraph.pl") or shutil.which("flamegraph")
        harness.need(tool, "flamegraph.pl is not installed")
        self.fold(harness.app("nest"), "6")
        result = self.execute([tool, self.path("run.folded")])
        self.assertIn("pixel", result.stdout)
