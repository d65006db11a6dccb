#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What meson's options make of a build: configured anew here, and built only where that is what is
asked."""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
import harness  # pylint: disable=wrong-import-position


class Configured(harness.TestCase):
    """Tests that configure the source in a folder of their own."""

    def setUp(self):
        super().setUp()
        if harness.SANITIZE != "none":
            self.skipTest("what is configured does not depend on the sanitizer")
        self.build = self.path("build")

    def must(self, argv, **options):
        """The stdout of a command that must succeed."""
        result = harness.run(argv, **options)
        self.assertEqual(result.status, 0, result)
        return result.stdout

    def configure(self, *options, source=harness.SOURCE, **environment):
        """Configure with these options; what meson says."""
        return self.must(["meson", "setup", self.build, source, *options],
                         env=harness.environment(CC=os.environ.get("REGIONSTAT_CC", "cc"),
                                                 **environment))

    def introspect(self, what):
        """What meson knows of the targets or tests of the build."""
        return json.loads(self.must(["meson", "introspect", "--" + what, self.build]))

    def folders(self):
        """The folders at the source's top level that anything is built of."""
        sources = [os.path.relpath(source, harness.SOURCE) for target in self.introspect("targets")
                   for part in target["target_sources"] for source in part.get("sources", [])]
        return {source.split(os.sep)[0] for source in sources}


class Tests(Configured):
    """The option `tests`."""

    def test_disabled_leaves_out_all_of_them(self):
        self.configure("-Dtests=disabled")
        self.assertEqual(self.folders(), {"cmd", "lib"})
        self.assertEqual(self.introspect("tests"), [])

    def test_auto_has_them(self):
        self.configure()
        self.assertEqual(self.folders(), {"cmd", "lib", "tests"})
        self.assertIn("install/install", [test["name"] for test in self.introspect("tests")])

    def test_without_criterion_unit_tests_are_there_and_skipped(self):
        self.configure()
        with_it = sorted(test["name"] for test in self.introspect("tests"))
        shutil.rmtree(self.build)
        # criterion is found by pkg-config alone
        self.configure(PKG_CONFIG_LIBDIR=self.directory)
        without = sorted(test["name"] for test in self.introspect("tests"))
        self.assertEqual(without, with_it)
        self.must(["meson", "test", "-C", self.build, "--no-rebuild", "base/text", "stats/run",
                   "runtime/kill"])
        with open(self.path("build/meson-logs/testlog.json"), encoding="utf-8") as file:
            tests = [json.loads(line) for line in file]
        self.assertEqual([test["result"] for test in tests], ["SKIP"] * 3)
        for test in tests:
            self.assertIn("criterion is not installed", test["stdout"])


if __name__ == "__main__":
    harness.main()
