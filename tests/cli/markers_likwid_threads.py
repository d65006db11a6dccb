# SPDX-License-Identifier: MIT
"""LIKWID's markers on threads, with sanitizers: regions across phases, and wrong uses. The program
is linked with the stand-in. Tests that LIKWID shares with other APIs are in markers_contract.py."""

import re

import adapter_counts
import harness

THREADS = 4


class Threads(adapter_counts.TestCase):

    adapter, program = "likwid", harness.app("markers-likwid-threads")

    def check_gets(self, result):
        """Check that GET on each thread is between the program's two clocks."""
        gets = re.findall(r"^get (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (.*)$", result.stdout,
                          re.MULTILINE)
        for calls, n_events, took, known, within, around, region in gets:
            self.assertEqual((calls, n_events), (known, "0"), region)
            # the rate of the clock may be known only to 1 % so early in a run
            slack = harness.CLOCKS_NS * int(calls)
            self.assertLessEqual(int(took), int(around) * 1.01 + slack, region)
            if int(took) < int(within) * (1 - harness.MARKERS_RATIO - 0.01) - slack:
                raise harness.TimeMissing("GET of %s: %s, not %s" % (region, took, within))
        return len(gets)

    @harness.steady
    def test_phases(self):
        """Regions begin in one phase and end in a later one, without nesting."""
        n, each = 200, 200 * THREADS
        result = self.check("phases", n, {"all": each, "odd": each // 2, "even": each // 2})
        self.assertClocks(result)
        self.assertEqual(self.check_gets(result), 2 * THREADS)
        rows = [result.report.region(name) for name in ("all", "odd", "even")]
        self.assertEqual([row.threads for row in rows], [THREADS, THREADS // 2, THREADS // 2])
        self.assertEqual([row.parent for row in rows], ["", "all", "all"])

    def test_stopped_on_another_thread(self):
        """Each thread has its own calls of a region."""
        n = 10
        self.check("elsewhere", n, {"moved": 0, "stayed": 1},
                   diagnostics={"unmatched": n, "open": n})

    def test_closed_while_threads_go_on(self):
        n = 500
        self.check("close", n, {"region": n * THREADS})

    def test_disorder(self):
        result = self.check("disorder", 1, {"early": 0, "open": 1, "late": 1, "known": 1},
                            {"ignored": 4}, {"unmatched": 1})
        # GET alone also creates a region
        self.assertEqual(adapter_counts.of(result.report, "likwid")["regions"], 5)

    def test_fortran_names(self):
        n = 50
        self.check("fortran", n, {"padded": n}, {"ignored": n + 2})
