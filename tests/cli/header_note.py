# SPDX-License-Identifier: MIT
"""Attaching to a program that was started without regionstat. The marker header has an ELF note
that says what to write where, and one written word turns the markers on. The program is not
stopped, and before that write nothing of it is read or written."""

import os
import re
import signal
import struct
import subprocess
import time

import harness

PT_LOAD, PT_NOTE = 1, 4
NOTE_HEADER = 2  # the type of the notes named "regionstat"
ABI = 1
SEGMENT_OFFSET, SEGMENT_BYTES, RUNTIME_OFFSET, RUNTIME_BYTES = 8, 128, 136, 752


class Memory:
    """The memory of a process, and the files that are mapped in it."""

    def __init__(self, pid):
        self.pid = pid
        # pylint: disable-next=consider-using-with
        self.file = open("/proc/%d/mem" % pid, "r+b", buffering=0)

    def close(self):
        self.file.close()

    def read(self, address, n_bytes):
        self.file.seek(address)
        return self.file.read(n_bytes)

    def write(self, address, data):
        self.file.seek(address)
        self.file.write(data)

    def objects(self):
        """Return the address of the first byte of each loaded file, by path."""
        found = {}
        with open("/proc/%d/maps" % self.pid, encoding="utf-8") as maps:
            for line in maps:
                fields = line.split(maxsplit=5)
                if len(fields) == 6 and fields[5].startswith("/") and int(fields[2], 16) == 0:
                    found.setdefault(fields[5].strip(), int(fields[0].split("-")[0], 16))
        return found

    def headers(self):
        """Return the notes of marker headers by path: addresses of the request, the table's pointer
        and the stub table."""
        found = {}
        for path, start in self.objects().items():
            elf = self.read(start, 64)
            if elf[:4] != b"\x7fELF":
                continue
            kind, = struct.unpack_from("<H", elf, 16)
            offset, = struct.unpack_from("<Q", elf, 32)
            size, count = struct.unpack_from("<HH", elf, 54)
            # for position-independent code, addresses are relative to the start
            base = start if kind == 3 else 0
            for i in range(count):
                entry = struct.unpack("<IIQQQQQQ", self.read(start + offset + i * size, 56))
                if entry[0] == PT_NOTE:
                    for note in self.notes(base + entry[3], entry[6]):
                        found[path] = note
        return found

    def notes(self, address, n_bytes):
        end = address + n_bytes
        while address + 12 <= end:
            name_bytes, content_bytes, kind = struct.unpack("<III", self.read(address, 12))
            content = address + 12 + (name_bytes + 3) // 4 * 4
            if kind == NOTE_HEADER and self.read(address + 12, name_bytes) == b"regionstat\0":
                abi, request_bytes = struct.unpack("<II", self.read(content, 8))
                ways = struct.unpack("<qqq", self.read(content + 8, 24))
                if abi == ABI and request_bytes == 1024:
                    yield [content + 8 + 8 * i + way for i, way in enumerate(ways)]
            address = content + (content_bytes + 3) // 4 * 4


@harness.no_sanitizer("a runtime with a sanitizer needs a program with it")
class Attach(harness.TestCase):

    def build(self, *flags):
        """Build the program and its libraries, all stripped."""
        include = "-I" + os.path.dirname(harness.HEADER)
        for name in ("first", "second"):
            self.execute(["gcc", "-O2", *flags, "-shared", "-fPIC", include, self.source(name),
                          "-o", self.path("lib%s.so" % name)])
        self.execute(["gcc", "-O2", *flags, include, self.source("main"), "-o", self.path("main"),
                      "-L" + self.directory, "-lfirst", "-lsecond", "-Wl,-rpath," + self.directory])
        for name in ("main", "libfirst.so", "libsecond.so"):
            self.execute(["strip", "--strip-all", self.path(name)])
        return self.path("main")

    def source(self, name):
        return os.path.join(harness.APP_SOURCES, "attached", name + ".c")

    def launch(self, output):
        """Start a launcher whose own program waits. Return it, and its variables for the segment
        and the runtime."""
        launcher = self.spawn(
            [harness.REGIONSTAT, "-x", ",", "-o", output, "-e", "time", "--", "sh", "-c",
             'echo "$REGIONSTAT_SEGMENT"; echo "$REGIONSTAT_RUNTIME"; read line'],
            stdin=subprocess.PIPE, text=True)
        return launcher, [launcher.stdout.readline().strip().encode() for _ in range(2)]

    def start(self, program):
        """Start a program. Return its process and its memory."""
        process = self.spawn([program], ready="ready", stdin=subprocess.PIPE, text=True)
        memory = Memory(process.pid)
        self.addCleanup(memory.close)
        return process, memory

    def report(self, launcher, output):
        launcher.communicate("\n", timeout=30)
        return harness.read_report(output)

    def write(self, memory, header, segment, runtime):
        """Attach: write the request, and then the word."""
        request, table, stub = header
        self.assertEqual(memory.read(table, 8), bytes(8), "markers are off")
        memory.write(request + SEGMENT_OFFSET, segment.ljust(SEGMENT_BYTES, b"\0"))
        memory.write(request + RUNTIME_OFFSET, runtime.ljust(RUNTIME_BYTES, b"\0"))
        memory.write(table, struct.pack("<Q", stub))

    def attach(self, program, which):
        """Attach through the header of one object. Return the report and the program's output."""
        output = self.path("report.csv")
        process, memory = self.start(program)
        launcher, (segment, runtime) = self.launch(output)
        headers = {os.path.basename(path): header for path, header in memory.headers().items()}
        self.assertEqual(set(headers), {"main", "libfirst.so", "libsecond.so"})
        self.assertRegex(harness.read_text("/proc/%d/status" % process.pid), r"Threads:\t1\n")
        self.write(memory, headers[which], segment, runtime)
        tables = [header[1] for header in headers.values()]
        off_or_stub = bytes(8), struct.pack("<Q", headers[which][2])
        harness.wait_until(
            lambda: not any(memory.read(table, 8) in off_or_stub for table in tables))
        time.sleep(0.2)  # let each object make some calls
        own = process.communicate(timeout=30)[0].split()
        self.assertEqual(process.returncode, 0)
        return self.report(launcher, output), [int(number) for number in own]

    def test_one_word_turns_all_objects_on(self):
        for which, flags in (("main", ["-no-pie"]), ("libfirst.so", []), ("libsecond.so", [])):
            with self.subTest(which):
                report, (tasks, fds, tasks_now, fds_now) = self.attach(self.build(*flags), which)
                calls = report.calls()
                self.assertEqual(set(calls), {"main", "first", "first by name", "second",
                                              "second, one", "second, two"})
                self.assertGreater(min(calls.values()), 10)
                self.assertLessEqual(max(calls.values()) - min(calls.values()), 1)
                # a call that the stub began has an unmatched END
                self.assertLessEqual(set(report.diagnostics()), {"unmatched"})
                self.assertLessEqual(sum(report.diagnostics().values()), 3)
                # a thread that slept has one descriptor for the time that it waits for a CPU
                self.assertEqual(tasks_now, tasks)
                self.assertLessEqual(fds_now, fds + 1)

    def test_a_runtime_that_cannot_load(self):
        """If the runtime cannot be loaded, the markers are off again."""
        process, memory = self.start(self.build())
        header = list(memory.headers().values())[0]
        self.write(memory, header, b"1:2:3:4", b"/nonexistent/libregionstat.so")
        harness.wait_until(lambda: memory.read(header[1], 8) == bytes(8))
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)

    def test_signals_are_the_programs(self):
        """The thread that loads the runtime receives no signals."""
        process, memory = self.start(self.build())
        header = list(memory.headers().values())[0]
        self.write(memory, header, b"1:2:3:4", b"/nonexistent/libregionstat.so")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGTERM)

    def test_the_note_outlives_what_drops_sections(self):
        for flags in (["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
                      ["-flto"], ["-fuse-ld=gold"], ["-fuse-ld=lld"]):
            with self.subTest(flags=flags):
                self.text_file("probe.c", "int main(void) { return 0; }\n")
                if harness.run(["gcc", *flags, self.path("probe.c"), "-o",
                                self.path("probe")]).status != 0:
                    self.skipTest("this linker is not there")
                self.build(*flags)
                for name in ("main", "libfirst.so", "libsecond.so"):
                    notes = harness.run(["readelf", "-nW", self.path(name)]).stdout
                    self.assertEqual(len(re.findall(r"^\s+regionstat\s+0x00000020", notes, re.M)),
                                     1, notes)

    def test_the_runtime_is_no_program_that_marks(self):
        """The runtime uses only the header's types: it has neither the header's constructor nor its
        note."""
        runtime = os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.so.1")
        notes = harness.run(["readelf", "-nW", runtime]).stdout
        self.assertEqual(len(re.findall(r"^\s+regionstat\s+0x00000020", notes, re.M)), 0, notes)
        adapter = os.path.join(harness.BUILD, "lib", "adapters", "libregionstat-likwid.so")
        notes = harness.run(["readelf", "-nW", adapter]).stdout
        self.assertEqual(len(re.findall(r"^\s+regionstat\s+0x00000020", notes, re.M)), 1, notes)
