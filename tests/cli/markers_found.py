# SPDX-License-Identifier: MIT
"""Which markers --markers selects, on the command line and in files of settings, and messages about
markers that are not measured."""

import os
import re

import adapter_counts
import harness

# A program that looks up a library's functions in each possible way.
LATE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
static void by(void *from)
{
	int (*start)(const char *) = (int (*)(const char *))dlsym(from, "likwid_markerStartRegion");
	int (*stop)(const char *) = (int (*)(const char *))dlsym(from, "likwid_markerStopRegion");
	start("late");
	stop("late");
}
int main(int argc, char **argv)
{
	const char *how = argv[argc - 1], *library = "%s", *plugin = "%s";
	for (int i = 0; i < 5; i++) {
		int flags = RTLD_NOW | (strcmp(how, "deep") == 0 ? RTLD_DEEPBIND : 0);
		if (strcmp(how, "handle") == 0)
			by(dlopen(library, flags));
		else if (strcmp(how, "default") == 0)
			by(dlopen(library, flags | RTLD_GLOBAL) ? RTLD_DEFAULT : NULL);
		else if (strcmp(how, "program") == 0)
			by(dlopen(NULL, flags));
		else
			((void (*)(void))dlsym(dlopen(plugin, flags), "late"))();
	}
	return 7;
}
"""


class Found(harness.TestCase):

    def marked(self, text=adapter_counts.MARKED):
        harness.need_no_sanitizer("a sanitizer's library would have to come first")
        return self.compile_text(text, *adapter_counts.WITH_LIKWID, name="marked")

    def dry_run(self, *words):
        return self.regionstat("--dry-run", *words).stdout

    def found(self, *words):
        return set(re.findall(r"^  markers +(\w+),", self.dry_run(*words), re.M))

    # ---- markers that are not measured ----

    def test_others_than_those_named(self):
        """A message names the APIs whose markers the program has if --markers names others, also
        for a saved run."""
        program, saved = self.marked(), self.path("run.json")
        reason = "not loaded, since --markers names others: marked has likwid_marker"
        harness.regionstat("--markers", "nvtx", "-e", "time", "-o", saved, "--", program)
        for words in ([], ["-v"]):
            at_once = harness.regionstat(*words, "--markers", "nvtx", "-e", "time", program)
            self.assertEqual((at_once.status, at_once.stdout), (7, "out\n"))
            later = harness.regionstat("report", *words, saved)
            for told in (at_once.stderr, later.stdout + later.stderr):
                self.assertIn("--markers nvtx: no process called it; ", told)
                self.assertIn("; use --markers auto: the program seems to use likwid\n", told)
                self.assertEqual(
                    bool(re.search(r"- markers likwid: not called\n  " + reason, told)),
                    "-v" in words, told)
        markers = harness.read_json(saved)["options"]["markers"]
        self.assertEqual([(marker["name"], marker.get("asked", False), marker.get("other", False))
                          for marker in markers],
                         [("likwid", False, True), ("nvtx", True, False)])
        self.assertIn(reason, self.dry_run("--markers", "nvtx", program))
        plain = harness.regionstat("-v", "--markers", "nvtx", "-e", "time", "true")
        self.assertNotIn("names others", plain.stderr)
        self.assertIn("- markers nvtx: not called\n  asked for by --markers\n"
                      "  NVTX_INJECTION64_PATH=", plain.stderr)

    def test_library_that_is_asked_by_its_handle(self):
        """A library that is looked up by its handle bypasses the adapter, as with RTLD_DEEPBIND,
        and a warning says so. In the program's order of libraries the adapter comes first."""
        harness.need_no_sanitizer("a sanitizer's library would have to come first")
        plugin = self.compile_text(
            "#include <likwid.h>\nvoid late(void);\nvoid late(void)\n{\n"
            "\tlikwid_markerStartRegion(\"late\");\n\tlikwid_markerStopRegion(\"late\");\n}\n",
            "-shared", "-fPIC", *adapter_counts.WITH_LIKWID, name="plugin.so")
        library = os.path.join(adapter_counts.STANDIN, "liblikwid.so")
        program = self.compile_text(LATE % (library, plugin), "-ldl", name="late")
        for how, calls in (("handle", {}), ("default", {"late": 5}), ("program", {"late": 5}),
                           ("plugin", {"late": 5}), ("deep", {})):
            result = self.measure(program, how, status=7, events="time",
                                  options=["--markers", "likwid"])
            self.assertEqual((how, result.report.calls()), (how, calls))
            told = "by RTLD_DEEPBIND, dlsym(HANDLE" in result.stderr
            self.assertEqual(told, not calls, result)
        # the adapter of NVTX is not preloaded, so the handle is not the reason
        result = harness.regionstat("--markers", "nvtx", "-e", "time", program, "handle")
        self.assertIn("--markers nvtx: no process called it", result.stderr)
        self.assertNotIn("RTLD_DEEPBIND", result.stderr)

    def test_regions_of_several_processes(self):
        """The regions of each process are counted separately, and a message says so."""
        program = self.marked()
        command = "%s; %s; true" % (program, program)
        told = harness.regionstat("-v", "--markers", "likwid", "-e", "time", "sh", "-c",
                                  command).stderr
        self.assertIn("- markers likwid: 2 regions in 2 processes, those of each counted by "
                      "themselves\n", told)

    def test_regions_of_forked_processes(self):
        """A child counts with its parent if the parent has made calls, and otherwise separately."""
        text = ("#include <likwid.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                "static void mark(void)\n{\n\tlikwid_markerStartRegion(\"region\");\n"
                "\tlikwid_markerStopRegion(\"region\");\n}\n"
                "int main(int argc, char **argv)\n{\n\tif (argc > 1 && argv)\n\t\tmark();\n"
                "\tfor (int i = 0; i < 3; i++) {\n\t\tif (fork() == 0) {\n\t\t\tmark();\n"
                "\t\t\t_exit(0);\n\t\t}\n\t\twait(NULL);\n\t}\n\treturn 0;\n}\n")
        program = self.marked(text=text)
        for words, calls, told in (([], 3, "3 regions in 3 processes, those of each counted"),
                                   (["first"], 4, "1 region in 1 process\n")):
            result = harness.regionstat("-v", "-e", "time", program, *words)
            self.assertRegex(result.stderr, r"(?m)^region .* %d " % calls)
            self.assertIn("- markers likwid: " + told, result.stderr)

    # ---- settings ----

    def settings(self, text, *words):
        path = self.text_file("settings.yaml", text)
        return harness.regionstat("-c", path, *words)

    def test_settings(self):
        """A list means the same as its names with commas. The output of --print-config can be read
        again. The command line replaces it."""
        for value, names in (("[itt, nvtx]", {"itt", "nvtx"}), ("itt,nvtx", {"itt", "nvtx"}),
                             ("[likwid]", {"likwid"}), ("[none]", set()), ("auto", set()),
                             ("\n  - papi\n  - uprof=control", {"papi", "uprof"})):
            text = "markers: %s\n" % value
            for _ in range(2):
                shown = self.settings(text, "--dry-run", "true")
                self.assertEqual(shown.status, 0, shown)
                self.assertEqual(set(re.findall(r"^  markers +(\w+), by", shown.stdout, re.M)),
                                 names)
                text = self.settings(text, "--print-config", "true").stdout
        shown = self.settings("markers: [itt, nvtx]\n", "--markers", "papi", "--dry-run", "true")
        self.assertEqual(re.findall(r"^  markers +(\w+), by", shown.stdout, re.M), ["papi"])
        printed = self.settings("functions: ['a*', b]\n", "--print-config", "true").stdout
        self.assertRegex(printed, r'functions:\n  - "a\*"  # .*\n  - b  # ')

    def test_settings_that_are_wrong(self):
        for value, word in (("[]", "the name is empty"), ("[itt, lik]", "unknown markers 'lik'"),
                            ("[itt, auto]", "'auto' cannot have other names beside it"),
                            ("{itt: true}", "takes a value or a list of values"),
                            ("[[itt]]", "takes a value or a list of values")):
            result = self.settings("markers: %s\n" % value, "true")
            self.assertEqual((result.status, result.stdout), (125, ""), result)
            self.assertRegex(result.stderr, r"settings\.yaml:1:\d+: .*" + re.escape(word))
            self.assertIn("\n  try: ", result.stderr)

    def test_last_of_several(self):
        for words, expected in ((["itt", "nvtx"], {"nvtx"}), (["none", "itt"], {"itt"}),
                                (["itt", "none"], set()), (["uprof=control", "itt"], {"itt"})):
            options = [word for name in words for word in ("--markers", name)]
            self.assertEqual(self.found(*options, "true"), expected)
