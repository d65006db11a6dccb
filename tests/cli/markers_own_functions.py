# SPDX-License-Identifier: MIT
"""Programs that define string, memory, clock and thread functions themselves, with markers or
instrumentation. What regionstat loads into them does not call these functions."""

import glob
import os
import re
import subprocess

import harness

CALLS = 3 * 100  # calls of every function: threads, times CALLS in tests/apps/own_functions.c
FUNCTIONS = ("memcpy", "memcmp", "memset", "strlen", "strcmp", "strchr", "malloc", "clock_gettime",
             "pthread_setspecific")
COUNTED = {name + "_counted" for name in FUNCTIONS}
REGIONS = COUNTED | {"work"}
# options, and the regions that they select
OPTIONS = (([], REGIONS), (["--only", "work"], {"work"}),
           (["--only", "mem*", "--only", "strlen_*"],
            {"memcpy_counted", "memcmp_counted", "memset_counted", "strlen_counted"}),
           (["-e", "page-faults"], REGIONS), (["-e", "task-clock,context-switches"], REGIONS),
           (["--sample", "10"], REGIONS), (["--per-thread"], REGIONS), (["--raw"], REGIONS))
RUNS = 10

# Functions of the C library that the loaded objects call, and why a program hardly ever replaces
# them.
ALLOWED = {
    "__rseq_offset", "__rseq_size",  # data
    # only the dynamic linker can implement them
    "_dl_find_object", "_GLOBAL_OFFSET_TABLE_", "_TLS_MODULE_BASE_", "__tls_get_addr",
    "dl_iterate_phdr", "dladdr", "dlsym",
    "getauxval", "secure_getenv",  # read the kernel's values
    "__register_atfork", "pthread_atfork", "pthread_key_create", "pthread_setspecific",
    "pthread_create", "pthread_detach", "pthread_join",  # the threads that detach
    "__divti3", "__udivti3", "__umodti3",  # the compiler's own library
}
# Sources that only regionstat_open() and regionstat_report() use. The program calls these two, and no
# marker does.
OPENING = {"attach_open", "attach_report", "base_err", "base_switches",
           "segment_clock", "segment_event_names", "segment_segment"}
# Further functions that adapters call: in their copy of the marker header's loader, which runs
# before there are markers; the API's own library; ends of threads.
ALLOWED_OF_ADAPTERS = {
    "__cxa_finalize", "__errno_location", "close", "dl_iterate_phdr", "dladdr", "dlclose", "dlerror",
    "dlopen", "dlsym", "dprintf", "fcntl", "fstatfs", "getenv", "geteuid", "getpid", "open", "pread",
    "pthread_create", "pthread_detach", "pthread_key_create", "pthread_setspecific",
    "pthread_sigmask", "pwrite", "secure_getenv", "setenv", "snprintf", "sscanf", "syscall",
}
# Names that glibc gives functions when it compiles for large files or for C23. musl does not have them.
OF_GLIBC_ALONE = re.compile(r"__isoc\d+_|\w+64(_\w+)?$")
WEAK_OF_COMPILERS = re.compile(r"_ITM_|__gmon_start__")


class OwnFunctions(harness.TestCase):

    def run_all(self, program, n_runs, is_instrumented=False):
        for options, regions in OPTIONS:
            # --only matches names, and an instrumented function has only an address
            if is_instrumented:
                options = [word.replace("--only", "--functions") for word in options]
                options += [] if "--functions" in options else ["--functions", "*"]
            for _ in range(n_runs):
                with self.subTest(options=options):
                    result = self.measure(program, options=options)
                    calls = dict.fromkeys(regions, 0)
                    for row in result.report.select(kind="region", event="time"):
                        if row.calls and row.region in REGIONS:
                            calls[row.region] = calls.get(row.region, 0) + row.calls
                    self.assertEqual(calls, dict.fromkeys(regions, CALLS))
                    self.assertNotIn("signal handlers", result.stderr)

    def test_marked(self):
        for compiler in harness.compilers():
            program = self.compile("own_functions.c", compiler, "-O1", "-fno-builtin", "-rdynamic",
                                   name=compiler)
            self.run_all(program, RUNS if compiler == "gcc" else 1)

    def test_instrumented(self):
        for compiler in harness.compilers():
            program = self.compile("own_functions.c", compiler, "-O1", "-fno-builtin", "-rdynamic",
                                   "-DINSTRUMENTED", "-finstrument-functions", name=compiler)
            self.run_all(program, RUNS if compiler == "gcc" else 1, True)

    def test_marked_and_static(self):
        archive = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")
        program = self.compile("own_functions.c", "gcc", "-O1", "-fno-builtin", "-rdynamic",
                               "-DREGIONSTAT_STATIC", archive)
        self.run_all(program, 1)


class Symbols(harness.TestCase):
    """Checks with nm that the built objects call no functions of the C library except those listed
    above."""

    @staticmethod
    def symbols(path, *options):
        """Return (type, name) of each symbol, without versions."""
        listing = subprocess.run([harness.need_tool("nm"), *options, path], capture_output=True,
                                 text=True, check=True).stdout
        return [(words[-2], words[-1].split("@")[0]) for words in map(str.split, listing.split("\n"))
                if len(words) >= 2]

    def undefined(self, path, *options):
        return {name for kind, name in self.symbols(path, *options)
                if kind in "Uw" and not WEAK_OF_COMPILERS.match(name)}

    def test_the_runtime(self):
        path = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a")
        own = {name for kind, name in self.symbols(path) if kind not in "Uw"}
        listing = harness.run([harness.need_tool("nm"), "-A", "--undefined-only", path])
        called = {}
        for line in listing.stdout.splitlines():
            source = re.search(r":(?:\.\._)?(\w+)\.c\.o:", line)[1]
            called.setdefault(source, set()).add(line.split()[-1])
        self.assertGreater(len(called), 40)
        self.assertLess(OPENING, set(called))
        for source in set(called) - OPENING:
            with self.subTest(source):
                self.assertEqual(called[source] - own - ALLOWED, set())

    def test_musl_has_the_functions_of_the_runtime(self):
        path = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1.0.0")
        called = self.undefined(path, "-D")
        self.assertIn("fopen", called)
        self.assertEqual({name for name in called if OF_GLIBC_ALONE.match(name)}, set())

    def test_adapters(self):
        paths = glob.glob(os.path.join(harness.BUILD, "lib", "adapters", "*.so"))
        self.assertGreater(len(paths), 4)
        for path in paths:
            with self.subTest(os.path.basename(path)):
                self.assertEqual(self.undefined(path, "-D") - ALLOWED_OF_ADAPTERS, set())
