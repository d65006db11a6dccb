# SPDX-License-Identifier: MIT
"""Names of functions if root runs regionstat and the program belongs to another user: no file is
read that the program itself could not read."""

import os
import shutil

import adapter_counts
import harness

NOBODY = 65534
SOURCES = os.path.join(harness.APP_SOURCES, "functions")
CALLS = 177  # of fibonacci(10): 2 * 89 - 1


class Rights(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_root("only root can become somebody else")
        setpriv = harness.need_tool("setpriv")
        self.drop = "%s --reuid %d --regid %d --clear-groups " % (setpriv, NOBODY, NOBODY)
        # other users must reach the files, as in an installation
        os.chmod(self.directory, 0o755)
        self.command = adapter_counts.tree(self, {"functions": adapter_counts.path("functions")})
        self.program = self.build("program")

    def build(self, name, *flags):
        path = self.compile(os.path.join(SOURCES, "main.c"), "gcc", "-g", "-O1",
                            "-finstrument-functions", os.path.join(SOURCES, "other.c"), "-ldl",
                            *flags, name=name)
        os.chmod(path, 0o755)
        return path

    def measured(self, *words, options=(), status=0):
        """Return the calls of a program, and the warnings."""
        output = self.path("report.csv")
        result = self.execute([self.command, "--markers", "functions", *options, "-e", "time", "-x",
                               ",", "-o", output, *words], status)
        return harness.read_report(output).calls(), result.stderr

    def measure_script(self, script):
        return self.measured("sh", "-c", script)

    def private_program(self):
        """Return another user's program, in a directory that otherwise only root can read."""
        private = self.path("private")
        os.mkdir(private, 0o700)
        program = shutil.copy(self.program, private)
        for path in (private, program):
            os.chown(path, NOBODY, NOBODY)
        os.chmod(program, 0o700)
        return program

    def test_a_file_that_only_root_may_read(self):
        """Root's own program has names of functions from the file, and the other user's does
        not."""
        run = "%s fibonacci 10; chmod 0700 %s" % (self.program, self.program)
        for identity in ("sha1", "none"):
            with self.subTest(build_id=identity):
                self.program = self.build("program", "-Wl,--build-id=" + identity)
                calls, told = self.measure_script(run)
                self.assertEqual(calls, {"fibonacci": CALLS})
                self.assertNotIn("cannot be read", told)
                os.chmod(self.program, 0o755)
                calls, told = self.measure_script(self.drop + run)
                self.assertEqual(list(calls.values()), [CALLS])
                self.assertRegex(list(calls)[0], r"^program\+0x[0-9a-f]+$")
                self.assertIn("whose file cannot be read", told)

    def test_a_file_that_the_user_may_read(self):
        program = self.private_program()
        for before in ("", self.drop):
            calls, told = self.measure_script("%s%s fibonacci 10" % (before, program))
            self.assertEqual(calls, {"fibonacci": CALLS}, told)
        calls, told = self.measure_script("%s%s fibonacci 10 same 3" % (self.drop, program))
        self.assertEqual(len(calls), 4, told)

    def test_each_of_several_users(self):
        """Root and another user run the same file, and each has its own copy."""
        own = self.build("own", "-O0")
        os.chmod(own, 0o700)
        for words in ((self.program, own), (own, self.program)):
            script = "; ".join(["%s fibonacci 10" % word for word in words] +
                               ["%s%s fibonacci 10" % (self.drop, self.program)])
            calls, told = self.measure_script(script)
            self.assertEqual(sorted(calls.values()), [CALLS, 2 * CALLS], told)
            self.assertTrue(all(name.startswith("fibonacci") for name in calls), calls)

    def test_debug_file_of_somebody_else(self):
        """A debug file beside root's program, in a directory where everybody may write, may be
        hostile."""
        debug = self.path(".debug/program.debug")
        os.makedirs(os.path.dirname(debug))
        self.split_debug(self.program, debug)
        run = "%s fibonacci 10" % self.program
        for owner, mode, expected in ((0, 0o644, True), (NOBODY, 0o644, False),
                                      (0, 0o666, False), (0, 0o644, True)):
            os.chown(debug, owner, owner)
            os.chmod(debug, mode)
            for before in ("", self.drop):
                calls, told = self.measure_script(before + run)
                # if the user itself reads the file, it may also read its own debug file
                found = expected or (owner == NOBODY and before != "")
                self.assertEqual("fibonacci" in calls, found, (owner, mode, before, told))
                self.assertEqual(list(calls.values()), [CALLS])

    def test_chosen_of_another_users_program(self):
        """--functions reads the files of the command with the privileges of their owner."""
        calls, _ = self.measured(*self.drop.split(), self.private_program(), "fibonacci", "10",
                                 "same", "4", options=["--functions", "fib*"])
        self.assertEqual(calls, {"fibonacci": CALLS})

    def test_chosen_of_roots_own_program(self):
        """Only root may read the program. Files among its arguments are not searched,
        whatever their owner."""
        os.chmod(self.program, 0o700)
        data = self.path("data")
        shutil.copy("/bin/true", data)
        for mode in (0o644, 0o755):
            os.chmod(data, mode)
            os.chown(data, NOBODY, NOBODY)
            # the program ends with 3, because it does not know the word data
            calls, _ = self.measured(self.program, "fibonacci", "10", data, "4",
                                     options=["--functions", "fib*"], status=3)
            self.assertEqual(calls, {"fibonacci": CALLS})
