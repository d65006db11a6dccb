# SPDX-License-Identifier: MIT
"""The codes of messages: each that the source has is in regionstat(1), and no other."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402

# an entry of the table of findings
CODE = re.compile(r'^\t\{"([a-z0-9-]+)",\s*RS_(?:WARNING|NOTE|DETAIL),', re.MULTILINE)


def codes_of_source():
    """Every code of the table."""
    found = set()
    directory = os.path.join(harness.SOURCE, "lib", "report")
    for name in os.listdir(directory):
        if name.startswith("findings") and name.endswith(".c"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                found |= set(CODE.findall(file.read()))
    return found


def codes_of_page():
    """Those of the page's section, in its order."""
    with open(os.path.join(harness.SOURCE, "man", "regionstat.1"), encoding="utf-8") as file:
        section = file.read().partition("\n.Sh MESSAGES\n")[2].partition("\n.Sh ")[0]
    return re.findall(r"^\.It Cm ([a-z0-9-]+)(?: Ta .*)?$", section, re.MULTILINE)


class Messages(harness.TestCase):

    def test_every_code_is_in_the_page(self):
        source, page = codes_of_source(), codes_of_page()
        self.assertGreater(len(source), 50)
        self.assertEqual(sorted(source), page)

    def test_codes_are_what_json_gives(self):
        """That the source is read as the compiler does: codes of a few runs are among them."""
        seen = set()
        for arguments in (["true"], ["sh", "-c", "kill -9 $$"], [harness.app("nest")],
                          ["--only", "zzz", harness.app("nest")]):
            path = self.path("run.json")
            harness.regionstat("-e", "time", "-o", path, "--", *arguments)
            with open(path, encoding="ascii") as file:
                seen |= set(re.findall(r'"code":"([^"]*)"', file.read()))
        self.assertIn("killed", seen)
        self.assertEqual(seen - set(codes_of_page()), set())


if __name__ == "__main__":
    harness.main()
