# SPDX-License-Identifier: MIT
"""One marked program (tests/apps/everywhere.c), built in every common way, and run under every
common tool. Each call is in the report, and the program's output and status are its own."""

import os
import platform
import shutil

import harness

ARCHIVE = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")
N_OUTER = 4 * 10
CALLS = {"outer": N_OUTER, "inner": 2 * N_OUTER, "parse": 3 * N_OUTER, "answer": 3 * N_OUTER,
         "request": N_OUTER, "handler": 5, "child": 7}
STATUS, OUTPUT = 42, "everywhere: 42\n"

STATIC = ["-DREGIONSTAT_STATIC", ARCHIVE]
PROTECTION = {"x86_64": "-fcf-protection=full", "aarch64": "-mbranch-protection=standard"}

# name: (compilers, flags, tools that work with it)
BUILDS = {
    "unoptimized": (("gcc", "clang"), ["-O0"], []),
    "optimized": (("gcc", "clang"), ["-O3"], []),
    "no plt": (("gcc", "clang"), ["-O2", "-fno-plt"], []),
    "bound at start": (("gcc", "clang"), ["-O2", "-Wl,-z,now,-z,relro"], []),
    "no pie": (("gcc", "clang"), ["-O2", "-fno-pie", "-no-pie"], []),
    "lto": (("gcc",), ["-O2", "-flto"], []),
    "lto of clang": (("clang",), ["-O2", "-flto", "-fuse-ld=lld"], ["ld.lld"]),
    "profiled": (("gcc",), ["-O2", "-pg"], []),
    "covered": (("gcc",), ["-O0", "--coverage"], []),
    "linked": (("gcc", "clang"), ["-O2", "-DREGIONSTAT_STATIC", "-L" + os.path.dirname(ARCHIVE),
                                  "-lregionstat", "-Wl,-rpath," + os.path.dirname(ARCHIVE)], []),
    "archive": (("gcc", "clang"), ["-O2", *STATIC], []),
    "static": (("gcc", "clang"), ["-O2", "-static", *STATIC], []),
    "static pie": (("gcc", "clang"), ["-O2", "-static-pie", "-fPIE", *STATIC], []),
    "static, lto": (("gcc",), ["-O2", "-flto", "-static", *STATIC], []),
    "musl": (("musl-gcc",), ["-O2"], ["musl-gcc"]),
    "musl, static": (("musl-gcc",), ["-O2", "-static", *STATIC], ["musl-gcc"]),
    "stack protector": (("gcc", "clang"), ["-O2", "-fstack-protector-all"], []),
    "control flow protection": (
        ("gcc", "clang"), ["-O2", PROTECTION.get(platform.machine(), "-O2")], []),
    "control flow integrity": (("clang",), ["-O2", "-flto", "-fvisibility=hidden", "-fsanitize=cfi",
                                            "-fuse-ld=lld"], ["ld.lld"]),
}

# Sanitizers of the program, with a runtime built without sanitizers. They report nothing.
for sanitizer in ("address", "undefined", "thread", "leak", "memory"):
    BUILDS["sanitized, " + sanitizer] = (
        ("clang",) if sanitizer == "memory" else ("gcc", "clang"),
        ["-g", "-O1", "-fsanitize=" + sanitizer, "-fno-sanitize-recover=all"], [])

# ThreadSanitizer replaces the runtime's memset() and memcpy(), and does not see the runtime's
# atomics. So it reports a race when a thread slot passes from one thread to the next. See
# regionstat(3).
NOT_OF_THREADS = "called_from_lib:libregionstat.so.1\n"
# MemorySanitizer replaces memcmp() and other functions of the runtime, and has not seen the
# runtime's writes.
NOT_OF_MEMORY = "intercept_memcmp=0:intercept_strchr=0:intercept_strcmp=0:intercept_strlen=0:" \
                "intercept_strspn=0"

# name: (the tool, words before the program). %s is the test's directory.
TOOLS = {
    "memcheck": ("valgrind", ["--error-exitcode=99", "--leak-check=full"]),
    "helgrind": ("valgrind", ["--tool=helgrind"]),
    "drd": ("valgrind", ["--tool=drd"]),
    "massif": ("valgrind", ["--tool=massif", "--massif-out-file=%s/massif"]),
    "callgrind": ("valgrind", ["--tool=callgrind", "--callgrind-out-file=%s/callgrind"]),
    "strace": ("strace", ["-f", "-o", "%s/strace"]),
    "gdb": ("gdb", ["-nx", "-q", "-batch", "-return-child-result",
                    "-ex", "handle SIGUSR1 nostop noprint", "-ex", "run", "--args"]),
}

# Replacements of the program's malloc(), by their libraries.
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4"}


@harness.no_sanitizer()
class EverywhereTestCase(harness.TestCase):

    def build(self, compiler, *flags):
        """Build the program with a compiler and these flags, or skip the test if the compiler does
        not have them."""
        # -Werror is for warnings about the markers; the linker warns about static glibc
        self.execute([compiler, "-pthread", "-Wall", "-Wextra", "-Werror",
                      "-I" + os.path.dirname(harness.HEADER),
                      os.path.join(harness.APP_SOURCES, "everywhere.c"),
                      *flags, "-o", self.path("program")], cwd=self.directory)
        return self.path("program")

    def check(self, *program, env=None):
        """Check that the report has every call and no message, and that the program behaves as
        without regionstat."""
        env = env or harness.environment()
        self.execute(program, env=env, cwd=self.directory, status=STATUS)
        result = self.measure(*program, env=env, cwd=self.directory, status=STATUS)
        self.assertIn(OUTPUT, result.stdout)
        self.check_report(result)
        return result

    def check_report(self, result):
        self.assertEqual(result.report.calls(), CALLS, result)
        self.assertClean(result.report)


class Builds(EverywhereTestCase):
    """Each way to build the program. One test is added for each line of the table."""

    def has_sanitizer(self, compiler, flags):
        """Return whether a compiler has the sanitizer that the flags name, if they do."""
        sanitizers = [flag for flag in flags if "sanitize" in flag]
        probe = self.text_file("probe.c", "int main(void) { return 0; }\n")
        if sanitizers and harness.run([compiler, *flags, probe, "-o", self.path("probe")]).status != 0:
            harness.note("%s has no %s here" % (compiler, sanitizers[0]))
            return False
        return True

    def check_build(self, name):
        names, flags, tools = BUILDS[name]
        for tool in tools:
            harness.need_tool(tool)
        found = [compiler for compiler in names
                 if shutil.which(compiler) and self.has_sanitizer(compiler, flags)]
        harness.need(found, "none of these can do this here: " + ", ".join(names))
        suppressions = self.text_file("suppressions", NOT_OF_THREADS)
        env = harness.environment(TSAN_OPTIONS="suppressions=" + suppressions,
                                  MSAN_OPTIONS=NOT_OF_MEMORY)
        for compiler in found:
            with self.subTest(compiler=compiler):
                result = self.check(self.build(compiler, *flags), env=env)
                self.assertNotIn("Sanitizer", result.stderr)
                self.assertNotIn("runtime error", result.stderr)


class Tools(EverywhereTestCase):
    """Tools that trace a program, inside and outside of regionstat."""

    def words(self, name):
        tool, words = TOOLS[name]
        return [harness.need_tool(tool), *(word.replace("%s", self.directory) for word in words)]

    def check_tool(self, name):
        """Check a run in which regionstat runs the tool, and the tool the program."""
        program = self.build("gcc", "-O1", "-g")
        words = self.words(name)
        probe = harness.run([*words, "/bin/true"], cwd=self.directory)
        harness.need(probe.status == 0, "%s does not work here: %s" % (words[0], probe.stderr.strip()[-200:]))
        self.check(*words, program)

    def check_tool_outside(self, name):
        """Check a run in which the tool runs regionstat, and regionstat the program."""
        program, words = self.build("gcc", "-O1", "-g"), self.words(name)
        report = self.path("outside.csv")
        result = harness.run([*words, harness.REGIONSTAT, "-x", ",", "-o", report, "--", program],
                             cwd=self.directory)
        if "ptrace" in result.stderr and not os.path.exists(report):
            self.skipTest("%s may not trace here: %s" % (name, result.stderr.strip()[-200:]))
        self.assertEqual(result.status, STATUS, result)
        self.assertIn(OUTPUT, result.stdout)
        result = harness.Result(result.argv, result.status, b"", result.stderr.encode())
        result.report = harness.read_report(report)
        self.check_report(result)

    def test_strace_outside(self):
        self.check_tool_outside("strace")

    def test_looks_under_strace(self):
        """Under strace(1) each system call of a look is a context switch, so that no look succeeds.
        Such a look reads each clock once, and is not tried three times."""
        log, program = self.path("log"), self.build("gcc", "-O1")
        self.measure(harness.need_tool("strace"), "-f", "-o", log,
                     "-e", "trace=clock_gettime,getrusage", program, events="time", status=STATUS)
        calls = harness.read_text(log)
        n_looks = calls.count("getrusage(RUSAGE_THREAD")
        harness.need(n_looks, "the runtime does not watch context switches here")
        self.assertGreater(n_looks, N_OUTER)
        self.assertLess(calls.count("clock_gettime(CLOCK_THREAD_CPUTIME_ID"), 2 * n_looks)

    def test_gdb_outside(self):
        self.check_tool_outside("gdb")

    def test_a_breakpoint_within_a_region(self):
        """A program that is stopped and stepped within markers loses no call."""
        program = self.build("gcc", "-O0", "-g")
        gdb = self.words("gdb")
        run = gdb.index("run")
        gdb[run:run] = ["break parts", "-ex", "ignore 1 50", "-ex"]
        gdb[run + 5:run + 5] = ["-ex", "next", "-ex", "next", "-ex", "step", "-ex", "delete",
                                "-ex", "continue"]
        harness.need(harness.run([*self.words("gdb"), "/bin/true"]).status == 0, "gdb may not trace here")
        result = self.measure(*gdb, program, status=STATUS)
        self.assertRegex(result.stdout, r"Breakpoint 1, parts")
        self.check_report(result)


class Allocators(EverywhereTestCase):
    """Another malloc(), preloaded into the program only, and into regionstat too."""

    def check_allocator(self, name):
        library = ALLOCATORS[name]
        program = self.build("gcc", "-O2")
        loaded = harness.run([program], env=harness.environment(LD_PRELOAD=library))
        harness.need("cannot be preloaded" not in loaded.stderr, "%s is not installed" % library)
        maps = harness.run(["cat", "/proc/self/maps"], env=harness.environment(LD_PRELOAD=library))
        self.assertIn(library.split(".so")[0], maps.stdout)
        self.check(program, env=harness.environment(LD_PRELOAD=library))
        self.check("env", "LD_PRELOAD=" + library, program)


class OtherWidth(EverywhereTestCase):
    """Programs of 32 bits, for which there is no runtime, run as usual, and a message says so."""

    LIBRARIES = "/usr/i686-linux-gnu/lib"

    def check_refused(self, *flags):
        compiler = harness.need_tool("i686-linux-gnu-gcc")
        if not os.path.exists(self.LIBRARIES + "/ld-linux.so.2"):
            self.skipTest("there is no C library of 32 bits (package libc6-dev-i386-cross)")
        program = self.build(compiler, "-O2", *flags)
        try:
            alone = harness.run([program])
        except OSError as error:
            self.skipTest("the kernel runs no programs of 32 bits: %s" % error)
        self.assertEqual((alone.status, alone.stdout), (STATUS, OUTPUT), alone)
        result = self.measure(program, status=STATUS)
        self.assertEqual((result.stdout, result.report.regions()), (OUTPUT, []), result)
        self.assertEqual(result.report.run().status, "ok")
        return result.stderr

    def test_dynamic(self):
        stderr = self.check_refused("-Wl,--dynamic-linker=%s/ld-linux.so.2" % self.LIBRARIES,
                                    "-Wl,-rpath=" + self.LIBRARIES)
        self.assertRegex(stderr, "regions are not measured: .*there is no runtime for programs of 32 "
                                 "bits.*; build it for one of these")

    def test_static(self):
        """A static program of 32 bits cannot say why: the code for that is linked only if it is
        used."""
        stderr = self.check_refused("-static")
        self.assertIn("the program has no markers", stderr)
        self.assertIn("32-bit programs cannot be measured", stderr)


def add_tests(case, names, method):
    """Add a separate test for each line of a table, so that each has its own result."""
    for name in names:
        def test(self, name=name):
            getattr(self, method)(name)
        word = "".join(c if c.isalnum() else "_" for c in name).replace("__", "_")
        setattr(case, "test_" + word, test)


add_tests(Builds, BUILDS, "check_build")
add_tests(Tools, TOOLS, "check_tool")
add_tests(Allocators, ALLOCATORS, "check_allocator")
