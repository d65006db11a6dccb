# SPDX-License-Identifier: MIT
"""Advice about markers of other APIs uses the terms of these APIs."""

import harness


class Advice(harness.TestCase):

    def advice(self, code, markers, *program):
        """Run the program and return the only message with this code."""
        result = self.regionstat("-e", "time", "--markers", markers, "--", *program)
        found = [text for text in result.stderr.split("\n- ") if code in text]
        self.assertEqual(len(found), 1, result)
        self.assertNotRegex(found[0], "(?i)regionstat_st(art|op)")
        return found[0]

    def test_section_never_stopped(self):
        text = self.advice("started and never stopped", "kokkos", harness.app("kokkos"), "open")
        self.assertIn("1 asynchronous call started and never stopped, not in the figures: 'section' (1)", text)
        self.assertIn("Kokkos: stop() of each ProfilingSection", text)
        self.assertNotIn("nvtx", text)

    def test_resumed_and_never_paused(self):
        text = self.advice("started and never stopped", "auto", harness.app("uprof"), "resumed")
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
        text = self.advice("the table of 4,095 regions was full", "auto", program)
        self.assertIn("906 calls counted for '(other)'", text)
        self.assertIn("--functions GLOB", text)
        self.assertNotIn("numbers in names", text)
