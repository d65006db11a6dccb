# SPDX-License-Identifier: MIT
"""The cost of a marker in a program that regionstat did not launch. Its machine code is one load,
one test and one branch that is not taken, without a call. strace shows no more system calls than
for the same program without markers."""

import collections
import os
import platform
import re
import unittest

import harness

SOURCE = r"""
#include <regionstat.h>
void body(void);
void pair(void);
void scope(void);
void hand_over(void);
void plain(void);
void pair(void) { REGIONSTAT_BEGIN("a"); body(); REGIONSTAT_END("a"); }
void scope(void) { REGIONSTAT_SCOPE("a"); body(); }
void hand_over(void) { REGIONSTAT_NEXT("a", "b"); body(); }
void named(const char *name);
void named(const char *name) { regionstat_begin(name); body(); }
void told(unsigned long long n);
void told(unsigned long long n) { REGIONSTAT_WORK("a", n, 2 * n); body(); }
void plain(void) { body(); }
"""

# Patterns of a conditional jump, and of instructions that end the straight path.
CONDITIONAL = {"x86_64": re.compile(r"^j(?!mp)\w+$"),
               "aarch64": re.compile(r"^(cbn?z|tbn?z|b\.\w+)$")}
JUMP = {"x86_64": "jmp", "aarch64": "b"}
CALL = {"x86_64": "call", "aarch64": "bl"}

Path = collections.namedtuple("Path", "instructions loads branches calls")


def functions_of(disassembly):
    """Return the instructions of each function as lists of (address, mnemonic, operands,
    relocation)."""
    found, current = {}, None
    for line in disassembly.split("\n"):
        start = re.match(r"^[0-9a-f]+ <(\w+)>:$", line)
        instruction = re.match(r"^\s+([0-9a-f]+):\t(?:bnd |notrack )?(\S+)\s*(.*)$", line)
        relocation = re.match(r"^\s+[0-9a-f]+: (R_\w+)\s+(\S+)", line)
        if start:
            current = found.setdefault(start.group(1), [])
        elif relocation and current:
            address, mnemonic, operands, old = current[-1]
            current[-1] = (address, mnemonic, operands,
                           old + [relocation.group(1) + " " + relocation.group(2)])
        elif instruction and current is not None:
            current.append((int(instruction.group(1), 16), instruction.group(2),
                            instruction.group(3), []))
    return found


def fall_through(function, machine):
    """Follow the instructions from the start, without taking conditional jumps, to the return or
    the last call."""
    by_address = {entry[0]: index for index, entry in enumerate(function)}
    index, instructions, loads, branches, calls = 0, [], 0, 0, []
    for _ in range(100):
        _, mnemonic, operands, relocations = function[index]
        instructions.append("%s %s %s" % (mnemonic, operands, " ".join(relocations)))
        if any("regionstat_table_1_" in text for text in relocations):
            # arm64 first computes the page's address: only the access with the low part is a load
            loads += not any("ADR_PREL_PG" in text for text in relocations)
        if mnemonic.startswith("ret"):
            break
        if CONDITIONAL[machine].match(mnemonic):
            branches += 1
            if relocations:  # clang 21: without a measurement, the last call is this jump
                calls.append(" ".join(relocations))
                break
        if mnemonic.startswith(CALL[machine]):
            calls.append(" ".join(relocations) or operands)
        if mnemonic == JUMP[machine]:
            target = re.match(r"^(?:0x)?([0-9a-f]+)", operands)
            if relocations or not target or int(target.group(1), 16) not in by_address:
                calls.append(" ".join(relocations) or operands)
                break
            index = by_address[int(target.group(1), 16)]
        else:
            index += 1
    return Path(instructions, loads, branches, calls)


class MachineCode(harness.TestCase):

    def paths(self, compiler, objdump, machine, flags):
        self.text_file("off.c", SOURCE)
        command = [compiler, *flags, "-I" + os.path.dirname(harness.HEADER),
                   "-fcf-protection=none" if machine == "x86_64" else "-fno-stack-protector",
                   "-c", self.path("off.c"), "-o", self.path("off.o")]
        result = self.execute(command)
        result = self.execute([objdump, "-dr", "--no-show-raw-insn", self.path("off.o")])
        return {name: fall_through(function, machine)
                for name, function in functions_of(result.stdout).items()}

    def check(self, compiler, objdump, machine):
        for tool in (compiler, objdump):
            harness.need_tool(tool)
        per_marker = 3  # mov, test, jne; adrp, ldr, cbnz
        for optimization in ("-O2", "-O3"):
            for pic in ("-fPIC", "-fno-pic"):
                paths = self.paths(compiler, objdump, machine, [optimization, pic])
                base = len(paths["plain"].instructions)
                # a scope that has not begun does not end: one test is enough
                for name, n_markers in (
                        ("pair", 2), ("hand_over", 1), ("named", 1), ("scope", 1), ("told", 1)):
                    path = paths[name]
                    with self.subTest(function=name, flags=optimization + " " + pic):
                        listing = "\n".join(path.instructions)
                        self.assertEqual(len(path.calls), 1, listing)
                        self.assertIn("body", path.calls[0], listing)
                        self.assertEqual(path.branches, n_markers, listing)
                        self.assertEqual(path.loads, n_markers, listing)
                        self.assertNotIn("GOT", listing)
                        # a marker may prevent a tail call, and may require that an argument or the
                        # scope's state is saved across it
                        self.assertLessEqual(len(path.instructions),
                                             base + n_markers * per_marker + 7, listing)

    @unittest.skipUnless(platform.machine() == "x86_64", "this machine is no x86-64")
    def test_gcc(self):
        self.check("gcc", "objdump", "x86_64")

    @unittest.skipUnless(platform.machine() == "x86_64", "this machine is no x86-64")
    def test_clang(self):
        self.check("clang", "objdump", "x86_64")

    def test_gcc_for_arm64(self):
        native = platform.machine() == "aarch64"
        prefix = "" if native else "aarch64-linux-gnu-"
        self.check(prefix + "gcc", prefix + "objdump", "aarch64")


class NotLaunched(harness.TestCase):
    """A marked program compared with the same program without markers."""

    def trace(self, program, *arguments):
        log = self.path("strace.log")
        result = harness.run([harness.need_tool("strace"), "-f", "-o", log, harness.app(program), *arguments])
        harness.need(result.status == 0 or "ptrace" not in result.stderr, "strace may not trace here")
        self.assertEqual(result.status, 0, result)
        with open(log, encoding="utf-8", errors="replace") as stream:
            return [line.split()[1].split("(")[0] for line in stream if "(" in line]

    def test_makes_no_system_call_more(self):
        arguments = ("-s", "16x16", "-r", "1", "-m", "pixel")
        marked = self.trace("tracer", *arguments)
        plain = self.trace("tracer-unmarked", *arguments)
        self.assertEqual(collections.Counter(marked), collections.Counter(plain))

    def test_ignores_an_environment_that_makes_no_sense(self):
        runtime = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1")
        values = ["", ":", "1", "x:y:z:w", "1:100:1:0123456789abcdef", "1:-1:-1:0", "0:0:0:0",
                  "2:100:1:0123456789abcdef", "1:99999999999999999999:1:ffffffffffffffff",
                  "1:0:1:0123456789abcdef", "1:1:1:0123456789abcdef", "A" * 10000]
        for segment in values:
            for library in (None, runtime, "/nonexistent.so", "/etc/passwd", ""):
                with self.subTest(segment=segment[:40], runtime=library):
                    result = harness.run(
                        [harness.app("rules"), "nested", "3"],
                        env=harness.environment(REGIONSTAT_SEGMENT=segment,
                                                REGIONSTAT_RUNTIME=library))
                    self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""))
