# SPDX-License-Identifier: MIT
"""Installation: the places of all files after `meson install`, in any directory and prefix, also
moved. Programs compiled against it with pkg-config run and show their regions. What the shared
library needs from a program is checked here as well."""

import os
import re
import shutil
import unittest

from installed import (
    CC, LIBRARIES, SANITIZED, InstalledTestCase, harness, must)

FORTRAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "marked.f90")
PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "marked.py")


class Installed(InstalledTestCase):
    """The installed files, and that they work in their place."""

    def test_every_file_has_its_place(self):
        wanted = [r"bin/regionstat", r"include/regionstat\.h", r"lib.*/libregionstat\.so\.1",
                  r"lib.*/regionstat/libregionstat-functions\.so",
                  r"lib.*/regionstat/libregionstat-openmp\.so",
                  r"lib.*/pkgconfig/regionstat\.pc",
                  r"lib.*/cmake/regionstat/regionstat-config\.cmake",
                  r"lib.*/cmake/regionstat/regionstat-config-version\.cmake",
                  r"lib.*/regionstat/libregionstat-itt\.so",
                  r"lib.*/regionstat/libregionstat-nvtx\.so",
                  r"share/regionstat/regionstat\.schema\.json",
                  r"share/regionstat/metrics/usual\.yaml",
                  r"share/regionstat/metrics/generic\.yaml",
                  r"regionstat/__init__\.py",
                  r"lib.*/regionstat/libregionstat-caliper\.so",
                  r"lib.*/regionstat/libregionstat-kokkos\.so",
                  r"lib.*/regionstat/standin/libAMDProfileController\.so",
                  r"lib.*/regionstat/standin/libAMDProfileController\.a",
                  r"include/regionstat/AMDProfileController\.h",
                  r"share/man/man1/regionstat\.1",
                  r"share/man/man3/regionstat\.3",
                  r"lib.*/regionstat/libregionstat-likwid\.so",
                  r"lib.*/regionstat/libregionstat-papi\.so",
                  r"lib.*/regionstat/standin/liblikwid\.so",
                  r"include/regionstat/likwid\.h", r"include/regionstat/likwid-marker\.h",
                  r"share/regionstat/fortran/likwid\.f90",
                  r"lib.*/pkgconfig/regionstat-likwid\.pc",
                  r"lib.*/pkgconfig/regionstat-uprof\.pc",
                  r"share/man/man7/regionstat-markers\.7",
                  r"share/man/man5/regionstat-metrics\.5",
                  r"share/man/man5/regionstat-output\.5",
                  r"share/man/man5/regionstat\.yaml\.5",
                  r"share/man/man7/regionstat-bindings\.7",
                  r"share/man/man7/regionstat-method\.7",
                  r"share/man/man7/regionstat-overhead\.7",
                  r"share/man/man7/regionstat-services\.7",
                  r"share/man/man7/regionstat-trace\.7",
                  r"share/man/man1/regionstat-compare\.1",
                  r"share/man/man1/regionstat-live\.1",
                  r"share/man/man1/regionstat-merge\.1",
                  r"share/bash-completion/completions/regionstat",
                  r"share/zsh/site-functions/_regionstat"]
        if LIBRARIES != "static":
            wanted.append(r"lib.*/libregionstat\.so")
        if LIBRARIES != "shared":
            wanted += [r"lib.*/libregionstat\.a", r"lib.*/pkgconfig/regionstat-static\.pc"]
        for pattern in wanted:
            matches = [name for name in self.files
                       if re.search("(^|/)%s$" % pattern, name)]
            self.assertEqual(len(matches), 1, "%s among %r" % (pattern, self.files))

    def test_nothing_else_is_installed(self):
        for name in self.files:
            self.assertRegex(name, r"regionstat([^/]*|/metrics/[a-z]+\.yaml|/[a-z_]+\.py"
                                   r"|/likwid\.mod|/fortran/likwid\.f90"
                                   r"|/libregionstat-[a-z]+\.so|/(standin/)?[A-Za-z-]+\.(h|so|a))$",
                             name)

    def test_runs_from_any_directory(self):
        program = self.compile(*self.pkg_config("--cflags"))
        command = self.command
        for folder in ("/", self.directory, os.path.dirname(command)):
            with self.subTest(folder=folder):
                self.assertShowsRegion(command, program, cwd=folder)

    def test_runs_by_relative_path_search_path_and_link(self):
        program = self.compile(*self.pkg_config("--cflags"))
        folder = os.path.join(self.prefix, "bin")
        self.assertShowsRegion("./regionstat", program, cwd=folder)
        search = harness.environment(PATH=folder + ":" + os.environ["PATH"])
        self.assertShowsRegion("regionstat", program, env=search)
        link = self.path("a-link")
        os.symlink(os.path.join(folder, "regionstat"), link)
        self.assertShowsRegion(link, program)

    def test_runs_from_a_moved_prefix(self):
        program = self.compile(*self.pkg_config("--cflags"))
        moved = self.path("moved prefix")
        shutil.copytree(self.prefix, moved, symlinks=True)
        # The original must not be what is used.
        hidden = self.root + ".hidden"
        os.rename(self.root, hidden)
        try:
            self.assertShowsRegion(os.path.join(moved, "bin", "regionstat"), program)
        finally:
            os.rename(hidden, self.root)

    def test_runs_from_the_build_directory(self):
        program = self.compile("-I", os.path.join(harness.SOURCE, "lib"))
        self.assertShowsRegion(harness.REGIONSTAT, program, cwd="/")

    def test_adapters_are_found(self):
        """A program with LIKWID's markers, built with what is installed, and measured by it."""
        source = self.path("likwid.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <likwid-marker.h>\nint main(void)\n{\n\tLIKWID_MARKER_INIT;\n"
                       '\tLIKWID_MARKER_START("stood in");\n\tLIKWID_MARKER_STOP("stood in");\n'
                       "\tLIKWID_MARKER_CLOSE;\n\treturn 0;\n}\n")
        library = os.path.dirname(self.find("liblikwid.so"))
        program = self.path("likwid")
        sanitizer = ["-fsanitize=" + harness.SANITIZE] if SANITIZED else []
        must([CC, *sanitizer, source, "-o", program, "-DLIKWID_PERFMON",
              "-I" + os.path.dirname(self.find("likwid-marker.h")), "-L" + library,
              "-Wl,-rpath," + library, "-llikwid"])
        env = harness.environment()
        if "address" in harness.SANITIZE:
            env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        must([program], env=env)
        output = self.path("out.csv")
        must([self.command, "-x", ",", "-o", output, program], env=env)
        self.assertEqual(harness.read_report(output).calls(), {"stood in": 1})

    def test_a_fortran_program(self):
        if SANITIZED:
            self.skipTest("the runtime's sanitizer would have to be gfortran's as well")
        compiler = harness.need_tool("gfortran")
        if not self.has("regionstat.mod"):
            self.skipTest("the build has no Fortran module")
        program = self.path("marked")
        package = "regionstat-fortran"
        must([compiler, *self.pkg_config("--cflags", package=package), FORTRAN, "-o", program,
              *self.pkg_config("--libs", package=package)])
        self.assertShowsRegion(self.command, program)

    def test_a_fortran_program_from_source(self):
        if SANITIZED:
            self.skipTest("the runtime's sanitizer would have to be gfortran's as well")
        compiler, program = harness.need_tool("gfortran"), self.path("marked")
        must([compiler, *self.pkg_config("--cflags"), self.find("regionstat.f90"),
              self.find("regionstat_fortran.c"), FORTRAN, "-o", program], cwd=self.directory)
        self.assertShowsRegion(self.command, program)

    def test_a_python_program(self):
        if SANITIZED:
            self.skipTest("the interpreter has no sanitizer, as the runtime then needs")
        modules = os.path.dirname(os.path.dirname(self.find("_runtime.py")))
        program = self.path("marked")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec '%s' '%s'\n" % (harness.need_tool("python3"), PYTHON))
        os.chmod(program, 0o755)
        self.assertShowsRegion(self.command, program, env=harness.environment(PYTHONPATH=modules))

    def test_a_dynamic_program_links_nothing(self):
        if SANITIZED:
            self.skipTest("a sanitizer adds libraries of its own")
        program = self.compile(*self.pkg_config("--cflags"))
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", must(["readelf", "-d", program]))
        self.assertEqual(needed, ["libc.so.6"])

    def test_a_linked_program_shows_regions(self):
        flags = self.pkg_config("--cflags", "--libs")
        program = self.compile("-Wl,--no-as-needed", *flags)
        self.assertShowsRegion(self.command, program,
                               env=harness.environment(LD_LIBRARY_PATH=os.path.dirname(
                                   self.find("libregionstat.so.1"))))

    def test_a_static_program_shows_regions(self):
        self.need_static()
        flags = self.pkg_config("--static", "--cflags", "--libs")
        program = self.compile("-static", *flags)
        self.assertShowsRegion(self.command, program)

    def test_programs_run_without_regionstat(self):
        program = self.compile(*self.pkg_config("--cflags"))
        self.assertEqual(must([program]), "xxx\n")

    def test_static_programs_run_without_regionstat(self):
        self.need_static()
        flags = self.pkg_config("--static", "--cflags", "--libs")
        program = self.compile("-static", *flags)
        self.assertEqual(must([program]), "xxx\n")

    def musl_program(self, *options):
        """The user's program against another libc, or skip the test."""
        if SANITIZED:
            self.skipTest("musl has no sanitizers")
        return self.compile(*options, compiler=harness.need_tool("musl-gcc"))

    def test_a_musl_program_shows_regions(self):
        program = self.musl_program(*self.pkg_config("--cflags"))
        self.assertShowsRegion(self.command, program)

    def test_a_static_musl_program_shows_regions(self):
        self.need_static()
        flags = self.pkg_config("--static", "--cflags", "--libs")
        program = self.musl_program("-static", *flags)
        self.assertShowsRegion(self.command, program)

    def test_man_pages_are_found(self):
        man = harness.need_tool("mandoc")
        for section in ("1", "3"):
            text = must([man, "-T", "utf8", self.find("regionstat." + section)])
            self.assertRegex(text, r"(?i)regionstat\(%s\)" % section)


class SharedLibrary(harness.TestCase):
    """The symbols that libregionstat.so needs from a program, and those that it shows to it."""

    @classmethod
    def setUpClass(cls):
        if SANITIZED:
            raise unittest.SkipTest("a sanitizer adds libraries and symbols of its own")
        cls.library = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1")
        cls.archive = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")

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
