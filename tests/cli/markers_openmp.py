# SPDX-License-Identifier: MIT
"""OpenMP through OMPT, with LLVM's runtime. Every construct is a region with one call for each
thread that enters it, named by its function and line."""

import os
import re
import shutil
import unittest

import adapter_counts
import harness

ADAPTER = os.path.join(harness.BUILD, "lib", "adapters", "libregionstat-openmp.so")
SOURCE = os.path.join(harness.APP_SOURCES, "openmp.c")
CLOCKS = os.path.join(harness.APP_SOURCES, "openmp_clocks.c")
PLUGINS = os.path.join(harness.APP_SOURCES, "plugins")
REPEATS, THREADS, NESTED = 7, 4, 1 + 2 + 4  # parallel regions of nested(2)


NOT_INSTRUMENTED = "LLVM's runtime is not instrumented: markers_ompt has one that is"


class TestCase(harness.TestCase):

    def program(self, *flags, source=SOURCE, name="program"):
        """Build a program with LLVM's runtime, or skip the test."""
        clang = harness.need_tool("clang")
        path = self.path(name)
        result = harness.run([clang, "-fopenmp=libomp", "-g", *flags, source, "-o", path])
        if result.status != 0:
            self.skipTest("clang has no OpenMP here (package libomp-dev): " + result.stderr[:100])
        return path


@unittest.skipIf(harness.SANITIZE != "none", NOT_INSTRUMENTED)
class OpenMP(TestCase):

    def openmp(self, program, *arguments, **more):
        return self.measure(shutil.which("env"), "OMP_TOOL_LIBRARIES=" + ADAPTER, program,
                            *map(str, arguments), events="time", **more)

    def region(self, report, kind, text):
        """Return the row of a construct by its line, or by an adjacent line if a pragma has several
        lines."""
        line = harness.line_of(SOURCE, "/* %s */" % text)
        names = ["(openmp.c:%d)" % n for n in (line, line + 1)]
        found = [row for row in report.select(kind="region", event="time", thread="all")
                 if row.region.split(" ")[0] == kind.split(" ")[0] and
                 row.region.startswith(kind + " ") and row.region.split(" ")[-1] in names and
                 (kind != "parallel" or not row.region.startswith("parallel part"))]
        self.assertEqual(len(found), 1, (kind, text, report.calls()))
        return found[0]

    def check(self, program, threads):
        report = self.openmp(program, REPEATS, threads).report
        expected = {("parallel", "parallel loop"): REPEATS,
                    ("parallel part", "parallel loop"): REPEATS * threads,
                    ("loop", "parallel loop"): REPEATS * threads,
                    ("parallel", "parallel constructs"): 1,
                    ("parallel part", "parallel constructs"): threads,
                    ("loop", "loop alone"): REPEATS * threads,
                    ("single", "single"): REPEATS,
                    ("sections", "sections"): REPEATS * threads,
                    ("masked", "masked"): REPEATS,
                    ("parallel", "parallel nested"): NESTED,
                    ("parallel part", "parallel nested"): 2 * NESTED}
        rows = {key: self.region(report, *key) for key in expected}
        self.assertEqual({key: row.calls for key, row in rows.items()}, expected)
        # three barriers of each thread in each round, and one at the end of every parallel part of
        # several threads
        parts = sum(n for (kind, text), n in expected.items() if kind == "parallel part"
                    and (threads > 1 or text == "parallel nested"))
        self.assertEqual(report.calls()["OpenMP barrier"], 3 * REPEATS * threads + parts)
        self.assertEqual(rows["loop", "loop alone"].threads, threads)
        self.assertIn("loops", rows["parallel", "parallel loop"].region)
        self.assertIn("constructs", rows["parallel", "parallel constructs"].region)
        self.assertEqual(len(report.calls()), len(expected) + 1, report.calls())
        self.assertEqual(set(report.diagnostics()) - {"recursive"}, set())

    def test_every_construct(self):
        for flags in (["-O1"], ["-O2"], ["-O1", "-fno-pie", "-no-pie"]):
            with self.subTest(flags=flags):
                self.check(self.program(*flags), THREADS)

    def test_long_names_keep_their_lines(self):
        """The line distinguishes two constructs in a function whose name is too long."""
        source = self.text_file("long.cpp", "template <class T> struct %s {\n"
                                            "__attribute__((noinline)) void compute(T) {\n"
                                            "#pragma omp parallel // first\n"
                                            "  ;\n"
                                            "#pragma omp parallel // second\n"
                                            "  ;\n"
                                            "} };\n"
                                            "int main() {\n"
                                            "  for (int i = 0; i < 3; i++) %s<int>().compute(1);\n"
                                            "  for (int i = 0; i < 5; i++) %s<long>().compute(1);\n"
                                            "}\n" % (("long_" * 30,) * 3))
        program, clang = self.path("long"), harness.need_tool("clang++")
        result = harness.run([clang, "-fopenmp=libomp", "-g", source, "-o", program])
        if result.status != 0:
            self.skipTest("clang++ has no OpenMP here (package libomp-dev): " + result.stderr[:100])
        calls = self.openmp(program).report.calls()
        self.assertTrue(all(len(name) <= 127 for name in calls), calls)
        for line in (3, 5):
            found = {name: n for name, n in calls.items() if name.startswith("parallel long_") and
                     re.search(r"~[0-9a-f]{8} \(long\.cpp:%d\)$" % line, name)}
            self.assertEqual(sorted(found.values()), [3, 5], calls)

    def test_found(self):
        """The program needs LLVM's library, which is enough to find the adapter: no option is
        needed."""
        program = self.program("-O1")
        calls = self.openmp(program, REPEATS, THREADS).report.calls()
        adapter_counts.check_auto(self, "openmp", r"program has libi?omp5?\.so[.0-9]*", calls,
                                  program, str(REPEATS), str(THREADS))

    def test_a_program_of_gcc(self):
        """For a program that gcc compiled, LLVM's runtime reports less: a `single` has no end, and
        such an open call is not counted."""
        gcc, clang, path = harness.need_tool("gcc"), harness.need_tool("clang"), self.path("gcc")
        made = harness.run([gcc, "-fopenmp", "-g", "-O1", "-c", SOURCE, "-o", path + ".o"])
        if made.status != 0:
            self.skipTest("gcc has no OpenMP here: " + made.stderr[:100])
        made = harness.run([clang, "-fopenmp=libomp", path + ".o", "-o", path])
        if made.status != 0:
            self.skipTest("clang has no OpenMP here (package libomp-dev): " + made.stderr[:100])
        result = self.openmp(path, REPEATS, THREADS)
        calls = result.report.calls()
        for words, expected in (("parallel loops", REPEATS), ("single constructs", 0),
                                ("parallel part loops", REPEATS * THREADS),
                                ("parallel constructs", 1), ("parallel nested", NESTED),
                                ("parallel part constructs", THREADS),
                                ("parallel part nested", 2 * NESTED)):
            self.assertEqual([n for name, n in calls.items() if name.startswith(words + " (")],
                             [expected], (words, calls))
        # sections appear as a loop, without a code address
        self.assertEqual(calls["loop"], REPEATS * THREADS)
        found = result.report.diagnostics()
        self.assertEqual((found.pop("lost"), set(found)), (REPEATS, {"recursive"}))

    def test_one_thread(self):
        self.check(self.program("-O1"), 1)

    def test_the_program_is_as_without(self):
        program = self.program("-O1")
        plain = self.execute([program, "3", "4"])
        loaded = harness.run([program, "3", "4"],
                             env=harness.environment(OMP_TOOL_LIBRARIES=ADAPTER))
        measured = self.openmp(program, 3, 4)
        self.assertSame(plain, loaded)
        self.assertEqual(measured.stdout, plain.stdout)

    def test_plugins_that_come_and_go(self):
        """Two plugins are loaded in succession at the same address: each has its own constructs."""
        program = self.program("-ldl", source=os.path.join(PLUGINS, "main.c"))
        for identity in ("sha1", "none"):
            with self.subTest(identity=identity):
                first, second = [self.program(
                    "-O1", "-shared", "-fPIC", "-Wl,--build-id=" + identity, "-DHOLDER=" + name,
                    source=os.path.join(PLUGINS, "parallel.c"), name=name + ".so")
                    for name in ("one", "other")]
                result = self.openmp(program, first, "run", 30, second, "run", 40,
                                     first, "run", 5)
                places = re.findall(r" at (\S+)", result.stdout)
                self.assertEqual(len(places), 3, result)
                if len(set(places)) > 1:
                    harness.note("the plugins were not loaded at the same place")
                calls = {}
                for name, n in result.report.calls().items():
                    # the body of a construct has no function; its region names the library
                    name = re.sub(r" \(parallel\.c:\d+\)", "", name)
                    calls[re.sub(r"\((\w+)\.so\)$", r"\1", name)] = n
                calls.pop("OpenMP barrier")
                self.assertEqual(calls, {"parallel one": 35, "parallel part one": 70,
                                         "single one": 35, "parallel other": 40,
                                         "parallel part other": 80, "single other": 40})

    def test_places_without_a_line(self):
        """A place is a symbol and an offset, as nm and a disassembler give them: the return address
        of a call. Without symbols it is the file and the address in it."""
        program = self.program("-g0", "-O1", "-ldl", source=os.path.join(PLUGINS, "main.c"))
        plugin = self.program("-g0", "-O1", "-shared", "-fPIC", "-DHOLDER=one",
                              source=os.path.join(PLUGINS, "parallel.c"), name="one.so")
        symbols = harness.run([harness.need_tool("nm"), plugin]).stdout
        start = int(re.search(r"^(\w+) t one$", symbols, re.MULTILINE).group(1), 16)
        code = harness.run([harness.need_tool("objdump"), "-d", "--no-show-raw-insn",
                            "--disassemble=one", plugin]).stdout
        forks = re.findall(r"<__kmpc_fork_call\S*>\n\s*(\w+):", code)
        self.assertEqual(len(forks), 1, code)
        address = int(forks[0], 16)
        for strip, place in ((False, "one+0x%x" % (address - start)),
                             (True, "one.so+0x%x" % address)):
            with self.subTest(strip=strip):
                if strip:
                    result = self.execute([harness.need_tool("strip"), "--strip-all", plugin])
                json_file = self.path("report.json")
                result = self.openmp(program, plugin, "run", 30, options=["-o", json_file])
                names = {"parallel " + place, "parallel part " + place}
                self.assertLessEqual(names, set(result.report.calls()), result)
                self.assertLessEqual(names, set(re.findall(r'"region": ?"([^"]*)"',
                                                           harness.read_text(json_file))))
                table = harness.regionstat("-e", "time", "env", "OMP_TOOL_LIBRARIES=" + ADAPTER,
                                           program, plugin, "run", 30).stderr
                self.assertIn("parallel part " + place, table)


def without_line(name):
    """Return a construct by its kind, and its function if the code address has one."""
    return name.split(" (")[0]


@unittest.skipIf("thread" in harness.SANITIZE, NOT_INSTRUMENTED)
class Clocks(TestCase):
    """Calls are those that the program makes, and times agree with its own clocks. Only the adapter
    may be instrumented; what that needs is loaded before the program."""

    def measure_openmp(self, *program, options=(), **changes):
        """Run a program with the adapter. changes: of its environment."""
        words = ["env", "OMP_TOOL_LIBRARIES=" + ADAPTER]
        if adapter_counts.sanitizer_library():
            words.append("LD_PRELOAD=" + adapter_counts.sanitizer_library())
        return self.measure(*words, *program, events="time",
                            options=[*adapter_counts.OPTIONS, *options],
                            env=harness.without_leak_check(**changes))

    def clocks(self, how, n, program=None, **changes):
        """Run openmp_clocks.c. Return its rows of time by kind. Each kind is one region, or two if
        it spans two lines."""
        program = program or self.program("-O1", source=CLOCKS)
        # on any number of CPUs, regions may nest and there may be two teams
        result = self.measure_openmp(program, how, n, OMP_MAX_ACTIVE_LEVELS="16",
                                     KMP_TEAMS_THREAD_LIMIT="8", **changes)
        rows = {}
        for row in result.report.select(kind="region", event="time", process="all", thread="all"):
            rows.setdefault(without_line(row.region), []).append(row)
        self.assertEqual(set(result.report.diagnostics()) - {"recursive"}, set(), result)
        return result, rows

    @harness.steady
    def test_times(self):
        n = 100
        program = self.program("-O1", source=CLOCKS)
        calls = {"parallel": n, "parallel part": n * THREADS, "loop": n * THREADS,
                 "sections": n * THREADS, "single": n, "masked": n,
                 # its own, and that at the end of the region
                 "OpenMP barrier": 2 * n * THREADS}
        result, rows = self.clocks("times", n, program)
        rows = {name.replace(" times", ""): row for name, (row,) in rows.items()}
        self.assertEqual({name: row.calls for name, row in rows.items()}, calls)
        sums = adapter_counts.sums(result.stdout)
        for word in ("parallel", "loop", "sections", "single", "masked"):
            side = sums[word + " times"]
            self.assertBetweenClocks(rows[word], side.within, side.around)
        # only barriers that the program contains have clocks
        self.assertGreater(rows["OpenMP barrier"].total,
                           sums["OpenMP barrier"].within * (1 - harness.MARKERS_RATIO))
        self.assertEqual(rows["loop"].parent, "parallel part times" +
                         rows["parallel part"].region.removeprefix("parallel part times"))
        self.assertEqual([rows[word].threads for word in ("parallel", "parallel part", "loop")],
                         [1, THREADS, THREADS])

    @harness.steady
    def test_what_each_thread_waits(self):
        """Compare the first thread's barriers, and the part of its regions outside of its own
        clocks."""
        n = 100
        program = self.program("-O1", source=CLOCKS)
        result = self.measure_openmp(program, "times", n, options=["--per-thread"])
        process = re.search(r"^process (\d+)$", result.stdout, re.MULTILINE)[1]
        row = result.report.one(kind="region", event="time", region="OpenMP barrier",
                                thread=process)
        told = [harness.truths(line) for line in result.stdout.split("\n")
                if line.startswith("truth ")]
        barrier = next(truth for line in told for truth in line.values()
                       if truth.region == "OpenMP barrier")
        parallel = next(iter(told[0].values()))
        self.assertEqual((row.calls, barrier.calls), (2 * n, n))
        self.assertBetweenClocks(row, barrier.within.sum_ns, barrier.around.sum_ns
                                 + parallel.around.sum_ns - parallel.within.sum_ns)

    def test_worksharing_in_regions_in_regions(self):
        levels = 4
        teams = 2 ** levels - 1
        _, rows = self.clocks("nested", levels)
        self.assertEqual({name: [row.calls for row in found] for name, found in rows.items()}, {
            "parallel nest": [teams], "parallel part nest": [2 * teams], "loop": [2 * teams],
            "sections": [2 * teams], "single": [teams],
            # after each of the three, and at the end of the part
            "OpenMP barrier": [4 * 2 * teams]})
        for word in ("loop", "sections", "single"):
            self.assertEqual(without_line(rows[word][0].parent), "parallel part nest")

    def test_taskloops_and_teams(self):
        n = 5
        _, rows = self.clocks("tasks", n)
        calls = {}
        for name, found in rows.items():
            # the runtime passes another code address for a taskloop
            word = "taskloop" if name.startswith("taskloop") else name
            calls.setdefault(word, []).extend(row.calls for row in found)
        waits = {name: calls.pop(name) for name in list(calls) if name.startswith("OpenMP ")}
        self.assertEqual(calls, {
            "parallel taskloops": [n], "parallel part taskloops": [n * THREADS], "single": [n],
            # one with four tasks, and one with two in each of them
            "taskloop": [n * (1 + 4)],
            # two teams of one thread, in a region that the compiler makes, each with one part
            "teams teams": [n], "parallel": [2 * n, 2 * n], "parallel part": [2 * n, 2 * n],
            "distribute": [2 * n], "loop": [2 * n]})
        self.assertEqual(waits["OpenMP taskwait"], [n])
        # a taskloop waits for its tasks
        self.assertEqual(waits["OpenMP taskgroup"], [n * (1 + 4)])

    def test_reductions(self):
        """Reductions by locks are reported; the runtime does not report those by atomic
        instructions."""
        n = 7
        source = self.text_file("reduce.c", "#include <stdio.h>\nint main(void)\n{\n"
                                            "double a[9] = {0};\n"
                                            "for (int k = 0; k < %d; k++) {\n"
                                            "#pragma omp parallel num_threads(4)\n"
                                            "#pragma omp for reduction(+ : a)\n"
                                            "for (int i = 0; i < 900; i++)\na[i %% 9] += 1;\n}\n"
                                            'printf("%%g\\n", a[8]);\nreturn 0;\n}\n' % n)
        program = self.program(source=source)
        for method, calls in (("critical", n * THREADS), ("atomic", 0)):
            result = self.measure_openmp(program, KMP_FORCE_REDUCTION=method)
            self.assertEqual(result.stdout, "%d\n" % (100 * n))
            self.assertEqual(result.report.calls().get("OpenMP reduction", 0), calls, result)
            self.assertClean(result.report)

    def test_fork(self):
        n = 20
        result, rows = self.clocks("fork", n)
        # before the fork, and after it in both processes
        self.assertEqual({name: [row.calls for row in found] for name, found in rows.items()}, {
            "parallel loops": [3 * n], "parallel part loops": [3 * n * THREADS],
            "loop": [3 * n * THREADS], "OpenMP barrier": [3 * n * THREADS]})
        self.assertEqual(rows["parallel loops"][0].threads, 2)

    @harness.steady
    def test_a_library_that_is_loaded_late(self):
        """The program has no OpenMP, but a library that it loads has."""
        n = 50
        library = self.program("-O1", "-shared", "-fPIC", "-DLIBRARY", source=CLOCKS,
                               name="late.so")
        source = self.text_file("late.c",
                                "#include <dlfcn.h>\n#include <stdlib.h>\n"
                                "int main(int argc, char **argv)\n{\n"
                                '\tvoid *library = dlopen(getenv("LATE"), RTLD_NOW);\n'
                                "\tint (*run)(int, char **) = library ? (int (*)(int, char **))"
                                'dlsym(library, "openmp_clocks") : 0;\n'
                                "\treturn run ? run(argc, argv) : 1;\n}\n")
        program = self.compile(source, "gcc", "-ldl", name="late")
        result, rows = self.clocks("times", n, program, LATE=library)
        side = adapter_counts.sums(result.stdout)["loop times"]
        self.assertEqual([row.calls for row in rows["loop"]], [n * THREADS])
        self.assertBetweenClocks(rows["loop"][0], side.within, side.around)
