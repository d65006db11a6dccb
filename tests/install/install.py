# SPDX-License-Identifier: MIT
"""Installation: the places of all files after `meson install`, in any directory and prefix, also
moved. Programs in other languages and for another libc run with it; adopt.py has all ways to build
programs of C. What the shared library needs from a program is checked here as well."""

import os
import re

from installed import HERE, LIBRARIES, InstalledTestCase, harness, must

FORTRAN, PYTHON = (os.path.join(HERE, name) for name in ("marked.f90", "marked.py"))


def names_in_source(directory, ending):
    """The files of a directory of the source that have this ending. All of them are installed."""
    names = os.listdir(os.path.join(harness.SOURCE, directory))
    return [name for name in names if name.endswith(ending)]


# The installed files, by the expression that their directory matches.
PLACES = {
    "bin": ["regionstat"],
    "include": ["regionstat.h"],
    "include/regionstat": ["AMDProfileController.h", "likwid.h", "likwid-marker.h"],
    "lib.*": ["libregionstat.so.1"],
    "lib.*/cmake/regionstat": ["regionstat-config.cmake", "regionstat-config-version.cmake"],
    "lib.*/pkgconfig": ["regionstat.pc", "regionstat-likwid.pc", "regionstat-uprof.pc"],
    "lib.*/regionstat": ["libregionstat-%s.so" % name for name in (
        "caliper", "functions", "itt", "kokkos", "likwid", "nvtx", "openmp", "papi", "roctx")],
    "lib.*/regionstat/standin": ["libAMDProfileController.a", "libAMDProfileController.so",
                                 "liblikwid.so"],
    ".*python.*/regionstat": names_in_source("lib/bindings/python/regionstat", ".py"),
    "share/bash-completion/completions": ["regionstat"],
    "share/regionstat": ["regionstat.schema.json"],
    "share/regionstat/fortran": ["likwid.f90", "regionstat.f90", "regionstat_fortran.c"],
    "share/regionstat/metrics": names_in_source("lib/metrics/files", ".yaml"),
    "share/zsh/site-functions": ["_regionstat"],
    **{"share/man/man" + section: names_in_source("man", "." + section) for section in "1357"},
}
if LIBRARIES != "static":
    PLACES["lib.*"].append("libregionstat.so")
if LIBRARIES != "shared":
    PLACES["lib.*"].append("libregionstat.a")
    PLACES["lib.*/pkgconfig"].append("regionstat-static.pc")
# Files that depend on the compilers, and the versions of libraries.
OTHERS = (r"include/.*\.mod|lib.*/libregionstat-fortran\.a|lib.*/pkgconfig/regionstat-fortran\.pc"
          r"|.*\.so\.[\d.]+")


class Installed(InstalledTestCase):
    """The installed files, and that they work in their place."""

    def test_every_file_has_its_place_and_there_are_no_others(self):
        files = {os.path.relpath(os.path.join(self.root, name), self.prefix) for name in self.files}
        for directory, names in PLACES.items():
            for name in names:
                matches = [file for file in files
                           if re.fullmatch("%s/%s" % (directory, re.escape(name)), file)]
                self.assertEqual(len(matches), 1, "%s/%s among %r" % (directory, name, files))
                files -= set(matches)
        self.assertEqual([file for file in files if not re.fullmatch(OTHERS, file)], [])

    def test_runs_from_anywhere(self):
        """By any path to it, in any directory, from the build directory and from a moved prefix."""
        program, link = self.compile(*self.pkg_config("--cflags")), self.path("a-link")
        folder, moved = os.path.dirname(self.command), self.moved()
        os.symlink(self.command, link)
        search = harness.environment(PATH=folder + ":" + os.environ["PATH"])
        for command, cwd, env in (
                (self.command, "/", None), (self.command, self.directory, None),
                (self.command, folder, None), ("./regionstat", folder, None),
                ("regionstat", "/", search), (link, "/", None), (harness.REGIONSTAT, "/", None)):
            with self.subTest(command=command, cwd=cwd):
                self.assertShowsRegion(command, program, cwd=cwd, env=env)
        with self.hidden():
            self.assertShowsRegion(os.path.join(moved, "bin", "regionstat"), program)

    def test_fortran_programs(self):
        """With the installed module, and with the installed source."""
        compiler, program = harness.need_tool("gfortran"), self.path("marked")
        must([compiler, *self.pkg_config("--cflags"), self.find("regionstat.f90"),
              self.find("regionstat_fortran.c"), FORTRAN, "-o", program], cwd=self.directory)
        self.assertShowsRegion(self.command, program)
        harness.need(self.has("regionstat.mod"), "the build has no Fortran module")
        flags, libraries = (self.pkg_config(option, package="regionstat-fortran")
                            for option in ("--cflags", "--libs"))
        must([compiler, *flags, FORTRAN, "-o", program, *libraries])
        self.assertShowsRegion(self.command, program)

    def test_a_python_program(self):
        modules = os.path.dirname(os.path.dirname(self.find("_runtime.py")))
        program = self.text_file("marked", "#!/bin/sh\nexec '%s' '%s'\n" % (
            harness.need_tool("python3"), PYTHON), 0o755)
        self.assertShowsRegion(self.command, program, env=harness.environment(PYTHONPATH=modules))

    def test_programs_with_musl(self):
        compiler = harness.need_tool("musl-gcc")
        self.assertShowsRegion(self.command, self.compile(*self.pkg_config("--cflags"),
                                                          compiler=compiler))
        self.need_static()
        flags = self.pkg_config("--static", "--cflags", "--libs")
        self.assertShowsRegion(self.command, self.compile("-static", *flags, compiler=compiler))


class SharedLibrary(harness.TestCase):
    """The symbols that libregionstat.so needs from a program, and those that it shows to it."""

    library, archive = (os.path.join(harness.BUILD, "lib", "runtime", "libregionstat." + ending)
                        for ending in ("so.1", "a"))

    def test_what_it_exports(self):
        symbols = [line.split()[-1] for line in
                   must(["nm", "-D", "--defined-only", self.library]).splitlines()]
        self.assertEqual(sorted(symbols), ["otel_thread_ctx_v1"] + ["regionstat_" + name for name in (
            "apart", "begin", "end", "event", "event_name", "join", "loaded", "next", "open", "open_process",
            "pause", "read", "report", "resume", "start", "stop", "work")])

    def test_it_needs_libc_alone(self):
        dynamic = must(["readelf", "-d", self.library])
        self.assertEqual(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic), ["libc.so.6"])
        self.assertEqual(re.findall(r"\(SONAME\).*\[(.*)\]", dynamic), ["libregionstat.so.1"])

    def test_its_code_is_not_relocated_and_its_stack_not_executable(self):
        dynamic = must(["readelf", "-d", self.library])
        self.assertNotIn("TEXTREL", dynamic)
        stack = re.findall(r"GNU_STACK.*\n.*", must(["readelf", "-lW", self.library]))
        self.assertEqual(len(stack), 1)
        self.assertNotIn("RWE", stack[0])

    def test_its_thread_local_storage_loads_late(self):
        """Initial-exec storage can fail to load late, and the general-dynamic kind allocates."""
        dynamic = must(["readelf", "-d", self.library])
        self.assertNotIn("STATIC_TLS", dynamic)
        relocations = must(["readelf", "-rW", self.library])
        kinds = set(re.findall(r"R_\w*(?:TLS|TPOFF|DTPMOD|DTPOFF)\w*", relocations))
        self.assertTrue(kinds, "no thread-local storage at all")
        for kind in kinds:
            self.assertRegex(kind, r"TLSDESC")

    def test_its_archive_claims_no_foreign_names(self):
        names = [line.split()[-1] for line in
                 must(["nm", "-g", "--defined-only", self.archive]).splitlines()
                 if len(line.split()) == 3]
        self.assertIn("regionstat_join", names)
        for name in names:
            self.assertRegex(name, r"^(regionstat_|rs_|otel_thread_ctx_v1$)")
