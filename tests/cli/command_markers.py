# SPDX-License-Identifier: MIT
"""--markers: the adapters that a program gets, because it shows signs of an API or because the user
names it. A program without adapters is unchanged."""

import os
import random
import re
import shutil

import adapter_counts
import harness

LIKWID = adapter_counts.path("likwid")
NAMES = ["likwid", "itt", "nvtx", "kokkos", "openmp", "papi", "caliper", "functions", "roctx"]

DEEP = """
#include <likwid.h>
void deep(void);
void deep(void)
{
	likwid_markerStartRegion("deep");
	likwid_markerStopRegion("deep");
}
"""
WHY = r"^libdeep\.so has likwid_markerSt(art|op)Region$"
CALLER = """
void deep(void);
int main(void)
{
	deep();
	return 0;
}
"""


environment = adapter_counts.unordered
NO_CHECK = "verify_asan_link_order=0"
# the variable that --markers sets if it names other adapters than uprof
OFF = {"REGIONSTAT_UPROF": "off"}


def preloaded(value):
    """Return the variables of adapters that LD_PRELOAD loads. With them AddressSanitizer does not
    end the program."""
    before = environment().get("ASAN_OPTIONS", "")
    return {"LD_PRELOAD": value, **({} if NO_CHECK in before else {
        "ASAN_OPTIONS": before + ":" + NO_CHECK if before else NO_CHECK})}


def without_off(variables):
    return {name: value for name, value in variables.items() if name != "REGIONSTAT_UPROF"}


class Markers(harness.TestCase):

    def make(self, name, text, *flags):
        """Build a program or library from source text."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        source = self.text_file("source.c", text)
        return self.compile(source, harness.compilers()[0], *flags, name=name)

    def library(self, name, text=DEEP, *flags):
        """Build a library with LIKWID's markers, linked with the stand-in."""
        return self.make(name, text, "-shared", "-fPIC", *flags, *adapter_counts.WITH_LIKWID)

    def dry_run(self, *arguments, regionstat=harness.REGIONSTAT, **options):
        """Return the output of --dry-run: {adapter: why}, and the variables of the program."""
        options.setdefault("env", environment())
        result = self.execute([regionstat, "--dry-run", *arguments], **options)
        section = result.stdout.partition("environment:\n")[2].partition("events:\n")[0]
        lines = [line.split(None, 1) for line in section.split("\n") if line]
        found = dict(line[1].split(", ", 1) for line in lines if line[0] == "markers")
        variables = dict(line[1].split("=", 1) for line in lines if line[0] == "variable")
        return found, variables

    def tree(self, *adapters):
        """Make a copy of regionstat with the same command and runtime, in which these adapters are
        all the same file. Return the path of the command."""
        return adapter_counts.tree(self, dict.fromkeys(adapters, LIKWID))

    # ---- signs of markers in a program ----

    def test_library_of_a_library(self):
        """The program has no markers, but a library of its library does."""
        for how, flags, more in (
                ("runpath", ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib"], {}),
                ("rpath", ["-Wl,--disable-new-dtags,-rpath,${ORIGIN}/lib"], {}),
                ("library path", [], {"LD_LIBRARY_PATH": "/nowhere:" + self.path("lib")})):
            with self.subTest(how):
                self.library("lib/libdeep.so")
                self.make("lib/libmiddle.so", "void deep(void);\nvoid middle(void);\n"
                          "void middle(void)\n{\n\tdeep();\n}\n", "-shared", "-fPIC",
                          "-L" + self.path("lib"), "-Wl,-rpath,$ORIGIN", "-ldeep")
                program = self.make("caller", CALLER.replace("deep", "middle"),
                                    "-L" + self.path("lib"), "-Wl,-rpath-link," + self.path("lib"),
                                    *flags, "-lmiddle")
                env = environment(**more)
                found, variables = self.dry_run(program, env=env)
                self.assertEqual(list(found), ["likwid"])
                self.assertRegex(found["likwid"], WHY)
                self.assertEqual(variables, preloaded(LIKWID))
                result = self.measure(program, events="time", env=env)
                self.assertEqual(result.report.calls(), {"deep": 1})

    def test_rpath_of_the_program_is_for_all(self):
        """A DT_RPATH of the program leads to what its libraries need, a DT_RUNPATH does not."""
        self.library("far/libdeep.so")
        self.make("near/libmiddle.so", "void deep(void);\nvoid middle(void);\n"
                  "void middle(void)\n{\n\tdeep();\n}\n", "-shared", "-fPIC",
                  "-L" + self.path("far"), "-ldeep")
        for flag, expected in (("--disable-new-dtags", {"likwid"}), ("--enable-new-dtags", set())):
            program = self.make("caller", CALLER.replace("deep", "middle"),
                                "-L" + self.path("near"),
                                "-Wl,%s,-rpath,$ORIGIN/near:$ORIGIN/far" % flag,
                                "-Wl,-rpath-link," + self.path("far"), "-lmiddle")
            ran = harness.run([program], env=environment())
            self.assertEqual((flag, ran.status == 0), (flag, bool(expected)))
            self.assertEqual(set(self.dry_run(program)[0]), expected)

    def test_origin_of_a_library_behind_a_link(self):
        """$ORIGIN is the directory of the link to a library, and not that of its file."""
        self.library("link/sub/libdeep.so")
        self.make("real/libmiddle.so", "void deep(void);\nvoid middle(void);\n"
                  "void middle(void)\n{\n\tdeep();\n}\n", "-shared", "-fPIC",
                  "-L" + self.path("link/sub"), "-Wl,-rpath,$ORIGIN/sub", "-ldeep")
        os.symlink("../real/libmiddle.so", self.path("link/libmiddle.so"))
        program = self.make("caller", CALLER.replace("deep", "middle"), "-L" + self.path("link"),
                            "-Wl,-rpath,$ORIGIN/link", "-Wl,-rpath-link," + self.path("link/sub"),
                            "-lmiddle")
        self.assertEqual(harness.run([program], env=environment()).status, 0)
        self.assertEqual(set(self.dry_run(program)[0]), {"likwid"})

    def test_default_directories(self):
        """PAPI's library is where the linker's cache says, and needs no other library of PAPI."""
        harness.need_header("papi.h", "libpapi-dev")
        program = self.make("papi", "#include <papi.h>\nint main(void)\n{\n"
                            '\treturn PAPI_hl_region_begin("a");\n}\n', "-lpapi")
        self.assertEqual(self.dry_run(program)[0], {"papi": "papi has PAPI_hl_region_begin"})

    def test_signs(self):
        """Each API is found by its signs, and not by similar texts."""
        command = self.tree(*NAMES)
        loads = ("#include <dlfcn.h>\n#include <stdlib.h>\n"
                 "int main(void)\n{{\n\tchar *path = getenv(\"{}\");\n"
                 "\tvoid *tool = path ? dlopen(path, RTLD_NOW) : NULL;\n"
                 "\treturn tool ? dlsym(tool, \"{}\") == NULL : 0;\n}}\n")
        itt, nvtx, kokkos = "__itt_api_init", "InitializeInjectionNvtx2", "kokkosp_init_library"
        weak = "void {0}(void) __attribute__((weak));\nint main(void)\n{{\n\tif ({0})\n" \
               "\t\t{0}();\n\treturn 0;\n}}\n"
        for expected, text in (
                ({"itt"}, loads.format("INTEL_LIBITTNOTIFY64", itt)),
                ({"nvtx"}, loads.format("NVTX_INJECTION64_PATH", nvtx)),
                ({"kokkos"}, loads.format("KOKKOS_PROFILE_LIBRARY", kokkos)),
                ({"kokkos"}, loads.format("KOKKOS_TOOLS_LIBS", kokkos)),
                (set(), loads.format("MY_INTEL_LIBITTNOTIFY64", "my_init")),
                (set(), loads.format("INTEL_LIBITTNOTIFY64", "my" + itt + "_too")),
                (set(), loads.format("INTEL_LIBITTNOTIFY64", nvtx)),
                (set(), loads.format("INTEL_LIBITTNOTIFY64_TOO", itt)),
                (set(), loads.format("NVTX_INJECTION64_PATH_TOO", nvtx)),
                (set(), loads.format("KOKKOS_TOOLS_LIBS_TOO", kokkos)),
                # this program only prints the variable, and loads nothing
                (set(), loads.format("NVTX_INJECTION64_PATH", nvtx)
                 .replace("dlopen(path, RTLD_NOW)", "(void *)path")),
                ({"likwid"}, weak.format("likwid_markerInit")),
                ({"papi"}, weak.format("PAPI_hl_region_begin")),
                ({"caliper"}, weak.format("cali_begin_region")),
                ({"caliper"}, weak.format("_ZN4cali8FunctionC1EPKc")),
                ({"itt"}, weak.format("__itt_domain_create")),
                ({"kokkos"}, weak.format("_ZN6Kokkos10initializeERiPPc")),
                ({"uprof"}, weak.format("amdProfileResume")),
                ({"roctx"}, weak.format("roctxRangePushA")),
                ({"roctx"}, weak.format("roctxProfilerPause")),
                (set(), weak.format("roctxGetThreadId")),
                (set(), weak.format("PAPI_library_init")),
                (set(), weak.format("likwid_pinProcess")),
                # the program defines the function itself, so no other library can precede it
                (set(), "void likwid_markerInit(void);\nvoid likwid_markerInit(void)\n{\n}\n"
                        "int main(void)\n{\n\tlikwid_markerInit();\n\treturn 0;\n}\n")):
            program = self.make("sign", text, "-rdynamic", "-O0")
            found, _ = self.dry_run(program, regionstat=command)
            self.assertEqual(set(found), expected, text)
        program = self.make("sign", "int main(void)\n{\n\treturn 0;\n}\n",
                            "-finstrument-functions")
        self.assertEqual(set(self.dry_run(program, regionstat=command)[0]), {"functions"})

    def test_variable_of_old_kokkos(self):
        """A program that knows only the old variable gets it, with every option. A program that
        knows the new variable does not get the old one, because Kokkos would warn about it."""
        command = self.tree(*NAMES)
        adapter = self.path("tree/lib/adapters/libregionstat-kokkos.so")
        text = ("#include <dlfcn.h>\n#include <stdlib.h>\nint main(void)\n{\n\tint n = 0;\n"
                "\tstatic const char *const names[] = {%s};\n"
                "\tfor (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)\n"
                "\t\tn += getenv(names[i]) && dlsym(dlopen(getenv(names[i]), RTLD_NOW),\n"
                "\t\t\t\"kokkosp_init_library\");\n"
                "\treturn n > 9;\n}\n")
        for names, expected in ((["KOKKOS_PROFILE_LIBRARY"], {"KOKKOS_TOOLS_LIBS",
                                                             "KOKKOS_PROFILE_LIBRARY"}),
                                (["KOKKOS_TOOLS_LIBS"], {"KOKKOS_TOOLS_LIBS"}),
                                (["KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS"],
                                 {"KOKKOS_TOOLS_LIBS"})):
            program = self.make("looks", text % ", ".join('"%s"' % name for name in names))
            for options in ([], ["--markers", "kokkos"]):
                for before in (None, "/old.so"):
                    found, variables = self.dry_run(
                        *options, program, regionstat=command,
                        env=environment(KOKKOS_TOOLS_LIBS=before))
                    self.assertEqual(set(found), {"kokkos"})
                    value = adapter + (";" + before if before else "")
                    self.assertEqual(without_off(variables), dict.fromkeys(expected, value))

    def test_openmp_by_its_library(self):
        """The name of the library is enough. That the library also looks for ITT does not
        matter."""
        command = self.tree(*NAMES)
        self.make("lib/libomp.so.5", "void omp(void);\nvoid omp(void)\n{\n}\n", "-shared", "-fPIC",
                  "-Wl,-soname,libomp.so.5")
        program = self.make("threads", CALLER.replace("deep", "omp"), self.path("lib/libomp.so.5"),
                            "-Wl,-rpath,$ORIGIN/lib")
        found, variables = self.dry_run(program, regionstat=command)
        self.assertEqual(found, {"openmp": "threads has libomp.so.5"})
        self.assertEqual(variables, {"OMP_TOOL_LIBRARIES":
                                     self.path("tree/lib/adapters/libregionstat-openmp.so")})

    def test_openmp_in_the_place_of_libgomp(self):
        """LLVM's library may have the name of gcc's. That it also looks for ITT does not matter."""
        text = """
#include <dlfcn.h>
#include <stdlib.h>
void omp(void);
void __kmpc_fork_call(void);
void omp(void)
{
	void *tool = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
	if (tool)
		dlsym(tool, "__itt_api_init");
}
void __kmpc_fork_call(void)
{
}
"""
        self.make("lib/libgomp.so.1", text, "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1", "-ldl")
        program = self.make("threads", CALLER.replace("deep", "omp"), self.path("lib/libgomp.so.1"),
                            "-Wl,-rpath,$ORIGIN/lib")
        found, _ = self.dry_run(program, regionstat=self.tree(*NAMES))
        self.assertEqual(found, {"openmp": "libgomp.so.1 has __kmpc_fork_call"})

    def test_openmp_has_one_tool(self):
        """The user's own tool stays, unless an option names regionstat's. A message says so."""
        command = self.tree(*NAMES)
        adapter = self.path("tree/lib/adapters/libregionstat-openmp.so")
        self.make("lib/libomp.so.5", "void omp(void);\nvoid omp(void)\n{\n}\n", "-shared", "-fPIC",
                  "-Wl,-soname,libomp.so.5")
        program = self.make("threads", CALLER.replace("deep", "omp"), self.path("lib/libomp.so.5"),
                            "-Wl,-rpath,$ORIGIN/lib")
        left = "not loaded, since OMP_TOOL_LIBRARIES already names a tool, and only one is used"
        for before, off, why, variables in (
                ("/old.so:/b.so", None, "threads has libomp.so.5; " + left, {}),
                ("", None, "threads has libomp.so.5", {"OMP_TOOL_LIBRARIES": adapter}),
                (adapter + "2", None, "threads has libomp.so.5; " + left, {}),
                (adapter, None, "threads has libomp.so.5", {"OMP_TOOL_LIBRARIES": adapter}),
                (None, "enabled", "threads has libomp.so.5", {"OMP_TOOL_LIBRARIES": adapter}),
                (None, "Disabled", "threads has libomp.so.5; not loaded, since OMP_TOOL is "
                 "disabled", {})):
            env = environment(OMP_TOOL_LIBRARIES=before, OMP_TOOL=off)
            found = self.dry_run(program, regionstat=command, env=env)
            self.assertEqual(found, ({"openmp": why}, variables))
        result = self.execute([command, "-v", program], env=environment(OMP_TOOL_LIBRARIES="/o.so"))
        self.assertIn("- markers openmp: not called\n  threads has libomp.so.5; %s\n" % left,
                      result.stderr)
        self.assertNotIn("- --markers", result.stderr)
        # the option names the adapter
        words = [command, "--markers", "openmp", program]
        result = self.execute(words, env=environment(OMP_TOOL_LIBRARIES="/o.so"))
        told = ("--markers openmp: the tool that OMP_TOOL_LIBRARIES named before is not used: only "
                "one is; use --markers auto")
        self.assertIn(told, result.stderr)
        _, variables = self.dry_run(*words[1:], regionstat=command,
                                    env=environment(OMP_TOOL_LIBRARIES="/o.so"))
        self.assertEqual(variables, {"OMP_TOOL_LIBRARIES": adapter + ":/o.so", **OFF})
        self.assertNotIn("named before", harness.run(words, env=environment()).stderr)
        result = self.execute(words, env=environment(OMP_TOOL="disabled"), status=125)
        self.assertIn("--markers openmp: OMP_TOOL is disabled in the environment\n", result.stderr)
        self.assertIn("\n  try: unset OMP_TOOL", result.stderr)

    def test_frames_of_itt(self):
        """The command sets libomp's mode for programs with ITT, unless the user has set it. It does
        so only for programs compiled for libomp, because in that mode libomp ends programs that gcc
        compiled."""
        for calls, options, before, expected in (
                (["__kmpc_fork_call"], ["itt"], None, "0"), (["__kmpc_fork_call"], ["itt"], "3", None),
                (["__kmpc_fork_call"], ["itt"], "", None), (["__kmpc_fork_call"], ["openmp"], None, None),
                (["__kmpc_fork_call", "GOMP_parallel"], ["itt"], None, None),
                (["GOMP_parallel"], ["itt"], None, None), ([], ["itt"], None, None),
                (["__kmpc_fork_call"], [], None, None)):
            calls = ["__itt_domain_create", *calls]
            text = "".join("void %s(void) __attribute__((weak));\n" % name for name in calls)
            text += "int main(void)\n{\n%s\treturn 0;\n}\n" % "".join(
                "\tif (%s)\n\t\t%s();\n" % (name, name) for name in calls)
            program = self.make("sign", text, "-rdynamic")
            words = ["--markers", *options] if options else []
            found, variables = self.dry_run(*words, program,
                                            env=environment(KMP_FORKJOIN_FRAMES_MODE=before))
            self.assertLessEqual(set(options or ["itt"]), set(found))
            self.assertEqual(variables.get("KMP_FORKJOIN_FRAMES_MODE"), expected, calls)

    def test_script_is_its_interpreter(self):
        self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        inner = self.text_file("inner", "#! %s one argument\n" % program, 0o755)
        outer = self.text_file("outer", "#!%s\n" % inner, 0o755)
        for path in (inner, outer):
            self.assertEqual(set(self.dry_run(path)[0]), {"likwid"})
        found, _ = self.dry_run("outer", env=environment(PATH="/nowhere:" + self.directory))
        self.assertEqual(set(found), {"likwid"})
        for first in ("#!/usr/bin/env caller", "#! /usr/bin/env -S A=b caller one argument"):
            script = self.text_file("script", first + "\n", 0o755)
            env = environment(PATH=os.environ["PATH"] + ":" + self.directory)
            self.assertEqual(set(self.dry_run(script, env=env)[0]), {"likwid"}, first)
        for first in ("#!/usr/bin/env", "#!/usr/bin/env nowhere", "#!", "#! \t"):
            self.text_file("script", first + "\n", 0o755)
            self.assertEqual(self.dry_run(script)[0], {}, first)
        self.text_file("loop", "#!%s\n" % self.path("loop"), 0o755)
        self.assertEqual(self.dry_run(self.path("loop"))[0], {})

    def test_set_user_id_gets_nothing(self):
        """ld.so loads no adapter into a set-user-id program."""
        self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        self.assertEqual(set(self.dry_run(program)[0]), {"likwid"})
        os.chmod(program, 0o4755)
        self.assertEqual(self.dry_run(program), ({}, {}))

    def test_static_gets_nothing(self):
        flags = ["-static"] if harness.SANITIZE == "none" else []
        harness.need(flags, "a sanitizer makes no static programs")
        program = self.make("static", DEEP + CALLER + "void likwid_markerInit(void)\n{\n}\n"
                            "int likwid_markerStartRegion(const char *n)\n{\n\treturn !n;\n}\n"
                            "int likwid_markerStopRegion(const char *n)\n{\n\treturn !n;\n}\n",
                            "-I" + adapter_counts.STANDIN_SOURCE, *flags)
        self.assertEqual(self.dry_run(program), ({}, {}))

    def test_damaged_files(self):
        """Whatever a file holds: it is looked at, and that is all."""
        whole = self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        for path in (program, whole):
            good = harness.read_bytes(path)
            chance = random.Random(len(good))
            headers = list(range(64)) + list(range(len(good) - 2400, len(good)))
            for number in range(80):
                damaged = bytearray(good)
                if number % 4 == 0:
                    damaged = damaged[:chance.randrange(len(damaged))]
                for _ in range(1 + number % 7):
                    place = chance.choice(headers) if number % 2 else chance.randrange(len(good))
                    if place < len(damaged):
                        damaged[place] = chance.choice((0, 1, 0x7f, 0x80, 0xff,
                                                        chance.randrange(256)))
                harness.write_bytes(path + "~", damaged)
                os.chmod(path + "~", 0o755)
                os.rename(path + "~", path)
                self.dry_run(program)
            harness.write_bytes(path + "~", good)
            os.chmod(path + "~", 0o755)
            os.rename(path + "~", path)
        self.assertEqual(set(self.dry_run(program)[0]), {"likwid"})
        os.unlink(whole)
        os.mkfifo(whole)  # a process that opens the FIFO would block
        self.assertEqual(self.dry_run(program)[0], {})

    # ---- names ----

    def test_names(self):
        found, variables = self.dry_run("--markers", "papi,likwid", "true")
        self.assertEqual(found, {"likwid": "by --markers", "papi": "by --markers"})
        self.assertEqual(variables, {
            **preloaded("%s:%s" % (LIKWID.replace("likwid", "papi"), LIKWID)), **OFF})
        found, variables = self.dry_run("--markers", "uprof=control", "true")
        self.assertEqual((set(found), variables), ({"uprof"}, {"REGIONSTAT_UPROF": "control"}))
        self.assertEqual(self.dry_run("--markers", "none", "true"), ({}, OFF))

    def test_what_starts_others(self):
        """If the program has no markers, the first line of the message is the option that helps.
        For Python another line names the module. If the user named an API, there is no such
        line."""
        python = shutil.which("python3")
        for words, starts in ((["sh", "-c", "true"], "what sh starts"),
                              ([python, "-c", ""], "what python3 loads")):
            first, *others = self.warning_of("--", *words)
            self.assertTrue(first.startswith("- the program has no markers: --markers NAME measures "
                                             + starts), first)
            self.assertEqual(any("pip install" in line for line in others), words[0] == python)
            self.assertNotIn("--markers NAME measures",
                             self.warning_of("--markers", "likwid", "--", *words)[0])
        # a program that has markers and calls none
        first = self.warning_of("--", "sh", "-c", harness.app("nest"))[0]
        self.assertTrue(first.startswith("- the program has markers but called none: --markers NAME "
                                         "measures what sh starts"), first)

    def warning_of(self, *words):
        """Return the lines of the warning that there are no regions, or of the first warning."""
        stderr = harness.regionstat("-e", "time", *words).stderr
        return re.search(r"^- .*\n(?:  .*\n)*", stderr, re.MULTILINE).group(0).splitlines()

    def test_uprof_control_waits_for_the_first_resume(self):
        """Counting begins paused. A program that never resumes has no calls, and gets a message."""
        words = ["-e", "time", "--", harness.app("nest"), "20"]
        plain, controlled, waits = [harness.regionstat(*options, *words) for options in (
            [], ["--markers", "uprof=control"], ["-D", "-1"])]
        for result in (plain, controlled, waits):
            self.assertEqual(result.status, 0, result)
        self.assertIn(" calls ", plain.stderr)
        for result in (controlled, waits):
            self.assertNotIn(" calls ", result.stderr)
            self.assertIn("counting never began", result.stderr)
        self.assertIn("waits for an amdProfileResume(), and none was reached; call amdProfileResume() "
                      "where", controlled.stderr)
        self.assertNotIn("-D -1", controlled.stderr)
        self.assertIn("-D -1 waits for a REGIONSTAT_RESUME()", waits.stderr)

    def test_unknown_names(self):
        for value, words in (("likwit", "unknown markers 'likwit'\n  try: likwid"),
                             ("likwid,zzzzzzzzz", "unknown markers 'zzzzzzzzz'\n  there are: "),
                             ("likwid,", "a name is missing"), ("", "the name is empty"),
                             (",likwid", "a name is missing"), ("itt,,likwid", "a name is missing"),
                             ("auto,likwid", "'auto' cannot have other names beside it\n  there are: "),
                             ("LIKWID", "unknown markers 'LIKWID'"),
                             ("uprof=", "unknown markers 'uprof='"),
                             ("likwid=control", "unknown markers 'likwid=control'")):
            result = harness.regionstat("--markers", value, "true")
            self.assertEqual((result.status, result.stdout), (125, ""), result)
            self.assertIn("--markers: " + words, result.stderr)
            self.assertIn("\n  try: ", result.stderr)

    def test_adapter_that_is_not_there(self):
        """If the user named the adapter, a missing file is an error before anything runs. Otherwise
        it is skipped with a message."""
        self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        command = self.tree()
        trace = self.path("ran")
        result = self.execute([command, "--markers", "likwid", "touch", trace], 125,
                              env=environment())
        self.assertIn("cannot find libregionstat-likwid.so in the directory regionstat beside "
                      "libregionstat.so.1\n  try: reinstall regionstat", result.stderr)
        self.assertFalse(os.path.exists(trace))
        self.assertEqual(self.dry_run(program, regionstat=command), ({}, {}))
        told = ("regionstat: markers are not measured: --markers likwid: cannot find "
                "libregionstat-likwid.so in the directory regionstat beside libregionstat.so.1\n"
                "  try: reinstall regionstat")
        for words in ([], ["--dry-run"]):
            result = self.execute([command, *words, program], env=environment())
            self.assertIn(told, result.stderr)
        result = harness.run([command, "--markers", "none", program], env=environment())
        self.assertNotIn("libregionstat-likwid", result.stderr)

    def test_path_that_no_variable_can_hold(self):
        """LD_PRELOAD is a list, so a path that contains a separator cannot be in it."""
        self.tree("likwid")
        odd = self.path("a b")
        os.rename(self.path("tree"), odd)
        command = os.path.join(odd, "cmd", "regionstat")
        result = self.execute([command, "--markers", "likwid", "true"], 125, env=environment())
        self.assertIn("LD_PRELOAD cannot hold the path", result.stderr)

    def test_setting_of_a_file(self):
        path = self.text_file("settings.yaml", "markers: likwid\n")
        found, _ = self.dry_run("-c", path, "true")
        self.assertEqual(set(found), {"likwid"})
        found, _ = self.dry_run("-c", path, "--markers", "none", "true")
        self.assertEqual(found, {})
        path = self.text_file("settings.yaml", "markers: lik\n")
        result = self.regionstat("-c", path, "true", status=125)
        self.assertIn(path + ":1", result.stderr)

    # ---- the program's environment ----

    def environ(self, *options, **changes):
        """Return the environment of a measured program as the kernel has it, without regionstat's
        own variables, and the environment of this process's child."""
        env = environment(**changes)
        plain = harness.run(["cat", "/proc/self/environ"], env=env)
        result = self.regionstat(*options, "cat", "/proc/self/environ", env=env)
        variables = result.stdout_bytes.split(b"\0")
        own = [text for text in variables if text.startswith(b"REGIONSTAT_")]
        self.assertEqual({text.partition(b"=")[0] for text in own} - {b"REGIONSTAT_UPROF"},
                         {b"REGIONSTAT_SEGMENT", b"REGIONSTAT_RUNTIME"}, variables)
        self.assertEqual(b"REGIONSTAT_UPROF=off" in own, bool(options), variables)
        return [text for text in variables if text not in own], plain.stdout_bytes.split(b"\0")

    def test_environment_is_as_it_was(self):
        """The environment is unchanged, in bytes and order, if no API is used or selected."""
        for options in ([], ["--markers", "none"]):
            got, expected = self.environ(*options, LD_PRELOAD="", INTEL_LIBITTNOTIFY64="/x y",
                                         KOKKOS_TOOLS_LIBS="a;b", ODD="\udcff= \n")
            self.assertEqual(got, expected)

    def test_environment_gains_what_is_shown(self):
        for before, after in ((None, LIKWID), ("", LIKWID),
                              ("libm.so.6", LIKWID + ":libm.so.6"),
                              ("libm.so.6 libdl.so.2", LIKWID + ":libm.so.6 libdl.so.2")):
            got, expected = self.environ("--markers", "likwid", LD_PRELOAD=before)
            gained = ["%s=%s" % item for item in preloaded(after).items()]
            names = tuple(text.encode().partition(b"=")[0] + b"=" for text in gained)
            without = [text for text in expected if not text.startswith(names)]
            self.assertEqual(got, without[:-1] + [text.encode() for text in gained] + [b""])
            _, told = self.dry_run("--markers", "likwid", "true",
                                   env=environment(LD_PRELOAD=before))
            self.assertEqual(told, {**preloaded(after), **OFF})

    def test_tools_that_were_there_before(self):
        """Lists keep earlier tools after regionstat's. Other variables pass the earlier tool to the
        adapter in a variable."""
        command = self.tree(*NAMES)
        place = self.path("tree/lib/adapters/libregionstat-%s.so")
        env = environment(INTEL_LIBITTNOTIFY64="/old/itt.so", NVTX_INJECTION64_PATH="/old/nvtx.so",
                          KOKKOS_TOOLS_LIBS=place % "kokkos" + ".old;/older.so",
                          OMP_TOOL_LIBRARIES="/old/omp.so:/older.so")
        words = ["--markers", "itt,nvtx,kokkos,openmp", "true"]
        _, told = self.dry_run(*words, regionstat=command, env=env)
        self.assertEqual(told, {
            "INTEL_LIBITTNOTIFY64": place % "itt",
            "NVTX_INJECTION64_PATH": place % "nvtx", "REGIONSTAT_CHAIN_NVTX": "/old/nvtx.so",
            "KOKKOS_TOOLS_LIBS": place % "kokkos" + ";" + env["KOKKOS_TOOLS_LIBS"],
            "OMP_TOOL_LIBRARIES": place % "openmp" + ":/old/omp.so:/older.so", **OFF})
        # a regionstat within another's run keeps the outer one's tools in the chain
        _, again = self.dry_run(*words, regionstat=command, env=environment(**told))
        del told["REGIONSTAT_CHAIN_NVTX"]
        self.assertEqual(again, told)

    def test_all_at_once(self):
        """LD_PRELOAD has the adapters of all APIs without a variable of their own."""
        command = self.tree(*NAMES)
        place = self.path("tree/lib/adapters/libregionstat-%s.so")
        names = ",".join([*NAMES, "uprof=control"])
        _, told = self.dry_run("--markers", names, "true", regionstat=command)
        preload = ("roctx", "functions", "caliper", "papi", "likwid")
        self.assertEqual(told, {
            **preloaded(":".join(place % name for name in preload)), "REGIONSTAT_UPROF": "control",
            "INTEL_LIBITTNOTIFY64": place % "itt", "NVTX_INJECTION64_PATH": place % "nvtx",
            "KOKKOS_TOOLS_LIBS": place % "kokkos", "OMP_TOOL_LIBRARIES": place % "openmp"})

    def test_preloaded_library_stays(self):
        """A library that was preloaded before is still loaded, and the program is measured."""
        self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        before = self.make("libbefore.so", "#include <stdlib.h>\n#include <unistd.h>\n"
                           "__attribute__((constructor)) static void tell(void)\n{\n"
                           "\tif (getenv(\"REGIONSTAT_SEGMENT\") && "
                           "write(1, \"before\\n\", 7) != 7)\n\t\t_exit(9);\n}\n",
                           "-shared", "-fPIC")
        result = self.measure(program, events="time", env=environment(LD_PRELOAD=before))
        self.assertEqual(result.stdout, "before\n")
        self.assertEqual(result.report.calls(), {"deep": 1})

    # ---- messages ----

    def test_verbose_and_saved(self):
        """-v prints a line for each adapter, the reason, and the variables that were set before,
        also for a saved run."""
        self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        saved = self.path("run.json")
        harness.regionstat("-e", "time", "-o", saved, "--", program, env=environment())
        why, _ = self.dry_run(program)
        self.assertRegex(why["likwid"], WHY)
        lines = ("- markers likwid: 1 region in 1 process\n"
                 "  %s\n  LD_PRELOAD=%s\n" % (why["likwid"], LIKWID))
        at_once = harness.regionstat("-v", "-e", "time", program, env=environment())
        self.assertIn(lines, at_once.stderr)
        self.assertIn(lines, harness.regionstat("report", "-v", saved).stdout)
        quiet = harness.regionstat("report", saved)
        self.assertNotIn("markers likwid", quiet.stdout)
        document = harness.read_json(saved)
        self.assertEqual(document["options"]["markers"], [{
            "name": "likwid", "why": why["likwid"],
            "environment": "\n".join("%s=%s" % item for item in preloaded(LIKWID).items())}])
        self.assertEqual(document["adapters"][0]["regions"], 1)

    def test_schema(self):
        """Saved runs match the schema, however the adapters were chosen."""
        _, validator = harness.need_schema()
        self.library("libdeep.so")
        program = self.make("caller", CALLER, "-L" + self.directory, "-Wl,-rpath,$ORIGIN", "-ldeep")
        for options in ([], ["--markers", "likwid,uprof=control"], ["--markers", "none"]):
            saved = self.path("run.json")
            harness.regionstat(*options, "-e", "time", "-o", saved, "--", program,
                               env=environment())
            document = harness.read_json(saved)
            validator.validate(document)
            for found in (document["options"]["markers"], document["adapters"]):
                self.assertEqual(bool(found), options != ["--markers", "none"])

    def test_never_called(self):
        """A named API without calls is a warning; a found API without calls is not."""
        result = harness.regionstat("--markers", "likwid", "-e", "time", "true", env=environment())
        self.assertIn("- --markers likwid: no process called it; ", result.stderr)
        self.assertIn("; --dry-run with --markers auto", result.stderr)
        self.assertNotIn("libgomp", result.stderr)
        result = harness.regionstat("--markers", "openmp", "-e", "time", "true", env=environment())
        self.assertIn("or uses gcc's libgomp, which has no OMPT (link LLVM's libomp instead)",
                      result.stderr)
        self.library("libdeep.so")
        program = self.make("caller", CALLER.replace("deep();", "if (argc > 1)\n\t\tdeep();")
                            .replace("int main(void)", "int main(int argc, char **argv)")
                            .replace("return 0", "return !argv"), "-L" + self.directory,
                            "-Wl,-rpath,$ORIGIN", "-ldeep")
        result = harness.regionstat("-v", "-e", "time", program, env=environment())
        self.assertNotIn("--markers likwid", result.stderr)
        self.assertIn("- markers likwid: not called\n", result.stderr)
