# SPDX-License-Identifier: MIT
"""OpenMP through OMPT, with LLVM's runtime. Every construct is a region with one call for each
thread that enters it, named by its function and line."""

import functools
import os
import re
import shutil

import adapter_counts
import harness

ADAPTER = os.path.join(harness.BUILD, "lib", "adapters", "libregionstat-openmp.so")
SOURCE = os.path.join(harness.APP_SOURCES, "openmp.c")
PLUGINS = os.path.join(harness.APP_SOURCES, "plugins")
REPEATS, THREADS = 7, 4


def without_line(name):
    """Return a construct by its kind, and its function if the code address has one."""
    return name.split(" (")[0]


def rows_by_kind(report):
    """Return the rows of time by kind. Each kind is one region, or two if it spans two lines."""
    rows = {}
    for row in report.select(kind="region", event="time", process="all", thread="all"):
        rows.setdefault(without_line(row.region).replace(" times", ""), []).append(row)
    return rows


def calls_of_times(n, threads=THREADS):
    """Return the calls of each kind that n rounds of "times" make."""
    return {"parallel": [n], "parallel part": [n * threads], "loop": [n * threads],
            "sections": [n * threads], "single": [n], "masked": [n],
            # its own, and that at the end of a region with several threads
            "OpenMP barrier": [(1 + (threads > 1)) * n * threads]}


class TestCase(harness.TestCase):

    def program(self, *flags, source=SOURCE, name="program"):
        """Build a program with LLVM's runtime, or skip the test."""
        clang = harness.need_tool("clang")
        path = self.path(name)
        result = harness.run([clang, "-fopenmp=libomp", "-g", *flags, source, "-o", path])
        if result.status != 0:
            self.skipTest("clang has no OpenMP here (package libomp-dev): " + result.stderr[:100])
        return path


@harness.no_sanitizer("LLVM's runtime is not instrumented: markers_ompt has one that is")
class OpenMP(TestCase):

    def openmp(self, program, *arguments, **more):
        return self.measure(shutil.which("env"), "OMP_TOOL_LIBRARIES=" + ADAPTER, program,
                            *map(str, arguments), events="time", **more)

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
            found = {name: n for name, n in calls.items() if re.search(
                r"^parallel \.\.compute\(\.\.\)~[0-9a-f]{8} \(long\.cpp:%d\)$" % line, name)}
            self.assertEqual(sorted(found.values()), [3, 5], calls)

    def test_found(self):
        """The program needs LLVM's library, which is enough to find the adapter: no option is
        needed."""
        program = self.program("-O1")
        calls = self.openmp(program, "times", REPEATS).report.calls()
        adapter_counts.check_auto(self, "openmp", r"program has libi?omp5?\.so[.0-9]*", calls,
                                  program, "times", str(REPEATS))

    def test_a_program_of_gcc(self):
        """For a program that gcc compiled, LLVM's runtime reports less: a `single` has no end, and
        such an open call is not counted. With ITT the program runs as without regionstat: in
        libomp's mode with names of regions, libomp would end it."""
        gcc, clang, path = harness.need_tool("gcc"), harness.need_tool("clang"), self.path("gcc")
        made = harness.run([gcc, "-fopenmp", "-g", "-O1", "-c", SOURCE, "-o", path + ".o"])
        harness.need(made.status == 0, "gcc has no OpenMP here: " + made.stderr[:100])
        made = harness.run([clang, "-fopenmp=libomp", path + ".o", "-o", path])
        harness.need(made.status == 0, "clang has no OpenMP here (package libomp-dev): " + made.stderr[:100])
        report = self.openmp(path, "nested", 3).report
        teams = 2 ** 3 - 1
        calls = {kind: [row.calls for row in rows] for kind, rows in rows_by_kind(report).items()}
        # each barrier of a part; sections appear as a loop
        self.assertEqual(calls, {
            "parallel nest": [teams], "parallel part nest": [2 * teams], "loop": [2 * teams],
            "single nest": [0], "OpenMP barrier": [4 * 2 * teams]})
        found = report.diagnostics()
        self.assertEqual((found.pop("lost"), set(found)), (teams, {"recursive"}))
        for words in ([path], ["env", path]):
            result = self.measure(*words, "nested", 3, options=["--markers", "itt"])
            self.assertEqual(result.stdout, "parts %d\n" % (2 * teams), result)

    def test_calls_of_itt(self):
        """LLVM's runtime calls ITT too. Each parallel region is a region with its line."""
        source = self.text_file("two.c", "int main(void)\n{\n\tfor (int i = 0; i < %d; i++) {\n"
                                "%s\t}\n}\n" % (
                                    REPEATS, 2 * "#pragma omp parallel num_threads(4)\n\t;\n"))
        report = self.measure(self.program("-O1", source=source),
                              options=["--markers", "itt"]).report
        harness.need(report.calls(), "this libomp has no ITT in it")
        self.assertEqual({re.sub("@.*two", "@two", name)[:-2]: calls
                          for name, calls in report.calls().items()},
                         {"main$omp$parallel:4@two.c:%d" % line: REPEATS for line in (4, 6)})
        self.assertClean(report)

    def test_the_program_is_as_without(self):
        program = self.program("-O1")
        plain = self.execute([program, "nested", "3"])
        loaded = harness.run([program, "nested", "3"],
                             env=harness.environment(OMP_TOOL_LIBRARIES=ADAPTER))
        measured = self.openmp(program, "nested", 3)
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
        """Run the program. Return its rows of time by kind."""
        program = program or self.program("-O1")
        # on any number of CPUs, regions may nest and there may be two teams
        result = self.measure_openmp(program, how, n, OMP_MAX_ACTIVE_LEVELS="16",
                                     KMP_TEAMS_THREAD_LIMIT="8", **changes)
        self.assertEqual(set(result.report.diagnostics()) - {"recursive"}, set(), result)
        return result, rows_by_kind(result.report)

    def check(self, program, threads=THREADS, **changes):
        """Check each construct: its calls, its line, its times, and where it is."""
        n = 100
        result, rows = self.clocks("times", n, program, **changes)
        self.assertEqual({kind: [row.calls for row in found] for kind, found in rows.items()},
                         calls_of_times(n, threads))
        rows = {kind: row for kind, (row,) in rows.items()}
        self.assertIn(" times ", rows["parallel"].region)
        sums, part = adapter_counts.sums(result.stdout), rows["parallel part"].region
        for word in ("parallel", "parallel part", "loop", "sections", "single", "masked"):
            # of its pragma, or of what follows it
            line = harness.line_of(SOURCE, "/* %s times */" % word.removesuffix(" part"))
            self.assertIn(rows[word].region.split(" ")[-1],
                          ["(openmp.c:%d)" % at for at in (line, line + 1)])
            if rows[word].region != part:
                side = sums[word + " times"]
                self.assertBetweenClocks(rows[word], side.within, side.around)
        # only barriers that the program contains have clocks
        self.assertGreater(rows["OpenMP barrier"].total,
                           sums["OpenMP barrier"].within * (1 - harness.MARKERS_RATIO))
        # most threads of a team have a part, but not the parallel region
        self.assertEqual([rows[word].parent for word in ("parallel part", "loop", "OpenMP barrier")],
                         ["" if threads > 1 else rows["parallel"].region, part, part])
        self.assertEqual([rows[word].threads for word in ("parallel", "parallel part", "loop")],
                         [1, threads, threads])

    def test_every_construct(self):
        for flags in (["-O1"], ["-O2"], ["-O1", "-fno-pie", "-no-pie"]):
            with self.subTest(flags=flags):
                self.steadily(functools.partial(self.check, self.program(*flags)))

    @harness.steady
    def test_one_thread(self):
        self.check(self.program("-O1"), 1, OMP_THREAD_LIMIT="1")

    @harness.steady
    def test_what_each_thread_waits(self):
        """Compare the first thread's parts with its own clocks. Its barriers also take the time of
        its regions outside of these clocks."""
        n = 100
        result = self.measure_openmp(self.program("-O1"), "times", n, options=["--per-thread"])
        first = re.search(r"^process (\d+)$", result.stdout, re.MULTILINE)[1]
        rows = {without_line(row.region): row for row in
                result.report.select(kind="region", event="time", thread=first)}
        told = {}
        for line in result.stdout.split("\n"):
            if line.startswith("truth "):  # of a thread; the first one's is before those of others
                told = {**harness.truths(line), **told}
        row, barrier, parallel = rows["OpenMP barrier"], told["OpenMP barrier"], told["parallel times"]
        self.assertEqual((row.calls, barrier.calls), (2 * n, n))
        self.assertBetweenClocks(row, barrier.within.sum_ns, barrier.around.sum_ns
                                 + parallel.around.sum_ns - parallel.within.sum_ns)
        self.assertBetweenClocks(rows["parallel part times"],
                                 parallel.within.sum_ns, parallel.around.sum_ns)

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
        library = self.program("-O1", "-shared", "-fPIC", "-DLIBRARY",
                               name="late.so")
        source = self.text_file("late.c",
                                "#include <dlfcn.h>\n#include <stdlib.h>\n"
                                "int main(int argc, char **argv)\n{\n"
                                '\tvoid *library = dlopen(getenv("LATE"), RTLD_NOW);\n'
                                "\tint (*run)(int, char **) = library ? (int (*)(int, char **))"
                                'dlsym(library, "run_openmp") : 0;\n'
                                "\treturn run ? run(argc, argv) : 1;\n}\n")
        program = self.compile(source, "gcc", "-ldl", name="late")
        result, rows = self.clocks("times", n, program, LATE=library)
        side = adapter_counts.sums(result.stdout)["loop times"]
        self.assertEqual([row.calls for row in rows["loop"]], [n * THREADS])
        self.assertBetweenClocks(rows["loop"][0], side.within, side.around)
