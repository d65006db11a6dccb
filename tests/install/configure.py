# SPDX-License-Identifier: MIT
"""Builds with meson's options: each is configured here, and built only where the test needs it."""

import json
import os

from installed import CC, LIBRARIES, InstalledTestCase, harness, must


class Configured(InstalledTestCase):
    """Tests that configure the source in a folder of their own."""

    @classmethod
    def setUpClass(cls):
        """Nothing is installed before a test."""

    def setUp(self):
        super().setUp()
        self.build = self.path("build")

    def configure(self, *options, **environment):
        """Configure with these options."""
        must(["meson", "setup", self.build, harness.SOURCE, *options],
             env=harness.environment(CC=CC, **environment))

    def introspect(self, what, build=None):
        """Meson's list of the targets, tests or installed files of the build, or of another."""
        return json.loads(must(["meson", "introspect", "--" + what, build or self.build]))

    def folders(self):
        """The folders at the source's top level that anything is built of."""
        sources = [source for target in self.introspect("targets")
                   for part in target["target_sources"] for source in part.get("sources", [])]
        # what is generated lies in a folder of the same name in the build
        tops = [self.build if source.startswith(self.build + os.sep) else harness.SOURCE
                for source in sources]
        return {os.path.relpath(source, top).split(os.sep)[0]
                for source, top in zip(sources, tops)}

    def test_auto_has_tests_and_without_criterion_unit_tests_are_skipped(self):
        with_it = sorted(test["name"] for test in self.introspect("tests", harness.BUILD))
        self.assertIn("install/install", with_it)
        # criterion is found by pkg-config alone
        self.configure(PKG_CONFIG_LIBDIR=self.directory)
        self.assertEqual(self.folders(), {"cmd", "lib", "tests"})
        without = {test["name"] for test in self.introspect("tests")}
        self.assertEqual([name for name in with_it if name not in without], [])
        must(["meson", "test", "-C", self.build, "--no-rebuild", "base/text", "stats/run",
              "runtime/kill"])
        tests = harness.read_json_lines(self.path("build/meson-logs/testlog.json"))
        self.assertEqual([test["result"] for test in tests], ["SKIP"] * 3)
        for test in tests:
            self.assertIn("criterion is not installed", test["stdout"])

    def test_shared_libraries_without_tests(self):
        """The runtime that the command loads is part of it. adopt.py has static libraries."""
        self.configure("-Dtests=disabled", "-Dbuildtype=debug", "-Ddefault_library=shared")
        self.assertEqual(self.folders(), {"cmd", "lib"})
        self.assertEqual(self.introspect("tests"), [])
        # The build of all tests has the same file, unless it has static libraries.
        self.install_built(
            self.build, *["lib/runtime/libregionstat.so.1.0.0"] * (LIBRARIES == "static"))
        self.assertLibraries("libregionstat.so", "libregionstat.so.1", "libregionstat.so.1.0.0")
