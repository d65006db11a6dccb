# SPDX-License-Identifier: MIT
"""Appending CSV to a file: rows are added below one header of the same kind; otherwise nothing
runs."""

import fcntl
import os

import harness

OLD = "what was there before\n"
HEADER = ",".join(harness.COLUMNS)
ROW = "run" + "," * (len(harness.COLUMNS) - 1)


class Append(harness.TestCase):

    def file(self, content):
        return self.text_file("file", content)

    def append(self, path, *command, separator=",", **options):
        return harness.regionstat("-x", separator, "-o", path, "--append", "--label", "run", "-e",
                                  "page-faults", *command or ["true"], **options)

    def append_to_stdout(self, path, *command):
        """Append to the standard output, which is a file that is opened for appending."""
        with open(path, "a", encoding="ascii") as file:
            return self.append("-", *command, stdout=file)

    def runs(self, text):
        return len(harness.Report(text).select(kind="run", event="page-faults"))

    def test_there_is_one_header(self):
        """An empty file gets one, and a last line without an end gets that."""
        for content, before in (("", HEADER + "\n"),
                                (HEADER, HEADER + "\n"), (HEADER + "\n", HEADER + "\n"),
                                (HEADER + "\n" + ROW, HEADER + "\n" + ROW + "\n"),
                                (HEADER + "\n" + ROW + "\n", HEADER + "\n" + ROW + "\n")):
            with self.subTest(content=content):
                path = self.file(content)
                self.assertEqual(self.append(path).status, 0)
                text = harness.read_text(path)
                self.assertTrue(text.startswith(before + "run,"), text)
                self.assertEqual(self.runs(text), 1)

    def test_another_first_line_is_an_error_before_the_run(self):
        ran = self.path("ran")
        for line in (OLD[:-1], "", HEADER + ",more", HEADER[:-1], HEADER.replace(",", ";"),
                     HEADER.replace("run,", ""), HEADER + "\r", "\ufeff" + HEADER,
                     "\x1b[31m" + "x" * 5000):
            shown = line.replace("\x1b", "\\x1b")[:9]
            for content in (line + "\n", line + "\n" + HEADER + "\n"):
                with self.subTest(content=content[:200]):
                    path = self.file(content)
                    result = self.append(path, "touch", ran)
                    self.assertEqual((result.status, result.stdout), (125, ""), result)
                    self.assertRegex(result.stderr, r"^regionstat: --append: cannot add to '.*': ")
                    self.assertIn("\n  its first line: " + shown, result.stderr)
                    self.assertIn("\n  this header:    " + HEADER + "\n", result.stderr)
                    self.assertIn("\n  try: ", result.stderr)
                    self.assertNotIn("\x1b", result.stderr)
                    self.assertEqual(harness.read_text(path), content)
                    self.assertFalse(os.path.exists(ran))

    def test_another_separator_is_another_header(self):
        path = self.file("")
        for separator, status in ((";", 0), (",", 125), (";", 0)):
            self.assertEqual(self.append(path, separator=separator).status, status)
        report = harness.read_report(path, separator=";")
        self.assertEqual(len(report.select(kind="run", event="page-faults")), 2)

    def test_a_table_is_added_to_anything(self):
        path = self.file(HEADER + "\n")
        self.regionstat("-o", path, "--append", "true")

    def test_the_standard_output(self):
        for content, status in ((HEADER + "\n", 0), (OLD, 125)):
            path = self.file(content)
            result = self.append_to_stdout(path)
            self.assertEqual(result.status, status, result)
            self.assertEqual("cannot add to the standard output: " in result.stderr, status == 125)
        self.assertEqual(harness.read_text(path), OLD)

    def test_words_of_the_program_are_no_other_header(self):
        path = self.file("")
        self.assertEqual(self.append_to_stdout(path, "printf", "program").status, 0)
        self.assertTrue(harness.read_text(path).startswith("program\n" + HEADER + "\nrun,"))

    def test_a_run_that_began_the_file_meanwhile(self):
        path = self.file("")
        inner = [harness.REGIONSTAT, "-x,", "-o", path, "--append", "-e", "page-faults", "true"]
        self.assertEqual(self.append(path, *inner).status, 0)
        self.assertEqual(self.runs(harness.read_text(path)), 2)

    def test_runs_that_end_at_once(self):
        path, (reader, writer) = self.path("file"), os.pipe()
        runs = [self.spawn([harness.REGIONSTAT, "-x,", "-o", path, "--append",
                            "-e", "page-faults", "cat"], stdin=reader) for _ in range(8)]
        os.close(reader)
        os.close(writer)  # ends when every cat has its input
        for run in runs:
            run.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual([run.returncode for run in runs], [0] * len(runs))
        self.assertEqual(self.runs(harness.read_text(path)), len(runs))
        self.assertEqual(harness.read_text(path).count(HEADER), 1)

    def test_a_file_that_somebody_locked(self):
        path = self.file("")
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertEqual(self.append(path).status, 0)
        self.assertEqual(self.runs(harness.read_text(path)), 1)

    def test_a_file_that_can_be_written_but_not_read(self):
        path = self.file(OLD)
        os.chmod(path, 0o222)
        os.chmod(self.directory, 0o755)
        prefix = harness.need_other_user() if os.access(path, os.R_OK) else []
        self.execute([*prefix, harness.REGIONSTAT, "-x,", "-o", path, "--append",
                      "--label", "run", "true"])
        os.chmod(path, 0o644)
        self.assertTrue(harness.read_text(path).startswith(OLD + HEADER + "\nrun,"))

    def test_a_pipe_with_a_name(self):
        path = self.path("fifo")
        os.mkfifo(path)
        for _ in range(2):
            reader = self.spawn(["cat", path])
            self.assertEqual(self.append(path).status, 0)
            text, _ = reader.communicate(timeout=harness.TIMEOUT_S)
            self.assertEqual(self.runs(text.decode()), 1)

    def test_a_pipe_and_a_device(self):
        self.assertEqual(self.runs(self.append("-").stdout), 1)
        self.assertEqual(self.append("/dev/null").status, 0)
