# SPDX-License-Identifier: MIT
"""The codes of messages: regionstat-output(5) lists all codes that the table of findings has, and
no others."""

import json
import os
import re

import harness


def codes_of_table():
    """Every code that reports may have."""
    rows = json.loads(harness.regionstat("list", "-j", "findings").stdout)["findings"]
    return {row["finding"] for row in rows}


def codes_of_page():
    """Those of the page's section, in its order."""
    with open(os.path.join(harness.SOURCE, "man", "regionstat-output.5"), encoding="utf-8") as file:
        section = file.read().partition("\n.Sh MESSAGES\n")[2].partition("\n.Sh ")[0]
    return re.findall(r"^\.It Cm ([a-z0-9-]+)(?: Ta .*)?$", section, re.MULTILINE)


class Messages(harness.TestCase):

    def test_every_code_is_in_the_page(self):
        table, page = codes_of_table(), codes_of_page()
        self.assertGreater(len(table), 50)
        self.assertEqual(sorted(table), page)

    def test_codes_are_what_json_gives(self):
        """Codes of a few runs are among them."""
        seen = set()
        for arguments in (["true"], ["sh", "-c", "kill -9 $$"], [harness.app("nest")],
                          ["--only", "zzz", harness.app("nest")]):
            path = self.path("run.json")
            harness.regionstat("-e", "time", "-o", path, "--", *arguments)
            seen |= set(re.findall(r'"code":"([^"]*)"', harness.read_text(path)))
        self.assertIn("killed", seen)
        self.assertEqual(seen - set(codes_of_page()), set())
