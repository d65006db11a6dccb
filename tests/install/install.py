#!/usr/bin/env python3
"""Installation: what `meson install` puts where, that it works from any directory and any prefix,
also moved, and that programs compiled against it with pkg-config run and show their regions. What
the shared library asks of a program it is loaded into is checked here as well."""

import os
import re
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
import harness  # pylint: disable=wrong-import-position

SANITIZED = harness.SANITIZE != "none"
CC = os.environ.get("REGIONSTAT_CC", "cc")


def must(argv, **options):
    """The stdout of a command that must succeed."""
    result = harness.run(argv, **options)
    if result.status != 0:
        raise AssertionError(str(result))
    return result.stdout


class Installed(harness.TestCase):
    """Tests on one installation into an empty folder that stands for the root directory."""

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="regionstat-install-")
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        must(["meson", "install", "-C", harness.BUILD, "--no-rebuild", "--destdir", cls.root])
        cls.files = sorted(os.path.relpath(os.path.join(folder, name), cls.root)
                           for folder, _, names in os.walk(cls.root) for name in names)
        # Whatever prefix the build was configured with, it is where the command is.
        command = [name for name in cls.files if name.endswith("bin/regionstat")]
        cls.prefix = os.path.join(cls.root, os.path.dirname(os.path.dirname(command[0])))

    def find(self, name):
        """The one installed file of this name."""
        found = [path for path in self.files if os.path.basename(path) == name]
        self.assertEqual(len(found), 1, "%s among %r" % (name, self.files))
        return os.path.join(self.root, found[0])

    def pkg_config(self, *options):
        """What pkg-config says of the installation, as words."""
        environment = harness.environment(
            PKG_CONFIG_PATH=os.path.dirname(self.find("regionstat.pc")),
            PKG_CONFIG_SYSROOT_DIR=self.root)
        tool = harness.need_tool("pkg-config")
        return must([tool, *options, "regionstat"], env=environment).split()

    def compile(self, *options):
        """Compile the user's program with these options behind it; its path."""
        program = self.path("marked")
        sanitizer = ["-fsanitize=" + harness.SANITIZE] if SANITIZED else []
        must([CC, *sanitizer, os.path.join(HERE, "marked.c"), "-o", program, *options])
        return program

    def assertShowsRegion(self, command, program, **options):
        """Run the program by an installed command; its region must be there with its 3 calls."""
        output = self.path("out.csv")
        result = harness.run([command, "-x", ",", "-o", output, program], **options)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(result.stdout, "xxx\n", result)
        with open(output, encoding="utf-8", newline="") as file:
            report = harness.Report(file.read())
        self.assertEqual(report.region("installed").calls, 3, result)

    def test_every_file_has_its_place(self):
        wanted = [r"bin/regionstat", r"include/regionstat\.h", r"lib.*/libregionstat\.so\.1",
                  r"lib.*/libregionstat\.so", r"lib.*/libregionstat\.a",
                  r"lib.*/pkgconfig/regionstat\.pc", r"share/man/man1/regionstat\.1",
                  r"share/man/man3/regionstat\.3"]
        for pattern in wanted:
            matches = [name for name in self.files
                       if re.search("(^|/)%s$" % pattern, name)]
            self.assertEqual(len(matches), 1, "%s among %r" % (pattern, self.files))

    def test_nothing_else_is_installed(self):
        for name in self.files:
            self.assertRegex(name, r"regionstat[^/]*$")

    def test_runs_from_any_directory(self):
        program = self.compile(*self.pkg_config("--cflags"))
        command = os.path.join(self.prefix, "bin", "regionstat")
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

    def test_a_dynamic_program_links_nothing(self):
        if SANITIZED:
            self.skipTest("a sanitizer adds libraries of its own")
        program = self.compile(*self.pkg_config("--cflags"))
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", must(["readelf", "-d", program]))
        self.assertEqual(needed, ["libc.so.6"])

    def test_a_linked_program_shows_regions(self):
        flags = self.pkg_config("--cflags", "--libs")
        program = self.compile("-Wl,--no-as-needed", *flags)
        self.assertShowsRegion(os.path.join(self.prefix, "bin", "regionstat"), program,
                               env=harness.environment(LD_LIBRARY_PATH=os.path.dirname(
                                   self.find("libregionstat.so.1"))))

    def test_a_static_program_shows_regions(self):
        if SANITIZED:
            self.skipTest("a static program cannot be built with a sanitizer")
        flags = self.pkg_config("--static", "--cflags", "--libs")
        program = self.compile("-static", "-DREGIONSTAT_STATIC", *flags)
        self.assertShowsRegion(os.path.join(self.prefix, "bin", "regionstat"), program)

    def test_programs_run_without_regionstat(self):
        program = self.compile(*self.pkg_config("--cflags"))
        self.assertEqual(must([program]), "xxx\n")

    def test_static_programs_run_without_regionstat(self):
        if SANITIZED:
            self.skipTest("a static program cannot be built with a sanitizer")
        flags = self.pkg_config("--static", "--cflags", "--libs")
        program = self.compile("-static", "-DREGIONSTAT_STATIC", *flags)
        self.assertEqual(must([program]), "xxx\n")

    def musl_program(self, *options):
        """The user's program against another libc, or skip the test."""
        if SANITIZED:
            self.skipTest("musl has no sanitizers")
        compiler = harness.need_tool("musl-gcc")
        program = self.path("marked-musl")
        must([compiler, os.path.join(HERE, "marked.c"), "-o", program, *options])
        return program

    def test_a_musl_program_shows_regions(self):
        program = self.musl_program(*self.pkg_config("--cflags"))
        self.assertShowsRegion(os.path.join(self.prefix, "bin", "regionstat"), program)

    def test_a_static_musl_program_shows_regions(self):
        flags = self.pkg_config("--static", "--cflags", "--libs")
        program = self.musl_program("-static", "-DREGIONSTAT_STATIC", *flags)
        self.assertShowsRegion(os.path.join(self.prefix, "bin", "regionstat"), program)

    def test_man_pages_are_found(self):
        man = harness.need_tool("mandoc")
        for section in ("1", "3"):
            text = must([man, "-T", "utf8", self.find("regionstat." + section)])
            self.assertRegex(text, r"(?i)regionstat\(%s\)" % section)


class SharedLibrary(harness.TestCase):
    """What libregionstat.so asks of, and shows to, a program that it is loaded into."""

    @classmethod
    def setUpClass(cls):
        if SANITIZED:
            raise unittest.SkipTest("a sanitizer adds libraries and symbols of its own")
        cls.library = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so")
        cls.archive = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")

    def test_what_it_exports(self):
        symbols = [line.split()[-1] for line in
                   must(["nm", "-D", "--defined-only", self.library]).splitlines()]
        self.assertEqual(sorted(symbols), ["regionstat_" + name for name in (
            "attach", "begin", "end", "join", "next", "pause", "resume", "start", "stop")])

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
        self.assertIn("regionstat_attach", names)
        for name in names:
            self.assertRegex(name, r"^(regionstat_|rs_)")


if __name__ == "__main__":
    harness.main()
