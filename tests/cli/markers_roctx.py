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

    def alone(self):
        """Return the output of program and library without regionstat."""
        result = harness.run([PROGRAM, str(N)], env=harness.environment())
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        return result.stdout

    def test_found(self):
        """The adapter finds that the program uses ROCTx. Both get every call, and the program gets
        the library's results."""
        result = self.measure(PROGRAM, N, events="time", options=["--markers", "auto"],
                              env=adapter_counts.unordered())
        self.assertEqual(result.stdout, self.alone())
        self.assertEqual(result.report.calls(), CALLS)
        self.assertEqual(result.report.region("inner").parent, "outer")
        self.assertIsNone(result.report.region("handed").self_total)
        self.assertClean(result.report)
        # two pops too many; a pause and a resume of one thread
        self.assertEqual(adapter_counts.of(result.report, "roctx"), {
            "processes": 1, "regions": 8, "unmatched": N, "ignored": 2 * N})

    def test_names_of_threads(self):
        result = self.measure(PROGRAM, N, events="time", env=adapter_counts.unordered(),
                              options=["--markers", "roctx", "--per-thread"])
        names = result.report.select(kind="info", event="thread_name")
        self.assertEqual([row.value for row in names],
                         ["of ROCTx"] + N * ["markers-roctx"])

    def test_none(self):
        result = self.measure(PROGRAM, N, events="time", options=["--markers", "none"])
        self.assertEqual((result.report.calls(), result.stdout), ({}, self.alone()))

    def test_not_launched(self):
        """Without a launcher the adapter passes each call to the library."""
        result = harness.run([PROGRAM, str(N)], env=adapter_counts.preloaded("roctx"))
        self.assertEqual((result.status, result.stdout, result.stderr), (0, self.alone(), ""))

    def test_runtime_is_not_there(self):
        result = adapter_counts.without_runtime(
            self, PROGRAM, N, env=adapter_counts.preloaded("roctx"))
        self.assertEqual(result.stdout, self.alone())
