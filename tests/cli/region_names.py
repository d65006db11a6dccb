# SPDX-License-Identifier: MIT
"""Region names: any bytes, any length, and more names than the table holds."""

import re

import harness

MAX_REGIONS = 4096  # of regionstat(3), with "(other)"

NAME_BYTES = 127


class Names(harness.TestCase):

    def test_odd_names(self):
        result = self.measure(harness.app("rules"), "names", "3")
        report = result.report
        names = report.regions()
        for name in ("plain", "with space", 'comma, quote " and semicolon;', "Prüfung der Größe",
                     "渲染像素", "-e", "=1+1", "%s%n", "../../etc/passwd"):
            self.assertEqual(report.region(name).calls, 3, name)
        self.assertEqual(len(names), 16)
        self.assertEqual(sum(report.calls().values()), 16 * 3)
        self.assertClean(report)

    def test_odd_names_in_a_table(self):
        result = self.regionstat("-e", "time", "--all", "--", harness.app("rules"), "names", "3")
        self.assertIn("渲染像素", result.stderr)
        # nothing that a terminal would interpret, and no line but regionstat's own
        self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]", result.stderr), result)
        self.assertNotRegex(result.stderr, r"(?m)^break")

    def test_longest_name(self):
        report = self.measure(harness.app("rules"), "long-names", "3", NAME_BYTES).report
        self.assertEqual(report.calls(), {"x" * NAME_BYTES: 3, "x" * (NAME_BYTES - 1) + "y": 3})

    def test_longer_names_stay_distinct(self):
        for length in (NAME_BYTES + 1, 1000, 60000):
            with self.subTest(length=length):
                result = self.measure(harness.app("rules"), "long-names", "3", length)
                names = result.report.regions()
                self.assertEqual(sorted(result.report.calls().values()), [3, 3], names)
                for name in names:
                    self.assertLessEqual(len(name.encode()), NAME_BYTES)
                    self.assertTrue(name.startswith("x" * 64))
                self.assertRegex(result.stderr, "name")

    def test_long_utf8_name_is_cut_between_characters(self):
        result = self.measure(harness.app("rules"), "named", "渲" * 100, "1")
        (name,) = result.report.regions()
        self.assertTrue(name.startswith("渲" * 20), name)
        self.assertEqual(name.encode("utf-8", "strict").decode(), name)

    def test_empty_name(self):
        report = self.measure(harness.app("rules"), "empty-names", "3").report
        self.assertEqual(report.region("named").calls, 3)
        self.assertEqual(sum(report.calls().values()), 6)

    def test_buffer_is_copied(self):
        report = self.measure(harness.app("rules"), "reused-buffer", "10").report
        self.assertEqual(report.calls(), {"buffer 0": 20, "buffer 1": 10, "buffer 2": 10})
        self.assertClean(report)

    def test_more_regions_than_fit(self):
        result = self.measure(harness.app("rules"), "many-names", "5000", "2")
        calls = result.report.calls()
        other = calls.pop("(other)")
        self.assertEqual(calls, {"region %d" % i: 2 for i in range(MAX_REGIONS - 1)})
        self.assertEqual(other, 2 * (5000 - len(calls)))
        self.assertRegex(result.stderr, r"\(other\)")

    def test_order_is_first_seen(self):
        report = self.measure(harness.app("rules"), "many-names", "300", "1").report
        self.assertEqual(report.regions(), ["region %d" % i for i in range(300)])
