# SPDX-License-Identifier: MIT
"""Identifying processes where the kernel hides them. No living process loses its process entry, so
no call is lost. The report has the program's own process numbers."""

import os
import re

import harness

NOBODY = 65534


class Hidden(harness.TestCase):

    def check(self, *prefix, within=()):
        """within: words before regionstat. prefix: words before the program that it runs."""
        os.chmod(self.directory, 0o777)
        output = self.path("report.csv")
        result = self.execute([*within, harness.REGIONSTAT, "-e", "time", "-x", ",", "-o", output,
                               "--", *prefix, harness.app("hidden")])
        truth = int(re.search(r"calls (\d+)", result.stdout).group(1))
        report = harness.read_report(output)
        self.assertEqual(report.region("call").calls, truth)
        self.assertClean(report)

    def test_not_dumpable(self):
        self.check()

    def test_another_time_namespace(self):
        words = [harness.need_tool("unshare"), "-T", "--boottime", "1000", "--fork"]
        if harness.run([*words, "true"]).status != 0:
            self.skipTest("no time namespace may be made here")
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
