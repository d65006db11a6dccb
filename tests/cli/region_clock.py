# SPDX-License-Identifier: MIT
"""The clock of a marker that ends a call. The processor executes instructions out of order, so the
marker waits for the call's instructions before it reads the clock."""

import os
import platform
import re

import harness

# The instruction that waits, and the one that reads the clock.
READINGS = {"x86_64": ("lfence", re.compile(r"^rdtsc$")),
            "aarch64": ("isb", re.compile(r"^mrs\tx\d+, cntvct_el0$"))}


class Clock(harness.TestCase):

    def test_ends_wait_for_the_call(self):
        machine = platform.machine()
        harness.need(machine in READINGS, "the clock of %s has no waiting instruction" % machine)
        waits, reads = READINGS[machine]
        harness.need_tool("objdump")
        library = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1")
        code = self.execute(["objdump", "-d", "--no-show-raw-insn", library]).stdout
        function, before, found = "", "", {}
        for line in code.split("\n"):
            start = re.match(r"^[0-9a-f]+ <(\w+)[.\w]*>:$", line)
            text = line.partition("\t")[2].strip()
            if start:
                function, before = start.group(1), ""
            elif reads.match(text) and re.match(r"^(end|next|stop)_", function):
                found.setdefault(function, []).append(before)
            before = text.split("\t")[0] if text else before
        # only time, one to four events, any events, and only time with a trace
        self.assertGreaterEqual(len(found), 7 * len(("end", "end_site", "next", "stop")))
        for function, instructions in found.items():
            self.assertEqual(set(instructions), {waits}, function)
