# SPDX-License-Identifier: MIT
"""The examples of the README and of the man pages, as they are printed. Every command of the README
runs, in sh and with the same words in zsh. Every marker compiles and shows its region. A command
that is neither run here nor listed in ELSEWHERE fails the test. Packages and versions in README and
NEWS are those of the build."""

import os
import re
import shlex
import shutil
import sys

import harness

# By its path: a test puts a script of the same name before it.
CC = shlex.split(os.environ.get("CC", "cc"))
CC[-1] = shutil.which(CC[-1])
HEADER_DIRECTORY = os.path.dirname(harness.HEADER)
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# Parts that the man page's fragments leave to the reader.
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

# Commands that no test may run as they stand, and what runs them instead.
ELSEWHERE = {
    "sudo apt install": "test_readme_installs_what_a_build_needs compares the packages",
    "meson setup build -Dtests=disabled && ninja -C build": "tests/install/adopt.py",
    "sudo meson install -C build": "tests/install/install.py installs into a directory of its own",
    "sh tests/demo.sh": "test_readme_commands_name_files_that_exist",
    "sh tests/check.sh": "continuous integration",
    "sudo sysctl": "it changes the machine",
    "regionstat attach": "tests/cli/attach.py",
}
# Text in the form of code that has spaces and is no command.
NO_COMMANDS = {"perf stat", "--cap-add PERFMON"}
COMMANDS = {"regionstat", "../regionstat/build/cmd/regionstat", "cc", "cargo", "meson",
            "python3", "sh", "sudo"}

# ./program of the README: of ten calls of render one takes longer than 5 ms, and most are short.
PROGRAM = """
#include <regionstat.h>
#include <time.h>
int main(void)
{
	const struct timespec pause = {0, 6000000};
	for (int i = 0; i < 10; i++) {
		REGIONSTAT_SCOPE("render");
		REGIONSTAT_WORK("render", 4096, 512);
		if (i == 5)
			nanosleep(&pause, 0);
	}
}
"""

# The program around a marker of the README, by its language: {} is the marker.
LANGUAGES = {
    "C": "{0}\nint main(void)\n{{\n\t{1}\n}}\n",
    "C++": "{0}\nint main()\n{{\n\ttry {{\n\t\t{1}\n\t\tthrow 1;\n\t}} catch (int) {{\n\t}}\n}}\n",
    "Python": "{0}\ndef render():\n    pass\n{1}\n",
    "Fortran": "program example\n{0}\nimplicit none\n{1}\n{2}\nend program\n",
    "Rust": "fn main() {{\n    {0}\n}}\n",
}


def readme():
    return harness.read_text(os.path.join(harness.SOURCE, "README.md"))


def blocks(text):
    """The fenced blocks of a text in Markdown: [(language, content)]."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def blocks_of_readme(language):
    return [content for name, content in blocks(readme()) if name == language]


def markers_of_readme():
    """The table of markers: {language: [code, ...]}"""
    rows = readme().partition("| language |")[2].partition("\n\n")[0].splitlines()[2:]
    return {row.split("|")[1].strip(): re.findall(r"`([^`]+)`", row) for row in rows}


def commands_of_readme():
    """Every command: the lines of its blocks for a shell, and code with spaces in its text."""
    text = readme()
    found = [line for block in blocks_of_readme("sh") for line in block.splitlines()]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    markers = {code for row in markers_of_readme().values() for code in row}
    for code in re.findall(r"`([^`]+)`", re.sub(r"\s+", " ", text)):
        if " " in code and code not in NO_COMMANDS | markers:
            found.append(code)
    return found


def is_elsewhere(command):
    return any(command == known or command.startswith(known + " ") for known in ELSEWHERE)


def blocks_of_page():
    """The C examples of regionstat(3)."""
    section = harness.read_man_page("regionstat.3").split(".Sh EXAMPLES")[1].split(".Sh ")[0]
    found = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", section, re.MULTILINE | re.DOTALL)
    return [block.replace("\\e", "\\") for block in found]


def commands_of_page(name):
    """The commands of a page's section EXAMPLES, which begin with a $ and may be continued by a
    backslash or an open quote."""
    section = harness.read_man_page(name).partition("\n.Sh EXAMPLES\n")[2].partition("\n.Sh ")[0]
    lines = section.replace(".Dl $ ", "$ ").replace("\\e\n", "\\\n").replace("\\(aq", "'")
    found = []
    for line in lines.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        elif found and line.startswith("    "):
            found[-1] += "\n" + line
    return found


class Examples(harness.TestCase):
    """Every example, as it stands."""

    def compile_text(self, text, *options):
        self.text_file("example.c", text)
        result = harness.run([*CC, *FLAGS, "-I", HEADER_DIRECTORY, *options, "-o",
                              self.path("example"), self.path("example.c")])
        self.assertEqual((result.status, result.stderr), (0, ""), result)

    def test_readme(self):
        found = blocks_of_readme("c")
        self.assertTrue(found)
        for number, block in enumerate(found):
            with self.subTest(block=number):
                self.compile_text(block)
                report = self.measure(self.path("example"), events="time").report
                regions = re.findall(r'REGIONSTAT_(?:SCOPE|BEGIN)\("([^"]+)"\)', block)
                self.assertEqual(sorted(report.regions()), sorted(regions))
                self.assertClean(report)

    def test_readme_is_short_and_has_no_other_blocks(self):
        self.assertLessEqual(len(readme().splitlines()), 150)
        self.assertEqual({language for language, _ in blocks(readme())}, {"", "c", "sh"})

    def test_readme_links_to_files_that_exist(self):
        links = re.findall(r"\]\(([^)]+)\)", readme())
        self.assertIn("man/regionstat.1", links)
        for link in links:
            self.assertTrue(os.path.exists(os.path.join(harness.SOURCE, link)), link)

    def test_readme_commands_name_files_that_exist(self):
        scripts = re.findall(r"\bsh (tests/[\w/.]+)", " ".join(commands_of_readme()))
        self.assertIn("tests/demo.sh", scripts)
        self.assertIn("tests/check.sh", scripts)
        for script in scripts:
            self.assertTrue(os.path.exists(os.path.join(harness.SOURCE, script)), script)

    def test_readme_installs_what_a_build_needs(self):
        packages = re.search(r"apt install ([^#\n]*)", "".join(blocks_of_readme("sh"))).group(1)
        setup = harness.read_text(os.path.join(harness.SOURCE, "tests", "setup.sh"))
        needs = re.search(r"^build_needs='\n(.*?)^'", setup, re.MULTILINE | re.DOTALL)
        needed = {line.split()[0] for line in needs.group(1).splitlines()}
        # which gcc brings where recommended packages are installed, as they are by hand
        self.assertEqual(set(packages.split()), needed - {"libc6-dev"})

    def test_the_screen_of_the_readme(self):
        """It fits 80 columns, and the shares of self time add up."""
        screen, = blocks_of_readme("")
        lines = screen.splitlines()
        self.assertRegex(lines[0], r"^\$ regionstat ")
        self.assertLessEqual(max(map(len, lines)), 80)
        shares, total = [], None
        for line in lines:
            row = re.match(r"(\S.*?) +(\d+\.\d)%", line)
            if row and re.match(r"\d+ threads?$", row.group(1)):
                total = float(row.group(2))
            elif row and total is None:
                shares.append(float(row.group(2)))
        self.assertGreater(len(shares), 1)
        # each is rounded to a tenth
        self.assertAlmostEqual(sum(shares), total, delta=0.05 * len(shares))

    def test_news_begins_with_this_version(self):
        news = harness.read_text(os.path.join(harness.SOURCE, "NEWS"))
        versions = re.findall(r"^(\d+\.\d+\.\d+)\b", news, re.MULTILINE)
        self.assertEqual(versions[0], harness.regionstat("--version").stdout.split()[-1])

    def test_man_page(self):
        found = blocks_of_page()
        self.assertGreaterEqual(len(found), 4)
        for number, block in enumerate(found):
            with self.subTest(block=number):
                self.compile_text(block if "#include" in block else AROUND % block, "-c")


class Commands(harness.TestCase):
    """Every command, in a directory beside one that is called regionstat."""

    def setUp(self):
        super().setUp()
        self.work = self.path("work")
        for name in ("work", "bin", "regionstat", "regionstat/lib"):
            os.mkdir(self.path(name))
        os.symlink(harness.BUILD, self.path("regionstat/build"))
        os.symlink(harness.HEADER, self.path("regionstat/lib/regionstat.h"))
        os.symlink(harness.REGIONSTAT, self.path("bin/regionstat"))
        self.text_file("bin/cc", "#!/bin/sh\nexec %s \"$@\"\n" % shlex.join(CC + FLAGS), 0o755)
        self.env = harness.environment(PATH=self.path("bin") + ":" + os.environ["PATH"],
                                       C_INCLUDE_PATH=HEADER_DIRECTORY, COLUMNS="80",
                                       HOME=self.directory, PYTHONDONTWRITEBYTECODE="1",
                                       CARGO_NET_OFFLINE="true")
        # the place of cargo and its toolchain, with any HOME
        for name, directory in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
            self.env.setdefault(name, os.path.join(os.path.expanduser("~"), directory))

    def copy_bindings(self):
        """The source of the bindings, which pip and cargo write into."""
        shutil.copytree(os.path.join(harness.SOURCE, "lib", "bindings"),
                        self.path("regionstat/lib/bindings"),
                        ignore=shutil.ignore_patterns("__pycache__"))

    def sh(self, command, status=0, shell="sh", **options):
        result = harness.run([shell, "-c", command], cwd=self.work, env=self.env, **options)
        self.assertEqual(result.status, status, result)
        return result

    def make_program(self):
        self.text_file("work/program.c", PROGRAM)
        self.sh("cc -o program program.c")
        for name in ("monday", "today", "run"):
            self.sh("regionstat --quiet -o %s.json ./program" % name)
        self.sh("cp program old; cp program new")
        for name in ("yesterday", "today"):
            self.sh("regionstat --quiet -r 2 -e time -o %s.jsonl ./program" % name)
        self.sh("cp today.jsonl old.jsonl")

    def test_every_command_is_run(self):
        """None is missing: each is run below, or listed with what runs it instead."""
        found = commands_of_readme()
        self.assertGreater(len(found), 15)
        for command in found:
            with self.subTest(command=command):
                self.assertIn(command.split()[0], COMMANDS, "neither a command nor NO_COMMANDS")
                if not is_elsewhere(command):
                    self.assertNotIn(command.split()[0], {"sh", "sudo", "meson"}, "not run")
        for known in ELSEWHERE:
            self.assertTrue([command for command in found if is_elsewhere(command)
                             and command.startswith(known)], known)

    def test_zsh_takes_the_same_words(self):
        zsh = harness.need_tool("zsh")
        for command in commands_of_readme() + sum(map(commands_of_page, (
                "regionstat.1", "regionstat-output.5")), []):
            for part in command.split(" && "):
                with self.subTest(command=part):
                    script = "printf '%s\\n' " + part
                    in_sh = self.sh(script)
                    in_zsh = self.sh(script, shell=zsh)
                    self.assertEqual(in_zsh.stdout, in_sh.stdout)

    def check_regionstat(self, command):
        """It shows render, without a warning, wherever it reports."""
        result = self.sh(command)
        shown = result.stdout + result.stderr
        self.assertNotRegex(shown, r"(?m)^(- |regionstat: ).*(not in the figures|no markers|called "
                                   r"none|could not|not measured|ignored)")
        for name in re.findall(r"-o ([^\s']+)", command):
            shown += harness.read_text(os.path.join(self.work, name))
        if " list " in command:
            self.assertRegex(shown, r"(?m)^ *cache-misses ")
        elif "./example" in command:
            self.assertRegex(shown, r"(?m)^integrate\b")
        else:  # a line of a table, a row of JSON, or a series of Prometheus
            self.assertRegex(shown, r'(?m)^render\b|"region":"render"|region="render"')
        if "--slow-output" in command:
            self.assertIn("slow region=render ", harness.read_text(os.path.join(self.work, "slow.log")))

    def test_regionstat(self):
        self.make_program()
        self.text_file("work/example.c", blocks_of_readme("c")[0])
        for command in commands_of_readme():
            with self.subTest(command=command):
                if command.startswith("cc "):
                    self.sh(command)
                elif command.split()[0].endswith("regionstat") and not is_elsewhere(command):
                    self.check_regionstat(command)

    def test_the_rule_of_the_readme(self):
        self.make_program()
        command, = (line for line in commands_of_readme() if "--fail-if" in line)
        self.sh(command)
        # each call takes longer than 0 ns, and no region has this name
        self.sh(command.replace("2ms", "0ns"), status=3)
        self.sh(command.replace("render", "rendering"), status=3)

    def run_recipe(self, lines, status):
        """Shell lines of a recipe, with less runs than it has."""
        return self.sh("set -e\n" + lines.replace("-r 10", "-r 3").replace("\\\\e", "\\\\"), status)

    def test_recipes_of_the_page_on_comparing(self):
        """They run, pass two equal programs, and fail where a rule holds."""
        self.make_program()
        page = harness.read_man_page("regionstat-compare.1").replace("\\e", "\\")
        github = re.search(r"  run: \|\n(.*?)\.Ed", page, re.S).group(1)
        gitlab = re.search(r"    - (regionstat compare .*?)\n  artifacts:", page, re.S).group(1)
        self.env["GITHUB_STEP_SUMMARY"] = self.path("summary.md")
        # no machine of a test counts instructions for certain, and noise is no failure here
        github = github.replace("any:instructions > +1%", "RULE").replace("--noise-check", "")
        gitlab = gitlab.replace("any:cpu-time > +5%", "RULE").replace("\n", " ")
        for lines in (github, gitlab):
            with self.subTest(lines=lines):
                self.run_recipe(lines.replace("RULE", "run:time > 1000s"), 0)
                self.run_recipe(lines.replace("RULE", "render:time > 1ns"), 3)
        self.assertIn("| render |", harness.read_text(self.path("summary.md")))
        self.assertIn('failures="1"', harness.read_text(os.path.join(self.work, "rules.xml")))

    def test_examples_of_the_man_page(self):
        self.make_program()
        for command in sum(map(commands_of_page, ("regionstat.1", "regionstat-output.5",
                                                  "regionstat-compare.1")), []):
            tool = command.split()[0]
            with self.subTest(command=command):
                if shutil.which(tool, path=self.env["PATH"]):
                    self.sh(command)
                else:
                    harness.note("not run, since there is no %s: %s" % (tool, command))

    def measure_marker(self, *program):
        report = self.measure(*program, events="time", env=self.env, cwd=self.work).report
        self.assertEqual(report.calls(), {"render": 1})

    def test_every_language_is_tested(self):
        self.assertEqual(list(markers_of_readme()), list(LANGUAGES))

    def test_c(self):
        self.text_file("work/c.c", LANGUAGES["C"].format(*markers_of_readme()["C"]))
        self.sh("cc -o c c.c")
        self.measure_marker("./c")

    def test_cpp(self):
        compiler = harness.need_tool("clang++" if "clang" in CC[-1] else "g++")
        self.text_file("work/cpp.cc", LANGUAGES["C++"].format(*markers_of_readme()["C++"]))
        self.sh("%s %s -I %s -o cpp cpp.cc" % (compiler, shlex.join(FLAGS), HEADER_DIRECTORY))
        self.measure_marker("./cpp")

    def test_fortran(self):
        compiler = harness.need_tool("gfortran")
        self.text_file("work/f.f90", LANGUAGES["Fortran"].format(*markers_of_readme()["Fortran"]))
        source = os.path.join(harness.SOURCE, "lib", "bindings", "fortran")
        self.sh("cc -c -o names.o %s/regionstat_fortran.c" % source)
        self.sh("%s -o f %s/regionstat.f90 f.f90 names.o" % (compiler, source))
        self.measure_marker("./f")

    def test_python(self):
        """pip takes the module without a network, and the marker runs with it."""
        for python in dict.fromkeys(["/usr/bin/python3", shutil.which("python3"), sys.executable]):
            check = ("import setuptools as s, wheel, pip, venv;"
                     "assert int(s.__version__.split('.')[0]) >= 61")
            if harness.run([python, "-c", check]).status == 0:
                break
        else:
            self.skipTest("no Python here has pip, setuptools 61 and wheel")
        self.copy_bindings()
        self.execute([python, "-m", "venv", "--system-site-packages", "--without-pip",
                      self.path("venv")])
        self.env["PATH"] = self.path("venv/bin") + ":" + self.env["PATH"]
        command, = (line for line in commands_of_readme() if line.startswith("python3 "))
        self.env["PIP_NO_INDEX"] = "1"
        self.sh(command)
        self.text_file("work/p.py", LANGUAGES["Python"].format(*markers_of_readme()["Python"]))
        self.measure_marker(self.path("venv/bin/python3"), "p.py")

    def test_rust(self):
        """cargo takes the crate without a network, and the marker runs with it."""
        harness.need_tool("cargo")
        self.copy_bindings()
        self.text_file("work/Cargo.toml",
                   '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2021"\n')
        self.text_file("work/src/main.rs", LANGUAGES["Rust"].format(*markers_of_readme()["Rust"]))
        command, = (line for line in commands_of_readme() if line.startswith("cargo "))
        self.sh(command, timeout=300)
        self.sh("cargo build --offline", timeout=300)
        self.measure_marker("target/debug/example")
