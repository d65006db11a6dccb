# SPDX-License-Identifier: MIT
"""Region names: any bytes, any length, and more names than the table holds."""

import os
import re

import harness

MAX_REGIONS = 4096  # of regionstat(3), with "(other)"

NAME_BYTES = 127

ODD = [b"plain", b"with space", b'comma, quote " and semicolon;', b"line\nbreak", b"tab\tand\rreturn",
       b"escape \033[31mred\033[0m", *map(str.encode, ("Prüfung der Größe", "渲染像素", "👩‍👩‍👧 family")),
       b"bad utf-8 \xff\xfe\xc3", b"cut utf-8 \xe6\xb8", b"-e", b"=1+1", b"%s%n",
       b"../../etc/passwd", b"(other)"]


class Names(harness.TestCase):

    def named(self, *names):
        """Make a call of each of these names."""
        return self.measure(harness.app("named"), *map(os.fsdecode, names))

    def test_odd_names(self):
        report = self.named(*ODD * 3).report
        for name in ("plain", "with space", 'comma, quote " and semicolon;', "Prüfung der Größe",
                     "渲染像素", "-e", "=1+1", "%s%n", "../../etc/passwd"):
            self.assertEqual(report.region(name).calls, 3, name)
        self.assertEqual(len(report.regions()), len(ODD))
        self.assertEqual(sum(report.calls().values()), len(ODD) * 3)
        self.assertClean(report)

    def test_odd_names_in_a_table(self):
        result = self.regionstat("-e", "time", "--all", "--", harness.app("named"),
                                 *map(os.fsdecode, ODD))
        self.assertIn("渲染像素", result.stderr)
        # nothing that a terminal would interpret, and no line but regionstat's own
        self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]", result.stderr), result)
        self.assertNotRegex(result.stderr, r"(?m)^break")

    def test_longest_name(self):
        names = "x" * NAME_BYTES, "x" * (NAME_BYTES - 1) + "y"
        self.assertEqual(self.named(*names).report.calls(), dict.fromkeys(names, 1))

    def test_longer_names_stay_distinct(self):
        for length in (NAME_BYTES + 1, 1000, 60000):
            with self.subTest(length=length):
                result = self.named("x" * length, "x" * (length - 1) + "y")
                names = result.report.regions()
                self.assertEqual(list(result.report.calls().values()), [1, 1], names)
                for name in names:
                    self.assertLessEqual(len(name.encode()), NAME_BYTES)
                    self.assertTrue(name.startswith("x" * 64))
                self.assertRegex(result.stderr, "name")

    def test_long_utf8_name_is_cut_between_characters(self):
        (name,) = self.named("渲" * 100).report.regions()
        self.assertTrue(name.startswith("渲" * 20), name)
        self.assertEqual(name.encode("utf-8", "strict").decode(), name)

    def test_empty_name(self):
        report = self.named("", "named", "").report
        self.assertEqual(report.region("named").calls, 1)
        self.assertEqual(sum(report.calls().values()), 3)

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
        names = ["region %d" % (7 * i % 300) for i in range(300)]
        self.assertEqual(self.named(*names).report.regions(), names)
