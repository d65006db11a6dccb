# SPDX-License-Identifier: MIT
"""Advice about markers of other APIs uses the terms of these APIs."""

import os

import adapter_counts
import harness

SECTION = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
int main(void)
{
	const char *path = getenv("KOKKOS_TOOLS_LIBS");
	void *tool = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : 0;
	void (*init)(int, uint64_t, uint32_t, void *), (*create)(const char *, uint32_t *);
	void (*start)(uint32_t), (*stop)(uint32_t);
	uint32_t id = 0;
	if (!tool)
		return 2;
	*(void **)&init = dlsym(tool, "kokkosp_init_library");
	*(void **)&create = dlsym(tool, "kokkosp_create_profile_section");
	*(void **)&start = dlsym(tool, "kokkosp_start_profile_section");
	*(void **)&stop = dlsym(tool, "kokkosp_stop_profile_section");
	init(0, 20240906u, 0, 0);
	create("section", &id);
	for (int i = 0; i < 3; i++) {
		start(id);
		if (i < 2)
			stop(id);
	}
	return 0;
}
"""
RESUMED = """
#include <AMDProfileController.h>
int main(void)
{
	return !amdProfileResume(AMD_PROFILE_CPU);
}
"""
STANDIN = os.path.join("lib", "adapters", "standin")


class Advice(harness.TestCase):

    def advice(self, code, program, markers):
        """Run the program and return the only message with this code."""
        result = self.regionstat("-e", "time", "--markers", markers, "--", program,
                                 env=adapter_counts.unordered())
        found = [text for text in result.stderr.split("\n- ") if code in text]
        self.assertEqual(len(found), 1, result)
        self.assertNotRegex(found[0], "(?i)regionstat_st(art|op)")
        return found[0]

    def test_section_never_stopped(self):
        text = self.advice("started and never stopped", self.compile_text(SECTION, "-ldl"),
                           "kokkos")
        self.assertIn("1 asynchronous call started and never stopped, not in the figures: 'section' (1)", text)
        self.assertIn("Kokkos: stop() of each ProfilingSection", text)
        self.assertNotIn("nvtx", text)

    def test_resumed_and_never_paused(self):
        library = os.path.join(harness.BUILD, STANDIN)
        program = self.compile_text(RESUMED, "-I" + os.path.join(harness.SOURCE, STANDIN),
                                    "-L" + library, "-Wl,-rpath," + library,
                                    "-lAMDProfileController")
        text = self.advice("started and never stopped", program, "auto")
        self.assertIn("'amdProfile' (1)", text)
        self.assertIn("uProf: amdProfilePause()", text)

    def test_more_functions_than_there_is_room_for(self):
        """5,001 functions, with main among them, and space for 4,095 regions."""
        n = 5000
        program = self.compile_text(
            "".join("int f%d(void);\nint f%d(void) { return %d; }\n" % (i, i, i)
                    for i in range(n)) +
            "int main(void)\n{\n\tint sum = 0;\n" +
            "".join("\tsum += f%d();\n" % i for i in range(n)) +
            "\treturn sum != %d;\n}\n" % sum(range(n)), "-O0", "-finstrument-functions")
        text = self.advice("the table of 4,095 regions was full", program, "auto")
        self.assertIn("906 calls counted for '(other)'", text)
        self.assertIn("--functions GLOB", text)
        self.assertNotIn("numbers in names", text)
