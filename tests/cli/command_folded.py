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
    def fold(self, *program, options=(), by=None):
        """Measure a program. Return its stacks and the CSV report of the same run."""
        saved, path = self.path("run.json"), self.path("run.folded")
        by = ["--by", by] if by else []
        self.regionstat(*options, *by, "-o", saved, "-o", path, "--", *program)
        self.text = open(path, encoding="utf-8").read()
        again = harness.regionstat("report", *by, "--format", "folded", saved)
        self.assertEqual((again.status, again.stdout), (0, self.text))
        # Each path begins with the program, and Perfetto needs two names in each line.
        stacks = {path[1:]: value for path, value in read(self.text).items()
                  if path[0] == os.path.basename(program[0])}
        self.assertEqual(len(stacks), self.text.count("\n"))
        self.assertNotIn((), stacks)
        return stacks, harness.Report(harness.regionstat("report", "-x", ",", saved).stdout)

    def assertSelf(self, stacks, report, event="time"):
        rows = [row for row in report.select(kind="region", event=event)
                if row.self_total is not None]
        regions = {path[-1]: value for path, value in stacks.items()
                   if path[0] not in ("(unmarked)", "(overhead)")}
        self.assertEqual(regions, {row.region: row.self_total for row in rows})

    def test_paths_and_values(self):
        stacks, report = self.fold(harness.app("nest"), "6")
        self.assertEqual([path for path in stacks if path[0] == "render"],
                         [("render",), ("render", "line"), ("render", "line", "pixel")])
        self.assertSelf(stacks, report)
        self.assertIn(("(unmarked)",), stacks)

    def test_event(self):
        """--by chooses the event; what no region used is (unmarked)."""
        stacks, report = self.fold(harness.app("nest"), "6", options=["-e", "page-faults"],
                                   by="page-faults")
        self.assertSelf(stacks, report, "page-faults")
        self.assertEqual(sum(stacks.values()), report.run("page-faults").total)

    def test_off_cpu(self):
        """Off-CPU time needs no counter."""
        stacks, report = self.fold(harness.app("nest"), "6", by="blocked")
        if report.region("render", "blocked").status == "not-supported":
            self.skipTest("this kernel does not tell off-CPU time")
        self.assertSelf(stacks, report, "blocked")

    def test_off_cpu_in_no_region(self):
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
        stacks, report = self.fold(program, by="blocked")
        if report.region("work", "blocked").status == "not-supported":
            self.skipTest("this kernel does not tell off-CPU time")
        self.assertSelf(stacks, report, "blocked")
        self.assertGreaterEqual(stacks[("(unmarked)",)], 50000000)

    def test_several_parents(self):
        """A region with several parents has one line, where the table has it."""
        stacks, report = self.fold(harness.app("tree"))
        self.assertSelf(stacks, report)
        parents = {row.region: row.parent for row in report.select(kind="region", event="time")}
        for path in stacks:
            for parent, child in zip(("",) + path, path):
                self.assertEqual(parents.get(child, ""), parent)

    def test_names(self):
        names = ["a;b", "two\nlines", "end 12", "12 34 .5", " x", "y ", "(unmarked) 7", "tab\t9"]
        stacks, report = self.fold(harness.app("named"), *names)
        shown = ["a\\x3bb", "two\\nlines", "end\\x2012", "12\\x2034\\x20.5", " x", "y\\x20",
                 "(unmarked)\\x207", "tab\\t9"]
        self.assertEqual({path for path in stacks} - {("(unmarked)",), ("(overhead)",)},
                         {(name,) for name in shown})

    def test_asynchronous_calls(self):
        """They lie outside the nesting and have no self time."""
        stacks, report = self.fold(
            self.compile("async.c", harness.compilers()[0], "-O1"), "fifo", "64")
        self.assertSelf(stacks, report)

    def test_no_regions(self):
        stacks, _ = self.fold("true")
        self.assertEqual(stacks, {})

    def test_flamegraph(self):
        tool = shutil.which("flamegraph.pl") or shutil.which("flamegraph")
        if not tool:
            self.skipTest("flamegraph.pl is not installed")
        self.fold(harness.app("nest"), "6")
        result = self.execute([tool, self.path("run.folded")])
        self.assertIn("pixel", result.stdout)
