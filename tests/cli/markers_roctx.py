# SPDX-License-Identifier: MIT
"""A program with ROCTx's markers, linked to a stand-in of AMD's library. The stand-in and the
adapter get every call. Tests that ROCTx shares with other APIs are in markers_contract.py."""

import adapter_counts
import harness

PROGRAM = harness.app("markers-roctx")
N = 20
CALLS = {"outer": N, "inner": N, "mark": N, "range": N, "handed": N, "counted": 3 * N,
         "(unnamed)": 1}


class Roctx(harness.TestCase):

    def test_found(self):
        """The adapter finds that the program uses ROCTx. Both get every call, and the program gets
        the library's results, also without a launcher or a runtime."""
        alone = self.execute([PROGRAM, str(N)])
        self.assertEqual(alone.stderr, "")
        self.assertSame(alone, harness.run([PROGRAM, str(N)], env=adapter_counts.preloaded("roctx")))
        result = adapter_counts.without_runtime(
            self, PROGRAM, N, env=adapter_counts.preloaded("roctx"))
        self.assertEqual(result.stdout, alone.stdout)
        result = self.measure(PROGRAM, N, events="time")
        self.assertEqual(result.stdout, alone.stdout)
        self.assertEqual(result.report.calls(), CALLS)
        self.assertEqual(result.report.region("inner").parent, "outer")
        self.assertIsNone(result.report.region("handed").self_total)
        self.assertClean(result.report)
        # two pops too many; a pause and a resume of one thread
        self.assertEqual(adapter_counts.of(result.report, "roctx"), {
            "processes": 1, "regions": 8, "unmatched": N, "ignored": 2 * N})

    def test_names_of_threads(self):
        result = self.measure(PROGRAM, N, events="time",
                              options=["--markers", "roctx", "--per-thread"])
        names = result.report.select(kind="info", event="thread_name")
        self.assertEqual([row.value for row in names],
                         ["of ROCTx"] + N * ["markers-roctx"])
