# SPDX-License-Identifier: MIT
"""Adapters and programs into which they cannot be loaded: programs of another kind, or in a root
directory without the adapter's file. Such a program runs as without regionstat, and a message says
why nothing is measured."""

import os
import re
import shutil

import adapter_counts
import harness

LIKWID = adapter_counts.path("likwid")
PLAIN = """
#include <stdio.h>
int main(void)
{
	puts("out");
	fputs("err\\n", stderr);
	return 7;
}
"""
UNCALLED = "- --markers likwid: no process called it; "
ALL = "likwid,itt,nvtx,kokkos,openmp,papi,caliper,functions,roctx"


class Programs(harness.TestCase):

    def build(self, text, compiler, *flags, name="program"):
        source, program = self.text_file("source.c", text), self.path(name)
        result = harness.run([harness.need_tool(compiler), source, "-o", program, *flags])
        harness.need(result.status == 0,
                     "%s makes no such program here: %s" % (compiler, result.stderr.strip().split("\n")[0]))
        return program

    def marked(self, *flags, name="program"):
        harness.need_no_sanitizer("a sanitizer's library would have to come first")
        return self.build(adapter_counts.MARKED, harness.compilers()[0], *flags,
                          *adapter_counts.WITH_LIKWID, name=name)

    def check(self, markers, *program, status=7, complaint=None, **options):
        """Check that the program's output and status are those of a run without regionstat. Return
        the result without the program's part of stderr."""
        alone = harness.run(list(program), **options)
        self.assertEqual(alone.status, status, alone)
        result = harness.regionstat("--markers", markers, "-e", "time", "--", *program, **options)
        self.assertEqual((result.status, result.stdout), (status, alone.stdout), result)
        self.assertIn(alone.stderr, result.stderr)
        result.stderr = result.stderr.replace(alone.stderr, "", 1)
        if complaint is None:
            self.assertNotIn("ld.so", result.stderr)
            self.assertNotIn(".so'", result.stderr)
        return result

    def assertSilent(self, result):
        """Check that no message names an adapter."""
        for name in [*ALL.split(","), "uprof"]:
            self.assertNotIn("markers " + name, result.stderr)

    def assertNothingSet(self, shown):
        """Check with --dry-run that no variable loads anything."""
        self.assertEqual(re.findall(r"^  variable  +(.*)", shown.stdout, re.M),
                         ["REGIONSTAT_UPROF=off"])

    def check_left_out(self, reason, *program, asked="likwid"):
        """Check that with auto there is no message, and that with the API's name a message says why
        the adapter is not loaded."""
        auto = self.check("auto", *program)
        self.assertSilent(auto)
        result = self.check(asked, *program)
        told = re.findall(r"^regionstat: markers are not measured: --markers (\w+): not loaded "
                          r"into (\S+)\n  it is (.*)\n  try: --markers none", result.stderr, re.M)
        self.assertEqual(told, [("likwid", program[0], reason)], result)
        shown = self.regionstat("--dry-run", "--markers", asked, *program)
        self.assertIn("not loaded into", shown.stderr)
        self.assertNothingSet(shown)

    def test_32_bits(self):
        directory = "/usr/i686-linux-gnu/lib"
        program = self.build(PLAIN, "i686-linux-gnu-gcc", "-Wl,-rpath," + directory,
                             "-Wl,--dynamic-linker=" + directory + "/ld-linux.so.2")
        try:
            harness.run([program])
        except OSError as error:
            self.skipTest("this kernel runs no programs of 32 bits: %s" % error)
        for asked in ("likwid", ALL):
            self.check_left_out("a program of 32 bits, and regionstat's adapters are of 64",
                                program, asked=asked)

    def test_c_library_that_is_not_glibc(self):
        program = self.build(PLAIN, "musl-gcc")
        if "musl" not in harness.run(["readelf", "-l", program]).stdout:
            self.skipTest("musl-gcc makes no program that names its loader")
        for asked in ("likwid", ALL):
            self.check_left_out("a program whose C library is not glibc, and might not start",
                                program, asked=asked)

    def test_other_machine(self):
        """A program for another CPU cannot be executed unless an emulator is registered; the
        emulator runs it unchanged."""
        program = self.build(PLAIN, "aarch64-linux-gnu-gcc", "-static")
        shown = harness.regionstat("--dry-run", "--markers", "likwid", program)
        self.assertIn("not loaded into %s\n  it is a program of another kind of processor\n"
                      % program, shown.stderr)
        self.assertNothingSet(shown)
        emulator = harness.need_tool("qemu-aarch64")
        for markers in ("auto", "likwid", ALL):
            result = self.check(markers, emulator, program)
            self.assertNotIn("not loaded", result.stderr)
        self.assertIn(UNCALLED, result.stderr)

    def test_linked_statically(self):
        for flags in (["-static"], ["-static-pie"]):
            program = self.build(PLAIN, harness.compilers()[0], *flags)
            self.assertSilent(self.check("auto", program))
            told = self.check("likwid", program).stderr
            self.assertIn(UNCALLED, told)
            self.assertIn("is static", told)

    def test_what_a_static_program_starts_is_measured(self):
        program = self.marked()
        text = ("#include <unistd.h>\nint main(int argc, char **argv)\n{\n"
                "\tif (argc > 1)\n\t\texecv(argv[1], argv + 1);\n\treturn 9;\n}\n")
        starter = self.build(text, harness.compilers()[0], "-static", name="starter")
        result = self.measure(starter, program, events="time", options=["--markers", "likwid"],
                              status=7)
        self.assertEqual(result.report.calls(), {"region": 1})

    def test_set_user_id(self):
        harness.need_root("only root can make another user's program")
        program = self.marked()
        os.chmod(self.directory, 0o755)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o6755)
        self.assertSilent(self.check("auto", program))
        told = self.check("likwid", program).stderr
        self.assertIn(UNCALLED, told)
        self.assertIn("set-user-ID", told)

    def test_file_with_capabilities(self):
        """A file with capabilities gets more privileges than its user, so it is not searched."""
        setcap = shutil.which("setcap", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        program = self.marked()
        if not setcap or harness.run([setcap, "cap_net_raw=ep", program]).status != 0:
            self.skipTest("no capability can be given to a file here")
        self.assertSilent(self.check("auto", program))

    def test_scripts(self):
        """A script is a program. With an option the programs that it starts are measured."""
        program = self.marked()
        for first in ("#!/bin/sh", "#! /bin/sh -e", "#!/usr/bin/env sh"):
            script = self.text_file("script", "%s\nexec %s\n" % (first, program), 0o755)
            self.check("auto", script)
            result = self.measure(script, events="time", options=["--markers", "likwid"], status=7)
            self.assertEqual(result.report.calls(), {"region": 1}, first)

    def test_child_without_environment(self):
        program = self.marked()
        for markers in ("auto", "likwid"):
            result = self.check(markers, "env", "-i", program)
            self.assertEqual(UNCALLED in result.stderr, markers == "likwid", result)
            if markers == "auto":
                self.assertIn("env -i clear the environment", result.stderr)
        self.assertIn("clears its environment", result.stderr)

    def make_root(self, program):
        """Make a directory that contains only the program, its libraries, and ld.so."""
        root = self.path("root")
        listed = harness.run([harness.need_tool("ldd"), program]).stdout
        for path in [program, *re.findall(r"(/\S+) \(0x", listed)]:
            os.makedirs(root + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, root + path)
        return root

    def test_another_root_directory_without_the_runtime(self):
        """The message says where the runtime must be."""
        root = self.make_root(harness.app("nest"))
        words = ["chroot", root, harness.app("nest"), "1"]
        if os.geteuid() != 0 or harness.run(words).status != 0:
            self.skipTest("the root directory cannot be changed here")
        result = harness.regionstat("-e", "time", "--", *words)
        self.assertEqual(result.status, 0, result)
        self.assertRegex(result.stderr, "could not load the runtime.*cannot be opened; install .* "
                                        "at the same path in a chroot or container")

    def test_another_root_directory(self):
        """ld.so prints that the adapter's file does not exist, and continues. If the directory
        contains the file, it is loaded."""
        program = self.marked()
        root = self.make_root(program)
        words = ["chroot", root, program] if os.geteuid() == 0 else \
            [harness.need_tool("unshare"), "-r", "--root=" + root, program]
        harness.need(harness.run(words).status == 7, "the root directory cannot be changed here")
        self.assertSilent(self.check("auto", *words))
        result = self.check("likwid", *words, complaint="ld.so")
        self.assertIn(UNCALLED, result.stderr)
        self.assertRegex(result.stderr, r"ld\.so: object '%s' .* ignored" % re.escape(LIKWID))
        os.makedirs(root + adapter_counts.ADAPTERS, exist_ok=True)
        shutil.copy(LIKWID, root + LIKWID)
        result = self.check("likwid", *words)
        self.assertNotIn("ld.so", result.stderr)
