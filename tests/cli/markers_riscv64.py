# SPDX-License-Identifier: MIT
"""The runtime and the adapters of other APIs on riscv64. They are built for it, and QEMU runs them
in user mode with the tests' programs, under this machine's regionstat. The segment has the same
format on all CPUs, and the calls are those that the programs make. QEMU has no perf events, so the
tests measure no events."""

import os
import pathlib
import shutil
import sys

import adapter_counts
import harness

sys.path.insert(0, os.path.join(harness.SOURCE, "tests", "runtime"))
import stack_usage  # pylint: disable=wrong-import-position

COMPILER, QEMU, ROOT = "riscv64-linux-gnu-gcc", "qemu-riscv64", "/usr/riscv64-linux-gnu"
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", '-DREGIONSTAT_VERSION="0"', '-DREGIONSTAT_COMMAND="regionstat"', "-O0", "-w", "-pthread",
         "-I" + os.path.join(harness.SOURCE, "lib"),
         "-I" + os.path.join(harness.SOURCE, "lib", "adapters", "standin")]
LIBRARY = ["-fPIC", "-fvisibility=hidden", "-shared", "-Wl,-z,defs"]


def sources_of(name):
    """Return the sources of a shared library of the build."""
    targets = harness.read_json(os.path.join(harness.BUILD, "meson-info", "intro-targets.json"))
    found = [target for target in targets
             if target["name"] == name and target["type"] == "shared library"]
    return [source for group in found[0]["target_sources"] for source in group.get("sources", [])
            if source.endswith(".c")]


class Riscv64(harness.TestCase):

    def setUp(self):
        super().setUp()
        for tool in (COMPILER, QEMU):
            harness.need_tool(tool)
        # the objects of runtime/stack-usage
        objects, said = stack_usage.compile_once(pathlib.Path(harness.BUILD), "riscv64",
                                                 sources_of("regionstat"))
        self.assertEqual(said, [])
        self.runtime = self.build("libregionstat.so.1", *LIBRARY, "-Wl,-z,nodelete",
                                  *sorted(map(str, objects.glob("*.o"))))

    def build(self, name, *words):
        """Build a program or library in this test's scratch directory, once for all tests."""
        return shutil.copy(harness.build_once(COMPILER, *FLAGS, *words, "-ldl"), self.path(name))

    def adapter(self, name):
        return self.build("libregionstat-%s.so" % name, *LIBRARY, "-Wl,-z,nodelete",
                          *sources_of("regionstat-" + name))

    def program(self, source, *words):
        name = os.path.basename(source).split(".")[0]
        return self.build(name, os.path.join(harness.APP_SOURCES, source), *words)

    def check(self, name, variables, program, calls, met=None, diagnostics=None,
              options=adapter_counts.OPTIONS):
        """Run a program in that environment. Check its calls, and what its adapter found."""
        variables = {"REGIONSTAT_RUNTIME": self.runtime,
                     "LD_LIBRARY_PATH": self.directory, **variables}
        words = [word for item in variables.items() for word in ("-E", "%s=%s" % item)]
        result = self.measure(shutil.which(QEMU), "-L", ROOT, *words, *program, events="time",
                              options=options)
        self.assertEqual(result.report.calls(), calls, result)
        found = adapter_counts.of(result.report, name)
        self.assertEqual(found.pop("processes"), 1, result)
        found.pop("regions")
        self.assertEqual(found, met or {}, result)
        self.assertEqual(result.report.diagnostics(), diagnostics or {}, result)
        return result.report

    def check_contract(self, name, variables):
        """Check calls that nest on four threads, and ranges that another thread ends."""
        program = self.program("markers/contract.c", *(
            os.path.join(harness.APP_SOURCES, source)
            for source in ("rules/pages.c", "caliper/library.c")))
        report = self.check(name, variables, [program, name, "nested", "50"],
                            {"outer": 200, "inner": 200})
        inner = report.region("inner")
        self.assertEqual((inner.parent, inner.threads), ("outer", 4))
        self.check(name, variables, [program, name, "elsewhere", "1000"], {"range": 1000})

    def test_itt(self):
        variables = {"INTEL_LIBITTNOTIFY64": self.adapter("itt")}
        self.check_contract("itt", variables)
        program = self.program("markers/itt.c")
        self.check("itt", variables, [program, "frames", "50"],
                   {"dom": 100, "handed": 1, "named": 100}, {"ignored": 50})
        self.check("itt", variables, [program, "names"],
                   {"early:early string": 2, "w\u00efde:\u20ac \U0001f600": 1, "bare": 1,
                    "dom:(unnamed)": 1})

    def test_nvtx(self):
        variables = {"NVTX_INJECTION64_PATH": self.adapter("nvtx")}
        program = self.program("markers/nvtx.c")
        self.check_contract("nvtx", variables)
        self.check("nvtx", variables, [program, "levels", "30"],
                   {"a": 30, "b": 30, "in": 60, "dom:in": 60}, {"unmatched": 60},
                   {"recursive": 60})
        self.check("nvtx", variables, [program, "ranges", "1000"], {"even": 500, "dom:odd": 500})

    def test_kokkos(self):
        variables = {"KOKKOS_TOOLS_LIBS": self.adapter("kokkos")}
        program = self.program("kokkos/main.c")
        names = ("outer", "fill", "sum", "scan", "Kokkos::fence", "Kokkos::Tools::fence",
                 "Kokkos::deep_copy", "event", "section")
        self.check("kokkos", variables, [program, "calls"], dict.fromkeys(names, 40),
                   {"ignored": 41})
        self.check("kokkos", variables, [program, "wrong"], {"twice": 1, "section": 1},
                   {"unmatched": 10})

    def test_caliper(self):
        self.build("libcaliper.so", "-fPIC", "-shared",
                   os.path.join(harness.APP_SOURCES, "caliper", "library.c"))
        variables = {"LD_PRELOAD": self.adapter("caliper")}
        program = self.program("caliper/main.c", "-L" + self.directory, "-lcaliper")
        self.check("caliper", variables, [program, "calls"],
                   {"calls": 20, "loop": 20, "iteration#loop": 100, "inner": 100, "phase": 20,
                    "exchange": 20})
        self.check("caliper", variables, [program, "wrong"], {"a": 1, "loop": 1},
                   {"unmatched": 5, "ignored": 2})

    def test_uprof(self):
        program = self.program("uprof.c", *sources_of("AMDProfileController"))
        self.check("uprof", {}, [program, "fork"],
                   {"amdProfile": 11, "inside": 11, "outside": 11}, options=["--markers", "uprof"])
        self.check("uprof", {}, [program, "wrong"], {"amdProfile": 1}, {"ignored": 3},
                   options=["--markers", "uprof"])

    def test_functions(self):
        """Names of functions are found in a file for another CPU."""
        variables = {"LD_PRELOAD": self.adapter("functions")}
        program = self.program("functions/main.c", "-g", "-finstrument-functions",
                               os.path.join(harness.APP_SOURCES, "functions", "other.c"))
        self.check("functions", variables,
                   [program, "fibonacci", "12", "grows", "20", "leaps", "50"],
                   {"fibonacci": 465, "grows": 21, "catches": 50, "leaps": 0},
                   diagnostics={"recursive": 484, "lost": 150})

    def test_several_at_once(self):
        """Markers of LIKWID, NVTX and the header form one tree."""
        self.build("liblikwid.so", *LIBRARY, *sources_of("likwid"))
        variables = {"LD_PRELOAD": self.adapter("likwid"),
                     "NVTX_INJECTION64_PATH": self.adapter("nvtx")}
        program = self.program("markers/mixed.c", "-L" + self.directory, "-llikwid")
        parents = {"step": "", "solve": "step", "kernel": "step", "leaf": "kernel",
                   "phase": "", "pass": "phase", "sweep": "pass"}
        calls = {name: 400 if name == "kernel" else 200 for name in parents}
        report = self.check("likwid", variables, [program, "50"], calls)
        self.assertEqual({name: report.region(name).parent for name in parents}, parents)
