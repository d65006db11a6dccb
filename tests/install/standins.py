# SPDX-License-Identifier: MIT
"""The stand-ins for LIKWID and uProf where these are not installed. A shell runs exactly the lines
of regionstat-markers(7): a program is built, runs by itself and is measured. The stand-ins are
compared with LIKWID's own header and module, where they are installed."""

import gzip
import os
import re
import shlex
import shutil

from installed import CC, HERE, InstalledTestCase, harness, must

SOURCES = {"stream.c": "standin.c", "main.c": "standin.c", "stream.f90": "standin.f90"}
OWN_HEADER, OWN_MODULE = "/usr/include/likwid-marker.h", "/usr/include/likwid.mod"
STANDIN = os.path.join(harness.SOURCE, "lib", "adapters", "standin")


def line_of_manual(beginning, package):
    """The one line of the manual's examples that begins so and asks for this package."""
    blocks = re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$",
                        harness.read_man_page("regionstat-markers.7"), re.MULTILINE | re.DOTALL)
    found = [block for block in blocks
             if block.startswith(beginning) and package + ")" in block]
    assert len(found) == 1, found
    return found[0].replace("\\e\n", "\\\n")


class Standins(InstalledTestCase):

    def build(self, beginning, package):
        """Do as the manual says, in a folder with the program's source; the program's path."""
        tool = harness.need_tool("pkg-config")
        for name, source in SOURCES.items():
            shutil.copy(os.path.join(HERE, source), self.path(name))
        # The prefix of the build is an empty folder's: the installation is there in name only.
        for name, command in (("pkg-config", [tool, "--define-variable=prefix=" + self.prefix]),
                              ("cc", [shutil.which(CC)])):
            self.text_file("bin/" + name, '#!/bin/sh\nexec %s "$@"\n' % shlex.join(command), 0o755)
        must(["sh", "-e", "-c", line_of_manual(beginning, package)], cwd=self.directory,
             env=harness.environment(
                 PATH=self.path("bin") + ":" + os.environ["PATH"],
                 PKG_CONFIG_PATH=os.path.dirname(self.find("regionstat.pc"))))
        return self.path("a.out")

    def measured(self, program):
        """The program's output, and calls by region."""
        output = self.path("out.csv")
        printed = must([self.command, "-x", ",", "-o", output, program])
        return printed, harness.read_report(output).calls()

    def test_likwid(self):
        program = self.build("cc", "regionstat-likwid")
        printed = must([program])
        self.assertEqual(printed, "14 of a GPU, sum 190\n")
        self.assertEqual(self.measured(program), (printed, {"triad": 20}))

    def test_likwid_of_gpus(self):
        """With the markers of GPUs compiled in: there is none."""
        tool = harness.need_tool("pkg-config")
        flags = must([tool, "--define-variable=prefix=" + self.prefix, "--cflags", "--libs",
                      "regionstat-likwid"], env=harness.environment(
                          PKG_CONFIG_PATH=os.path.dirname(self.find("regionstat.pc")))).split()
        program = self.path("gpu")
        must([CC, "-DLIKWID_PERFMON", "-DLIKWID_NVMON", os.path.join(HERE, "standin.c"), "-Wall",
              "-Wextra", "-Werror", "-o", program, *flags])
        printed = must([program])
        self.assertEqual(printed, "0 of a GPU, sum 190\n")
        self.assertEqual(self.measured(program), (printed, {"triad": 20}))

    def test_likwid_in_fortran(self):
        harness.need_tool("gfortran")
        harness.need(self.has("likwid.mod"), "the build has no Fortran module")
        program = self.build("gfortran", "regionstat-likwid")
        self.assertEqual(must([program]), "calls 0\n")
        self.assertEqual(self.measured(program),
                         ("calls 20\n", {"triad": 20, "triad of blanks": 20}))

    def test_uprof(self):
        program = self.build("cc", "regionstat-uprof")
        self.assertEqual(must([program]), "sum 190\n")
        self.assertEqual(self.measured(program), ("sum 190\n", {"amdProfile": 20}))
        with self.hidden():
            self.assertEqual(must([program]), "sum 190\n")

    def test_macros_are_all_that_likwid_has(self):
        harness.need(os.path.exists(OWN_HEADER), "LIKWID is not installed (package likwid)")
        for options in ([], ["-DLIKWID_PERFMON"], ["-DLIKWID_NVMON"],
                        ["-DLIKWID_PERFMON", "-DLIKWID_NVMON", "-DLIKWID_WITH_NVMON"]):
            own, here = [set(re.findall(r"^#define (LIKWID_\w+)",
                                        must([CC, "-E", "-dM", *options, *folder, "-include",
                                              "likwid-marker.h", "-x", "c", os.devnull]),
                                        re.MULTILINE))
                         for folder in ([], ["-I" + STANDIN])]
            # versions of the library, which likwid.h has
            wanted = {name for name in own if re.search("MARKER|MON", name)} - {"LIKWID_MARKER_H"}
            self.assertGreaterEqual(len(wanted), 18)
            self.assertEqual(wanted - here, set(), options)

    def test_module_has_all_that_likwid_has(self):
        harness.need(os.path.exists(OWN_MODULE), "LIKWID's Fortran module is not installed (package likwid)")
        harness.need(self.has("likwid.mod"), "the build has no Fortran module")
        names = []
        for path in (OWN_MODULE, self.find("likwid.mod")):
            with gzip.open(path, "rt", encoding="ascii") as file:
                names.append(set(re.findall(r"'(likwid_\w+)'", file.read())))
        self.assertIn("likwid_markerstartregion", names[0])
        self.assertEqual(names[0] - names[1], set())
