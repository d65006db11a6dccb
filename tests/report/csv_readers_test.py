# SPDX-License-Identifier: MIT
"""The CSV as other programs read it: Python's csv module, the sqlite3 shell, and a reader of a few
lines written from RFC 4180 that takes separators of any length."""

import csv
import io
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402

SAMPLE = os.path.join(harness.BUILD, "tests", "report", "report-csv-sample")

NAMES = [b"plain", b"comma, semicolon; tab\t pipe|", b"\"quoted\"", b"\"", b"two\nlines",
         b"carriage\r\nreturn", b" leading and trailing ", "渲染".encode(), b"not \xff UTF-8",
         b"\033[31mred", b"=1+1", b"ends in a colon:", b"'single'", b"back\\slash"]
NAMES = [name.decode("utf-8", "surrogateescape") for name in NAMES]


def sample(separator):
    """The sample's bytes."""
    return subprocess.run([SAMPLE, separator], stdout=subprocess.PIPE, check=True,
                          timeout=harness.TIMEOUT_S).stdout


def records_of(text, separator):
    """RFC 4180, section 2, with any separator and records ended by a line feed."""
    records, record, position = [], [], 0
    while position < len(text):
        field = ""
        if text[position] == '"':
            position += 1
            while True:
                end = text.index('"', position)
                field += text[position:end]
                position = end + 1
                if text[position] != '"':
                    break
                field += '"'
                position += 1
        else:
            while text[position] != "\n" and not text.startswith(separator, position):
                field += text[position]
                position += 1
        record.append(field)
        if text[position] == "\n":
            records.append(record)
            record = []
            position += 1
        elif text.startswith(separator, position):
            position += len(separator)
        else:
            raise AssertionError("%r behind a closing quote" % text[position])
    return records


class CsvReaders(harness.TestCase):
    """Every reader must find the same names and numbers."""

    def check(self, records):
        self.assertEqual(records[0], harness.COLUMNS)
        for record in records:
            self.assertEqual(len(record), len(harness.COLUMNS), record)
        rows = [dict(zip(records[0], record)) for record in records[1:]]
        self.assertEqual([row["event"] for row in rows if row["kind"] == "run"],
                         ["time", "user_time", "system_time"])
        regions = [row for row in rows if row["kind"] == "region"]
        self.assertEqual([row["region"] for row in regions], NAMES)
        for number, row in enumerate(regions):
            self.assertEqual((row["run"], row["parent"]), ("sample", ""))
            self.assertEqual((int(row["calls"]), int(row["threads"])), (number + 1, number + 2))
            self.assertEqual(int(row["total"]), 2 ** 64 - 1 - number)
            self.assertEqual(int(row["self_total"]), number)
            self.assertEqual(float(row["avg"]), number + 0.5)
        opened = [row for row in rows if row["kind"] == "diagnostic"]
        self.assertEqual([(row["region"], row["event"], int(row["calls"])) for row in opened],
                         [(name, "open", number) for number, name in enumerate(NAMES)][1:])

    def test_python(self):
        for separator in [",", ";", "\t", "|", " ", ":", "'"]:
            with self.subTest(separator=separator):
                text = sample(separator).decode("utf-8", "surrogateescape")
                self.check(list(csv.reader(io.StringIO(text, newline=""), delimiter=separator,
                                           strict=True)))

    def test_separators_of_any_length(self):
        for separator in [",", "::", ", ", "--", "abc", ".", "1", "→", ";;;"]:
            with self.subTest(separator=separator):
                self.check(records_of(sample(separator).decode("utf-8", "surrogateescape"),
                                      separator))

    def test_sqlite(self):
        sqlite = harness.need_tool("sqlite3")
        path = self.path("report.csv")
        with open(path, "wb") as file:
            file.write(sample(","))
        # hexadecimal, so that sqlite's own output cannot hide a difference
        result = harness.run([sqlite, ":memory:", "-cmd", ".import --csv %s report" % path,
                              "SELECT hex(region), calls, total, self_total, avg FROM report"
                              " WHERE kind = 'region' ORDER BY rowid"])
        self.assertEqual(result.status, 0, result)
        rows = [line.split("|") for line in result.stdout.splitlines()]
        self.assertEqual([bytes.fromhex(row[0]).decode("utf-8", "surrogateescape")
                          for row in rows], NAMES)
        for number, row in enumerate(rows):
            self.assertEqual(row[1:], [str(number + 1), str(2 ** 64 - 1 - number), str(number),
                                       "%.1f" % (number + 0.5)])


if __name__ == "__main__":
    harness.main()
