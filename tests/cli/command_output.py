# SPDX-License-Identifier: MIT
"""The output of reports: files that exist, that do not exist, that cannot be written, or that can
be written only in part."""

import os
import resource
import socket
import stat
import subprocess
import tempfile
import threading

import harness

OLD = "what was there before\n"
HEADER = ",".join(harness.COLUMNS)


class TestCase(harness.TestCase):
    def redirected(self, redirection, *arguments, status=0):
        """Run regionstat with a redirection of the shell."""
        return self.execute(["sh", "-c", 'exec "$@" ' + redirection, "sh", harness.REGIONSTAT,
                             *arguments], status)


class Files(TestCase):

    def test_a_table_in_a_file_has_no_colour_and_stderr_nothing(self):
        output = self.path("new")
        result = harness.regionstat("-o", output, "sh", "-c", "echo out; echo err >&2",
                                    env=harness.environment(TERM="xterm"))
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "out\n", "err\n"))
        text = harness.read_text(output)
        self.assertIn("page-faults", text)
        self.assertNotIn("\x1b", text)

    def test_a_file_stays_as_it_is_when_nothing_runs(self):
        """An existing file keeps its content, and no new file is left."""
        for arguments, status in ((["no-such-program-at-all"], 127), (["/dev/null"], 126),
                                  (["-e", "no-such-event", "true"], 125), ([], 125),
                                  (["--delay", "x", "true"], 125)):
            path = self.text_file("old", OLD)
            with self.subTest(arguments=arguments):
                self.regionstat("-o", path, *arguments, status=status)
                self.assertEqual(harness.read_text(path), OLD)
                os.remove(path)
                self.regionstat("-o", path, *arguments, status=status)
                self.assertFalse(os.path.exists(path))

    def test_a_file_of_the_programs_own_output_keeps_it(self):
        path = self.path("both")
        for name in ("/dev/stdout", "-"):
            with self.subTest(name):
                self.redirected(">" + path, "-o", name, "echo", "program")
                text = harness.read_text(path)
                self.assertTrue(text.startswith("program\n"), text)
                self.assertIn("page-faults", text)

    def test_a_dash_is_the_standard_output(self):
        for name in ("-o-", "--output=-"):
            result = harness.regionstat(name, "echo", "program", cwd=self.directory)
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            self.assertTrue(result.stdout.startswith("program\n"), result)
            self.assertIn("page-faults", result.stdout)
        result = harness.regionstat("-x", ",", "-o", "-", "true", cwd=self.directory)
        self.assertEqual(harness.Report(result.stdout).run().calls, 1)
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_file_named_as_a_dash(self):
        result = harness.regionstat("-o", "./-", "echo", "program", cwd=self.directory)
        self.assertEqual((result.status, result.stdout), (0, "program\n"), result)
        self.assertIn("page-faults", harness.read_text(self.path("-")))

    def test_mode_follows_the_umask(self):
        path = self.path("new")
        harness.regionstat("-o", path, "true", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)

    def test_a_link_is_followed(self):
        os.symlink("target", self.path("link"))
        for _ in range(2):
            self.assertEqual(harness.regionstat("-o", self.path("link"), "true").status, 0)
            self.assertIn("page-faults", harness.read_text(self.path("target")))
            self.assertEqual(os.readlink(self.path("link")), "target")

    def test_a_new_file_takes_the_place_of_the_old_one(self):
        """A reader that has the old file open still reads the old report. The mode, owner and group
        stay the same."""
        path = self.text_file("old", OLD)
        os.chmod(path, 0o604)
        if os.geteuid() == 0:
            os.chown(path, 12345, 12346)
        with open(path, encoding="ascii") as file:
            before = os.fstat(file.fileno())
            result = harness.regionstat("-o", path, "true")
            self.assertEqual((result.status, result.stderr), (0, ""), result)
            self.assertEqual(file.read(), OLD)
        after = os.stat(path)
        self.assertNotEqual(after.st_ino, before.st_ino)
        self.assertEqual((after.st_mode, after.st_uid, after.st_gid),
                         (before.st_mode, before.st_uid, before.st_gid))
        self.assertIn("page-faults", harness.read_text(path))
        self.assertEqual(os.listdir(self.directory), ["old"])

    def test_a_file_in_a_directory_of_another_user(self):
        """A file that cannot be replaced is written in place."""
        other = harness.need_other_user()
        os.chmod(self.directory, 0o755)
        path = self.text_file("old", OLD * 1000, 0o666)
        inode = os.stat(path).st_ino
        result = harness.run([*other, harness.REGIONSTAT, "-o", path, "true"])
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        self.assertEqual(os.stat(path).st_ino, inode)
        self.assertIn("page-faults", harness.read_text(path))
        self.assertNotIn(OLD, harness.read_text(path), "the old file was longer")


class Warnings(harness.TestCase):
    """CSV contains no warnings: they are printed to stderr, after the CSV if it goes there too."""

    WARNING = "regionstat: the program has no markers"

    def test_after_csv_on_stderr_and_beside_csv_in_a_file(self):
        path, words = self.path("new"), ["-x", ",", "-e", "page-faults"]
        csv, found, rest = self.regionstat(*words, "true").stderr.partition(self.WARNING)
        self.assertEqual(harness.Report(csv).run().calls, 1)
        self.assertIn("REGIONSTAT_SCOPE", rest)
        result = self.regionstat(*words, "-o", path, "true")
        self.assertEqual(result.stderr, found + rest)
        self.assertNotIn("regionstat:", harness.read_text(path))

    def test_each_line_is_one_write(self):
        """Otherwise text of the program can come within it. A packet is what one write() wrote."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        written = []
        reader = threading.Thread(target=lambda: written.extend(iter(lambda: ours.recv(1 << 16), b"")))
        with ours:
            with theirs:
                reader.start()
                result = harness.regionstat("-x", ",", "-o", self.path("new"), "-e", "page-faults", "true",
                                            stderr=theirs)
            reader.join()
        self.assertEqual(result.status, 0)
        self.assertRegex(b"|".join(written).decode(), r"\A" + self.WARNING + r"[^|]*\n\Z")

    def test_overhead_is_printed_beside_a_table_in_a_file(self):
        """One line, so that users do not mistake the markers' overhead for the program's time."""
        path = self.path("table.txt")
        words = ["-e", "time", "-o", path, "--format", "table", "--", harness.app("rules"),
                 "nested", "200000"]
        result = harness.regionstat(*words)
        line = (r"markers take at least [\d.]+% of the CPU time, most in inner \(1,200,000 calls\): "
                r"mark larger parts; no --budget up to 5% can be kept\n")
        self.assertRegex(result.stderr, r"\Aregionstat: " + line + r"\Z")
        self.assertRegex(harness.read_text(path), "\n\n- " + line)
        # the standard output is no file
        result = harness.regionstat(*words[:3], "-", *words[4:])
        self.assertEqual(result.stderr, "")
        self.assertRegex(result.stdout, "\n\n- " + line)
        # CSV on the standard output has no warnings
        result = harness.regionstat(*words[:4], "--format", "csv", "-o", "-", *words[6:])
        self.assertRegex(result.stderr, r"\Aregionstat: " + line + r"\Z")
        # a warning of another kind is only in the table
        result = harness.regionstat("-o", path, "--format", "table", "true")
        self.assertEqual(result.stderr, "")

    def test_a_table_has_them_itself(self):
        result = harness.regionstat("-e", "page-faults", "true")
        self.assertNotIn("regionstat:", result.stderr)
        self.assertIn("- the program has no markers", result.stderr)


class Unwritable(TestCase):

    def test_a_closed_standard_output(self):
        ran = self.path("ran")
        result = self.redirected(">&-", "-o", "-", "touch", ran, status=125)
        self.assertFalse(os.path.exists(ran))
        self.assertRegex(result.stderr, r"regionstat: cannot write to the standard output: .*"
                                        r"\(EBADF\)\n  try: -o FILE")

    def test_without_permission(self):
        path = self.text_file("old", "", 0o444)
        os.chmod(self.directory, 0o755)
        prefix = harness.need_other_user() if os.access(path, os.W_OK) else []
        result = self.execute([*prefix, harness.REGIONSTAT, "-o", path, "true"], status=125)
        self.assertIn("EACCES", result.stderr)

    def full(self, *arguments):
        result = self.regionstat("-o", "/dev/full", *arguments, harness.app("rules"), "end",
                                 "exit", "10", status=125)
        self.assertIn("cannot write to '/dev/full': No space left on device (ENOSPC)\n  try: -o on a "
                      "file system with free space\n", result.stderr)
        self.assertRegex(result.stderr, "own exit status was 7")
        return result.stderr

    def test_a_full_device_sends_the_report_to_stderr(self):
        self.assertRegex(self.full(), r"(?m)^finished .* 10 ")
        self.assertIn(",region,finished,,all,all,time,ns,ok,,,10,10,", self.full("-x,"))
        for format in ("json", "html", "cali"):  # a document is for programs
            text = self.full("--format", format)
            self.assertRegex(text, r"(?m)^finished .* 10 ")
            self.assertNotIn("unit", text)

    def test_a_limit_of_file_size_sends_the_report_to_stderr(self):
        path = self.path("old")
        before = HEADER + "\n"
        for append in (["--append"], []):
            harness.write_text(path, before)
            result = self.regionstat(
                "-o", path, *append, "-x,", "true",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                   (200, resource.RLIM_INFINITY)), status=125)
            self.assertIn("EFBIG", result.stderr)
            self.assertIn(",run,,,all,all,page-faults,", result.stderr)
            self.assertRegex(result.stderr, "\nregionstat: no report was written\n"
                                            "regionstat: the program's own exit status was 0")
            self.assertEqual(harness.read_text(path), before, "no half report is left")
            self.assertEqual(os.listdir(self.directory), ["old"])

    def test_a_full_file_system_keeps_the_old_file(self):
        """On a file system of 64 KiB, which the program fills."""
        words = [harness.need_tool("unshare"), "-r", "-m", "sh", "-c",
                 'mount -t tmpfs -o size=64k none "$1" || exit 99; cd "$1" || exit 99; shift; '
                 'echo before >old; "$@"; echo "status $?"; ls -A; cat old', "sh", self.directory]
        result = harness.run([*words, "true"])
        harness.need(result.status != 99, "nothing can be mounted here: " + result.stderr.strip())
        fill = 'head -c 1000000 /dev/zero >fill; test "$(stat -c %s fill)" -gt 50000'
        result = harness.run([*words, harness.REGIONSTAT, "-x,", "-o", "old", "sh", "-c", fill])
        self.assertEqual(result.stdout, "status 125\nfill\nold\nbefore\n", result)
        self.assertIn("cannot write to 'old': No space left on device (ENOSPC)", result.stderr)
        self.assertIn(",run,,,all,all,time,ns,ok,", result.stderr)

    @harness.no_sanitizer("the library of a sanitizer must be the first one")
    def test_a_file_system_without_modes(self):
        """Files on vfat have the mode that the mount gives them, and fchmod(2) returns EPERM."""
        library = self.compile_text("""
            #include <errno.h>
            #include <sys/stat.h>
            int fchmod(int fd, mode_t mode)
            {
                (void)fd, (void)mode;
                errno = EPERM;
                return -1;
            }
            """, "-shared", "-fPIC", name="modeless.so")
        for name in ("report.csv", "old.csv", "period-%t.csv"):
            with self.subTest(name):
                if name == "old.csv":
                    self.text_file(name, "old")
                self.regionstat("-o", self.path(name), "true",
                                env=harness.environment(LD_PRELOAD=library))
        written = [name for name in os.listdir(self.directory) if name.endswith(".csv")]
        self.assertEqual(len(written), 3)
        for name in written:
            self.assertTrue(harness.read_text(self.path(name)).startswith(HEADER), name)

    def test_a_file_that_the_program_takes_away(self):
        """The report and the reason are on stderr, and the program's own file is left alone."""
        for old, script, why, left in (
                (True, 'rm "$1"', "is gone: ", False),
                (False, 'echo mine > "$1.new"; mv "$1.new" "$1"', "was made by another process",
                 "mine\n"),
                (False, 'rm -r "${1%/*}"', "is gone: ", False),
                (False, 'mv "${1%/*}" "${1%/*}.away"', "is gone: ", False)):
            with self.subTest(script=script):
                path = self.text_file("in/report", OLD)
                if not old:
                    os.remove(path)
                result = self.regionstat("-o", path, "-x,", "-e", "page-faults", "sh", "-c",
                                         script + "; exit 3", "sh", path, status=125)
                self.assertIn("in/report' " + why, result.stderr)
                self.assertIn(",run,,,all,all,page-faults,", result.stderr)
                self.assertIn("own exit status was 3 (exit status 125)", result.stderr)
                self.assertEqual(os.path.exists(path) and harness.read_text(path), left)

    def test_a_new_file_exists_when_the_report_is_complete(self):
        """The program finds no file, and none is left if regionstat is killed."""
        path = self.path("report")
        result = self.regionstat("-o", path, "sh", "-c", 'ls -A "$1"; rm -f "$2"', "sh",
                                 self.directory, path)
        self.assertEqual(result.stdout, "")
        self.assertIn("page-faults", harness.read_text(path))
        os.remove(path)
        process = self.spawn([harness.REGIONSTAT, "-o", path, "--trace", path + ".pftrace",
                              "sh", "-c", "echo ready; read line"], ready="ready",
                             stdin=subprocess.PIPE)
        process.kill()
        process.wait(harness.TIMEOUT_S)
        process.stdin.close()
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_file_of_a_descriptor_stays_the_same(self):
        """As with a shell's 3<>file: the process that has the file open reads it. It may have no
        name."""
        for file in (open(self.path("open"), "wb+"), tempfile.TemporaryFile()):
            with file:
                result = self.regionstat("-o", "/dev/fd/%d" % file.fileno(), "true",
                                         pass_fds=[file.fileno()])
                self.assertEqual(result.stderr, "")
                file.seek(0)
                self.assertIn(b"page-faults", file.read())

    def test_a_full_stderr(self):
        self.redirected("2>/dev/full", "true", status=125)

    def test_a_reader_that_went_away(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = self.regionstat("-o", "/dev/fd/%d" % writer, "true", pass_fds=[writer], status=125)
        os.close(writer)
        self.assertIn("page-faults", result.stderr)
