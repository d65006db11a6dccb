# SPDX-License-Identifier: MIT
"""Trust: a user with fewer privileges cannot make regionstat load anything into a program, or open
anything with a side effect. A process that can write the segment cannot mislead a marker of
root."""

import os
import pty
import shutil
import subprocess
import sys

import harness

NOBODY = 65534
EVIL = r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void get_in(void)
{
	int fd = open(PLACE, O_WRONLY | O_CREAT, 0666);
	dprintf(fd, "uid %d", (int)geteuid());
}
const void *regionstat_join(unsigned int abi, const char *segment)
{
	(void)abi, (void)segment;
	return 0;
}
"""


def as_nobody(words, **options):
    """Run words as the user nobody."""
    return harness.run(words, user=NOBODY, group=NOBODY, extra_groups=[], **options)


class Trust(harness.TestCase):

    def setUp(self):
        super().setUp()
        harness.need_root("only root can become somebody else")
        # other users must reach the files, as in an installation
        os.chmod(self.directory, 0o755)
        self.bin, self.lib = self.path("bin"), self.path("lib")
        for directory in (self.bin, self.lib):
            os.mkdir(directory)
        shutil.copy(harness.REGIONSTAT, self.bin)
        runtime = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1")
        self.runtime = os.path.join(self.lib, "libregionstat.so.1")
        shutil.copy(runtime, self.runtime)
        self.program = shutil.copy(harness.app("trust"), self.bin)
        self.setuid = shutil.copy(harness.app("trust"), os.path.join(self.bin, "setuid"))
        os.chmod(self.setuid, 0o4755)
        self.theirs = self.path("theirs")
        os.mkdir(self.theirs)
        os.chown(self.theirs, NOBODY, NOBODY)

    def make_evil(self, owner=NOBODY, name="evil.so"):
        """Make a library that writes a file when it is loaded. Return its path, and that of the
        file."""
        place = os.path.join(self.theirs, "got in")
        source, evil = self.path("evil.c"), os.path.join(self.theirs, name)
        harness.write_text(source, EVIL)
        self.execute(["cc", "-shared", "-fPIC", "-DPLACE=\"%s\"" % place, source, "-o", evil])
        os.chown(evil, owner, owner)
        return evil, place

    def launch(self, *words, runner=harness.run, **options):
        """Run regionstat from its installation. Return its result and its report."""
        output = os.path.join(self.theirs, "report.csv")
        result = runner([os.path.join(self.bin, "regionstat"), "-x", ",", "-o", output, "-e",
                         "time", "--", *words], **options)
        report = harness.read_report(output)
        os.unlink(output)
        return result, report

    def assertNobodyIn(self, place, result):
        self.assertFalse(os.path.exists(place), result)

    def test_without_a_launcher(self):
        """As in a real attack: a wrapper that becomes root passes the environment on."""
        evil, place = self.make_evil()
        for segment in ("x", "3:1:1:0", "5:0:%d:0123456789abcdef" % os.getpid()):
            env = harness.environment(REGIONSTAT_SEGMENT=segment, REGIONSTAT_RUNTIME=evil)
            result = as_nobody([self.setuid, "wrap", self.program, "mark", "3"], env=env)
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            self.assertNobodyIn(place, result)

    def test_with_a_segment_of_their_own(self):
        """The user nobody has a launcher, and so a segment with the right nonce. Root's program
        ignores it, with any runtime."""
        evil, place = self.make_evil()
        for runtime in (evil, self.runtime):
            script = 'REGIONSTAT_RUNTIME=%s exec "$@"' % runtime
            result, report = self.launch("sh", "-c", script, "sh", self.setuid, "wrap",
                                         self.program, "mark", "3", runner=as_nobody)
            self.assertEqual(result.status, 0, result)
            self.assertEqual(report.regions(), [])
            self.assertIn("neither root nor who measures", result.stderr)
            self.assertNobodyIn(place, result)

    def test_with_a_segment_of_root(self):
        """Root's launcher runs a program that becomes the user nobody, so that user has the
        segment. The command does not load a file that the user owns, may write, or links to."""
        evil, place = self.make_evil()
        writable, _ = self.make_evil(owner=0, name="writable.so")
        os.chmod(writable, 0o666)
        link = os.path.join(self.theirs, "link.so")
        os.symlink(evil, link)
        drop = [sys.executable, "-c",
                "import os, sys; os.setgroups([]); os.setresgid(*[%d] * 3); "
                "os.setresuid(*[%d] * 3); os.environ['REGIONSTAT_RUNTIME'] = sys.argv[1]; "
                "os.execv(sys.argv[2], sys.argv[2:])" % (NOBODY, NOBODY)]
        for runtime in (evil, writable, link, self.theirs, "/dev/tty", "evil.so", "/etc/passwd"):
            with self.subTest(runtime=runtime):
                result, report = self.launch(*drop, runtime, self.setuid, "wrap", self.program,
                                             "mark", "3", cwd=self.theirs, pass_fds=())
                self.assertEqual(result.status, 0, result)
                self.assertEqual(report.regions(), [])
                self.assertIn(runtime, result.stderr)
                self.assertNobodyIn(place, result)
        # the runtime is loaded, whichever path leads to it
        os.symlink(self.runtime, os.path.join(self.theirs, "good.so"))
        result, report = self.launch(*drop, os.path.join(self.theirs, "good.so"), self.setuid,
                                     "wrap", self.program, "mark", "3")
        self.assertEqual((result.status, report.calls()), (0, {"marked": 3}), result)

    def test_the_test_can_fail(self):
        """The library does its work if it is permitted: for its owner."""
        evil, place = self.make_evil()
        result, _ = self.launch("env", "REGIONSTAT_RUNTIME=" + evil, self.program, "mark", "3",
                                runner=as_nobody)
        self.assertEqual(harness.read_text(place), "uid %d" % NOBODY, result)

    def test_rights_that_are_given_up(self):
        """A program of root that becomes the user nobody continues to use markers, and programs
        that it executes do so too."""
        result, report = self.launch(self.program, "drop", "100")
        self.assertEqual((result.status, report.calls()), (0, {"marked": 200}), result)
        result, report = self.launch(
            sys.executable, "-c", "import os, sys; os.setresuid(%d, %d, %d); "
            "os.execv(sys.argv[1], sys.argv[1:])" % (NOBODY, NOBODY, NOBODY), self.program, "mark",
            "7")
        self.assertEqual((result.status, report.calls()), (0, {"marked": 7}), result)

    def test_terminals_and_pipes(self):
        """regionstat does not open a file in the environment that is no segment: no terminal
        becomes the controlling one, and no process waits at a FIFO."""
        master, slave = pty.openpty()
        read_end, write_end = os.pipe()
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        keeper = os.open(fifo, os.O_RDWR)
        try:
            for fd in (slave, master, read_end, write_end, keeper, 987654):
                for keep in ([], [fd]):  # this process's entry in /proc; the descriptor itself
                    if fd == 987654 and keep:
                        continue
                    env = harness.environment(
                        REGIONSTAT_SEGMENT="5:%d:%d:0123456789abcdef" % (fd, os.getpid()),
                        REGIONSTAT_RUNTIME=self.runtime)
                    done = subprocess.run([self.program, "terminal"], env=env, timeout=harness.TIMEOUT_S,
                                          start_new_session=True, pass_fds=keep,
                                          stdin=subprocess.DEVNULL, check=False)
                    self.assertEqual(done.returncode, 0, (fd, keep))
        finally:
            for fd in (master, slave, read_end, write_end, keeper):
                os.close(fd)

    def test_who_writes_the_segment(self):
        """Root's markers follow no pointer in the segment."""
        if harness.SANITIZE != "none":
            self.skipTest("numbers that others write while they are read are data races here")
        for events in ("time", "page-faults,task-clock"):
            with self.subTest(events=events):
                result = harness.run([os.path.join(self.bin, "regionstat"), "-e", events, "-o",
                                      self.path("out"), "--", self.program, "attacked", "300"])
                # regionstat fails if the header is overwritten: it cannot read the results
                own = 0 if "own exit status was 0 (exit status 125)" in result.stderr else result.status
                self.assertEqual(own, 0, result)
