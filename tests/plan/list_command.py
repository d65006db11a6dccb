# SPDX-License-Identifier: MIT
"""`regionstat list` on this very machine: its lines, its patterns, its statuses."""

import os
import re
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402


class List(harness.TestCase):
    def test_names_kinds_and_meanings(self):
        result = harness.regionstat("list")
        self.assertEqual(result.status, 0, str(result))
        self.assertEqual(result.stderr, "")
        self.assertNotIn("\033", result.stdout)
        for name in ("time", "cycles", "page-faults", "L1-dcache-load-misses", "rNNN"):
            lines = [line for line in result.stdout.splitlines()
                     if re.match(r"  %s +(yes|user|no) +\S" % re.escape(name), line)]
            self.assertEqual(len(lines), 1, name)

    def test_agrees_with_what_a_run_can_count(self):
        listing = harness.regionstat("list").stdout
        for name in ("page-faults", "context-switches", "instructions", "branches"):
            offer = re.search(r"^  %s +(\w+)" % name, listing, flags=re.M).group(1)
            run = harness.regionstat("--strict", "-e", name, "true")
            self.assertEqual(run.status, 125 if offer == "no" else 0, name)

    def test_glob(self):
        result = harness.regionstat("list", "*-FAULTS")
        names = re.findall(r"^  (\S+)", result.stdout, flags=re.M)
        self.assertEqual(names, ["page-faults", "minor-faults", "major-faults", "alignment-faults",
                                 "emulation-faults"])

    def test_nothing_matches(self):
        result = self.regionstat("list", "nosuch\033[31m", status=1)
        self.assertEqual(result.stdout, "")
        self.assertIn("no event of this machine matches", result.stderr)
        self.assertNotIn("\033", result.stderr)

    def test_usage(self):
        for arguments in (["--help"], ["-h"], ["cycles", "--help"]):
            result = harness.regionstat("list", *arguments)
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            for text in ("\n  GLOB  ", "\n  -h, --help  ", "\n      --version  "):
                self.assertIn(text, result.stdout)
            self.assertNotIn("--output", result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        self.assertEqual(harness.regionstat("list", "--version").stdout,
                         harness.regionstat("--version").stdout)
        for arguments in (["--nosuch"], ["a", "b"]):
            result = harness.regionstat("list", *arguments)
            self.assertEqual(result.status, 125, arguments)
            self.assertIn("try: ", result.stderr)

    def test_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full") or not stat.S_ISCHR(os.stat("/dev/full").st_mode):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([harness.REGIONSTAT, "list"], stdout=full,
                                  stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"ENOSPC", done.stderr)


if __name__ == "__main__":
    harness.main()
