# SPDX-License-Identifier: MIT
"""Functions of programs that clang compiled with -fxray-instrument. Each function has the calls
that the program counts itself. Functions that are not selected are not patched. Messages name what
cannot be measured."""

import os
import platform
import re
import shutil
import unittest

import adapter_counts
import harness

SOURCES = os.path.join(harness.APP_SOURCES, "functions")
N = 200
WAYS = (("-O0",), ("-O1", "-fno-optimize-sibling-calls"), ("-O2",), ("-O2", "-fno-pie", "-no-pie"),
        ("-O2", "-rdynamic"))
VECTORS = (("-mavx", 32), ("-mavx512f", 64))  # and the bytes of a vector
# Settings with which glibc's memcpy() and similar functions use registers whose upper parts they
# leave empty.
TUNABLES = "glibc.cpu.hwcaps=-AVX512VL,-AVX512F,-AVX512BW,-AVX512CD,-AVX512DQ,-ERMS"
# A program for a machine on which no code may become writable: PR_SET_MDWE,
# PR_MDWE_REFUSE_EXEC_GAIN.
HARDENED = ("import ctypes, os, sys\n"
            "failed = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)\n"
            "os.execv(sys.argv[1], sys.argv[1:]) if not failed else sys.exit(77)\n")


def told(text):
    """Return the counts of a program's processes, by function."""
    counts = {}
    for name, n in re.findall(r"^(\w+) (\d+)$", text, re.MULTILINE):
        counts[name] = counts.get(name, 0) + int(n)
    return counts


@unittest.skipIf(platform.machine() != "x86_64", "the adapter knows XRay's trampolines of x86-64")
class XRay(adapter_counts.TestCase):

    adapter = "functions"

    def setUp(self):
        super().setUp()
        self.clang = harness.need_tool("clang")

    def build(self, *flags, sources=("main.c", "other.c"), compiler=None, name="program"):
        path = self.path(name)
        result = harness.run([compiler or self.clang, "-Wall", "-Wextra", "-g", "-pthread",
                              "-fxray-instrument", *(os.path.join(SOURCES, source) for source in sources),
                              "-o", path, *flags])
        harness.need("libclang_rt.xray" not in result.stderr, "clang has no XRay runtime here")
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        return path

    def test_found(self):
        """The program's sleds are enough to find the adapter: no option is needed."""
        adapter_counts.check_auto(self, "functions", "program has xray_instr_map",
                                  {"middle": N, "leaf": 2 * N}, self.build("-O1"), "middle", str(N))

    def test_calls_are_those_that_the_program_counts(self):
        for flags in WAYS:
            with self.subTest(flags=flags):
                program, reports = self.build(*flags), {}
                for words in (["threads", N], ["fibonacci", 12], ["middle", N],
                              ["jumps", N, "logged", N], ["fork", "middle", N, "threads", 7]):
                    result = self.measure_with(program, *words)
                    counted = told(result.stdout)
                    self.assertGreater(sum(counted.values()), N)
                    self.assertEqual(result.report.calls(), counted, result)
                    self.assertEqual(set(result.report.diagnostics()) - {"recursive"}, set())
                    reports[words[0]] = result.report
                self.assertEqual(reports["threads"].region("middle").threads, 4)
                self.assertEqual(reports["middle"].region("leaf").parent, "middle")
                # a call that ends in a jump to another function ends before that function begins
                self.assertEqual(reports["jumps"].region("leaf").parent,
                                 "" if "-O2" in flags else "jumps")

    def test_calls_that_longjmp_leaves(self):
        """Calls that longjmp() leaves never end, and are not counted. The calls around them are
        correct, also calls of the same function: stack frames show which call has ended."""
        for flag in ("-O0", "-O2"):
            with self.subTest(flag=flag):
                program = self.build(flag)
                report = self.measure_with(program, "leaps", 50).report
                self.assertEqual(report.calls()["catches"], 50)
                self.assertEqual(report.diagnostics("leaps"), {"lost": 150})
                self.assertEqual(report.diagnostics("catches"), {})
                result = self.measure_with(program, "retries", 5)
                row = result.report.region("retries")
                within_ns = int(re.search(r"^ns (\d+)$", result.stdout, re.MULTILINE).group(1))
                self.assertEqual(row.calls, 5)
                self.assertEqual(result.report.diagnostics("retries")["lost"], 10)
                # the inner calls take microseconds
                self.assertGreater(row.total, within_ns // 2, result)

    def test_exceptions(self):
        compiler = harness.need_tool("clang++")
        source = self.text_file(
            "thrown.cpp",
            "#include <stdexcept>\n#include <cstdlib>\n"
            "[[clang::xray_always_instrument, gnu::noinline]] int thrown(int n) {\n"
            "  if (n % 4 == 0) throw std::runtime_error(\"four\");\n  return n; }\n"
            "[[clang::xray_always_instrument, gnu::noinline]] int tries(int n) {\n"
            "  try { return thrown(n); } catch (std::exception &) { return 0; } }\n"
            "[[clang::xray_never_instrument]] int main() { int sum = 0;\n"
            "  for (int i = 0; i < 100; i++) sum += tries(i);\n"
            "  return sum != 3750; }\n")
        program = self.build("-O1", sources=[source], compiler=compiler)
        report = self.measure_with(program).report
        self.assertEqual(report.calls(), {"tries(int)": 100, "thrown(int)": 75})
        self.assertEqual(report.diagnostics("thrown(int)"), {"lost": 25})
        self.assertEqual(report.diagnostics("tries(int)"), {})

    def test_signals_at_any_time(self):
        """Calls that interrupt a marker are not measured, and a message has their number."""
        result = self.measure_with(self.build("-O1"), "signals", N)
        counted, calls = told(result.stdout), result.report.calls()
        self.assertEqual(calls["middle"], counted["middle"])
        missing = sum(counted[name] - calls[name] for name in ("handler", "leaf"))
        skipped = re.search(r"([\d,]+) markers? skipped in signal handlers", result.stderr)
        self.assertEqual(2 * missing, int(skipped.group(1).replace(",", "")) if skipped else 0, result)
        self.assertEqual(counted["handler"] - calls["handler"],
                         counted["leaf"] - calls["leaf"], result)

    def test_handlers_that_jump_out(self):
        """A handler may jump out of a marker: all later calls are measured, also of new
        functions."""
        result = self.measure_with(self.build("-O1"), "escapes", N, "fibonacci", 12)
        counted, calls = told(result.stdout), result.report.calls()
        self.assertEqual(calls["fibonacci"], counted["fibonacci"], result)
        # one call of each is left at a time, in which the marker itself may have been
        self.assertTrue(0 <= counted["middle"] - calls["middle"] <= N, result)
        self.assertTrue(0 <= counted["leaf"] - calls["leaf"] <= N, result)

    def test_vectors_stay_as_they_are(self):
        """XRay saves 128 bits of each vector register; the program checks every lane."""
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            has = set(file.read().split())
        for flag, size in VECTORS:
            if flag[2:] not in has:
                harness.note("the processor has no %s" % flag[2:])
                continue
            with self.subTest(flag=flag):
                program = self.build("-O1", flag, "-DVECTOR_BYTES=%d" % size)
                for extra in ([], ["GLIBC_TUNABLES=" + TUNABLES]):
                    result = self.measure_with(program, "vectors", N, extra=extra)
                    self.assertEqual(result.report.calls(), {"add": N}, result)
        harness.need("avx" in has, "the processor has vectors of 128 bits alone")

    def test_chosen_functions_alone_are_patched(self):
        program = self.build("-O1")
        result = self.measure_with(program, "middle", N, "fibonacci", 9,
                                   options=["--functions", "l*f"])
        self.assertEqual(result.report.calls(), {"leaf": 2 * N})
        self.assertEqual(adapter_counts.of(result.report, "functions"),
                         {"processes": 1, "regions": 1})  # and none ignored
        result = self.measure_with(program, "middle", N, options=["--functions", "fibonacci"])
        self.assertEqual((result.report.calls(), result.stdout),
                         ({}, "leaf %d\nmiddle %d\n" % (2 * N, N)))

    def test_programs_that_are_started_by_another(self):
        """Each program uses its own runtime of XRay; programs without sleds are not affected."""
        program, other = self.build("-O1"), self.build("-O2", name="other")
        script = "%s middle %d; %s middle %d; ls >/dev/null" % (program, N, other, N)
        result = self.measure_with("sh", "-c", script)
        self.assertEqual(sorted(result.report.calls().values()), [N, N, 2 * N, 2 * N], result)
        self.assertEqual(adapter_counts.of(result.report, "functions"),
                         {"processes": 2, "regions": 4})

    def assertRefused(self, result):
        self.assertEqual(result.report.calls(), {})
        self.assertEqual(told(result.stdout), {"leaf": 2 * N, "middle": N})
        self.assertIn("the XRay sleds of 1 process could not be used", result.stderr)
        self.assertEqual(adapter_counts.of(result.report, "functions"),
                         {"processes": 0, "regions": 0, "refused": 1})

    def test_stripped_programs(self):
        program = self.build("-O1")
        self.execute([harness.need_tool("strip"), program])
        self.assertRefused(self.measure_with(program, "middle", N))
        self.assertRefused(self.measure(program, "middle", str(N), events="time"))

    def test_a_log_of_its_own_comes_first(self):
        program = self.build("-O1")
        log = "xray_mode=xray-basic patch_premain=true xray_logfile_base=" + self.path("log.")
        result = self.measure_with(program, "middle", N, extra=["XRAY_OPTIONS=" + log])
        self.assertRefused(result)
        self.assertTrue([name for name in os.listdir(self.directory) if name.startswith("log.")])
        # all functions are patched before the handler is set
        result = self.measure_with(program, "middle", N, extra=["XRAY_OPTIONS=patch_premain=true"],
                                   options=["--functions", "middle"])
        self.assertEqual(result.report.calls(), {"middle": N})

    def test_a_handler_of_its_own_has_a_message(self):
        result = self.measure_with(self.build("-O1"), "middle", N, "own", 1, "middle", 5)
        self.assertEqual(result.report.calls(), {"middle": N, "leaf": 2 * N})
        self.assertIn("1 process could not be used, or only for a part of the run", result.stderr)
        self.assertEqual(told(result.stdout), {"middle": N + 5, "leaf": 2 * N + 10})

    def test_code_that_must_not_be_written_to(self):
        program, python = self.build("-O1"), harness.need_tool("python3")
        if harness.run([python, "-c", HARDENED, "/bin/true"]).status == 77:
            self.skipTest("the kernel has no PR_SET_MDWE")
        self.assertRefused(self.measure_with(python, "-c", HARDENED, program, "middle", N))

    def test_not_launched(self):
        program = self.build("-O1")
        self.assertSame(*(harness.run([program, "middle", "5", "fibonacci", "5"], env=env)
                          for env in (None, self.environment())))

    def test_the_runtime_is_not_believed_without_its_code(self):
        """The symbol table differs from the program in memory, so its addresses are not used."""
        objcopy = harness.need_tool("objcopy")
        program, nm = self.build("-O1"), harness.need_tool("nm")
        symbols = harness.run([nm, program]).stdout
        address = re.search(r"^(\w+) . main$", symbols, re.MULTILINE).group(1)
        moved = self.path("moved")
        # the address of another function with different code
        result = harness.run([objcopy, "--strip-symbol=__xray_patch", "--add-symbol",
                              "__xray_patch=0x%s,function,global" % address, program, moved])
        harness.need(result.status == 0, "objcopy cannot add symbols: " + result.stderr)
        shutil.copymode(program, moved)
        self.assertRefused(self.measure_with(moved, "middle", N))
