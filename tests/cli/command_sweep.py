# SPDX-License-Identifier: MIT
"""Many processes in succession: thread slots of dead processes are used again, and nothing that was
measured is lost."""

import harness

PROCESSES = 400
CALLS = 10


class Sweep(harness.TestCase):

    def check(self, how, *options):
        """Run processes that each finish CALLS calls and end in an open one."""
        script = 'i=0; while [ $i -lt %d ]; do "$@"; i=$((i + 1)); done; exit 0' % PROCESSES
        return self.measure("sh", "-c", script, "sh", harness.app("rules"), "end", how, CALLS,
                            events="page-faults", options=options).report

    def test_nothing_is_lost(self):
        for how in ("exit", "kill"):
            with self.subTest(how=how):
                report = self.check(how)
                for event in ("time", "page-faults"):
                    row = report.region("finished", event)
                    self.assertEqual((row.calls, row.counted), (PROCESSES * CALLS,) * 2)
                self.assertEqual(report.diagnostics(), {"open": PROCESSES})

    def test_each_keeps_its_own_when_asked_for(self):
        report = self.check("kill", "--per-process")
        rows = report.select(kind="region", region="finished", event="time")
        self.assertEqual([row.calls for row in rows], [CALLS] * PROCESSES)
        self.assertEqual(len({row.process for row in rows}), PROCESSES)
