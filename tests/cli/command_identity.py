# SPDX-License-Identifier: MIT
"""Identifying processes where the kernel hides them. No living process loses its process entry, so
no call is lost. The report has the program's own process numbers."""

import os
import struct

import harness

NOBODY = 65534
# A process that the launcher cannot inspect uses markers all the time. Others come and go meanwhile, with
# time for a few sweeps after dead processes, so that their entries are reused.
SCRIPT = """
"$0" hidden-counting count & hidden=$!
for other in 1 2 3 4 5 6; do
    sleep 0.1
    "$0" end exit 10000
done
kill $hidden
wait $hidden
exit 0
"""


class Hidden(harness.TestCase):

    def check(self, *prefix, within=()):
        """within: words before regionstat. prefix: words before the program that it runs."""
        os.chmod(self.directory, 0o777)
        output = self.path("report.csv")
        self.execute([*within, harness.REGIONSTAT, "-e", "time", "-x", ",", "-o", output, "--", *prefix,
                      "sh", "-c", SCRIPT, harness.app("rules")], cwd=self.directory)
        counted, _ = struct.unpack_from("=QQ", harness.read_bytes(self.path("count")))
        report = harness.read_report(output)
        self.assertIn(report.region("counted").calls, (counted, counted + 1))
        self.assertEqual(report.region("finished").calls, 6 * 10000)
        self.assertEqual(report.diagnostics("open"), {"open": 6})
        self.assertLessEqual(set(report.diagnostics()), {"open"})

    def test_not_dumpable(self):
        self.check()

    def test_another_time_namespace(self):
        words = [harness.need_tool("unshare"), "-T", "--boottime", "1000", "--fork"]
        harness.need(harness.run([*words, "true"]).status == 0, "no time namespace may be made here")
        self.check(*words)

    def test_hidepid(self):
        """As another user, from whom /proc hides the processes of others (hidepid)."""
        setpriv, unshare = harness.need_tool("setpriv"), harness.need_tool("unshare")
        words = [unshare, "-m", "--propagation", "private", "sh", "-c",
                 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "sh", setpriv,
                 "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups"]
        probe = harness.run([*words, "test", "-x", harness.REGIONSTAT, "-a", "!", "-e",
                             "/proc/1"])
        if probe.status != 0:
            self.skipTest("no /proc with hidepid=2 for another user here: " + probe.stderr.strip())
        self.check(within=words)
