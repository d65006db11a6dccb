# SPDX-License-Identifier: MIT
"""Functions of programs that are compiled with -finstrument-functions. Each function is a region
with all its calls, in every process, thread and plugin, under its own name."""

import os
import re
import shutil

import adapter_counts
import harness

SOURCES = os.path.join(harness.APP_SOURCES, "functions")
N = 200
WAYS = (("-O0",), ("-O2",), ("-O2", "-fno-pie", "-no-pie"), ("-O1", "-fpie", "-pie"))


def fibonacci_calls(n):
    """Return how many calls fibonacci(n) of main.c makes, itself included."""
    return 1 if n < 2 else 1 + fibonacci_calls(n - 1) + fibonacci_calls(n - 2)


class Functions(adapter_counts.TestCase):

    adapter = "functions"

    def build(self, name, sources, *flags, compiler="gcc"):
        """Build a program or library from these sources in this test's scratch directory. Return
        its path."""
        first, *others = [os.path.join(SOURCES, source) for source in sources]
        return self.compile(first, compiler, "-finstrument-functions", *others, *flags,
                            *(["-ldl"] if "-shared" not in flags else []), name=name)

    def program(self, *flags, compiler="gcc", name="program"):
        return self.build(name, ["main.c", "other.c"], "-g", *flags, compiler=compiler)

    def plugin(self, inner, *flags, name="plugin.so"):
        return self.build(name, ["plugin.c"], "-g", "-O1", "-shared", "-fPIC", "-DINNER=" + inner,
                          *flags)

    def named(self, report, name, source, text, calls):
        """Return the region of the function `name`. Its line distinguishes it from others of this
        name."""
        line = harness.line_of(os.path.join(SOURCES, source), text)
        names = ["%s (%s:%d)" % (name, source, at) for at in (line, line + 1)]
        found = {region: n for region, n in report.calls().items() if region in names}
        self.assertEqual(list(found.values()), [calls], report.calls())

    def test_found(self):
        """The program calls the instrumentation functions, which is enough: no option is needed."""
        adapter_counts.check_auto(self, "functions", "program has __cyg_profile_func_enter",
                                  {"fibonacci": fibonacci_calls(12)}, self.program("-O1"),
                                  "fibonacci", "12")

    def test_calls_of_every_kind_of_program(self):
        for compiler in harness.compilers():
            for flags in WAYS:
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.program(*flags, compiler=compiler)
                    report = self.measure_with(program, "same", N, "fibonacci", 12).report
                    calls = report.calls()
                    self.assertEqual(calls.pop("other"), N)
                    self.assertEqual(calls.pop("fibonacci"), fibonacci_calls(12))
                    self.named(report, "same", "main.c", "int same(int n)", N)
                    self.named(report, "same", "other.c", "int same(int n)", 2 * N)
                    self.assertEqual(len(calls), 2, calls)
                    self.assertEqual(set(report.diagnostics()), {"recursive"})
                    # the region of the function that called it
                    self.assertEqual([report.region(name).parent for name in calls
                                      if name.startswith("same (other.c")], ["other"])

    def test_threads_processes_and_programs_share_one_region(self):
        program = self.program("-O1")
        report = self.measure_with(program, "threads", N, extra=["LD_BIND_NOW=1"]).report
        self.assertEqual(report.calls()["middle"], 4 * N)
        self.assertEqual(report.region("middle").threads, 4)
        # the parent and its child, and the program executed once more, at other addresses
        report = self.measure_with(program, "fork", "same", N).report
        self.assertEqual(report.calls()["other"], 2 * N)
        report = self.measure_with(program, "again", "same", N).report
        self.assertEqual((report.calls()["other"], len(report.calls())), (2 * N, 3))
        # the same program under another path
        twin = self.path("twin")
        shutil.copy(program, twin)
        script = "%s same %d; %s same %d" % (program, N, twin, N)
        report = self.measure_with("sh", "-c", script).report
        self.assertEqual((report.calls()["other"], len(report.calls())), (2 * N, 3))

    def test_frames_that_grow_and_calls_that_are_left(self):
        """alloca() moves the stack between BEGIN and END. Calls that longjmp() leaves never end,
        and are not counted; the calls around them are correct."""
        for compiler in harness.compilers():
            with self.subTest(compiler=compiler):
                program = self.program("-O1", compiler=compiler)
                report = self.measure_with(program, "grows", 20, "leaps", 50).report
                self.assertEqual(report.calls()["grows"], 21)
                self.assertEqual(report.calls()["catches"], 50)
                self.assertEqual(report.diagnostics("leaps"), {"lost": 150})
                self.assertEqual(report.diagnostics("catches"), {})

    def test_plugins_that_come_and_go(self):
        """Two plugins are loaded in succession, perhaps at the same address: each has its own
        functions."""
        program = self.compile("plugins/main.c", "gcc", "-O1", "-ldl")
        first = self.plugin("first_inner", name="first.so")
        second = self.plugin("second_inner", name="second.so")
        result = self.measure_with(
            program, first, "work", 30, second, "work", 40, first, "work", 5)
        calls = result.report.calls()
        places = re.findall(r"work at (\S+)", result.stdout)
        self.assertEqual(len(places), 3)
        if len(set(places)) > 1:
            harness.note("the plugins were not loaded at the same place")
        # the two functions called work are in the same line of the same source
        works = {name: calls.pop(name) for name in list(calls) if name.startswith("work")}
        self.assertEqual(sorted(works.values()), [35, 40], works)
        self.assertTrue(any("first.so" in name for name in works), works)
        self.assertEqual(calls, {"first_inner": 35, "second_inner": 40})

    def test_closing_costs_what_is_known(self):
        """Only functions that were called are forgotten: a table for 262,144 functions would touch
        1,024 pages."""
        program = self.build("program", ["../plugins/main.c"], "-O1")
        result = self.measure_with(program, *[self.plugin("inner"), "work", 2] * 5)
        self.assertEqual(result.report.calls()["inner"], 10)
        self.assertLess(int(re.search(r"^faults (\d+)$", result.stdout, re.M).group(1)), 200)

    def test_a_replaced_file_is_reported_and_not_believed(self):
        for identity in ("sha1", "none"):
            with self.subTest(build_id=identity):
                flags = ("-O1", "-Wl,--build-id=" + identity)
                program, other = self.program(*flags), self.program(*flags, "-O0", name="other")
                script = "%s fibonacci 10; cp %s %s.new; mv %s.new %s" % (
                    program, other, program, program, program)
                result = self.measure_with("sh", "-c", script)
                self.assertRegex(list(result.report.calls())[0], r"^program\+0x")
                self.assertIn("replaced after the program had loaded it", result.stderr)
                script = "%s fibonacci 10; rm %s" % (program, program)
                result = self.measure_with("sh", "-c", script)
                self.assertRegex(list(result.report.calls())[0], r"^program\+0x")
                self.assertIn("cannot be read", result.stderr)

    def test_chosen_functions(self):
        program = self.program("-O1")
        self.assertEqual(self.measure_with(program, "same", N, "fibonacci", 5,
                                           options=["--functions", "[fo]*"]).report.calls(),
                         {"other": N, "fibonacci": fibonacci_calls(5)})
        report = self.measure_with(program, "same", N, "fibonacci", 5,
                                   options=["--functions", "same", "--functions", "fib*"]).report
        self.assertEqual(report.calls()["fibonacci"], fibonacci_calls(5))
        self.named(report, "same", "main.c", "int same(int n)", N)
        self.named(report, "same", "other.c", "int same(int n)", 2 * N)
        # functions of a library that the program needs, which has its own debug file and no
        # build-id
        library = self.plugin("inner", "-Wl,--build-id=none", name="libneeded.so")
        linked = self.build("linked", ["../plugins/main.c"], "-O1", "-Wl,--no-as-needed", library)
        calls = self.measure_with(linked, library, "work", 7,
                                  options=["--functions", "inner"]).report.calls()
        self.assertEqual(calls, {"inner": 7})

    def test_chosen_functions_of_libraries_that_a_library_finds(self):
        """A DT_RPATH of an object also applies to the libraries that it loads (ld.so(8))."""
        for name in ("first", "second"):
            os.mkdir(self.path(name))
        old = "-Wl,--no-as-needed,--disable-new-dtags"
        for inner, name, *flags in (
                ("deep", "second/libleaf.so"),
                ("between", "second/libmiddle.so", "-lleaf"),
                ("outer", "first/libouter.so", "-lmiddle", "-Wl,-rpath,$ORIGIN/../second")):
            library = self.plugin(inner, "-Wl,-soname," + os.path.basename(name), old,
                                  "-L" + self.path("second"), *flags, name=name)
            dynamic = harness.run([harness.need_tool("readelf"), "-d", library]).stdout
            self.assertEqual("(RPATH)" in dynamic, inner == "outer", dynamic)
        program = self.build("program", ["../plugins/main.c"], "-O1", old + ",-rpath,$ORIGIN/first",
                             "-L" + self.path("first"), "-louter",
                             "-Wl,-rpath-link," + self.path("second"))
        # without a slash: a path in the command would be searched as well
        report = self.measure_with(program, "libleaf.so", "work", N,
                                   options=["--functions", "deep"]).report
        self.assertEqual(report.calls(), {"deep": N})

    def test_chosen_functions_that_are_not_there(self):
        """One of the globs matches functions, the other one none."""
        result = self.measure_with(self.program("-O1"), "same", 1,
                                   options=["--functions", "m*", "--functions", "nowhere*"],
                                   status=125)
        self.assertIn("matches 'nowhere*'", result.stderr)
        # the program that env(1) starts, which the command line names
        self.assertRegex(result.stderr, r"no function of \S*env, of /\S*/program or of the libr")
        self.assertRegex(result.stderr, r"try: nm --demangle /\S*/program,")
        self.assertIsNone(result.report)

    def test_chosen_functions_of_a_program_without_instrumentation(self):
        """The program has such a function, but does not call the instrumentation functions."""
        plain = self.compile(os.path.join(SOURCES, "main.c"), "gcc",
                             os.path.join(SOURCES, "other.c"), "-ldl", name="plain")
        told = "regionstat: --functions: no function of %s is measured\n" % plain
        result = self.regionstat("-e", "time", "--functions", "fib*", plain, "fibonacci", "5")
        self.assertIn(told, result.stderr)
        self.assertIn("add --markers functions\n", result.stderr)
        # a dry run tells it too, and one without a command does not
        self.assertIn(told, self.regionstat("--dry-run", "--functions", "fib*", plain).stderr)
        self.assertNotIn("--functions", self.regionstat("--dry-run", "--functions", "f*").stderr)
        built = self.regionstat("-e", "time", "--functions", "fib*", self.program("-O1"),
                                "fibonacci", "5")
        self.assertNotIn("no function of", built.stderr)
        self.assertIn("fibonacci", built.stderr)

    def test_only_leaves_functions(self):
        """While the program runs, functions have no names that a glob of --only could match."""
        calls = self.measure_with(self.program("-O1"), "same", N, options=["--only", "zzz"])
        self.assertEqual(calls.report.calls()["other"], N)

    def test_slow_calls_have_their_place(self):
        """A function's name is not known when a slow call is reported, so the line has its file and
        address."""
        program = self.program("-O0")
        result = self.measure_with(program, "fibonacci", 12, options=["--slow", "*:time>1us"])
        symbols = harness.run([harness.need_tool("nm"), program]).stdout
        address = re.search(r"^0*([0-9a-f]+) T fibonacci$", symbols, re.MULTILINE).group(1)
        told = re.findall(r"slow region=(\S+) ", result.stderr)
        self.assertEqual(set(told), {"program+0x" + address}, result)

    def test_names_of_cplusplus(self):
        if "g++" not in harness.compilers("c++"):
            self.skipTest("clang's functions tell of no end that an exception makes")
        program = self.compile_text(
            "#include <stdexcept>\n"
            "namespace some { template <class T> T thrown(T n) {\n"
            "  if (n % 2) throw std::runtime_error(\"odd\");\n  return n; }\n"
            "long overloaded(long n) { return thrown(n); }\n"
            "int overloaded(int n) { return thrown(n); } }\n"
            "int main() { int caught = 0;\n"
            "  for (int i = 0; i < 10; i++)\n"
            "    try { some::overloaded(i); some::overloaded(long(i)); }\n"
            "    catch (const std::exception &) { caught++; }\n"
            "  return caught - 5; }\n", "-O1", "-g", "-fno-inline", "-finstrument-functions",
            "-finstrument-functions-exclude-file-list=/usr/", compiler="g++")
        calls = self.measure_with(program).report.calls()
        self.assertEqual({name: n for name, n in calls.items() if "some::" in name},
                         {"some::overloaded(int)": 10, "some::overloaded(long)": 5,
                          "int some::thrown<int>(int)": 10, "long some::thrown<long>(long)": 5})
        self.assertEqual(calls["main"], 1)
        for glob, known in (("some::thrown*", ["int some::thrown<int>(int)", "long some::thrown<long>(long)"]),
                            ("some::thrown<int>(int)", ["int some::thrown<int>(int)"]),
                            ("some::thrown<int>", ["int some::thrown<int>(int)"]),
                            ("int some::*", ["int some::thrown<int>(int)"]),
                            ("some::overloaded(int)", ["some::overloaded(int)"])):
            with self.subTest(glob):
                calls = self.measure_with(program, options=["--functions", glob]).report.calls()
                self.assertEqual(sorted(calls), known)

    def test_not_launched(self):
        """Without regionstat the adapter changes nothing in the program."""
        program = self.program("-O1")
        self.assertSame(*(harness.run([program, "same", "5", "fibonacci", "5"], env=env)
                          for env in (None, self.environment())))
