# SPDX-License-Identifier: MIT
"""A program overwrites the segment, while it runs and afterwards. regionstat must report unreadable
data, keep the run's totals and the program's exit status, and end."""

import sys

import harness

# Offsets from lib/segment/layout.h.
EVENTS, BUCKETS, REGIONS = 0x1000, 0x10000, 0x20000
PROCESSES, SLOTS, DATA = 0x200000, 0x800000, 0x2000000
DATA_BYTES = 8 << 20

# The measured program's shell runs this after a program with markers: scribble HOW FROM BYTES.
SCRIBBLE = r"""
import ctypes, os, random, sys, time
how, start, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
fd, launcher = (int(word) for word in os.environ["REGIONSTAT_SEGMENT"].split(":")[1:3])
source = random.Random(7)
if how == "punch":
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
    if libc.fallocate(fd, 3, start, length) != 0:
        sys.exit(99)
elif how == "forever":
    if os.fork() == 0:
        os.close(0), os.close(1), os.close(2)
        try:
            while True:
                os.kill(launcher, 0)
                os.pwrite(fd, source.randbytes(64), start + source.randrange(length // 8) * 8)
        except ProcessLookupError:
            os._exit(0)
else:
    while length > 0:
        part = min(length, 1 << 20)
        os.pwrite(fd, b"\xff" * part if how == "ones" else source.randbytes(part), start)
        start += part
        length -= part
sys.exit(7)
"""


class Scribble(harness.TestCase):

    def scribble(self, how, start, length):
        """Return the report of a program with markers followed by one that overwrites the segment.
        Check the properties that always hold."""
        script = '"$1" nested 100 || exit 98; exec "$2" -c "$3" "$4" "$5" "$6"'
        result = harness.regionstat(
            "-x", ",", "sh", "-c", script, "sh", harness.app("rules"), sys.executable, SCRIBBLE,
            how, start, length)
        # Without the header there are no regions, and that is a failure of regionstat.
        has_regions = "overwrote the header" not in result.stderr
        self.assertEqual(result.status, 7 if has_regions else 125, result)
        self.assertEqual("own exit status was 7" in result.stderr, not has_regions)
        text = result.stderr
        # Only the CSV, without the warnings that follow it.
        csv = text[text.index("run,kind,region,"):].partition("\nregionstat: ")[0]
        report = harness.Report(csv.rstrip("\n") + "\n")
        self.assertGreater(report.one(kind="run", event="time").total, 0)
        return result, report

    def test_nothing_is_lost_without_damage(self):
        result, report = self.scribble("ones", DATA + (1 << 30), 4096)
        self.assertTrue(report.select(kind="region"), result)

    def test_whole_segment(self):
        result, report = self.scribble("ones", 0, DATA + DATA_BYTES)
        self.assertIn("overwrote the header", result.stderr)
        self.assertIn("try: ", result.stderr)
        self.assertEqual(report.select(kind="region"), [])

    def test_header(self):
        for how in ("ones", "random", "punch"):
            result, _ = self.scribble(how, 0, EVENTS)
            self.assertIn("overwrote the header", result.stderr, how)

    def test_each_table(self):
        for how in ("ones", "random"):
            for start, end in ((BUCKETS, REGIONS), (REGIONS, PROCESSES), (PROCESSES, SLOTS),
                               (SLOTS, DATA), (DATA, DATA + DATA_BYTES)):
                self.scribble(how, start, end - start)

    def test_processes_that_mark_afterwards_live(self):
        script = '"$1" nested 100 || exit 98; "$2" -c "$3" "$4" "$5" "$6"; exec "$1" nested 100'
        for how in ("ones", "random"):
            for start, end in ((BUCKETS, REGIONS), (REGIONS, PROCESSES), (PROCESSES, SLOTS),
                               (SLOTS, DATA), (DATA, DATA + DATA_BYTES)):
                result = harness.regionstat(
                    "-x", ",", "sh", "-c", script, "sh", harness.app("rules"), sys.executable,
                    SCRIBBLE, how, start, end - start)
                self.assertEqual(result.status, 0, result)

    def test_holes_in_the_data(self):
        _, report = self.scribble("punch", DATA, DATA_BYTES)
        self.assertEqual(report.select(kind="region"), [])

    def test_while_it_is_read(self):
        for start, end in ((REGIONS, PROCESSES), (SLOTS, SLOTS + 4096), (DATA, DATA + 65536)):
            self.scribble("forever", start, end - start)
