# SPDX-License-Identifier: MIT
"""Names and lines of functions from every kind of debug information: its position, format and
compression. If it is damaged or missing, some names remain."""

import os
import re
import shutil

import adapter_counts
import harness

ADAPTER = adapter_counts.path("functions")
SOURCES = os.path.join(harness.APP_SOURCES, "functions")
CALLS = {"fibonacci": 177, "other": 3}  # of fibonacci(10) and same(3)

TEMPLATES = """
namespace a_namespace_with_a_name {
template <class T, class U> struct pair_of_things { T first; U second; };
template <class T> struct container_of_things {
	template <class U> static int visit_each(U n) { return (int)n + (int)sizeof(T); }
};
template <class T, class U> int sum(int n) { return n + (int)sizeof(pair_of_things<T, U>); }
}
using namespace a_namespace_with_a_name;
typedef pair_of_things<pair_of_things<int, long>, pair_of_things<char, double>> first;
typedef pair_of_things<pair_of_things<int, long>, pair_of_things<char, float>> second;
int main()
{
	int n = 0;
	for (int i = 0; i < 5; i++)
		n += container_of_things<first>::visit_each<int>(i);
	for (int i = 0; i < 7; i++)
		n += container_of_things<second>::visit_each<int>(i);
	n += sum<first, long>(n) + sum<int, long>(n);
	return n == 0;
}
"""


class Names(harness.TestCase):

    def build(self, *flags, compiler="gcc", name="program"):
        """Build the program and return its path. Skip the test if the compiler does not have the
        flag."""
        path = self.path(name)
        result = harness.run([harness.need_tool(compiler), "-O1", "-pthread",
                              "-finstrument-functions", *flags, os.path.join(SOURCES, "main.c"),
                              os.path.join(SOURCES, "other.c"), "-o", path, "-ldl"],
                             cwd=self.directory)
        harness.need(result.status == 0, "%s does not take %s here" % (compiler, " ".join(flags)))
        return path

    def tool(self, name, *words):
        self.execute([harness.need_tool(name), *words], cwd=self.directory)

    def measured(self, program, *before, has_names=True):
        """Return {function: file and line} of a run as -v prints them, and its messages."""
        table, output = self.path("table.txt"), self.path("report.csv")
        result = self.execute([*before, harness.REGIONSTAT, "-v", "-o", table, "-o", output, "-e",
                               "time", "--markers", "functions", program, "fibonacci", "10",
                               "same", "3"])
        said = harness.read_text(table)
        calls = harness.read_report(output).calls()
        self.assertEqual(sum(calls.values()), 177 + 3 + 3 + 6, calls)
        if has_names:
            self.assertEqual({name: calls.get(name) for name in CALLS}, CALLS, result)
        return dict(re.findall(r"^- '(\w+).*' is at (.*) in %s$" % re.escape(program), said,
                               re.M)), said

    def check_lines(self, program, *before):
        told, said = self.measured(program, *before)
        path, _, line = told["fibonacci"].rpartition(":")
        self.assertEqual(path, os.path.join(SOURCES, "main.c"))
        # the line of its name or its brace
        first = harness.line_of(path, "int fibonacci(int n)")
        self.assertIn(int(line), (first, first + 1))
        self.assertEqual(told["other"].rpartition(":")[0], os.path.join(SOURCES, "other.c"))
        self.assertNotIn("named by their address", said)
        self.assertNotIn("ended early", said)

    def check_no_lines(self, program, *before):
        """Check that the functions have names but no lines."""
        told, said = self.measured(program, *before)
        self.assertEqual(set(told.values()), {"an unknown line"}, told)
        self.assertNotIn("named by their address", said)

    def test_formats(self):
        for compiler in harness.compilers():
            for flags in (["-gdwarf-3"], ["-gdwarf-4"], ["-gdwarf-5"], ["-g1"],
                          ["-gdwarf-5", "-gz=zlib"], ["-gdwarf-4", "-gz=zlib"],
                          ["-gdwarf-5", "-no-pie", "-fno-pie"], ["-gdwarf-4", "-static-libgcc"]):
                with self.subTest(compiler=compiler, flags=flags):
                    self.check_lines(self.build(*flags, compiler=compiler))
            self.check_no_lines(self.build(compiler=compiler))

    def test_split_dwarf(self):
        """Lines are in the program itself, so the other files may have moved."""
        for compiler in harness.compilers():
            for version in ("-gdwarf-4", "-gdwarf-5"):
                with self.subTest(compiler=compiler, version=version):
                    program = self.build(version, "-gsplit-dwarf", compiler=compiler)
                    self.check_lines(program)
                    for name in os.listdir(self.directory):
                        if name.endswith(".dwo"):
                            os.unlink(self.path(name))
                            os.mkfifo(self.path(name))  # a process that opens the FIFO would block
                    self.check_lines(program)
                    for name in os.listdir(self.directory):
                        if name.endswith(".dwo"):
                            os.unlink(self.path(name))

    def test_packed_by_other_means(self):
        """The old compression with zlib; with zstd the names are found at least, and there is no
        error."""
        for kind in ("zlib-gnu", "zlib-gabi", "zstd"):
            program, packed = self.build("-g"), self.path("packed")
            result = harness.run([harness.need_tool("objcopy"), "--compress-debug-sections=" + kind,
                                  program, packed])
            if result.status != 0:
                harness.note("objcopy has no " + kind)
            elif kind != "zstd":
                self.check_lines(packed)
            else:
                self.measured(packed)

    def test_common_parts_in_another_file(self):
        """Common parts in another file, as dwz makes them. If that file is missing or damaged, the
        names remain, and nothing hangs."""
        dwz = harness.need_tool("dwz")
        program = self.build("-gdwarf-4")
        self.tool(dwz, program)
        self.check_lines(program)
        for name in ("common", self.path("common")):
            program = self.build("-gdwarf-4")
            twin = shutil.copy(program, self.path("twin"))
            self.tool(dwz, "-m", "common", "-M", name, program, twin)
            self.check_lines(program)
            os.unlink(self.path("common"))
            self.measured(program)
            os.mkfifo(self.path("common"))
            self.check_no_lines(program)
            os.unlink(self.path("common"))
            os.symlink("/dev/zero", self.path("common"))
            self.check_no_lines(program)
            os.unlink(self.path("common"))

    def test_debug_file_by_its_build_id(self):
        """The debug file below /usr/lib/debug is found for a stripped program without a link to it,
        but not that of another build."""
        unshare = harness.need_tool("unshare")
        words = [unshare, "-m"] if os.geteuid() == 0 else [unshare, "-r", "-m"]
        if os.stat(ADAPTER).st_uid != os.geteuid():
            self.skipTest("in a user namespace the runtime has to be one's own")
        program = self.build("-g", "-Wl,--build-id=0x0123456789abcdef")
        debug = self.path("debug/.build-id/01/23456789abcdef.debug")
        os.makedirs(os.path.dirname(debug))
        self.tool("objcopy", "--only-keep-debug", program, debug)
        self.tool("strip", program)
        mount = [*words, "sh", "-c", 'mount --bind "$0" /usr/lib/debug && exec "$@"',
                 self.path("debug")]
        harness.need(harness.run([*mount, "true"]).status == 0, "nothing can be mounted at /usr/lib/debug here")
        _, said = self.measured(program, has_names=False)
        self.assertIn("stripped", said)
        self.check_lines(program, *mount)
        other = self.build("-g", "-Wl,--build-id=0x0123456789abcd", name="other")
        self.tool("objcopy", "--only-keep-debug", other, debug)
        _, said = self.measured(program, *mount, has_names=False)
        self.assertIn("stripped", said)

    def test_debug_file_beside(self):
        """The debug file is found beside the program or in the directory .debug, by its link, but
        not one with another checksum or build-id."""
        for identity in ("sha1", "none"):
            for name in ("its.debug", ".debug/its.debug"):
                with self.subTest(build_id=identity, name=name):
                    program = self.build("-g", "-Wl,--build-id=" + identity)
                    debug = self.path(name)
                    os.makedirs(os.path.dirname(debug), exist_ok=True)
                    self.split_debug(program, debug)
                    self.check_lines(program)
                    other = self.build("-g", "-O0", "-Wl,--build-id=" + identity, name="other")
                    self.tool("objcopy", "--only-keep-debug", other, debug)
                    _, said = self.measured(program, has_names=False)
                    self.assertIn("stripped", said)
                    os.unlink(debug)
                    _, said = self.measured(program, has_names=False)
                    self.assertIn("stripped", said)

    def test_replaced_before_it_is_called(self):
        """The file of this name is no longer the one that was loaded. Its build-id shows that, or
        the kernel's entry of the mapped file."""
        source = self.text_file("opens.c",
                                "#include <dlfcn.h>\n#include <stdio.h>\n#include <string.h>\n"
                                "int main(int argc, char **argv)\n{\n\tvoid (*work)(void) = NULL;\n"
                                "\tvoid *plugin = dlopen(argv[1], RTLD_NOW);\n"
                                "\tvoid *symbol = plugin ? dlsym(plugin, \"work\") : NULL;\n"
                                "\tmemcpy(&work, &symbol, sizeof(work));\n"
                                "\tif (!work || (argc > 2 && rename(argv[2], argv[1]) != 0))\n"
                                "\t\treturn 3;\n\twork();\n\twork();\n\treturn 0;\n}\n")
        opens = self.compile(source, "gcc", "-ldl", name="opens")
        for identity in ("sha1", "none"):
            for replaced in (False, True):
                files = []
                for name, inner in (("plugin.so", "first_inner"), ("new.so", "second_inner")):
                    files.append(self.path(name))
                    result = self.execute(["gcc", "-g", "-O1", "-shared", "-fPIC",
                                           "-finstrument-functions", "-Wl,--build-id=" + identity,
                                           "-DINNER=" + inner, os.path.join(SOURCES, "plugin.c"),
                                           "-o", files[-1]])
                result = self.measure(opens, *files[:1 + replaced], events="time",
                                      options=["--markers", "functions"])
                calls = result.report.calls()
                if replaced:
                    self.assertEqual(sorted(calls.values()), [2, 2], calls)
                    for name in calls:
                        self.assertRegex(name, r"^plugin\.so\+0x[0-9a-f]+$")
                    self.assertIn("replaced after the program had loaded it", result.stderr)
                else:
                    self.assertEqual(calls, {"work": 2, "first_inner": 2})

    def test_names_of_templates(self):
        """Names that are too long lose their arguments, and stay distinct. In a table of 80
        columns, names are cut further."""
        compiler = harness.compilers("c++")[0]
        source, program = self.text_file("source.cpp", TEMPLATES), self.path("program")
        self.execute([compiler, "-std=c++11", "-g", "-O0", "-finstrument-functions",
                      source, "-o", program])
        whole = [name for name in harness.run([harness.need_tool("nm"), "-C", program])
                 .stdout.split("\n") if "visit_each" in name]
        self.assertTrue(all(len(name.split(" ", 2)[2]) > 127 for name in whole), whole)
        table, output = self.path("table.txt"), self.path("report.csv")
        self.regionstat("-e", "time", "--markers", "functions", "--width", "300", "-o",
                        table, "-o", output, program)
        calls = harness.read_report(output).calls()
        self.assertEqual(calls.pop("main"), 1)
        found = {name: n for name, n in calls.items() if "visit_each" in name}
        self.assertEqual(sorted(found.values()), [5, 7], calls)
        for name in found:
            self.assertLessEqual(len(name), 127)
            self.assertRegex(name, r"^int a_namespace_with_a_name::container_of_things<.*\.\..*>"
                                   r"::visit_each<.*>\(int\)~[0-9a-f]{8}$")
        name = "int a_namespace_with_a_name::sum"
        self.assertEqual(calls[name + "<int, long>(int)"], 1)
        self.assertEqual(harness.read_text(table).count(name + "<int, long>(int)"), 1)

    def test_damaged_debug_information(self):
        """The headers of the debug information have wrong values. Functions keep their names, and
        the search ends."""
        for section in (".debug_info", ".debug_line", ".debug_abbrev", ".debug_str"):
            for content in (b"\xff", b"\x00", b"\x05\x00\x80"):
                program, garbage = self.build("-g"), self.path("garbage")
                harness.write_bytes(garbage, content * 4096)
                self.tool("objcopy", "--update-section", section + "=" + garbage, program)
                with self.subTest(section=section, content=content):
                    self.measured(program)
