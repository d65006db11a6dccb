# SPDX-License-Identifier: MIT
"""Adapters whose files are damaged, unreadable or of other users, and variables with hostile
values. The program runs as without regionstat, and a message says what is wrong."""

import os
import re
import struct

import adapter_counts
import harness

LIKWID = adapter_counts.path("likwid")
# Characters that a terminal, a line of a report or a decoder could misinterpret.
HOSTILE = "/old\x1b[2J\r\n\tLD_PRELOAD=/evil.so \x9b\udcff\udcfe\u202e/x.so"
SHOWN = r"/old\x1b[2J\r\n\tLD_PRELOAD=/evil.so \u009b\xff\xfe\u202e/x.so"


class Adapters(harness.TestCase):

    def setUp(self):
        super().setUp()
        self.program = self.compile_text(adapter_counts.MARKED, *adapter_counts.WITH_LIKWID)
        self.command = adapter_counts.tree(self, {"likwid": LIKWID})
        self.adapter = self.path("tree/lib/adapters/libregionstat-likwid.so")
        self.good = harness.read_bytes(LIKWID)

    def write(self, content):
        """Write the adapter with other content as a new file, because a process that has loaded the
        old file keeps it."""
        harness.write_bytes(self.adapter + "~", content)
        os.rename(self.adapter + "~", self.adapter)

    def run_it(self, *options, **run_options):
        return harness.run([self.command, *options, "-e", "time", "--", self.program],
                           **run_options)

    def check_left_out(self, word):
        """Check that a named adapter is an error before anything runs, and that otherwise the
        adapter is skipped with a message."""
        auto = self.run_it()
        self.assertEqual((auto.status, auto.stdout), (7, "out\n"), auto)
        self.assertIn("regionstat: markers are not measured: --markers likwid: " + word,
                      auto.stderr)
        self.assertIn("\n  try: ", auto.stderr)
        asked = self.run_it("--markers", "likwid")
        self.assertEqual((asked.status, asked.stdout), (125, ""), asked)
        self.assertIn("regionstat: --markers likwid: " + word, asked.stderr)
        none = self.run_it("--markers", "none")
        self.assertEqual((none.status, none.stdout), (7, "out\n"), none)
        self.assertNotIn("damaged", none.stderr)

    def test_whole(self):
        result = self.run_it()
        self.assertEqual((result.status, result.stdout), (7, "out\n"), result)
        self.assertRegex(result.stderr, r"(?m)^region .* 1 ")

    def test_cut_off(self):
        """A file that is cut off, as on a full disk, at every page and within the headers."""
        for length in [*range(0, 1024, 100), *range(1024, len(self.good) - 1, 4096),
                       len(self.good) - 1]:
            with self.subTest(length=length):
                self.write(self.good[:length])
                self.check_left_out(self.adapter + " is damaged, or no library of this machine\n")

    def test_headers_that_lie(self):
        """Offsets and sizes of loaded segments that are too large, one at a time."""
        (offset,) = struct.unpack_from("<Q", self.good, 32)
        size, count = struct.unpack_from("<HH", self.good, 54)
        for number in range(count):
            at = offset + number * size
            (kind,) = struct.unpack_from("<I", self.good, at)
            for field in (8, 32) if kind in (1, 2) else ():  # p_offset, p_filesz
                for value in (len(self.good), 1 << 62, (1 << 64) - 8):
                    with self.subTest(segment=number, field=field, value=value):
                        damaged = bytearray(self.good)
                        struct.pack_into("<Q", damaged, at + field, value)
                        self.write(damaged)
                        self.check_left_out(self.adapter + " is damaged")

    def test_no_library(self):
        damaged = {"another machine": self.good[:18] + b"\xb7\x00" + self.good[20:]
                   if self.good[18:20] != b"\xb7\x00" else
                   self.good[:18] + b"\x3e\x00" + self.good[20:],
                   "of 32 bits": self.good[:4] + b"\x01" + self.good[5:],
                   "no ELF": b"#!/bin/sh\n" * 100, "nothing": b""}
        shell = harness.read_bytes("/bin/sh")
        if struct.unpack_from("<H", shell, 16) == (2,):
            damaged["a program"] = shell
        for name, content in damaged.items():
            with self.subTest(name):
                self.write(content)
                self.check_left_out(self.adapter + " is damaged, or no library of this machine\n")
        os.unlink(self.adapter)
        os.mkfifo(self.adapter)  # a process that opens the FIFO would block
        self.check_left_out(self.adapter + " is damaged")
        os.unlink(self.adapter)
        os.mkdir(self.adapter)
        self.check_left_out(self.adapter + " is damaged")

    def test_not_readable(self):
        """A file that cannot be read is not reported as missing."""
        os.chmod(self.adapter, 0)
        words = []
        if os.geteuid() == 0:
            os.chmod(self.directory, 0o755)
            words = [harness.need_tool("setpriv"), "--reuid=65534", "--regid=65534",
                     "--clear-groups"]
            if harness.run([*words, self.program]).status != 7:
                self.skipTest("another user cannot reach the program here")
        result = harness.run([*words, self.command, "--markers", "likwid", self.program])
        self.assertEqual((result.status, result.stdout), (125, ""), result)
        self.assertIn("--markers likwid: cannot read %s: Permission denied (EACCES)\n"
                      % self.adapter, result.stderr)
        result = harness.run([*words, self.command, "-e", "time", self.program])
        self.assertEqual((result.status, result.stdout), (7, "out\n"), result)
        self.assertIn("markers are not measured: --markers likwid: cannot read", result.stderr)

    def test_runtime_that_is_damaged(self):
        """The programs cannot load this runtime either."""
        runtime = self.path("tree/lib/runtime/libregionstat.so.1")
        good = harness.read_bytes(runtime)
        for length in (len(good) // 2, 4096, 0):
            os.unlink(runtime)
            harness.write_bytes(runtime, good[:length])
            for program in (self.program, harness.app("nest")):
                result = harness.run([self.command, "-e", "time", "--", program, "5"])
                self.assertIn(result.status, (0, 7), result)
                self.assertIn("regions are not measured: %s is damaged" % runtime, result.stderr)

    # ---- places that are not searched ----

    def give_constants(self, program, size):
        """Enlarge a program's .rodata to this size with a hole at the end of the file. The loaded
        bytes do not change."""
        with open(program, "r+b") as file:
            content = file.read()
            (offset,) = struct.unpack_from("<Q", content, 40)
            count, names = struct.unpack_from("<HH", content, 60)
            (strings,) = struct.unpack_from("<Q", content, offset + names * 64 + 24)
            for at in range(offset, offset + count * 64, 64):
                (name,) = struct.unpack_from("<I", content, at)
                if content[strings + name:].startswith(b".rodata\0"):
                    file.seek(at + 24)
                    file.write(struct.pack("<QQ", len(content), size))
            file.truncate(len(content) + size)

    def test_more_constants_than_are_searched(self):
        """With -v and --dry-run a message says if the program has too many constants to search."""
        source = self.text_file("source.c",
                                "#include <dlfcn.h>\n#include <stdlib.h>\nint main(void)\n{\n"
                                "\tchar *name = getenv(\"X_Y\");\n"
                                "\treturn name && dlopen(name, RTLD_NOW) ? 7 : 0;\n}\n")
        told = "--markers auto: only the first 512 MiB of constants"
        for mebibytes, expected in ((100, False), (600, True)):
            program = self.compile(source, harness.compilers()[0], "-O0", "-ldl")
            self.give_constants(program, mebibytes << 20)
            for words in (["--dry-run"], ["-v"]):
                result = harness.regionstat(*words, program)
                self.assertEqual((result.status, told in result.stderr), (0, expected), result)
            for words in ([], ["-v", "--markers", "none"]):
                result = harness.regionstat(*words, program)
                self.assertEqual((result.status, told in result.stderr), (0, False), result)

    # ---- variables that were set before ----

    def test_hostile_values(self):
        """Messages about these values have one line each, without control characters."""
        env = harness.environment(NVTX_INJECTION64_PATH=HOSTILE)
        saved = self.path("run.json")
        words = ["--markers", "nvtx", "-e", "time"]
        shown = "  REGIONSTAT_CHAIN_NVTX=%s\n" % SHOWN
        result = self.regionstat("-v", *words, "--", "true", env=env)
        self.assertIn(shown, result.stderr)
        harness.regionstat(*words, "-o", saved, "--", "true", env=env)
        for told in (result.stderr, harness.regionstat("report", "-v", saved).stdout,
                     harness.regionstat("--dry-run", *words, "true", env=env).stdout):
            self.assertIn(SHOWN, told)
            self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", told), told)
            self.assertNotIn("\nLD_PRELOAD", told)
        variables = harness.read_json(saved)["options"]["markers"][0]["environment"].split("\n")
        self.assertEqual([line.split("=")[0] for line in variables],
                         ["NVTX_INJECTION64_PATH", "REGIONSTAT_CHAIN_NVTX"])
        # the program has its own variables
        told = harness.regionstat(*words, "--", "sh", "-c",
                                  'printf %s "$REGIONSTAT_CHAIN_NVTX"', env=env)
        self.assertEqual(told.stdout_bytes, HOSTILE.encode("utf-8", "surrogateescape"))
