# SPDX-License-Identifier: MIT
"""The main use, on the ray tracer: a region for each pixel, exact counts, and an unchanged
program."""

import harness

EVENTS = "task-clock,page-faults,context-switches"
PIXELS = 320 * 240
# With a sanitizer, fewer rays: it takes most of the time, and the number of calls stays the same.
RAYS = ["-r", "6" if harness.SANITIZE == "none" else "1"]


class Tracer(harness.TestCase):

    def picture(self, name):
        return harness.read_bytes(self.path(name))

    def setUp(self):
        super().setUp()
        self.tracer = harness.app("tracer")

    def test_320x240_on_two_threads(self):
        arguments = ["-s", "320x240", "-t", "2", *RAYS]
        alone = self.execute([self.tracer, *arguments, "-o", self.path("alone.ppm")])
        result = self.measure(self.tracer, *arguments, "-o", self.path("measured.ppm"),
                              events=EVENTS)
        report = result.report
        self.assertEqual((result.stdout, alone.stdout, alone.stderr), ("", "", ""))
        self.assertEqual(self.picture("measured.ppm"), self.picture("alone.ppm"))
        self.assertEqual(len(self.picture("alone.ppm")), len("P6\n320 240\n255\n") + 3 * PIXELS)
        self.assertEqual(report.regions(), ["setup", "pixel", "write"])
        self.assertClean(report)
        for event in ("time", *EVENTS.split(",")):
            with self.subTest(event=event):
                row = report.region("pixel", event)
                self.assertEqual((row.calls, row.status), (PIXELS, "ok"))
                self.assertEqual(row.counted, PIXELS)
                self.assertLessEqual(row.min, row.p50)
                self.assertLessEqual(row.p50, row.p90)
                self.assertLessEqual(row.p90, row.p99)
                self.assertLessEqual(row.p99, row.max)
                self.assertTrue(row.min <= row.avg <= row.max, row)
                self.assertLessEqual(row.max, row.total)
        # two threads cannot be in regions for longer than twice the run
        time_ns = sum(report.region(name).self_total for name in report.regions())
        self.assertLessEqual(time_ns, 2 * report.run("time").total)
        for event in EVENTS.split(","):
            inside = sum(report.region(name, event).self_total for name in report.regions())
            self.assertLessEqual(inside, report.run(event).total, event)
        self.assertGreater(report.region("pixel", "task-clock").total, 0)

    def test_picture_is_the_same_for_every_marker_and_thread(self):
        for threads in ("1", "2", "7"):
            for markers in ("none", "pixel", "next"):
                name = "%s-%s.ppm" % (threads, markers)
                result = self.measure(self.tracer, "-s", "80x60", "-t", threads, "-m", markers,
                                      *RAYS, "-o", self.path(name), options=["-e", "time"])
                self.assertEqual(self.picture(name), self.picture("1-none.ppm"), name)
                expected = 0 if markers == "none" else 80 * 60
                calls = result.report.calls()
                self.assertEqual(calls.pop("pixel", 0), expected, name)
                self.assertEqual(calls, {"setup": 1, "write": 1}, name)
                self.assertClean(result.report)

    def test_output_to_a_pipe(self):
        result = self.measure(self.tracer, "-s", "32x24", "-o", "-")
        alone = harness.run([self.tracer, "-s", "32x24", "-o", "-"])
        self.assertEqual(result.stdout_bytes, alone.stdout_bytes)

    def test_per_thread_calls_add_up(self):
        result = self.measure(self.tracer, "-t", "4", "-s", "160x120", events="page-faults",
                              options=["--per-thread"])
        rows = result.report.select(kind="region", region="pixel", event="time")
        self.assertNotIn("all", [row.thread for row in rows])
        self.assertEqual(sum(row.calls for row in rows), 160 * 120)
        self.assertLessEqual(len(rows), 4)
