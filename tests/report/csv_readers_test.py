# SPDX-License-Identifier: MIT
"""The CSV as other programs read it: Python's csv module, the sqlite3 shell, miller, pandas and R.
A short reader written from RFC 4180 takes separators of any length."""

import csv
import io
import json

import harness

NAMES = [b"plain", b"comma, semicolon; tab\t pipe|", b"\"quoted\"", b"\"", b"two\nlines",
         b"carriage\r\nreturn", b" leading and trailing ", "渲染".encode(), b"not \xff UTF-8",
         b"\033[31mred", b"=1+1", b"ends in a colon:", b"'single'", b"back\\slash",
         b"NA", "\u202eright to left".encode()]
EVENTS = [{"name": name, "unit": "ns"} for name in ("time", "cpu-time", "blocked", "preempted")]
# A saved run with a region for each name.
RUN = {"regionstat": "0", "schema": 1, "run": {"label": "sample", "command": ["x"]},
       "machine": {}, "options": {}, "slow_calls": {}, "plan": {}, "events": EVENTS, "metrics": [],
       "totals": [], "processes": [{"pid": 1}], "collection": {}, "adapters": [],
       "threads": [{"process": 0, "tid": 1}],
       "regions": [{"name": "(other)"}, *({"name": {"bytes": name.hex()}} for name in NAMES)],
       "results": [{"region": n, "thread": 0, "threads": n + 1, "calls": n, "measured": n,
                    "weight": 2 * n, "counts": {"open": n - 1}, "parents": [None], "values": [{
                        "event": 0, "status": "ok", "counted": n, "weight": 2 * n,
                        "sum": n * (2 * n - 1), "max": n, "total": str(2 ** 64 - n),
                        "self": n - 1}]}
                   for n in range(1, len(NAMES) + 1)]}
AVERAGES = ["%.15g" % ((2 ** 64 - n) / n) for n in range(1, len(NAMES) + 1)]
# a byte that is not UTF-8 is written as \\xNN
NAMES = [name.decode("utf-8", "backslashreplace") for name in NAMES]
FIELDS = ["region", "calls", "threads", "total", "self_total", "avg"]
# What each reader must find in these fields.
ROWS = [[name, str(i + 1), str(i + 2), str(2 ** 64 - 1 - i), str(i), AVERAGES[i]]
        for i, name in enumerate(NAMES)]
# Some readers end lines within names in their own way.
ROWS_WITH_LINE_FEEDS = [[name.replace("\r\n", "\n"), *rest] for name, *rest in ROWS]

# As regionstat-output(5) says. Integers of any size stay integers where others of their column are empty,
# and a region called NA is not a missing value.
PANDAS = """
import json, pandas, sys
n = "calls counted threads total self_total min p50 p90 p99 max".split()
r = pandas.read_csv(sys.argv[1], dtype=dict.fromkeys(n, "UInt64"), keep_default_na=False,
    na_values=dict.fromkeys(n + ["avg", "stddev", "running"], ""))
r = r[(r.kind == "region") & (r.event == "time")]
r["avg"] = ["%.15g" % number for number in r.avg]
print(json.dumps([r[sys.argv[2:]].astype(str).values.tolist(), {c: str(r[c].dtype) for c in n}]))
"""

R = """
r <- read.csv(commandArgs(TRUE)[1], na.strings = character(0), colClasses = "character")
r <- r[r$kind == "region" & r$event == "time", ]
for (i in seq_len(nrow(r)))
    cat(paste(paste(as.character(charToRaw(r$region[i])), collapse = ""), r$calls[i], r$threads[i],
              r$total[i], r$self_total[i], r$avg[i], sep = "|"), "\\n", sep = "")
"""


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

    def sample(self, separator):
        """Return the bytes of the run's CSV."""
        run = self.text_file("run.json", json.dumps(RUN))
        return self.regionstat("report", "--format=csv", "-x" + separator, run).stdout_bytes

    def check(self, records):
        self.assertEqual(records[0], harness.COLUMNS)
        for record in records:
            self.assertEqual(len(record), len(harness.COLUMNS), record)
        rows = [dict(zip(records[0], record)) for record in records[1:]]
        self.assertEqual([row["event"] for row in rows if row["kind"] == "run"],
                         ["time", "user_time", "system_time"])
        regions = [row for row in rows
                   if row["kind"] == "region" and row["event"] == "time"]
        self.assertEqual([[row[field] for field in FIELDS] for row in regions], ROWS)
        self.assertEqual({(row["run"], row["parent"]) for row in regions}, {("sample", "")})
        opened = [row for row in rows if row["kind"] == "diagnostic"]
        self.assertEqual([(row["region"], row["event"], int(row["calls"])) for row in opened],
                         [(name, "open", number) for number, name in enumerate(NAMES)][1:])

    def test_python(self):
        for separator in [",", ";", "\t", "|", " ", ":", "'"]:
            with self.subTest(separator=separator):
                text = self.sample(separator).decode("utf-8")
                self.check(list(csv.reader(io.StringIO(text, newline=""), delimiter=separator,
                                           strict=True)))

    def test_separators_of_any_length(self):
        for separator in [",", "::", ", ", "-:", "abc", ".", "1", "→", ";;;"]:
            with self.subTest(separator=separator):
                self.check(records_of(self.sample(separator).decode("utf-8"),
                                      separator))

    def test_sqlite(self):
        sqlite = harness.need_tool("sqlite3")
        path = self.write_sample()
        # hexadecimal, so that sqlite's own output cannot hide a difference
        result = self.execute([sqlite, ":memory:", "-cmd", ".import --csv %s report" % path,
                               "SELECT hex(region), %s FROM report WHERE kind = 'region'"
                               " AND event = 'time' ORDER BY rowid" % ", ".join(FIELDS[1:])])
        self.assertEqual(self.rows_of(result.stdout), ROWS)

    def rows_of(self, text):
        """Return the rows of a text with names in hexadecimal and | between fields."""
        rows = [line.split("|") for line in text.splitlines()]
        return [[bytes.fromhex(name).decode("utf-8"), *rest] for name, *rest in rows]

    def write_sample(self):
        harness.write_bytes(self.path("report.csv"), self.sample(","))
        return self.path("report.csv")

    def test_pandas(self):
        python = harness.need_module("pandas")
        result = self.execute([python, "-c", PANDAS, self.write_sample(), *FIELDS])
        rows, types = json.loads(result.stdout)
        self.assertEqual(rows, ROWS)
        self.assertEqual(set(types.values()), {"UInt64"})

    def test_miller(self):
        """Its own CSV has the same names, read again; but lines within them end as miller's do."""
        mlr = harness.need_tool("mlr")
        result = harness.run([mlr, "--csv", "--quote-all", "filter",
                              '$kind == "region" && $event == "time"', "then", "cut", "-o", "-f",
                              ",".join(FIELDS), self.write_sample()])
        self.assertEqual(result.status, 0, result)
        text = result.stdout_bytes.decode("utf-8")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual(rows[1:], ROWS_WITH_LINE_FEEDS)

    def test_r(self):
        """Lines within names end as R's do."""
        rscript = harness.need_tool("Rscript")
        result = self.execute([rscript, "--vanilla", "-e", R, self.write_sample()])
        self.assertEqual(self.rows_of(result.stdout), ROWS_WITH_LINE_FEEDS)
