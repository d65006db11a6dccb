# SPDX-License-Identifier: MIT
"""The Rust crate, built by cargo without dependencies. The test program counts and times its calls
itself."""

import functools
import os
import re
import shutil
import tempfile

import binding
import harness

BINDINGS = os.path.join(harness.SOURCE, "lib", "bindings", "rust")


class Rust(binding.Trust, binding.TestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # cargo writes into the directory of its package, and builds once for all tests
        cls.root = tempfile.mkdtemp(prefix="regionstat-test-")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        os.chmod(cls.root, 0o755)
        cls.tree = shutil.copytree(BINDINGS, os.path.join(cls.root, "crate"))
        cls.target = os.path.join(cls.root, "target")

    def setUp(self):
        super().setUp()
        harness.need_no_sanitizer("the runtime's sanitizer would have to be cargo's as well")
        self.cargo = harness.need_tool("cargo")
        self.env = harness.environment(CARGO_TARGET_DIR=self.target, CARGO_NET_OFFLINE="true",
                                       RUSTFLAGS="-D warnings", RUSTDOCFLAGS="-D warnings")
        version = harness.run([self.cargo, "--version"], env=self.env)
        found = re.match(r"cargo 1\.(\d+)", version.stdout)
        if not found or int(found.group(1)) < 63:
            self.skipTest("the crate takes Rust 1.63: " + (version.stdout or version.stderr))

    def run_cargo(self, *words):
        return self.execute([self.cargo, *words, "--offline"], env=self.env, cwd=self.tree,
                            timeout=300)

    def build(self, *words):
        """Build the example program with these arguments of cargo."""
        self.run_cargo("build", "--example", "example", *words)
        folder = "release" if "--release" in words else "debug"
        return os.path.join(self.target, folder, "examples", "example")

    def check(self, program):
        result = self.measure(program)
        report = result.report
        self.assertTrue(result.stderr.startswith(binding.MEASURED), result)
        self.check_told_calls(result)
        self.check_nested(report.region("outer"), report.region("inner"))
        self.assertEqual(report.region("thread").threads, 4)
        self.assertEqual(report.region("request").threads, 2)
        work = {row.event: row.total for row in report.select(kind="region", region="second")}
        self.assertEqual((work["bytes"], work["flops"]), (200 * 800, 200 * 100))
        self.assertEqual(report.diagnostics("panics"), {"recursive": 5})

    def test_calls_and_times(self):
        for words in ([], ["--release"], ["--release", "--config", "profile.release.lto='fat'"]):
            with self.subTest(words=words):
                program = self.build(*words)
                self.steadily(functools.partial(self.check, program))

    def test_not_launched(self):
        program = self.build("--release")
        result = harness.run([program])
        self.assertEqual((result.status, result.stderr), (0, binding.NOT_MEASURED))
        self.check_unlinked(program, self.tree)

    def test_disabled(self):
        """With the feature disabled the program contains no markers, and cannot be measured."""
        program = self.build("--release", "--features", "disable")
        result = harness.regionstat(program)
        self.assertTrue(result.stderr.startswith(binding.NOT_MEASURED), result)
        self.assertNotIn(b"REGIONSTAT_SEGMENT", harness.read_bytes(program))

    def test_its_own_tests(self):
        """The crate's own tests and the examples of its documentation, also when measured, and with
        markers disabled."""
        self.run_cargo("test")
        self.run_cargo("test", "--features", "disable")
        self.regionstat("-x", ",", "-o", self.path("report.csv"), self.cargo, "test",
                        "--offline", "--test", "markers", env=self.env, cwd=self.tree)
        calls = harness.read_report(self.path("report.csv")).calls()
        self.assertEqual((calls["sent"], calls["first"], calls["second"], calls["begun"]),
                         (1, 1, 1, 1))

    def test_formatted(self):
        if harness.run([self.cargo, "fmt", "--version"], env=self.env).status != 0:
            self.skipTest("rustfmt is not installed")
        result = harness.run([self.cargo, "fmt", "--check"], env=self.env, cwd=self.tree)
        self.assertEqual((result.status, result.stdout), (0, ""))

    @functools.cached_property
    def program(self):
        return self.build()

    def run_with(self, variable, launcher=()):
        return self.execute([*launcher, "env", variable, self.program], env=self.env)

    def test_setuid(self):
        harness.need_root("only root can make a program that gives its rights")
        program = shutil.copy(self.build(), self.path("setuid"))
        os.chmod(self.directory, 0o755)
        os.chmod(program, 0o4755)
        words = harness.need_other_user()
        result = self.execute([*words, harness.REGIONSTAT, program])
        self.assertIn(binding.NOT_MEASURED, result.stderr)
