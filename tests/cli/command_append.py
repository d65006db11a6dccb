# SPDX-License-Identifier: MIT
"""Appending CSV to a file: rows are added below one header of the same kind; otherwise nothing
runs."""

import fcntl
import os
import threading

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

    def runs(self, text):
        return len(harness.Report(text).select(kind="run", event="page-faults"))

    def test_an_empty_file_gets_a_header(self):
        path = self.file("")
        self.assertEqual(self.append(path).status, 0)
        self.assertEqual(self.runs(harness.read_text(path)), 1)

    def test_the_same_header_is_not_written_again(self):
        for content in (HEADER + "\n", HEADER + "\n" + ROW + "\n"):
            path = self.file(content)
            self.assertEqual(self.append(path).status, 0)
            self.assertTrue(harness.read_text(path).startswith(content + "run,"))
            self.assertEqual(self.runs(harness.read_text(path)), 1)

    def test_a_last_line_without_an_end_gets_one(self):
        for content in (HEADER, HEADER + "\n" + ROW):
            path = self.file(content)
            self.assertEqual(self.append(path).status, 0)
            self.assertTrue(harness.read_text(path).startswith(content + "\nrun,"))
            self.assertEqual(self.runs(harness.read_text(path)), 1)

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
        path = self.file(HEADER + "\n")
        for content, status in ((HEADER + "\n", 0), (OLD, 125)):
            with open(self.file(content), "a", encoding="ascii") as file:
                process = harness.start([harness.REGIONSTAT, "-x,", "-o", "-", "--append",
                                         "-e", "page-faults", "true"], stdout=file)
                _, stderr = process.communicate(timeout=harness.TIMEOUT_S)
                harness.stop(process)
            self.assertEqual(process.returncode, status, stderr)
            self.assertEqual(b"cannot add to the standard output: " in stderr, status == 125)
        self.assertEqual(harness.read_text(path), OLD)

    def test_words_of_the_program_are_no_other_header(self):
        path = self.file("")
        with open(path, "a", encoding="ascii") as file:
            process = harness.start([harness.REGIONSTAT, "-x,", "-o", "-", "--append",
                                     "--label", "run", "printf", "program"], stdout=file)
            process.communicate(timeout=harness.TIMEOUT_S)
            harness.stop(process)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(harness.read_text(path).startswith("program\n" + HEADER + "\nrun,"))

    def test_a_run_that_began_the_file_meanwhile(self):
        path = self.file("")
        inner = [harness.REGIONSTAT, "-x,", "-o", path, "--append", "-e", "page-faults", "true"]
        self.assertEqual(self.append(path, *inner).status, 0)
        self.assertEqual(self.runs(harness.read_text(path)), 2)

    def test_runs_that_end_at_once(self):
        path, (reader, writer) = self.path("file"), os.pipe()
        runs = [harness.start([harness.REGIONSTAT, "-x,", "-o", path, "--append",
                               "-e", "page-faults", "cat"], stdin=reader) for _ in range(8)]
        os.close(reader)
        os.close(writer)  # ends when every cat has its input
        for run in runs:
            run.communicate(timeout=harness.TIMEOUT_S)
            harness.stop(run)
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
        path, texts = self.path("fifo"), []
        os.mkfifo(path)

        def read():
            texts.append(harness.read_text(path))

        for _ in range(2):
            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            result = self.append(path)
            reader.join(harness.TIMEOUT_S)
            self.assertEqual(result.status, 0, result)
        self.assertEqual([self.runs(text) for text in texts], [1, 1])

    def test_a_pipe_and_a_device(self):
        result = harness.regionstat("-x,", "-o", "-", "--append", "-e", "page-faults", "true")
        self.assertEqual(self.runs(result.stdout), 1)
        self.assertEqual(self.append("/dev/null").status, 0)
