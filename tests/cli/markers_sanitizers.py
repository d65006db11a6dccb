# SPDX-License-Identifier: MIT
"""Adapters that LD_PRELOAD loads into programs with sanitizers, whose libraries must be first in
the order of libraries."""

import os
import re

import adapter_counts
import harness

LIKWID = adapter_counts.path("likwid")
MARKED = """
#include <likwid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rounds;
static void *mark(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		char *memory = malloc(64);
		likwid_markerStartRegion("region");
		memset(memory, i, 64);
		likwid_markerStopRegion("region");
		free(memory);
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t threads[3];
	rounds = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, mark, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 7;
}
"""
# A library that behaves like AddressSanitizer's: it ends a program in which another library
# precedes it. Newer versions have an option that disables this.
STRICT = """
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern void strict(void);
void strict(void)
{
}
static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!*info->dlpi_name || strstr(info->dlpi_name, "vdso"))
		return 0;
	if (!strstr(info->dlpi_name, "libasan.so"))
		_exit(1);
	return 1;
}
__attribute__((constructor)) static void start(void)
{
#ifdef KNOWS
	static const char option[] = "verify_asan_link_order", off[] = "=0";
	const char *options = getenv("ASAN_OPTIONS");
	const char *at = options ? strstr(options, option) : NULL;
	if (at && strncmp(at + strlen(option), off, 2) == 0)
		return;
#endif
	dl_iterate_phdr(look, NULL);
}
"""


class Sanitizers(harness.TestCase):

    def marked(self, *flags, compiler=None, text=MARKED, name="marked"):
        return self.compile_text(text, *flags, *adapter_counts.WITH_LIKWID, compiler=compiler,
                                 name=name)

    def sanitized(self):
        """Build programs with each sanitizer that is available as a library. Return their names and
        paths."""
        for compiler in harness.compilers():
            for sanitizer in ("address", "thread", "undefined", "leak"):
                flags = ["-fsanitize=" + sanitizer]
                if compiler == "clang" and sanitizer == "address":
                    place = harness.run([compiler, "-print-file-name=libclang_rt.asan-x86_64.so"])
                    flags += ["-shared-libasan",
                              "-Wl,-rpath," + os.path.dirname(place.stdout.strip())]
                try:
                    program = self.marked(*flags, compiler=compiler,
                                          name="%s-%s" % (compiler, sanitizer))
                except AssertionError as reason:
                    harness.note("not tried: %s of %s: %s" % (sanitizer, compiler,
                                                              str(reason)[:100]))
                    continue
                alone = harness.run([program, "20"])
                if (alone.status, alone.stdout) != (7, "done\n"):
                    harness.note("not tried: %s of %s does not run here" % (sanitizer, compiler))
                    continue
                yield sanitizer, program

    def test_sanitized_programs(self):
        """The programs run as without regionstat, and are measured, also if their library is
        preloaded or another program starts them. ThreadSanitizer gets the options that the manual
        names."""
        tried, suppressions = set(), self.path("suppressions")
        with open(suppressions, "w", encoding="ascii") as file:
            file.writelines("called_from_lib:libregionstat%s\n" % name for name in (
                ".so.1", "-likwid.so", "-papi.so", "-caliper.so", "-functions.so"))
        for sanitizer, program in self.sanitized():
            listed = harness.run([harness.need_tool("ldd"), program]).stdout
            library = re.search(r"(/\S*(lib[atl]?san|libubsan|libclang_rt)\S*\.so\S*)", listed)
            preloads = [None] + ([library.group(1)] if library else [])
            for preload in preloads:
                for words in ([program, "20"], ["sh", "-c", program + " 20"]):
                    for markers in ("auto", "likwid", "likwid,papi,caliper,functions"):
                        if words[0] == "sh" and (markers == "auto" or preload):
                            continue
                        with self.subTest(program=program, preload=preload, markers=markers):
                            result = self.measure(*words, status=7, events="time",
                                                  env=harness.environment(
                                                      LD_PRELOAD=preload,
                                                      TSAN_OPTIONS="suppressions=" + suppressions),
                                                  options=["--markers", markers])
                            self.assertEqual(result.stdout, "done\n")
                            self.assertEqual(result.report.calls(), {"region": 60})
                            self.assertNotIn("anitizer", result.stderr)
            tried.add(sanitizer)
        harness.need("address" in tried, "no compiler here makes programs with AddressSanitizer")

    def test_no_sanitizer_for_others(self):
        """Programs that a sanitized program starts have the same sanitizers as without
        regionstat."""
        text = MARKED.replace('puts("done");', 'puts("done");\n\tfflush(stdout);\n'
                              '\tif (system("cat /proc/self/maps") != 0)\n\t\treturn 9;')
        program = self.marked("-fsanitize=address", text=text)
        result = self.measure(program, "5", status=7, events="time")
        self.assertEqual(result.report.calls(), {"region": 15})
        self.assertIn(LIKWID, result.stdout)
        self.assertNotIn("libasan", result.stdout)

    def strict(self, name, *flags):
        """Build a library of this name that ends a program in which another library precedes it,
        and a program that uses it. Return both."""
        library = self.compile_text(STRICT, "-shared", "-fPIC", "-Wl,-soname," + name, *flags,
                                    name=name)
        text = MARKED.replace("static int rounds", "void strict(void);\nstatic int rounds") \
            .replace("pthread_t threads", "strict();\n\tpthread_t threads")
        program = self.marked("-Wl,-rpath," + self.directory, library, text=text, name="strict")
        self.assertEqual(harness.run([program, "5"]).status, 7)
        env = harness.environment(LD_PRELOAD=LIKWID)
        self.assertEqual(harness.run([program, "5"], env=env).status, 1)
        return program, library

    def test_sanitizer_with_an_option(self):
        """The option works with every version of the sanitizer."""
        program, library = self.strict("libasan.so.5", "-DKNOWS")
        for markers in ("auto", "likwid"):
            for preload in (None, library):
                result = self.measure(program, "5", status=7, events="time",
                                      options=["--markers", markers],
                                      env=harness.environment(LD_PRELOAD=preload))
                self.assertEqual(result.report.calls(), {"region": 15})

    def test_sanitizer_that_has_to_be_first(self):
        """A program with an old sanitizer runs as without regionstat, and a message says why it is
        not measured. If the user preloads the library, the program is measured."""
        for name in ("libasan.so.4", "libasan.so.5"):
            program, library = self.strict(name)
            why = "not loaded, since the program needs " + name
            self.assertIn(why, harness.regionstat("--dry-run", program).stdout)
            for words in ([], ["-v"], ["--markers", "likwid"], ["--markers", "likwid,papi"]):
                result = harness.regionstat(*words, "-e", "time", program, "5")
                self.assertEqual((result.status, result.stdout), (7, "done\n"), result)
                self.assertEqual(why in result.stderr, "-v" in words, result)
                self.assertEqual(result.stderr.count(
                    "markers are not measured: --markers likwid: not loaded into %s\n  it needs "
                    "%s, and exits if" % (program, name)), 1, result)
                self.assertIn("\n  try: LD_PRELOAD=" + name, result.stderr)
            for markers in ("auto", "likwid"):
                result = self.measure(program, "5", status=7, events="time",
                                      options=["--markers", markers],
                                      env=harness.environment(LD_PRELOAD=library))
                self.assertEqual(result.report.calls(), {"region": 15})
