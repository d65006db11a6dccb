# SPDX-License-Identifier: MIT
"""An event's counts in regions and outside of them add up to that of the whole run. The event is
page faults, in a nest of ten regions in eight threads and a fork tree (tests/apps/outside.c)."""

import harness

LEVELS, OUTSIDE, ROUNDS = 10, 5, 40


class Outside(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_exact_faults()

    def test_regions_and_the_rest_are_the_run(self):
        program = self.compile("outside.c", harness.compilers()[0], "-O2")
        result = self.measure(program, ROUNDS, events="page-faults")
        report = result.report
        self.assertClean(report)
        threads, faults = map(int, result.stdout.split())
        rows = [report.region("level-%d" % level, "page-faults") for level in range(LEVELS)]
        for level, row in enumerate(rows):
            pages = (level + 1) * ROUNDS * threads
            self.assertEqual((row.status, row.calls, row.counted),
                             ("ok", ROUNDS * threads, ROUNDS * threads))
            # also code and data that are touched for the first time
            self.assertTrue(pages <= row.self_total <= 1.05 * pages + 50, row)
            within = rows[level + 1].total if level + 1 < LEVELS else 0
            self.assertEqual(row.total, row.self_total + within, row)
        selves = sum(row.self_total for row in rows)
        self.assertEqual(selves, rows[0].total)
        # the program counts the whole run itself, from before its exec to shortly before its end
        run = report.run("page-faults")
        self.assertEqual(run.status, "ok")
        self.assertGreaterEqual(run.total - selves, OUTSIDE * ROUNDS * threads)
        if harness.SANITIZE == "none":  # the end of a program with a sanitizer takes a tenth more
            self.assertLess(abs(run.total - faults), 0.03 * faults + 100, (run, faults))
