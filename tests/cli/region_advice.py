# SPDX-License-Identifier: MIT
"""Findings about real programs, by their codes: blocked regions, threads with more of the work, and
percentiles of too few calls. Tests with invented figures are in tests/stats/advice_test.c."""

import harness


class Advice(harness.TestCase):

    def messages(self, *program, events):
        path = self.path("run.json")
        self.regionstat("-e", events, "-o", path, "--", *program)
        found = harness.read_json(path)["messages"]
        codes = [message["code"] for message in found]
        self.assertEqual(sorted(set(codes)), sorted(codes), "each is told once")
        return {message["code"]: message for message in found}

    def test_off_a_cpu(self):
        """Five of a hundred calls sleep for 100 ms together, and all else takes no time."""
        program = self.compile("tail.c", harness.compilers()[0])
        for events in ("task-clock", "page-faults"):
            messages = self.messages(program, "wait", events=events)
            if events == "page-faults" and "cpu-time-unknown" in messages:
                self.assertNotIn("blocked", messages)
                continue
            message = messages["blocked"]
            self.assertEqual((message["kind"], message["region"], message["number"]),
                             ("note", "tail", 1))

    def test_uneven_threads(self):
        """One thread takes 400 ms where the average is 175 ms; then all take the same, apart from
        sleeps."""
        program = self.compile("uneven.c", harness.compilers()[0])
        message = self.messages(program, 400, 100, 100, 100, events="time")["imbalance"]
        self.assertEqual((message["kind"], message["region"], message["number"]),
                         ("note", "part", 1))
        self.assertIn("average of 4 threads", message["text"])
        self.assertNotIn("imbalance",
                         self.messages(program, 400, 400, 400, 400, events="time"))
        self.assertNotIn("imbalance", self.messages(program, 400, events="time"))

    def test_few_calls(self):
        """A hundred calls are enough for p99; 99 are not."""
        program = self.compile("slow.c", harness.compilers()[0])
        message = self.messages(program, 99, "even", events="time")["few-calls"]
        self.assertEqual((message["kind"], message["region"]), ("detail", "slow"))
        self.assertNotIn("few-calls", self.messages(program, 100, "even", events="time"))
