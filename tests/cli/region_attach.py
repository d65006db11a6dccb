# SPDX-License-Identifier: MIT
"""How a program attaches to the launcher: after descriptors were closed, as another user, and several
at once. A header or runtime of another version is refused. region_everywhere builds programs in
all ways."""

import os
import sys

import harness

TWO_LINES = r"""
#include <regionstat.h>
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		REGIONSTAT_SCOPE("render");
	}
	return 0;
}
"""
NESTED = {"outer": 3, "middle": 6, "inner": 18}


class Attach(harness.TestCase):

    def other_abi(self):
        """Make a directory with a header of the next ABI version. Return its path."""
        directory = self.path("next")
        os.mkdir(directory)
        text = harness.read_text(harness.HEADER)
        changed = text.replace("REGIONSTAT_ABI 1\n", "REGIONSTAT_ABI 2\n").replace("_1_", "_2_")
        changed = changed.replace(".long 1,", ".long 2,")
        self.assertNotEqual(text, changed)
        harness.write_text(os.path.join(directory, "regionstat.h"), changed)
        return directory

    def test_other_abi_is_refused(self):
        harness.need_no_sanitizer("a runtime with a sanitizer needs a program with it")
        static = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")
        include = self.other_abi()
        source = self.text_file("program.c", TWO_LINES)
        for flags in (["-O2"], ["-DREGIONSTAT_STATIC", "-static", static]):
            with self.subTest(flags=flags):
                self.execute(["gcc", "-I" + include, source, *flags, "-o", self.path("program")])
                result = self.measure(self.path("program"))
                self.assertEqual(result.report.regions(), [])
                self.assertIn("; compile it again", result.stderr)
                self.assertRegex(result.stderr, r"ABI 2\b.*ABI 1\b")

    def test_runtime_that_cannot_load(self):
        with open("/proc/self/maps", encoding="utf-8") as maps:
            libc = next(line.split()[-1] for line in maps if "libc.so.6" in line)
        for runtime, reason in (("/nonexistent/libregionstat.so", "/nonexistent/libregionstat.so"),
                                (libc, "regionstat_join"), ("libm.so.6", "libm.so.6")):
            with self.subTest(runtime=runtime):
                result = self.measure("env", "REGIONSTAT_RUNTIME=" + runtime, harness.app("rules"),
                                      "nested", "3")
                self.assertEqual(result.report.regions(), [])
                self.assertIn(reason, result.stderr)

    def test_descriptors_closed_on_the_way(self):
        """A program started by one that closes all descriptors finds the segment through the
        launcher."""
        script = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
        report = self.measure(sys.executable, "-c", script, harness.app("rules"), "nested",
                              "3").report
        self.assertEqual(report.calls(), NESTED)

    def test_other_user(self):
        harness.need_root("only root can become another user")
        prefix = harness.need_other_user()
        report = self.measure(*prefix, harness.app("rules"), "nested", "3").report
        self.assertEqual(report.calls(), NESTED)

    def test_without_proc(self):
        harness.need_root("only root can do without /proc")
        harness.need_no_sanitizer("sanitizers need /proc")
        prefix = [harness.need_tool("unshare"), "-m", "sh", "-c",
                  'umount -l /proc && exec "$@"', "sh"]
        harness.need(harness.run([*prefix, "true"]).status == 0, "no file system can be unmounted here")
        output = self.path("output.csv")
        result = harness.run([*prefix, harness.REGIONSTAT, "-e", "time", "-x", ",", "-o", output,
                              harness.app("rules"), "nested", "3"])
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        self.assertEqual(harness.read_report(output).calls(), NESTED)

    def test_several_programs_at_once(self):
        script = "for i in 1 2 3 4 5 6 7 8; do %s nested 3 & done; wait" % harness.app("rules")
        report = self.measure("sh", "-c", script).report
        self.assertEqual(report.calls(), {name: 8 * n for name, n in NESTED.items()})

    def test_regionstat_in_regionstat(self):
        """Each launcher measures the programs that it started itself."""
        inner = self.path("inner.csv")
        result = self.measure("sh", "-c", "%s nested 3 && exec %s -x , -o %s %s nested 5" % (
            harness.app("rules"), harness.REGIONSTAT, inner, harness.app("rules")))
        self.assertEqual(result.report.calls(), NESTED)
        self.assertEqual(harness.read_report(inner).calls(),
                         {"outer": 5, "middle": 10, "inner": 30})

    def test_environment_of_a_run_that_is_over(self):
        """Variables of a run that has ended have no effect."""
        saved = self.path("environment")
        self.measure("sh", "-c", "env > " + saved)
        with open(saved, encoding="utf-8", errors="surrogateescape") as stream:
            stale = dict(line.rstrip("\n").split("=", 1) for line in stream
                         if line.startswith("REGIONSTAT_") and "=" in line)
        self.assertIn("REGIONSTAT_SEGMENT", stale)
        result = harness.run([harness.app("rules"), "nested", "3"],
                             env=harness.environment(**stale))
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""))
