# SPDX-License-Identifier: MIT
"""regionstat merge -o FILE.tar: several traces as one timeline. The manifest is checked against
https://perfetto.dev/docs/reference/perfetto-manifest"""

import json
import os
import socket
import subprocess
import sys
import tarfile

import harness
from perfetto import Trace

TRACED = os.path.join(harness.BUILD, "tests", "trace", "traced")
MANIFEST = "perfetto_manifest.json"
CLOCKS = {"REALTIME", "REALTIME_COARSE", "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW",
          "BOOTTIME"}
BOOTTIME, REALTIME = 6, 1
OTHER_BOOT = "0" * 36


class ArchiveTest(harness.TestCase):
    def trace(self, name, *before):
        """Trace a program, and return the file."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.execute([*before, harness.REGIONSTAT, "--quiet", "-o", self.path("run.json"),
                      "--trace", path, TRACED, "20"])
        return path

    def changed(self, path, name, old, new):
        """Return a copy of a trace in which `new` replaces a text of the same length."""
        data = harness.read_bytes(path)
        self.assertEqual((len(old), data.count(old)), (len(new), 1))
        harness.write_bytes(self.path(name), data.replace(old, new))
        return self.path(name)

    def archive(self, *files, name="all.tar"):
        """Merge traces. Check the archive, and return its manifest and the names of the traces."""
        out = self.path(name)
        result = harness.regionstat("merge", *files, "-o", out)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(os.path.getsize(out) % 512, 0)
        with tarfile.open(out, "r:", format=tarfile.USTAR_FORMAT) as tar:
            names = tar.getnames()
            self.assertEqual(names[0], MANIFEST)
            self.assertEqual(len(set(names)), len(files) + 1)
            for path, member in zip(files, names[1:], strict=True):
                self.assertTrue(tar.getmember(member).isreg())
                self.assertEqual(tar.extractfile(member).read(), harness.read_bytes(path))
            text = tar.extractfile(MANIFEST).read().decode()
        self.check_manifest(text, names[1:])
        return json.loads(text)["perfetto_manifest"], names[1:]

    def check_manifest(self, text, names):
        """Check the keys and types that Perfetto documents."""
        # Perfetto knows the file by its begin, without white space.
        self.assertTrue("".join(text.split()).startswith('{"perfetto_manifest"'))
        document = json.loads(text)
        self.assertEqual(list(document), ["perfetto_manifest"])
        manifest = document["perfetto_manifest"]
        self.assertEqual(set(manifest), {"version", "trace_time", "files"})
        self.assertEqual(manifest["version"], 1)
        self.assertEqual(set(manifest["trace_time"]), {"clock", "file"})
        self.assertIn(manifest["trace_time"]["clock"], CLOCKS)
        self.assertEqual([file["path"] for file in manifest["files"]], names)
        self.assertIn(manifest["trace_time"]["file"], names)
        for file in manifest["files"]:
            self.assertLessEqual(set(file), {"path", "machine"})
            if "machine" in file:
                self.assertEqual(set(file["machine"]), {"name"})
                self.assertTrue(file["machine"]["name"])


def machines(manifest):
    return [file.get("machine", {}).get("name") for file in manifest["files"]]


class Archive(ArchiveTest):
    def test_a_trace_says_where_it_comes_from(self):
        trace = Trace(self.trace("a.pftrace"))
        boot = harness.read_text("/proc/sys/kernel/random/boot_id").strip()
        self.assertEqual(trace.attributes, {"regionstat.host": socket.gethostname(),
                                            "regionstat.boot_id": boot})
        self.assertLessEqual({BOOTTIME, REALTIME, trace.clock}, {clock for clock, _ in trace.clocks})

    def test_traces_of_one_machine_share_its_clocks(self):
        manifest, names = self.archive(self.trace("a.pftrace"), self.trace("b.pftrace"))
        self.assertEqual(names, ["a.pftrace", "b.pftrace"])
        self.assertEqual(machines(manifest), [None, None])
        self.assertEqual(manifest["trace_time"], {"clock": "BOOTTIME", "file": "a.pftrace"})

    def test_names_are_distinct_and_safe(self):
        first = self.trace("0/run.pftrace")
        files = [first, self.trace("1/run.pftrace"), first]
        for name in ("perfetto_manifest.json", "3-run.pftrace", "ü\n.pftrace", "x" * 200):
            os.link(first, self.path(name))
            files.append(self.path(name))
        _, names = self.archive(*files)
        self.assertEqual(names[:6], ["run.pftrace", "2-run.pftrace", "3-run.pftrace",
                                     "4-perfetto_manifest.json", "5-3-run.pftrace",
                                     "___.pftrace"])

    def test_names_from_a_list(self):
        files = [self.trace("a.pftrace"), self.trace("b.pftrace")]
        names = self.text_file("names", "\n".join(files))
        out = self.path("all.tar")
        self.assertEqual(harness.regionstat("merge", "--files-from", names, "-o", out).status, 0)
        with tarfile.open(out) as tar:
            self.assertEqual(tar.getnames(), [MANIFEST, "a.pftrace", "b.pftrace"])

    def test_hosts_are_machines(self):
        harness.need_root("only root can name another host")
        rename = "import os, socket, sys; socket.sethostname('other-host'); " \
                 "os.execv(sys.argv[1], sys.argv[1:])"
        unshare = [harness.need_tool("unshare"), "--uts"]
        if subprocess.run([*unshare, "true"], check=False, capture_output=True).returncode:
            self.skipTest("unshare --uts is not permitted here")
        other = self.trace("other.pftrace", *unshare, sys.executable, "-c", rename)
        manifest, _ = self.archive(other, self.trace("a.pftrace"))
        self.assertEqual(machines(manifest), ["other-host", socket.gethostname()])
        self.assertEqual(manifest["trace_time"], {"clock": "BOOTTIME", "file": "other.pftrace"})

    def test_hosts_of_one_name_differ_by_their_boot(self):
        one = self.trace("a.pftrace")
        boot = Trace(one).attributes["regionstat.boot_id"]
        two = self.changed(one, "b.pftrace", boot.encode(), OTHER_BOOT.encode())
        manifest, _ = self.archive(one, two, one)
        host = socket.gethostname()
        self.assertEqual(machines(manifest), [f"{host} boot {boot}", f"{host} boot {OTHER_BOOT}",
                                              f"{host} boot {boot}"])

    def test_hosts_may_have_any_bytes(self):
        one = self.trace("a.pftrace")
        host = socket.gethostname().encode()
        for bad in (b"\xff\n\"\x1b\\"[:len(host)], b"\0"):
            two = self.changed(one, "b.pftrace", b"host\x1a" + bytes([len(host)]) + host,
                               b"host\x1a" + bytes([len(host)]) + bad.ljust(len(host), b"x"))
            manifest, _ = self.archive(one, two)
            self.assertTrue(all(name is None or name.isprintable() for name in machines(manifest)))

    def test_takes_traces_of_others(self):
        """A trace that does not say where it comes from belongs to no machine."""
        foreign = self.path("foreign.pftrace")
        harness.write_bytes(foreign, b"\x0a\x04\x50\x01\x40\x07" * 2)
        manifest, _ = self.archive(self.trace("a.pftrace"), foreign)
        self.assertEqual(machines(manifest), [None, None])

    def test_replaces_the_old_file(self):
        path = self.text_file("all.tar", "old")
        os.chmod(path, 0o600)
        self.archive(self.trace("a.pftrace"))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual([name for name in os.listdir(os.path.dirname(path)) if ".tar" in name],
                         ["all.tar"])


class Wrong(ArchiveTest):
    """Nothing is written, and the old archive stays."""

    def check(self, path, says, *options):
        good = self.trace("good.pftrace")
        out = self.text_file("all.tar", "old")
        for files in ([good, path], [path, good]):
            result = harness.regionstat("merge", "-o", out, *options, *files)
            self.assertEqual((result.status, result.stdout), (125, ""), result)
            self.assertIn(says, result.stderr)
            self.assertIn("nothing was merged (exit status 125)", result.stderr)
            self.assertEqual(harness.read_bytes(out), b"old")

    def test_no_traces(self):
        good = harness.read_bytes(self.trace("a.pftrace"))
        for data in (b"\x0a", b"\x0a\x00\x0a", good[:10], b"\x0a" + b"\xff" * 20, b"x" + good,
                     b"\x0a\x02\x50\x01x", b"a,b\n1,2\n"):
            harness.write_bytes(self.path("bad"), data)
            self.check(self.path("bad"), "bad': it is no trace in Perfetto's format\n"
                                         "  try: files that --trace FILE wrote")

    def test_saved_runs(self):
        self.trace("a.pftrace")
        self.check(self.path("run.json"), "run.json': it is no trace in Perfetto's format\n  try: "
                   "files that --trace FILE wrote, or -o all.json for those")

    def test_other_files(self):
        self.check(self.text_file("empty", ""), "empty': it is empty")
        self.check(self.path("missing"), "missing': No such file")
        self.check("/", "'/': it is no regular file")
        os.mkfifo(self.path("fifo"))
        self.check(self.path("fifo"), "fifo': it is no regular file")

    def test_files_that_are_too_large(self):
        large = self.trace("large")
        with open(large, "r+b") as file:
            end = file.seek(0, os.SEEK_END)
            file.truncate(1 << 33)
        self.assertLess(end, 1 << 20)
        self.check(large, "large': it is 8 GiB or more")

    def test_no_report_beside_it(self):
        good = self.trace("good.pftrace")
        for options in (["-o", self.path("x.json")], ["-j"], ["--append"],
                        ["--fail-if", "total:time>1s"]):
            self.check(good, "all.tar' is an archive of traces, and no report can be made with it",
                       *options)

    def test_only_merge_archives(self):
        result = self.regionstat("-o", self.path("all.tar"), TRACED, "1", status=125)
        self.assertIn("has an unknown ending", result.stderr)

    def test_traces_are_no_saved_runs(self):
        path = self.trace("a.pftrace")
        result = harness.regionstat("merge", path, self.path("run.json"), "-o", self.path("o.json"))
        self.assertEqual(result.status, 125)
        self.assertIn("a.pftrace': it is a trace of calls\n"
                      "  try: regionstat merge -o all.tar", result.stderr)
