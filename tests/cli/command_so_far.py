# SPDX-License-Identifier: MIT
"""SIGUSR2 to regionstat: the report so far, which replaces the file as a whole."""

import json
import os
import signal
import time

import harness


class SoFar(harness.TestCase):
    def replaced(self, process, path):
        """Ask for a report and wait until the file is a new one. Each look at the file sees a
        complete report, or no file before the first one. Return the report."""
        def find():
            return os.stat(path).st_ino if os.path.exists(path) else None
        before = find()
        os.kill(process.pid, signal.SIGUSR2)
        deadline = time.monotonic() + harness.TIMEOUT_S
        while find() == before:
            self.assertLess(time.monotonic(), deadline)
            if before:
                json.loads(harness.read_text(path))
        return harness.read_json(path)

    def calls(self, document):
        return {row["region"]: row["calls"] for row in document["rows"]
                if row["kind"] == "region" and row["event"] == "time"}

    def test_files_are_replaced(self):
        path, table = self.path("run.json"), self.path("run.txt")
        process = self.spawn_waiting("-o", path, "-o", table)
        for _ in range(3):
            document = self.replaced(process, path)
            before = self.calls(document)
            self.assertEqual(before["child"], 60)
            self.assertEqual([row["calls"] for row in document["rows"]
                              if (row["kind"], row["event"]) == ("diagnostic", "running")], [1])
            self.assertIn("this report was made",
                          "".join(message["text"] for message in document["messages"]))
        stderr = self.finish_waiting(process)
        self.assertNotIn("regionstat: cannot", stderr)  # a busy machine may have others
        calls = self.calls(harness.read_json(path))
        self.assertEqual(calls, dict(before, waiting=1))
        self.assertEqual(harness.read_text(table).count("\nregion  "), 1)

    def test_standard_error(self):
        process = self.spawn_waiting()
        os.kill(process.pid, signal.SIGUSR2)
        # The threads may have called "step" while counting was paused; no child does.
        seen = b""
        while b"\nregion  " not in seen:
            seen += process.stderr.readline()
        while b"\nchild  " not in seen:
            seen += process.stderr.readline()
        self.assertIn("\nregion  ", self.finish_waiting(process))

    def is_pending(self, process, number):
        with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
            masks = [int(line.split()[1], 16) for line in file if line.startswith("ShdPnd:")]
        return masks[0] >> (number - 1) & 1

    def test_full_pipe(self):
        """A reader that does not read delays no signal for the program."""
        path = self.path("fifo")
        pipe = harness.FullPipe(path)
        process = self.spawn_waiting("--format", "json", "-o", path)
        for _ in range(2):  # the second report is dropped
            os.kill(process.pid, signal.SIGUSR2)
            harness.wait_until(lambda: not self.is_pending(process, signal.SIGUSR2))
        os.kill(process.pid, signal.SIGUSR1)
        harness.wait_until(lambda: not harness.children(process.pid))
        text, decoder, running = pipe.read(process).strip(), json.JSONDecoder(), []
        while text:
            document, end = decoder.raw_decode(text)
            text = text[end:].strip()
            running.append(any((row["kind"], row["event"]) == ("diagnostic", "running")
                               for row in document["rows"]))
        self.assertEqual((running, process.returncode), ([True, False], 0))

    def test_append(self):
        """A file to which reports are added gets only the last one."""
        path = self.path("run.csv")
        for _ in range(2):
            process = self.spawn_waiting("--append", "-o", path)
            os.kill(process.pid, signal.SIGUSR2)
            self.finish_waiting(process)
        report = harness.read_report(path)
        self.assertEqual([row.calls for row in report.select(kind="region", region="child",
                                                             event="time")], [60, 60])

    def test_intervals_go_on(self):
        rows, path = self.path("rows.csv"), self.path("run.json")
        process = self.spawn_waiting("-I", "5", "--interval-output", rows, "-o", path)
        self.replaced(process, path)
        self.finish_waiting(process)
        with open(rows, encoding="utf-8") as file:
            self.assertEqual(sum(int(line.split(",")[12]) for line in file
                                 if ",region,child,,all,all,time," in line), 60)
