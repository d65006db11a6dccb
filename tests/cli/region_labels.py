# SPDX-License-Identifier: MIT
"""--labels: a profiler that knows only OpenTelemetry's layout sees the region of every thread at
random instructions, through forks, execs, fibers and handlers. The program says what is right."""

import os
import re
import signal
import subprocess

import harness

# So many stops take about 2 s. The suite `long` has more.
STOPS = os.environ.get("REGIONSTAT_LABEL_STOPS", "5000")


class Labels(harness.TestCase):

    def read(self, mode, *options, labels=("--labels",)):
        """Run the reader, and return the counts that it prints."""
        words = [harness.REGIONSTAT, "--quiet", "-o", os.devnull, "--format", "csv", *labels,
                 *options]
        words += ["-p", "$!"] if mode == "attached" else [harness.app("labelled"), mode]
        if mode == "attached":
            # the shell's child is the program only after its exec
            words = ["sh", "-c", "%s attached & until [ /proc/$!/exe -ef %s ]; do :; done; exec %s" % (
                harness.app("labelled"), harness.app("labelled"), " ".join(words))]
        result = harness.run([harness.app("label_reader"), STOPS, *words],
                             timeout=harness.TIMEOUT_S + int(STOPS) // 500)
        counts = re.search(r"stops .*", result.stdout)
        self.assertIsNotNone(counts, result.stdout + result.stderr)
        harness.note("%s %s: %s" % (mode, " ".join(options), counts.group()))
        words = counts.group().split()
        return result, dict(zip(words[::2], map(int, words[1::2])))

    def check(self, mode, *options, regions):
        result, counts = self.read(mode, *options)
        self.assertEqual(result.status, 0, result.stdout)
        self.assertEqual(counts["wrong"], 0, result.stdout)
        # The stops are spread over markers, the code between them, and most regions.
        for kind in ("inside", "none"):
            self.assertGreater(counts[kind], 0)
        self.assertLess(counts["none"] + counts["unknown"], counts["stops"])
        self.assertGreaterEqual(counts["regions"], regions)
        self.assertGreaterEqual(counts["contexts"], 1)

    def test_every_marker_in_every_life_of_a_process(self):
        self.check("all", "-e", "time", regions=6)

    def test_threads(self):
        self.check("threads", "-e", "time", regions=4)

    def test_other_markers(self):
        self.check("all", "-e", "page-faults", "--sample", "3", regions=4)

    def test_attached(self):
        self.check("attached", "-e", "time", regions=4)

    def test_parents_in_turn(self):
        """About one call in 1,008 is a probe, whose BEGIN takes the slow path."""
        program = self.compile(os.path.join("attached", "labels.c"), harness.compilers()[0], "-O2")
        result = self.measure(program, "turns", 50000, events="time", options=["--labels"])
        self.assertEqual(result.stdout, "200000\n")

    def test_labels_are_withdrawn(self):
        """The threads stay in the region while regionstat detaches."""
        program = self.compile(os.path.join("attached", "labels.c"), harness.compilers()[0])
        process = self.spawn([program], stdin=subprocess.PIPE, text=True)

        def ask(word=""):
            return harness.ask(process, word)

        def has(name):
            return name in harness.read_text("/proc/%d/maps" % process.pid)

        for labels in (["--labels"], [], ["--labels"]):
            before = ask("b")
            self.assertEqual((before, has("OTEL_CTX")), ([0, 0], False))
            measurement = self.spawn([harness.REGIONSTAT, "attach", str(process.pid), "-e", "time",
                                      "-o", os.devnull, *labels], text=True)
            harness.wait_until(lambda: (ask("b") == [4, 4] or not labels)
                               and has("memfd:regionstat"))
            self.assertEqual(has("OTEL_CTX"), bool(labels))
            harness.wait_until(lambda: ask("e") == [0, 0])  # some have begun it twice
            self.assertEqual(ask("b"), [4, 4] if labels else [0, 0])
            measurement.send_signal(signal.SIGINT)
            messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1]
            self.assertEqual((measurement.returncode, ask(), has("OTEL_CTX")), (0, [0, 0], False),
                             messages)

    def test_nothing_is_published_without_the_option(self):
        result, counts = self.read("threads", "-e", "time", labels=())
        self.assertRegex(result.stdout, "no context: .* context 0")
        self.assertEqual(counts["contexts"], 0)

    def test_a_context_of_the_program(self):
        for name in ("own-variable", "own-mapping"):
            result = self.measure(harness.app(name), events="time", options=["--labels"])
            self.assertEqual(result.stdout, "kept\n")
            self.assertIn("got no labels: another part of the program publishes", result.stderr)
            self.assertEqual(result.report.calls(), {"work": 10})
