# SPDX-License-Identifier: MIT
"""Programs that were compiled with an earlier or a later marker header than the runtime's are always
measured. Several headers meet in one program, and in libraries of one program. For earlier
headers, objects are kept that a compiler made when those headers were current.

Each directory here is named after an ABI and the number of its table's entries. To add one, make
its objects by `sh tests/abi/objects.sh tests/abi/DIRECTORY`."""

import os
import platform
import re
import subprocess

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
RELEASED = sorted(name for name in os.listdir(HERE) if re.fullmatch(r"\d+-\d+", name))
INCLUDE = os.path.dirname(harness.HEADER)
MAIN, MARKED, NEW = (os.path.join(HERE, name) for name in ("main.c", "marked.c", "new.c"))
OLD_CALLS = {"old scope": 7, "old pair": 7, "old next": 7, "old call": 14, "old name": 7,
             "old next name": 7, "function": 7}
NEW_CALLS = {"new scope": 5, "new pair": 5}
# what a pause within them cuts
CUT = {"old scope": 7}


class Abi(harness.TestCase):

    def make(self, *argv):
        result = harness.run(["gcc", "-O2", *argv])
        self.assertEqual((result.status, result.stderr), (0, ""), result)

    def object(self, source, include, *flags):
        path = self.path(os.path.basename(include) + "_" + os.path.basename(source) + ".o")
        self.make("-fPIC", *flags, "-I" + include, "-c", source, "-o", path)
        return path

    def old_objects(self):
        """By what they are: what was kept, and the same source with the header as it is."""
        for directory in RELEASED:
            kept = os.path.join(HERE, directory, platform.machine() + ".o")
            if os.path.exists(kept):
                yield directory, kept
        yield "this header", self.object(MARKED, INCLUDE)

    def new_objects(self):
        """With the header as it is, and with one that has an entry more than the runtime."""
        yield "this header", self.object(NEW, INCLUDE)
        yield "one to come", self.object(NEW, self.next_header())

    def next_header(self):
        """The directory of a header as it may be one day: with one entry more, which a runtime of
        today has not."""
        directory = self.path("next")
        os.makedirs(directory, exist_ok=True)
        text = harness.read_text(harness.HEADER)
        n, = set(re.findall(r"regionstat_table_(\d+)_ ", text)) - {"1"}
        text = text.replace("regionstat_table_%s_" % n, "regionstat_table_%d_" % (int(n) + 1))
        text = text.replace("_stub_1_%s_" % n, "_stub_1_%d_" % (int(n) + 1))
        changed = re.sub(r"(\tconst char \*\(\*report_\)\([^)]*\);\n)(};)",
                         r"\1\tvoid (*more_)(void);\n\2", text)
        changed = re.sub(r"(REGIONSTAT_NULL_)};\n\n/\*\n \* The constructor",
                         r"\1, regionstat_wake_1_};\n\n/*\n * The constructor", changed)
        self.assertEqual(changed.count("more_"), text.count("more_") + 1)
        harness.write_text(os.path.join(directory, "regionstat.h"), changed)
        return directory

    def check(self, program):
        result = self.measure(program)
        calls = {name: n for name, n in result.report.calls().items() if n}
        wanted = {**OLD_CALLS, **NEW_CALLS}
        for name, n in CUT.items():
            self.assertEqual(result.report.diagnostics(name), {"cut": n})
            del wanted[name]
        self.assertEqual(calls, wanted)
        row = result.report.region("old name", "bytes")  # "old scope" is cut
        self.assertEqual((row.counted, row.total), (7, 7 * 16))
        self.assertEqual(harness.run([program]).status, 0)

    def test_in_one_program_and_in_libraries(self):
        """In either order."""
        program = self.path("program")
        for new_name, new in self.new_objects():
            for old_name, old in self.old_objects():
                self.make("-shared", old, "-o", self.path("libold.so"))
                self.make("-shared", new, "-o", self.path("libnew.so"))
                for words in ([old, new], [new, old], ["-lold", "-lnew"], ["-lnew", "-lold"]):
                    with self.subTest(old=old_name, new=new_name, words=words):
                        self.make(MAIN, "-L" + self.directory, *words, "-Wl,-rpath," + self.directory,
                                  "-o", program)
                        self.check(program)

    def test_in_a_running_program(self):
        """regionstat attaches by the note and the request of the object that comes first."""
        _, new = next(self.new_objects())
        wanted = {*OLD_CALLS, *NEW_CALLS} - {*CUT}
        for old_name, old in self.old_objects():
            with self.subTest(old=old_name):
                program, report = self.path("program"), self.path("report.csv")
                self.make(old, new, MAIN, "-o", program)
                process = self.spawn([program, "again"], ready="ready", stdin=subprocess.PIPE)
                for _ in range(10):  # the machine may be busy
                    self.regionstat("attach", process.pid, "-e", "time", "--duration", "300ms", "-x", ",",
                                    "-o", report)
                    calls = {name for name, n in harness.read_report(report).calls().items() if n}
                    if calls == wanted:
                        break
                self.assertEqual(calls, wanted)
                harness.stop(process)

    def test_with_link_time_optimization(self):
        old = self.object(MARKED, INCLUDE, "-flto")
        new = self.object(NEW, self.next_header(), "-flto")
        self.make("-flto", MAIN, old, new, "-o", self.path("program"))
        self.check(self.path("program"))

    def test_what_was_kept_says_where_it_is_turned_on(self):
        """Of machines that this is not, as well."""
        harness.need_tool("readelf")
        n_kept = 0
        for released in RELEASED:
            for name in os.listdir(os.path.join(HERE, released)):
                if name.endswith(".o"):
                    n_kept += 1
                    path = os.path.join(HERE, released, name)
                    symbols = harness.run(["readelf", "-sW", path]).stdout
                    for symbol in ("start", "table", "request"):
                        self.assertRegex(symbols,
                                         r"WEAK\s+HIDDEN\s+\d+ regionstat_%s_1_\n" % symbol)
                    sections = harness.run(["readelf", "-SW", path]).stdout
                    self.assertRegex(sections, r"\.note\.regionstat\s+NOTE")
        self.assertGreaterEqual(n_kept, 3 * len(RELEASED))
