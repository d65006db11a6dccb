# SPDX-License-Identifier: MIT
"""Interrupted calls: those that the kernel counted switches in (getrusage(2), RUSAGE_THREAD), and no
others but for what it does on its own; unknown where the program uses rseq(2) itself."""

import json
import os
import platform
import re

import harness

PROGRAMS = harness.built_apps("switches", "switches-static")
TALLY = re.compile(r"^(\w+) calls (\d+) least (\d+) most (\d+)$", re.MULTILINE)
# musl, static: no C library that registers anything.
MUSL = ["-O2", "-static", "-DREGIONSTAT_STATIC",
        os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")]


def interrupted(report, region):
    """How many of a region's calls; None: it is not known."""
    found = [row.calls for row in report.select(kind="diagnostic", event="interrupted",
                                                region=region)]
    return sum(found) if found else None


def tallies(text):
    """{region: (calls, least, most)} of what the program printed, of all its processes."""
    found = {}
    for region, *numbers in TALLY.findall(text):
        before = found.get(region, (0, 0, 0))
        found[region] = tuple(a + int(b) for a, b in zip(before, numbers))
    return found


def need_known(case, report, region):
    """Skip where this machine does not tell: then regionstat says so of every region."""
    if interrupted(report, region) is None:
        case.skipTest("this kernel does not tell a thread that it was switched out (rseq)")


class Switches(harness.TestCase):

    def check(self, program, mode):
        """A report whose regions have as many interrupted calls as the program says."""
        result = self.measure(program, mode)
        # the kernel does the same now and then without a switch: see INTERRUPTED CALLS
        own = 5 + int(re.search(r"^ms (\d+)$", result.stdout, re.MULTILINE).group(1)) // 20
        found = tallies(result.stdout)
        need_known(self, result.report, next(iter(found)))
        for region, (calls, least, most) in found.items():
            row, n = result.report.region(region), interrupted(result.report, region)
            self.assertEqual(row.calls, calls)
            self.assertTrue(least <= n <= most + own, (region, n, least, most, own))
            rows = result.report.select(kind="undisturbed", region=region)
            self.assertEqual([row.counted for row in rows], [calls - n] if n < calls else [])
        self.assertClean(result.report)
        return result

    def test_modes(self):
        for program in PROGRAMS:
            for mode in ("sleeps", "threads", "neighbours", "ends", "nested", "forks", "async"):
                with self.subTest(program=program, mode=mode):
                    self.check(harness.app(program), mode)

    def test_undisturbed_has_no_sleep(self):
        result = self.check(harness.app("switches"), "long")
        row = result.report.one(kind="undisturbed", region="io")
        self.assertGreaterEqual(result.report.region("io").max, 150e6)
        self.assertLess(row.max, 150e6)

    def test_signals(self):
        """A handler interrupts the call that it runs in, and may mark; nothing else."""
        for program in PROGRAMS:
            result = self.measure(harness.app(program), "signals")
            report, found = result.report, tallies(result.stdout)
            need_known(self, report, "around")
            self.assertEqual(report.calls(), {"around": 300, "handler": 300, "quiet": 300})
            self.assertClean(report)
            # whether a handler counts is the kernel's; none of those before 6.19 leaves it out
            version = tuple(map(int, re.match(r"(\d+)\.(\d+)", platform.release()).groups()))
            if version < (6, 19):
                self.assertEqual(interrupted(report, "around"), 300)
            self.assertLessEqual(interrupted(report, "quiet"), found["quiet"][2] + 5)

    def test_vfork(self):
        if harness.SANITIZE != "none":
            self.skipTest("sanitizers keep what they know of a thread in memory that both have")
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.check(harness.app(program), "vforks")

    def test_sampled(self):
        """Of which calls were interrupted is known of those that are measured: the number is the
        same part of all calls as of these, in all rows."""
        path = self.path("run.json")
        result = harness.run([harness.REGIONSTAT, "-e", "time", "--sample", "10", "-o", path,
                              harness.app("switches"), "halves"])
        self.assertEqual(result.status, 0, result)
        calls, least, _ = tallies(result.stdout)["io"]
        self.assertEqual(calls, 4000)
        shown = {undisturbed: harness.Report(harness.run(
            [harness.REGIONSTAT, "report", *["--undisturbed"][:undisturbed], "-x", ",", path])
            .stdout) for undisturbed in (0, 1)}
        need_known(self, shown[0], "io")
        n = interrupted(shown[0], "io")
        self.assertEqual(interrupted(shown[1], "io"), n)
        # some 400 are measured, as at random: of those the part has a deviation of 1/40 at most
        self.assertLess(abs(n - least) / calls, 6 / 40)
        row, beside = shown[1].region("io"), shown[0].one(kind="undisturbed", region="io")
        self.assertEqual((row.calls, beside.calls), (calls - n, calls - n))
        self.assertEqual((row.status, beside.status), ("scaled", "scaled"))
        self.assertAlmostEqual(row.total / row.calls, row.avg, delta=row.avg / 1000 + 1)
        self.assertEqual((row.total, row.counted), (beside.total, beside.counted))

    def test_elsewhere(self):
        """An asynchronous call that ends on another thread than its own."""
        report = self.measure(harness.app("switches"), "async").report
        need_known(self, report, "here")
        self.assertIsNone(interrupted(report, "elsewhere"))

    def test_musl(self):
        harness.need_tool("musl-gcc")
        if harness.SANITIZE != "none":
            self.skipTest("musl has no sanitizers")
        program = self.compile("switches.c", "musl-gcc", *MUSL)
        for mode in ("sleeps", "threads", "ends", "forks"):
            with self.subTest(mode=mode):
                self.check(program, mode)


class Unknown(harness.TestCase):

    def check(self, mode, **changes):
        report = self.measure(harness.app("own_rseq"), mode,
                              env=harness.environment(**changes))
        if report.stdout.startswith("no area"):
            self.skipTest(report.stdout.strip())
        self.assertEqual(report.report.region("io").calls, 100)
        self.assertIsNone(interrupted(report.report, "io"))
        self.assertEqual(report.report.select(kind="undisturbed"), [])
        self.assertClean(report.report)

    def test_area_of_its_own(self):
        self.check("own", GLIBC_TUNABLES="glibc.pthread.rseq=0")

    def test_section_of_its_own(self):
        self.check("borrowed")

    def test_it_is_said(self):
        env = harness.environment(GLIBC_TUNABLES="glibc.pthread.rseq=0")
        for options, shown in (((), False), (("-v",), True), (("--undisturbed",), True)):
            result = harness.run([harness.REGIONSTAT, *options, "-e", "time",
                                  harness.app("own_rseq"), "own"], env=env)
            if result.stdout.startswith("no area"):
                self.skipTest(result.stdout.strip())
            self.assertEqual("not known which calls were interrupted: 'io'" in result.stderr,
                             shown, result)


class Shown(harness.TestCase):

    def test_undisturbed_in_every_format(self):
        """What --undisturbed shows, at once and of a saved run, are the figures of the others."""
        path = self.path("run.json")
        result = harness.run([harness.REGIONSTAT, "-e", "time", "-o", path,
                              harness.app("switches"), "sleeps"])
        self.assertEqual(result.status, 0, result)
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        beside = [row for row in rows if row["kind"] == "undisturbed"]
        n = [row["value"] for row in rows if row["event"] == "interrupted"]
        if not n:
            self.skipTest("this kernel does not tell a thread that it was switched out (rseq)")
        text = harness.run([harness.REGIONSTAT, "report", path]).stdout
        self.assertIn("undisturbed: {:,} of 20,000 calls".format(20000 - n[0]), text)
        text = harness.run([harness.REGIONSTAT, "report", "--undisturbed", path]).stdout
        self.assertRegex(text, r"io   {:,} calls".format(20000 - n[0]))
        self.assertIn("without %d interrupted calls" % n[0], text)
        report = harness.Report(harness.run(
            [harness.REGIONSTAT, "report", "--undisturbed", "-x", ",", path]).stdout)
        row = report.region("io")
        self.assertEqual((row.calls, row.avg, row.p90, row.max, row.total),
                         tuple(beside[0][key] for key in ("calls", "avg", "p90", "max", "total")))
        self.assertEqual(report.select(kind="undisturbed"), [])
        self.assertEqual(interrupted(report, "io"), n[0])


if __name__ == "__main__":
    harness.main()
