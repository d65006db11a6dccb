# SPDX-License-Identifier: MIT
"""The examples of the README and of the man page: they compile without a warning, and those that
are programs show their regions when they are measured. What README and NEWS say of packages and
versions is what the build has."""

import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402

CC = shlex.split(os.environ.get("CC", "cc"))
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", os.path.dirname(harness.HEADER)]
if harness.SANITIZE != "none":  # a sanitized runtime can be loaded by sanitized programs only
    FLAGS.append("-fsanitize=" + harness.SANITIZE)

# What the man page's fragments leave to the reader.
AROUND = """
#include <stdio.h>
#include <regionstat.h>
void parse(void *request), answer(void *request), relax(void *grid, int level), load(void *file);
void fragment(void *request, void *grid, int level, void *file);
void fragment(void *request, void *grid, int level, void *file)
{
	(void)request, (void)grid, (void)level, (void)file;
%s
}
"""


def blocks_of_readme(language):
    """The fenced blocks of the README in one language."""
    with open(os.path.join(harness.SOURCE, "README.md"), encoding="utf-8") as file:
        return re.findall(r"^```%s\n(.*?)^```$" % language, file.read(), re.MULTILINE | re.DOTALL)


def blocks_of_page():
    """The C examples of regionstat(3)."""
    with open(os.path.join(harness.SOURCE, "man", "regionstat.3"), encoding="utf-8") as file:
        section = file.read().split(".Sh EXAMPLES")[1].split(".Sh ")[0]
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", section, re.MULTILINE | re.DOTALL)
    return [block.replace("\\e", "\\") for block in blocks]


class Examples(harness.TestCase):
    """Every example, as it stands."""

    def compile(self, text, *options):
        with open(self.path("example.c"), "w", encoding="utf-8") as file:
            file.write(text)
        result = harness.run([*CC, *FLAGS, *options, "-o", self.path("example"),
                              self.path("example.c")])
        self.assertEqual((result.status, result.stderr), (0, ""), result)

    def test_readme(self):
        blocks = blocks_of_readme("c")
        self.assertTrue(blocks)
        for number, block in enumerate(blocks):
            with self.subTest(block=number):
                self.compile(block)
                report = self.measure(self.path("example"), events="time").report
                regions = re.findall(r'REGIONSTAT_(?:SCOPE|BEGIN)\("([^"]+)"\)', block)
                self.assertEqual(sorted(report.regions()), sorted(regions))
                self.assertClean(report)

    def test_readme_commands_name_files_that_exist(self):
        commands = "".join(blocks_of_readme("sh"))
        scripts = re.findall(r"\bsh (tests/\S+)", commands)
        self.assertIn("tests/demo.sh", scripts)
        self.assertIn("tests/check.sh", scripts)
        for script in scripts:
            self.assertTrue(os.path.exists(os.path.join(harness.SOURCE, script)), script)

    def test_readme_installs_what_a_build_needs(self):
        packages = re.search(r"apt install ([^#\n]*)", "".join(blocks_of_readme("sh"))).group(1)
        with open(os.path.join(harness.SOURCE, "tests", "setup.sh"), encoding="utf-8") as file:
            needs = re.search(r"^build_needs='\n(.*?)^'", file.read(), re.MULTILINE | re.DOTALL)
        needed = {line.split()[0] for line in needs.group(1).splitlines()}
        # which gcc brings where recommended packages are installed, as they are by hand
        self.assertEqual(set(packages.split()), needed - {"libc6-dev"})

    def test_news_begins_with_this_version(self):
        with open(os.path.join(harness.SOURCE, "NEWS"), encoding="utf-8") as file:
            versions = re.findall(r"^(\d+\.\d+\.\d+)\b", file.read(), re.MULTILINE)
        self.assertEqual(versions[0], harness.regionstat("--version").stdout.split()[-1])

    def test_man_page(self):
        blocks = blocks_of_page()
        self.assertGreaterEqual(len(blocks), 4)
        for number, block in enumerate(blocks):
            with self.subTest(block=number):
                self.compile(block if "#include" in block else AROUND % block, "-c")


if __name__ == "__main__":
    harness.main()
