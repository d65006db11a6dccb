# SPDX-License-Identifier: MIT
"""Shared code of tests on an installation. This code installs into an empty folder, and finds the
installed files. A user's program must show its region when the installed regionstat measures it."""

import contextlib
import json
import os
import shutil
import tempfile

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
CC = os.environ.get("REGIONSTAT_CC", "cc")
LIBRARIES = os.environ.get("REGIONSTAT_DEFAULT_LIBRARY", "both")  # the option of the build
MARKED = os.path.join(HERE, "marked.c")


def must(argv, **options):
    """The stdout of a command that must succeed."""
    result = harness.run(argv, **options)
    if result.status != 0:
        raise AssertionError(str(result))
    return result.stdout


class InstalledTestCase(harness.TestCase):
    """Tests on one installation into an empty folder as the root directory."""

    @classmethod
    def setUpClass(cls):
        cls.install(harness.BUILD)

    @classmethod
    def install(cls, build):
        """Install what was built in this folder."""
        cls.root = tempfile.mkdtemp(prefix="regionstat-install-")
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        must(["meson", "install", "-C", build, "--no-rebuild", "--destdir", cls.root])
        cls.files = sorted(os.path.relpath(os.path.join(folder, name), cls.root)
                           for folder, _, names in os.walk(cls.root) for name in names)
        # Whatever prefix the build was configured with, it is where the command is.
        command = [name for name in cls.files if name.endswith("bin/regionstat")]
        cls.prefix = os.path.join(cls.root, os.path.dirname(os.path.dirname(command[0])))
        cls.command = os.path.join(cls.prefix, "bin", "regionstat")

    def install_built(self, build, *names, folder="."):
        """Install a build with other options. Build these files in it, and take all others from the build
        of all tests. folder: where the project is in that build."""
        project = os.path.normpath(os.path.join(build, folder))
        if names:
            must(["ninja", "-C", build, *(os.path.normpath(os.path.join(folder, name)) for name in names)],
                 timeout=600)
        for path in json.loads(must(["meson", "introspect", "--installed", build])):
            if path.startswith(project + os.sep) and not os.path.exists(path):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy(os.path.join(harness.BUILD, os.path.relpath(path, project)), path)
        self.install(build)

    def assertLibraries(self, *names):
        """These libraries are installed, beside Fortran's, which is static and there where a compiler is.
        A program that takes the header alone is measured."""
        self.assertEqual({os.path.basename(name) for name in self.files if "libregionstat." in name},
                         set(names))
        program = self.compile(*self.pkg_config("--cflags", "--libs"))
        self.assertShowsRegion(self.command, program)

    def find(self, name):
        """The one installed file of this name."""
        found = [path for path in self.files if os.path.basename(path) == name]
        self.assertEqual(len(found), 1, "%s among %r" % (name, self.files))
        return os.path.join(self.root, found[0])

    def has(self, name):
        """Whether a file of this name is installed."""
        return name in map(os.path.basename, self.files)

    @contextlib.contextmanager
    def hidden(self):
        """The installation is not where it was."""
        os.rename(self.root, self.root + ".hidden")
        try:
            yield
        finally:
            os.rename(self.root + ".hidden", self.root)

    def moved(self, name="moved prefix"):
        """The prefix of a copy of the installation."""
        return shutil.copytree(self.prefix, self.path(name), symlinks=True)

    def need_static(self):
        """Skip the test where there is no runtime to link statically."""
        harness.need(LIBRARIES != "shared", "-Ddefault_library=shared builds no libregionstat.a")

    def pkg_config_environment(self):
        """The environment in which pkg-config finds the installation."""
        return harness.environment(PKG_CONFIG_PATH=os.path.dirname(self.find("regionstat.pc")),
                                   PKG_CONFIG_SYSROOT_DIR=self.root)

    def pkg_config(self, *options, package="regionstat"):
        """pkg-config's answer for the installation, as words."""
        tool = harness.need_tool("pkg-config")
        return must([tool, *options, package], env=self.pkg_config_environment()).split()

    def compile(self, *options, compiler=CC):
        """Compile the user's program with these options behind it; its path."""
        program = self.path("marked")
        must([compiler, MARKED, "-o", program, *options])
        return program

    def assertShowsRegion(self, command, program, **options):
        """Run the program by an installed command; its region must be there with its 3 calls."""
        output = self.path("out.csv")
        result = self.execute([command, "-x", ",", "-o", output, program], **options)
        self.assertEqual(result.stdout, "xxx\n", result)
        self.assertEqual(harness.read_report(output).region("installed").calls, 3, result)
