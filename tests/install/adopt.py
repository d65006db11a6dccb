# SPDX-License-Identifier: MIT
"""How a program gets its markers: by each build system that projects use, and by a copy of the
header. Each test builds the same small program, and the installed regionstat measures it. If the
runtime can be linked, a static program is tested as well."""

import json
import os
import re
import shutil

from installed import CC, LIBRARIES, MARKED, InstalledTestCase, harness, must


class AdoptTestCase(InstalledTestCase):
    """A project of a user, in the test's own directory."""

    def setUp(self):
        super().setUp()
        self.project = self.path("project")
        os.mkdir(self.project)
        shutil.copy(MARKED, self.project)

    def write(self, name, text):
        """Write a file of the project."""
        self.text_file(os.path.join("project", name), text)

    def build_marked(self, *flags):
        """Build the program with the compiler alone and these flags."""
        os.makedirs(self.path("build"), exist_ok=True)
        must([CC, "marked.c", "-o", self.path("build/marked"), *flags], cwd=self.project)

    def assertMeasured(self, program):
        """The program that was built under this name runs by itself, and the installed command
        measures it."""
        program = os.path.join(self.path("build"), program)
        self.assertEqual(must([program]), "xxx\n")
        self.assertShowsRegion(self.command, program)

    def assertStatic(self, program):
        """The program that was built under this name needs no loader."""
        headers = must(["readelf", "-lW", os.path.join(self.path("build"), program)])
        self.assertNotIn("INTERP", headers)


class Header(AdoptTestCase):
    """The header alone."""

    def test_a_copy_is_enough(self):
        shutil.copy(self.find("regionstat.h"), self.project)
        self.build_marked("-I.")
        self.assertMeasured("marked")


class PkgConfig(AdoptTestCase):
    """pkg-config, also where the compiler is called by hand."""

    def test_dynamic(self):
        flags = self.pkg_config("--cflags", "--libs")
        self.assertFalse([flag for flag in flags if not flag.startswith("-I")])
        self.build_marked(*flags)
        self.assertMeasured("marked")
        needed = must(["readelf", "-d", self.path("build/marked")])
        self.assertEqual(re.findall(r"\(NEEDED\).*\[(.*)\]", needed), ["libc.so.6"])

    def test_static(self):
        self.need_static()
        for options, package in ((("--static",), "regionstat"), ((), "regionstat-static")):
            with self.subTest(package=package):
                flags = self.pkg_config(*options, "--cflags", "--libs", package=package)
                self.assertIn("-DREGIONSTAT_STATIC", flags)
                self.build_marked("-static", *flags)
                self.assertStatic("marked")
                self.assertMeasured("marked")

    def test_relocatable(self):
        tool = harness.need_tool("pkg-config")
        must(["meson", "setup", self.path("configured"), harness.SOURCE, "-Dtests=disabled",
              "-Dpkgconfig.relocatable=true", "--libdir",
              os.path.dirname(os.path.dirname(os.path.relpath(self.find("regionstat.pc"),
                                                              self.prefix)))],
             env=harness.environment(CC=CC))
        moved = self.moved("moved")  # pkg-config escapes blanks
        folder = os.path.join(moved, os.path.relpath(os.path.dirname(self.find("regionstat.pc")),
                                                     self.prefix))
        shutil.copy(self.path("configured/lib/package/regionstat.pc"), folder)
        flags = must([tool, "--static", "--cflags", "--libs", "regionstat"],
                     env=harness.environment(PKG_CONFIG_PATH=folder)).split()
        folders = [os.path.realpath(flag[2:]) for flag in flags if flag[:2] in ("-I", "-L")]
        self.assertIn(os.path.join(os.path.realpath(moved), "include"), folders)
        for found in folders:
            self.assertTrue(found.startswith(os.path.realpath(moved) + "/"), flags)
        self.build_marked(*[flag for flag in flags if flag.startswith("-I")])
        self.assertMeasured("marked")


class CMake(AdoptTestCase):
    """find_package(regionstat)."""

    LISTS = """
        cmake_minimum_required(VERSION 3.13)
        project(user C)
        find_package(regionstat %s REQUIRED CONFIG)
        add_executable(marked marked.c)
        target_link_libraries(marked PRIVATE regionstat::regionstat)
        if(TARGET regionstat::static)
          add_executable(marked-static marked.c)
          target_link_libraries(marked-static PRIVATE regionstat::static -static)
        endif()
        """

    def configure(self, prefix, version="0.1"):
        """Configure the project; what cmake says."""
        cmake = harness.need_tool("cmake")
        self.write("CMakeLists.txt", self.LISTS % version)
        return harness.run([cmake, "-S", self.project, "-B", self.path("build"), "-G", "Ninja",
                            "-DCMAKE_C_COMPILER=" + CC, "-DCMAKE_PREFIX_PATH=" + prefix])

    def build_and_measure(self, prefix):
        """Build all programs of the project and measure them."""
        result = self.configure(prefix)
        self.assertEqual(result.status, 0, result)
        must(["ninja", "-C", self.path("build")])
        self.assertMeasured("marked")
        if LIBRARIES != "shared":
            self.assertStatic("marked-static")
            self.assertMeasured("marked-static")

    def test_targets(self):
        self.build_and_measure(self.prefix)

    def test_from_a_moved_prefix(self):
        harness.need_tool("cmake")
        moved = self.moved()
        self.command = os.path.join(moved, "bin", "regionstat")
        with self.hidden():
            self.build_and_measure(moved)

    def test_versions(self):
        version = must([self.command, "--version"]).split()[-1]
        major, minor = map(int, version.split(".")[:2])
        known = {"": True, version: True, version + " EXACT": True, "%d.%d" % (major, minor): True,
                 "%d.%d" % (major, minor + 1): False, "%d.0" % (major + 1): False,
                 "%d.%d...%d" % (major, minor, major + 1): True,
                 "%d.0...<%d.%d" % (major, major, minor): False}
        for wanted, suits in known.items():
            with self.subTest(version=wanted):
                result = self.configure(self.prefix, wanted)
                self.assertEqual(result.status == 0, suits, result)


class CMakeSource(AdoptTestCase):
    """The source as a part of a project of CMake, where nothing is installed."""

    LISTS = """
        cmake_minimum_required(VERSION 3.14)
        project(user C)
        %s
        add_executable(marked marked.c)
        target_link_libraries(marked PRIVATE regionstat::regionstat)
        """
    FETCH = """
        include(FetchContent)
        FetchContent_Declare(regionstat URL http://invalid.invalid/regionstat.tar.gz)
        FetchContent_MakeAvailable(regionstat)
        """

    def check(self, how, *options):
        cmake = harness.need_tool("cmake")
        self.write("CMakeLists.txt", self.LISTS % how)
        must([cmake, "-S", self.project, "-B", self.path("build"), "-G", "Ninja",
              "-DCMAKE_C_COMPILER=" + CC, *options])
        must(["ninja", "-C", self.path("build")])
        self.assertMeasured("marked")
        # the header alone
        self.write("marked.c", "#include <base/err.h>\n")
        self.assertNotEqual(harness.run(["ninja", "-C", self.path("build")]).status, 0)

    def test_add_subdirectory(self):
        self.check("add_subdirectory(%s regionstat)" % harness.SOURCE)

    def test_fetch_content(self):
        """From where the user says that the source is, instead of the network."""
        self.check(self.FETCH, "-DFETCHCONTENT_SOURCE_DIR_REGIONSTAT=" + harness.SOURCE)


class MesonTestCase(AdoptTestCase):
    """A project with dependency('regionstat')."""

    BUILD = """
        project('user', 'c')
        executable('marked', 'marked.c', dependencies: dependency('regionstat'%s))
        static = dependency('regionstat-static', required: false)
        if static.found()
          executable('marked-static', 'marked.c', dependencies: static, link_args: '-static')
        endif
        """

    def configure(self, *options, fallback="", env=None):
        """Configure the project."""
        self.write("meson.build", self.BUILD % fallback)
        env = dict(env or harness.environment(), CC=CC)
        must(["meson", "setup", self.path("build"), self.project, *options], env=env)

    def build_and_measure(self, programs):
        """Build these programs of the project and measure them."""
        must(["ninja", "-C", self.path("build"), *programs], timeout=600)
        for program in programs:
            if program.endswith("static"):
                self.assertStatic(program)
            self.assertMeasured(program)


class Meson(MesonTestCase):
    """regionstat is installed."""

    def test_installed(self):
        harness.need_tool("pkg-config")
        self.configure(env=self.pkg_config_environment())
        self.build_and_measure(["marked"] + ["marked-static"] * (LIBRARIES != "shared"))


class Subproject(MesonTestCase):
    """The source is a subproject, whose libraries are static."""

    def test_subproject(self):
        os.mkdir(os.path.join(self.project, "subprojects"))
        os.symlink(harness.SOURCE, os.path.join(self.project, "subprojects", "regionstat"))
        self.configure("-Dbuildtype=plain", "-Dwerror=true", "--wrap-mode=forcefallback",
                       "-Dregionstat:default_library=static", fallback=", fallback: 'regionstat'")
        commands = must(["ninja", "-C", self.path("build"), "-t", "commands"])
        compiled = [line for line in commands.split("\n") if "/runtime/" in line and " -c " in line]
        self.assertGreater(len(compiled), 40)
        # the parent's -Werror holds no longer
        self.assertEqual({re.findall(r"-W(?:no-)?error", line)[-1] for line in compiled}, {"-Wno-error"})
        self.build_and_measure(["marked", "marked-static"])
        tests = must(["meson", "introspect", "--tests", self.path("build")])
        self.assertEqual(tests.strip(), "[]")
        # No command, which needs more libraries, unless the user asks for it.
        targets = json.loads(must(["meson", "introspect", "--targets", self.path("build")]))
        self.assertEqual({target["name"] for target in targets}, {"marked", "marked-static", "regionstat"})
        self.check_installation()
        # It shows its header alone: folders such as lib/base would be found instead of a program's own
        # of that name.
        self.write("marked.c", '#include <regionstat.h>\n#include "base/err.h"\n')
        result = harness.run(["ninja", "-C", self.path("build"), "marked"])
        self.assertNotEqual(result.status, 0, result)
        self.assertIn("base/err.h", result.stdout)

    def check_installation(self):
        """The user's build also installs the subproject, here with the command."""
        must(["meson", "configure", self.path("build"), "-Dregionstat:command=enabled"])
        self.install_built(self.path("build"), "lib/runtime/libregionstat.so.1",
                           "lib/runtime/libregionstat.a", folder="subprojects/regionstat")
        self.assertLibraries("libregionstat.a", "libregionstat.so.1")
        program = self.compile("-static", *self.pkg_config("--static", "--cflags", "--libs"))
        self.assertShowsRegion(self.command, program)


class Autotools(AdoptTestCase):
    """PKG_CHECK_MODULES."""

    CONFIGURE = """
AC_INIT([user], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
PKG_CHECK_MODULES([REGIONSTAT], [regionstat])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""
    MAKEFILE = """
bin_PROGRAMS = marked
marked_SOURCES = marked.c
marked_CFLAGS = $(REGIONSTAT_CFLAGS)
marked_LDADD = $(REGIONSTAT_LIBS)
"""

    def test_pkg_check_modules(self):
        for tool in ("autoreconf", "automake", "make", "pkg-config"):
            harness.need_tool(tool)
        self.write("configure.ac", self.CONFIGURE)
        self.write("Makefile.am", self.MAKEFILE)
        environment = dict(self.pkg_config_environment(), CC=CC)
        build = self.path("build")
        os.mkdir(build)
        must(["autoreconf", "--install"], cwd=self.project, env=environment)
        must([os.path.join(self.project, "configure")], cwd=build, env=environment)
        must(["make", "-C", build], env=environment)
        self.assertMeasured("marked")
