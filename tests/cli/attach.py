# SPDX-License-Identifier: MIT
"""regionstat attach: measuring a program that was started without regionstat."""

import fcntl
import os
import re
import resource
import signal
import subprocess
import sys
import time

import harness
from attach_program import AttachTestCase, Program, is_measured, state_of

PLAIN = harness.SANITIZE == "none"
# An attach and detach each; more of them in a long proof.
ATTACHES = int(os.environ.get("REGIONSTAT_ATTACHES", "20" if PLAIN else "3"))
EXECUTIONS = int(os.environ.get("REGIONSTAT_EXECUTIONS", "20"))
THREADS = int(os.environ.get("REGIONSTAT_ATTACH_THREADS", "64" if PLAIN else "16"))
# Each measurement has another plan, so that threads lay out their memory again.
PLANS = (["-e", "time"], ["-e", "task-clock,page-faults"], ["-e", "time", "--only", "s*"],
         ["-e", "time", "--per-thread"], ["-e", "task-clock", "-e", "user_time"])
SOURCE = os.path.join("attached", "load.c")
OWN_USER = 61717  # a user without other processes
STATIC = ("-DREGIONSTAT_STATIC", os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a"))


def state(pid):
    """Return the numbers of mappings, threads and descriptors of a process."""
    n_maps = harness.read_text("/proc/%d/maps" % pid).count("\n")
    return n_maps, len(os.listdir("/proc/%d/task" % pid)), len(os.listdir("/proc/%d/fd" % pid))


def mappings(pid):
    """Return {first address: (file or "", rights, bytes, resident bytes)} of a process."""
    found = {}
    with open("/proc/%d/smaps" % pid, encoding="utf-8") as maps:
        for line in maps:
            words = line.split()
            if re.fullmatch("[0-9a-f]+-[0-9a-f]+", words[0]):
                first, end = (int(word, 16) for word in words[0].split("-"))
                rights, file = words[1], " ".join(words[5:])
            elif words[0] == "VmFlags:":
                found[first] = (file, rights, end - first, resident)
            elif words[0] == "Rss:":
                resident = int(words[1]) * 1024
    return found


def auxiliary_vector(pid):
    """Return what differs between two programs that a process executes."""
    return harness.read_bytes("/proc/%d/auxv" % pid)


def count_files(pid, what):
    """Return how many descriptors of a process have a name that contains a text."""
    return sum(what in file for file in harness.descriptors(pid).values())


class Attach(AttachTestCase):

    def refuse(self, pid, *texts, options=()):
        result = self.attach(pid, *options, status=125)
        for text in texts:
            self.assertIn(text, result.stderr)

    def until_called(self, program, region="scope", least=1, events="time"):
        """Attach until a region was called, for twice as long each time, because the machine may be slow.
        Return the report."""
        for i in range(10):
            report = self.attach(program.pid, "-e", events, duration="%dms" % (50 << i)).report
            if report.calls().get(region, 0) >= least:
                return report
        raise AssertionError("no marker was measured")

    def attach_exactly(self, program, begun, *options):
        """Attach, and compare the calls with those that the program has begun since it had begun `begun`.
        Return how many it has begun now."""
        return self.check_calls(program, self.attach(program.pid, *options).report, begun)

    def check_calls(self, program, report, begun):
        """Do what attach_exactly() does with a report."""
        self.assertLessEqual(set(report.diagnostics()), {"open", "clamped"})
        rows = [row for row in report.rows if row.region == "scope"]
        calls = sum(row.calls for row in rows if row.kind == "region" and row.event == "time")
        is_open = sum(int(row.value) for row in rows
                      if row.kind == "diagnostic" and row.event == "open")
        now = program.ask()[0]
        self.assertEqual(calls + is_open, now - begun)
        return now

    def test_calls_are_exactly_those_between_attach_and_detach(self):
        program = Program(self, [self.build()], THREADS, pause_us=3000)
        before_first = state(program.pid)[1:]
        begun, steps = program.ask()
        self.assertEqual(begun, 0)
        maps = []
        for i in range(ATTACHES):
            with self.subTest(attach=i):
                begun = self.attach_exactly(program, begun, *PLANS[i % len(PLANS)])
                # the thread that detaches ends last
                harness.wait_until(lambda: state(program.pid)[1:] == before_first)
                maps.append(state(program.pid)[0])
        # libc keeps the stacks of up to 5 threads that have ended, which are two mappings each. A short
        # measurement may end before it has memory for all threads, of which a mapping is for up to 8.
        n = len(PLANS)
        self.assertLessEqual(max(maps[n:], default=0), max(maps[:n]) + 10 + THREADS // 8, maps)
        self.assertGreater(program.ask()[1], steps)

    def test_ten_thousand_threads(self):
        """All but 4 are blocked, until the measurement has begun. Then each may make a step."""
        program = Program(self, [self.build()], 4, pause_us=10000, n_blocked=10000 - 4)
        before = state(program.pid)[1:]
        measurement = self.begin(program.pid, "-e", "page-faults")
        harness.wait_until(lambda: program.ask()[0] > 0 or measurement.poll() is not None)
        steps = program.ask("w")[1]
        harness.wait_until(lambda: program.ask()[1] > steps + 10000)
        report, _ = self.finish(measurement)
        self.check_calls(program, report, 0)
        self.assertGreater(report.one(kind="region", region="scope", event="time").threads, 4)
        harness.wait_until(lambda: state(program.pid)[1:] == before)

    def what_stays(self, n_threads):
        """Return the resident bytes of the anonymous memory that 3 and 6 measurements leave in a
        program."""
        program = Program(self, [self.build()], n_threads, pause_us=1000)
        before, first = mappings(program.pid), state(program.pid)[1:]
        stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
        resident = []
        for _ in range(6):
            self.until_called(program, events="task-clock,page-faults")
            harness.wait_until(lambda: state(program.pid)[1:] == first)
            new = [mapping for address, mapping in mappings(program.pid).items() if address not in before]
            resident.append(sum(each[3] for each in new if not each[0] and each[2] != stack))
        program.end()
        files = {os.path.basename(file) for file, *_ in new if file}
        self.assertEqual([re.sub(r"[.\d]*$", "", file) for file in files], ["libregionstat.so"])
        # libc keeps 40 MiB of the stacks of threads that have ended: those that load, that wait for the
        # end and that keep the segment. Their number depends on how many of them live at a time.
        self.assertLessEqual(sum(each[2] for each in new if each[2] == stack), 40 * 1024 * 1024)
        return resident[2], resident[5]

    def test_what_stays(self):
        """Beside stacks that libc keeps: the runtime, and two pages for each thread that used markers. Later
        measurements add nothing, though each gives 32 KiB to the thread that calibrates. No page is there of
        the runtime's two bit sets with a bit for each of 2^20 extents."""
        (few, later), (many, _) = self.what_stays(4), self.what_stays(36)
        harness.note("%d bytes with 4 threads, later %d; %d with 36" % (few, later, many))
        self.assertLessEqual(many - few, 32 * 2 * resource.getpagesize())
        self.assertLess(later - few, 32 << 10)
        self.assertLess(few, (1 << 20) // 8 * 2)

    def test_a_program_whose_file_is_replaced_and_removed(self):
        """By an upgrade: the new file has its markers at other addresses. The process has the old ones."""
        path = self.build()
        program = Program(self, [path])
        begun = 0
        os.rename(self.compile(SOURCE, harness.compilers()[0], "-O0", "-DUPGRADED", name="new"), path)
        begun = self.attach_exactly(program, begun, "-e", "time")
        os.unlink(path)
        self.attach_exactly(program, begun, "-e", "time")
        self.until_called(program)

    def test_first_markers_find_their_memory(self):
        """The thread that loads has touched the pages. Alone, each thread would touch at least two."""
        process = self.spawn([self.build(source="first_markers"), "16"], stdin=subprocess.PIPE, text=True,
                             ready="ready")
        for events in ("time", "time", "task-clock", "page-faults"):
            n_measured = 0
            while not n_measured:  # the machine may be busy
                self.attach(process.pid, "-e", events)
                n_measured, n_faults = harness.ask(process)
            self.assertLess(n_faults, n_measured + 4, events)  # and code that runs for the first time

    def test_the_thread_that_loads_opens_counters(self):
        """And the files for context switches, also those of the main thread, which has no markers."""
        program = Program(self, [self.build()], 16)
        measurement = self.begin(program.pid, "-e", "task-clock,page-faults")
        harness.wait_until(lambda: count_files(program.pid, "perf_event") == 2 * 17)
        harness.wait_until(lambda: count_files(program.pid, "schedstat") == 17)
        self.finish(measurement)
        harness.wait_until(lambda: count_files(program.pid, "perf_event") == 0)
        self.assertEqual(count_files(program.pid, "schedstat"), 0)

    def test_the_table_of_descriptors_is_large_before_any_thread(self):
        limit, path = resource.getrlimit(resource.RLIMIT_NOFILE)[0], self.build()
        for options in ([], ["-e", "page-faults"]):
            program = Program(self, [harness.REGIONSTAT, *options, "-o", os.devnull, "--", path], 0,
                              is_child=True)
            status = harness.read_text("/proc/%d/status" % program.pid)
            self.assertGreater(int(re.search(r"FDSize:\s+(\d+)", status).group(1)), min(limit // 4 * 3, 3072))

    def test_markers_are_on_before_the_table_of_descriptors_is_large(self):
        """The kernel takes 10 ms or more to enlarge it. Events need it before. The thread that loads lists the
        other threads just before it turns the markers on."""
        harness.need_no_sanitizer("under strace(1) a sanitizer cannot look for leaks")
        for events, is_before in (("time", False), ("page-faults", True)):
            log = self.path("log")
            program = Program(self, [harness.need_tool("strace"), "-f", "-o", log, "-e",
                                     "trace=fcntl,openat", self.build()], is_child=True)
            self.until_called(program, events=events)
            program.end()
            calls = re.findall(r"/proc/self/task\"|F_DUPFD_CLOEXEC, \d+", harness.read_text(log))
            self.assertEqual("F_DUP" in calls[0], is_before, calls[:4])

    def test_a_thread_with_the_tid_of_an_ended_one(self):
        """The thread that loads has opened counters of the ended thread. Those would count nothing."""
        process = self.spawn([*harness.need_pid_namespaces(), "-m", "--mount-proc",
                              self.build(source="same_tid")], text=True, ready="ready")
        pid = harness.children(process.pid)[0]
        report = self.attach(pid, "-e", "page-faults", duration="%ds" % harness.TIMEOUT_S).report
        outcome = process.communicate(timeout=harness.TIMEOUT_S)[0].strip()
        harness.need(outcome == "same", outcome)
        self.assertEqual(report.region("later", "page-faults").total, 64)

    def check_stopped_handler(self, process):
        """Attach while the program is stopped in the handler, where its threads seem to block signals."""
        harness.wait_until(lambda: state_of(process.pid) == "T")
        rows = self.text_file("rows.csv", "")
        measurement = self.begin(process.pid, "-e", "time", "-I", "20", "--interval-output", rows,
                                 until=lambda _: harness.read_text(rows))  # the markers have been turned on
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=harness.TIMEOUT_S)  # it ends after its handler
        self.assertEqual(self.finish(measurement, None)[0].calls(), {})

    def test_markers_in_signal_handlers(self):
        """A handler may have interrupted malloc(3), so its markers do not load the runtime."""
        path = self.build(source="handlers")
        for where in ("handler", "stopped", "program", "blocked", "ppoll"):
            with self.subTest(markers_in=where):
                process = self.spawn([path, where], stdin=subprocess.PIPE, text=True, ready="ready")
                if where == "stopped":
                    self.check_stopped_handler(process)
                elif where == "handler":
                    for _ in range(10):
                        self.assertEqual(self.attach(process.pid, "-e", "time").report.calls(), {})
                else:
                    report = self.until_called(process, "loop")
                    self.assertEqual("tick" in report.calls(), where == "program")
                process.communicate(timeout=harness.TIMEOUT_S)
                self.assertEqual(process.returncode, 0)

    def test_a_thread_reads_its_calls_while_others_attach_and_detach(self):
        path = self.build(source="reads")
        process = self.spawn([path], stdin=subprocess.PIPE, text=True, ready="ready")
        for i in range(8):
            self.attach(process.pid, "-e", ("time", "page-faults")[i % 2], duration="%dms" % (10 + 5 * i))
        self.until_called(process, "read", 3)  # one of two threads has read between two calls
        n_equal, n_others = map(int, process.communicate(timeout=harness.TIMEOUT_S)[0].split())
        self.assertEqual((process.returncode, n_others), (0, 0))
        self.assertGreater(n_equal, 0)

    def test_open_calls_are_told_and_earlier_ones_are_ignored(self):
        """"whole" and "started" are open all the time; their ENDs come after the detach."""
        program = Program(self, [self.build()])
        report = self.until_called(program)
        self.assertNotIn("whole", report.calls())
        self.assertNotIn("unmatched", report.diagnostics())
        result = self.regionstat("attach", str(program.pid), "--duration", "300ms", "-e", "time")
        self.assertNotIn("REGIONSTAT_SCOPE(), which", result.stderr)
        # the end of the program, during a measurement
        begun = program.ask()[0]
        measurement = self.begin(program.pid, "-e", "time", until=lambda _: program.ask()[0] > begun)
        program.end()
        self.assertNotIn("unmatched", self.finish(measurement, None)[0].diagnostics())

    def test_the_program_is_not_stopped(self):
        """regionstat writes the request, and then the word. It neither traces the program nor sends it a
        signal. Signal 0 only asks if a process exists."""
        harness.need_no_sanitizer("a sanitizer's check for leaks traces its own process")
        program, log = Program(self, [self.build()]), self.path("log")
        self.attach(program.pid, "-e", "time", words=[
            harness.need_tool("strace"), "-f", "-o", log, "-e",
            "trace=ptrace,bpf,kill,tkill,tgkill,pidfd_send_signal,process_vm_writev"])
        calls = re.findall(r"^\d+ +(\w+)\((.*)\) += (-?\d+)", harness.read_text(log), re.MULTILINE)
        written = [int(result) for name, _, result in calls if name == "process_vm_writev"]
        self.assertEqual(written[:2], [1024, 8], calls)
        others = {"%s %s" % (name, words.split(", ")[-1]) for name, words, _ in calls} - {"process_vm_writev 0"}
        self.assertLessEqual(others, {"kill 0"})
        program.end()

    def test_two(self):
        program = Program(self, [self.build()])
        first = self.begin(program.pid, "-e", "time")
        self.refuse(program.pid, "is measured already, by regionstat %d\n" % first.pid,
                    "regionstat live %d" % first.pid)
        self.finish(first)

    def test_two_at_once(self):
        """One is refused. It leaves alone what the other one has written, before any marker runs."""
        program = Program(self, [self.build()], pause_us=50000)
        for _ in range(6):
            before = program.ask()[0]
            both = [self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time", "-o", "-"],
                               text=True) for _ in range(2)]
            harness.wait_until(lambda: any(each.poll() is not None for each in both))
            both.sort(key=lambda each: each.poll() is None)
            self.assertRegex(both[0].stderr.read(), "is measured already, by regionstat %d\n|"
                             "another regionstat is attaching" % both[1].pid)
            harness.wait_until(lambda: program.ask()[0] > before)
            both[1].send_signal(signal.SIGINT)
            output = both[1].communicate(timeout=harness.TIMEOUT_S)[0]
            self.assertEqual([each.returncode for each in both], [125, 0])
            self.assertIn("scope", output)
            harness.wait_until(lambda: not is_measured(program.pid))
        program.end()

    def test_while_another_one_attaches(self):
        """It keeps a lock on a file that other users cannot open. A lock on another file changes nothing."""
        program = Program(self, [self.build()])
        with open("/proc/%d/auxv" % program.pid, "rb") as file:
            self.assertEqual(os.fstat(file.fileno()).st_mode & 0o777, 0o400)
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refuse(program.pid, "another regionstat is attaching to process %d\n  try: regionstat attach "
                        % program.pid, options=["-e", "time"])
        directory = os.open("/proc/%d" % program.pid, os.O_RDONLY)
        self.addCleanup(os.close, directory)
        fcntl.flock(directory, fcntl.LOCK_EX)
        self.until_called(program)

    def test_signals_end_the_measurement_only(self):
        """As in a script's background command, SIGINT is ignored when regionstat starts."""
        program = Program(self, [self.build()])
        for number in (signal.SIGINT, signal.SIGTERM):
            measurement = self.spawn(
                [harness.REGIONSTAT, "-p", str(program.pid), "-e", "time", "-o", "-"], text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
            before = program.ask()[0]
            harness.wait_until(lambda: program.ask()[0] > before)
            measurement.send_signal(number)
            output = measurement.communicate(timeout=harness.TIMEOUT_S)[0]
            self.assertEqual((measurement.returncode, "scope" in output), (0, True), output)
            harness.wait_until(lambda: not is_measured(program.pid))

    def stop(self, program):
        """Stop the program. Until its first thread gets a CPU, the others go on."""
        os.kill(program.pid, signal.SIGSTOP)
        harness.wait_until(lambda: state_of(program.pid) == "T")

    def test_a_stopped_program_delays_the_end(self):
        program = Program(self, [self.build()])
        measurement = self.begin(program.pid, "-e", "time")
        harness.wait_until(lambda: program.ask()[0] > 0)
        self.stop(program)
        measurement.send_signal(signal.SIGINT)
        self.assertEqual([measurement.stderr.readline() for _ in range(2)],
                         ["regionstat: waiting for process %d, which is stopped and cannot leave the "
                          "measurement\n" % program.pid, "  try: kill -CONT %d, \"continue\" in its "
                          "debugger, or thaw its cgroup (docker unpause)\n" % program.pid])
        os.kill(program.pid, signal.SIGCONT)
        self.finish(measurement, None)
        self.stop(program)
        result = self.attach(program.pid)
        self.assertIn("process %d is stopped, and nothing is measured until it continues\n"
                      "  try: kill -CONT %d, " % (program.pid, program.pid), result.stderr)
        os.kill(program.pid, signal.SIGCONT)

    def test_a_frozen_program_is_stopped(self):
        program = Program(self, [self.build()])
        cgroup = self.make_cgroup("freezer", {}, {})
        is_old = os.path.exists(os.path.join(cgroup, "freezer.state"))
        name, frozen, thawed = (("freezer.state", "FROZEN", "THAWED") if is_old else
                                ("cgroup.freeze", "1", "0"))
        harness.write_text(os.path.join(cgroup, "cgroup.procs"), str(program.pid))
        switch, shown = os.path.join(cgroup, name), os.path.join(cgroup, "cgroup.events")
        harness.write_text(switch, frozen)
        harness.wait_until(lambda: frozen in harness.read_text(switch) if is_old else
                           "frozen 1" in harness.read_text(shown))
        result = self.attach(program.pid)
        harness.write_text(switch, thawed)
        self.assertIn("process %d is stopped, and nothing is measured until it continues"
                      % program.pid, result.stderr)
        program.end()  # before the cgroup is removed

    def test_the_wait_for_a_stopped_program_is_not_measured(self):
        program, begin = Program(self, [self.build()]), time.monotonic()
        measurement = self.begin(program.pid, "-e", "time")
        harness.wait_until(lambda: program.ask()[0] > 0)
        self.stop(program)
        measurement.send_signal(signal.SIGINT)
        self.assertIn("which is stopped", measurement.stderr.readline())  # after 1 s
        waited = time.monotonic() - begin
        program.kill()
        report, _ = self.finish(measurement, None)
        self.assertLess(report.one(kind="run", event="time").total / 1e9, waited - 0.5)

    def test_a_launched_program(self):
        program = Program(self, [harness.REGIONSTAT, "-o", self.path("run.txt"), self.build()], is_child=True)
        harness.wait_until(lambda: is_measured(program.pid))
        self.refuse(program.pid, "is measured already, by regionstat %d\n" % program.process.pid)

    def test_a_program_that_measures_itself(self):
        program = self.compile_text("""
            #include <regionstat.h>
            #include <stdio.h>
            int main(void)
            {
                puts(regionstat_open("") ? "failed" : "ready");
                fflush(stdout);
                REGIONSTAT_BEGIN("a");
                REGIONSTAT_END("a");
                return getchar();
            }
            """)
        libraries = os.path.join(harness.BUILD, "lib", "runtime")
        process = self.spawn([program], stdin=subprocess.PIPE, text=True, ready="ready",
                             env=harness.environment(LD_LIBRARY_PATH=libraries))
        self.refuse(process.pid, "process %d measures itself with regionstat_open()\n"
                    "  try: regionstat live %d\n" % (process.pid, process.pid))

    def test_forked_children(self):
        program = Program(self, [self.build()])
        measurement = self.begin(program.pid, "-e", "time", until=lambda _: program.ask()[0] > 0)
        program.ask("f")
        self.assertEqual(self.finish(measurement)[0].calls()["child"], 100)

    def test_a_child_that_was_forked_earlier(self):
        """Its regions are missing when its parent is measured. The message names the remedy, which helps."""
        server = self.spawn([self.build(source="prefork")], stdout=subprocess.PIPE, text=True, ready="ready")
        worker = int(server.stdout.readline())
        result = self.attach(server.pid, "-e", "time")
        self.assertEqual(result.report.calls(), {})
        self.assertIn("for a child that was forked earlier, attach to the child", result.stderr)
        measurement = self.begin(worker, "-e", "time", "-I", "20", "--interval-output", self.text_file("rows", ""),
                                 until=lambda _: "work" in harness.read_text(self.path("rows")))
        self.assertEqual(set(self.finish(measurement)[0].calls()), {"work"})

    def test_a_child_that_is_forked_while_its_parent_loads(self):
        """The runtime in such a child has perhaps no relocations. No object of the child runs it, and the
        report says so."""
        compiler = harness.compilers()[0]
        library = self.compile(os.path.join("attached", "second.c"), compiler, "-shared", "-fPIC",
                               name="second.so")
        halfway = self.compile(os.path.join("attached", "halfway.c"), compiler, "-shared", "-fPIC",
                               name="halfway.so")
        program = self.spawn([self.build(library, source="forked"), halfway], text=True, ready="ready")
        result = self.attach(program.pid, "-e", "time", duration="20s")
        output = program.communicate(timeout=harness.TIMEOUT_S)[0]
        self.assertEqual((output, program.returncode), ("off\nwithout signals\n", 0))
        self.assertEqual([name for name in result.report.calls() if name != "open"], ["parent"])
        self.assertIn("a child process was forked while its parent loaded the runtime", result.stderr)

    def test_no_thread_can_be_started(self):
        """The program goes on, the report says why it has no or few calls, and it can be attached to
        again. The program has 5 threads."""
        user = harness.need_other_user(OWN_USER)
        os.chmod(self.directory, 0o755)
        path = self.build()
        for limit in (5, 6):  # for the thread that loads, and then for two others
            program = Program(self, [*user, path])
            # Earlier, the limit could refuse the program's own threads: other runs have this user, too.
            self.execute([*user, harness.need_tool("prlimit"), "--pid=%d" % program.pid,
                          "--nproc=%d:%d" % (limit, limit)])
            for _ in range(2):
                result = self.attach(program.pid, "-e", "time", duration="200ms")
                self.assertIn("no thread can be started (ulimit -u, pids.max)", result.stderr)
                harness.wait_until(lambda: state(program.pid)[1] == 5)
            program.end()

    def test_no_descriptor_is_free(self):
        """The program cannot open the segment, so it cannot write the reason into it. Its markers are off
        again, so that they do not try once more."""
        path, rows = self.build("-no-pie"), self.text_file("rows.csv", "")
        table = re.search(r"(\w+) \w regionstat_table_1_$", self.execute(["nm", path]).stdout, re.M).group(1)
        program = Program(self, [path])
        n_files = 1 + max(int(name) for name in os.listdir("/proc/%d/fd" % program.pid))
        limits = resource.prlimit(program.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(program.pid, resource.RLIMIT_NOFILE, (n_files, limits[1]))
        measurement = self.begin(program.pid, "-e", "time", "-I", "20", "--interval-output", rows,
                                 until=lambda _: harness.read_text(rows))  # the markers have been turned on
        with open("/proc/%d/mem" % program.pid, "rb", buffering=0) as memory:
            harness.wait_until(lambda: os.pread(memory.fileno(), 8, int(table, 16)) == bytes(8))
        _, messages = self.finish(measurement)
        self.assertIn("could not load the runtime that measures regions: it cannot open the segment", messages)
        self.assertNotIn("called none", messages)
        resource.prlimit(program.pid, resource.RLIMIT_NOFILE, limits)
        self.until_called(program)

    def test_no_marker_is_called(self):
        """A program may call markers that cannot load the runtime in time."""
        program = Program(self, [self.build()])
        program.ask("s")
        self.assertIn("the program has markers but none was measured in this time: measure for a longer "
                      "time, or check", self.attach(program.pid).stderr)

    def test_totals_intervals_and_files(self):
        program = Program(self, [self.build()])
        self.until_called(program)
        rows = self.text_file("rows.csv", "")
        report, _ = self.finish(self.begin(
            program.pid, "-e", "task-clock,page-faults", "-I", "20", "--interval-output", rows,
            until=lambda _: "scope" in harness.read_text(rows)))
        total = report.one(kind="run", event="task-clock")
        self.assertEqual(total.status, "ok")
        self.assertGreater(total.total, 0)
        # the CPU time of all threads, which the kernel may count in ticks of 10 ms
        used = sum(report.one(kind="run", event=event).total for event in ("user_time", "system_time"))
        harness.note("task-clock %d ns, user and system time %d ns" % (total.total, used))
        if total.total > 1e8:  # the program did not get a CPU otherwise
            self.assertGreater(used, 0)
        # the threads ran no longer than all CPUs did
        elapsed = report.one(kind="run", event="time").total
        self.assertLessEqual(total.total, 1.1 * elapsed * os.cpu_count() + 2e7)
        output, begun = self.path("run.json"), program.ask()[0]
        self.finish(self.begin(program.pid, "-e", "time", "-o", output, until=lambda _: program.ask()[0] > begun))
        shown = harness.regionstat("report", output)
        self.assertIn("scope", shown.stdout)
        self.assertIn("program 4 100", shown.stdout.splitlines()[0] + " ")

    def test_a_program_whose_first_thread_has_ended(self):
        """/proc/PID then has no memory and no files."""
        program = Program(self, [self.build("-DFIRST_ENDS")])
        harness.wait_until(lambda: state_of(program.pid) == "Z")
        begun = 0
        for _ in range(3):
            begun = self.attach_exactly(program, begun, "-e", "time")
        self.until_called(program)

    def test_static_programs_and_musl(self):
        kinds = [("static", "gcc", ["-static", *STATIC])]
        if harness.run(["musl-gcc", "--version"]).status == 0:
            kinds.append(("musl, static", "musl-gcc", ["-static", *STATIC]))
        if os.path.exists("/lib/ld-musl-x86_64.so.1"):
            kinds.append(("musl", "musl-gcc", []))
        for name, compiler, flags in kinds:
            with self.subTest(name):
                source = os.path.join(harness.APP_SOURCES, SOURCE)
                program = self.path(re.sub(r"\W+", "-", name))
                self.execute([compiler, "-O2", "-pthread", source, "-o", program,
                              "-I" + os.path.dirname(harness.HEADER), *flags])
                running = Program(self, [program])
                begun = 0
                for _ in range(3):
                    begun = self.attach_exactly(running, begun, "-e", "time")
                self.until_called(running)

    def test_refusals(self):
        self.refuse(2 ** 22 + 1, "there is no process 4194305", "try: ")
        self.refuse(os.getpid(), "has no markers", "try: regionstat COMMAND")
        zombie = subprocess.Popen(["true"])
        harness.wait_until(lambda: state_of(zombie.pid) == "Z")
        self.refuse(zombie.pid, "process %d has ended" % zombie.pid)
        zombie.wait()
        program = Program(self, [self.build()])
        thread = max(int(name) for name in os.listdir("/proc/%d/task" % program.pid))
        self.refuse(thread, "%d is a thread of process %d" % (thread, program.pid))
        for options, text in ((["--timeout", "5"], "--duration TIME"), (["-r", "1"], "once"),
                              (["--markers", "itt"], "at a program's start")):
            self.refuse(program.pid, text, options=options)
        for words, text in ((["--duration", "1s", "true"], "-p or attach names none"),
                            (["-p", "abc"], "'abc' is not a process id from 1"),
                            (["attach", "--duration", "0s", "1"], "'0s' is not a time from 1ms to 596h"),
                            (["attach", "--duration", "0", "1"], "'0' is not a time from 1ms to 596h"),
                            (["attach", "--duration", "12", "1"],
                             "'12' has no unit; units: ms, s, m, h\n  try: --duration 12s\n"),
                            (["-o", "x", "--rotate", "2", "true"], "try: --rotate 2s\n"),
                            (["-p", str(program.pid), "true"], "'true' is a command"),
                            (["attach"], "there is no PID"), (["attach", "x"], "'x' is not a process id"),
                            (["attach", "1", "2"], "more than one PID: '2'"),
                            (["attach", "-p", "1", "2"], "more than one PID: '2'"),
                            (["attach", "-p", "0"], "-p")):
            self.assertIn(text, self.regionstat(*words, status=125).stderr)

    def test_help(self):
        text = self.regionstat("attach", "--help").stdout
        self.assertIn("--duration TIME", text)
        for option in ("--repeat", "--timeout", "--markers", "--functions"):
            self.assertNotIn("%s " % option, text)

    def test_a_program_that_ends_before_the_measurement_begins(self):
        """regionstat has found its markers, and waits for somebody to read the intervals."""
        program, rows = Program(self, [self.build()]), self.path("rows")
        os.mkfifo(rows)
        measurement = self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time", "-I", "50",
                                  "--interval-output", rows], stderr=subprocess.PIPE, text=True)
        harness.wait_until(lambda: count_files(measurement.pid, "pidfd")
                           and state_of(measurement.pid) == "S")
        program.end()
        with open(rows, encoding="utf-8"):
            messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1]
        self.assertEqual((messages.splitlines()[0], measurement.returncode),
                         ("regionstat: there is no process %d" % program.pid, 125))

    def test_refused_objects(self):
        source = os.path.join(harness.APP_SOURCES, SOURCE)
        other = harness.read_text(harness.HEADER).replace(
            '".long 1, 1024\\n"', '".long 2, 1024\\n"')
        os.mkdir(self.path("other"))
        self.text_file("other/regionstat.h", other)
        include = os.path.dirname(harness.HEADER)
        for name, flags, text in (
                ("other", ["-I" + self.path("other")], "of another version of its interface"),
                ("static", ["-static", "-I" + include], "without libregionstat.a"),
                ("short", ["-m32", "-I" + include], "a program of 32 bits")):
            with self.subTest(name):
                result = harness.run(["gcc", "-O2", "-pthread", source, "-o", self.path(name + "1"),
                                      *flags])
                if name == "short" and result.status != 0:
                    harness.note("there is no compiler for 32 bits")
                    continue
                self.assertEqual(result.status, 0, result)
                program = Program(self, [self.path(name + "1")])
                self.refuse(program.pid, text, "try: ")

    def test_strict_seccomp(self):
        """The kernel would kill a thread in this mode at its first marker."""
        program = self.compile_text("""
            #include <linux/seccomp.h>
            #include <regionstat.h>
            #include <sys/prctl.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            int main(void)
            {
                char byte;
                if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0 || write(1, "ready\\n", 6) != 6)
                    return 1;
                read(0, &byte, 1);
                REGIONSTAT_BEGIN("a");
                REGIONSTAT_END("a");
                return (int)syscall(SYS_exit, 7);
            }
            """)
        process = self.spawn([program], stdin=subprocess.PIPE, text=True, ready="ready")
        self.refuse(process.pid, "process %d is in the strict mode of seccomp(2)" % process.pid, "try: ")
        process.communicate("x", timeout=harness.TIMEOUT_S)
        self.assertEqual(process.returncode, 7)

    def test_a_seccomp_filter_that_kills(self):
        """The report says why the program may have ended."""
        process = self.spawn([self.compile_text("""
            #include <linux/filter.h>
            #include <linux/seccomp.h>
            #include <regionstat.h>
            #include <sys/prctl.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            int main(void)
            {
                struct sock_filter code[] = {
                    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                };
                struct sock_fprog program = {4, code};
                if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ||
                    write(1, "ready\\n", 6) != 6)
                    return 1;
                for (;;) {
                    REGIONSTAT_SCOPE("a");
                    usleep(1000);
                }
            }
            """)], text=True, ready="ready")
        result = self.attach(process.pid, "-e", "time", duration="60s")
        self.assertIn("it has ended, and its seccomp filter may have killed it", result.stderr)
        self.assertEqual(process.wait(harness.TIMEOUT_S), -signal.SIGSYS)

    def test_namespaces(self):
        """A program in a pid namespace and in a mount namespace of its own, where the runtime's
        directory is hidden."""
        unshare = harness.need_pid_namespaces()
        path = self.build()
        hide = "mount -t tmpfs none %s && exec %s 4 100" % (harness.BUILD, path)
        for name, words in (("pid", [*unshare, path]),
                            ("mount", [*unshare, "-m", "--mount-proc", "sh", "-c", hide]),
                            ("user", ["unshare", "-U", "-r", "-p", "--fork", "--kill-child", path])):
            with self.subTest(name):
                program = Program(self, words, is_child=True)
                self.until_called(program)
                self.until_called(program)

    def holder_of(self, measurement):
        """Return the pid of the holder, which is a child of the process that waits."""
        harness.wait_until(lambda: harness.children(measurement.pid))
        waits = harness.children(measurement.pid)[0]
        harness.wait_until(lambda: harness.children(waits))
        return harness.children(waits)[0]

    def test_the_holder_has_nothing_of_the_host(self):
        unshare = harness.need_pid_namespaces()
        program = Program(self, [*unshare, "-m", "--mount-proc", self.build()], is_child=True)
        run = "exec 9</dev/null; exec setpriv --groups 4,24 %s attach %d -e time -o /dev/null" % (
            harness.REGIONSTAT, program.pid)
        measurement = self.spawn(["sh", "-c", run])
        harness.wait_until(lambda: is_measured(program.pid))
        holder = "/proc/%d/" % self.holder_of(measurement)
        self.assertEqual(harness.read_bytes(holder + "environ"), b"")
        with open(holder + "status", encoding="utf-8") as file:
            status = dict(line.rstrip("\n").split(":", 1) for line in file)
        self.assertEqual(status["Groups"].strip(), "")
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0)
        self.assertEqual(set(os.listdir(holder + "fd")), {"3", "4", "5"})
        for name in ("ns/mnt", "ns/pid", "ns/user"):
            self.assertEqual(os.readlink(holder + name),
                             os.readlink("/proc/%d/%s" % (program.pid, name)))
        for name in ("root", "cwd"):
            self.assertTrue(os.path.samefile(holder + name, "/proc/%d/root" % program.pid))
        # what the program's user may open of the host is read-only there
        for name in ("exe", "fd/4"):
            self.assertTrue(os.statvfs(holder + name).f_flag & os.ST_RDONLY, name)

    def test_a_holder_that_is_killed_or_stopped(self):
        unshare = harness.need_pid_namespaces()
        program = Program(self, [*unshare, self.build()], is_child=True)
        for number in (signal.SIGKILL, signal.SIGSTOP):
            measurement = self.begin(program.pid, "-e", "time")
            os.kill(self.holder_of(measurement), number)
            _, messages = self.finish(measurement, signal.SIGINT if number == signal.SIGSTOP else None)
            self.assertEqual("its helper process was killed" in messages, number == signal.SIGKILL,
                             messages)
            harness.wait_until(lambda: not is_measured(program.pid))

    def test_a_file_that_is_mapped_as_data(self):
        """It contains markers, and the program that maps it does not."""
        code = ("import mmap, sys, time; f = open(sys.argv[1], 'rb'); "
                "m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); "
                "print('ready', flush=True); time.sleep(60)")
        process = self.spawn([sys.executable, "-c", code, self.build()], text=True, ready="ready")
        self.refuse(process.pid, "has no markers")

    def test_several_objects_and_settings_for_commands(self):
        """They are stripped. The first object's markers may load the runtime before the last object is
        turned on."""
        names = ["object%d" % i for i in range(12)]
        libraries = [self.compile_text(
            '#include <regionstat.h>\nvoid %s(void);\n'
            'void %s(void)\n{\n\tREGIONSTAT_SCOPE("%s");\n}\n' % (name, name, name),
            "-shared", "-fPIC", "-s", name=name) for name in names]
        main = self.compile_text(
            "#include <stdio.h>\n#include <regionstat.h>\n%s\nint main(void)\n{\n"
            '\tputs("ready");\n\tfflush(stdout);\n\tfor (;;) {\n%s\t}\n}\n' % (
                "\n".join("void %s(void);" % name for name in names),
                "".join("\t\t%s();\n" % name for name in names)), "-no-pie", "-s", *libraries)
        process = self.spawn([main], text=True, ready="ready")
        self.text_file("regionstat.yaml", "labels: true\n")
        for _ in range(10):
            self.attach(process.pid, "-e", "time", cwd=self.directory)
        rows = self.text_file("rows.csv", "")
        self.finish(self.begin(
            process.pid, "-e", "time", "-I", "20", "--interval-output", rows, cwd=self.directory,
            until=lambda _: all("region,%s," % name in harness.read_text(rows) for name in names)))

    def test_a_program_that_executes_itself(self):
        """While the kernel copies arguments, the process has no program."""
        path = self.compile_text(
            "#include <string.h>\n#include <unistd.h>\n#include <regionstat.h>\n"
            "static char text[100000];\nint main(int n, char **argv)\n{\n"
            '\tchar *const again[] = {argv[0], %s NULL};\n\tREGIONSTAT_SCOPE("main");\n'
            "\tif (n == 1)\n\t\twrite(1, \"ready\\n\", 6);\n"
            "\tmemset(text, 'x', sizeof(text) - 1);\n\treturn execv(argv[0], again);\n}\n" % (
                "text, " * 12))
        process = self.spawn([path], text=True, ready="ready")
        for _ in range(EXECUTIONS):
            result = harness.regionstat("attach", "--duration", "1ms", "-o", os.devnull, process.pid)
            if result.status:
                self.assertIn("its objects with markers are gone", result.stderr)
        self.assertIsNone(process.poll())

    def measure_execution(self, process, is_attached, does_end):
        """Attach to a program that executes another one at the end of its input. Return what is printed."""
        rows = self.text_file("rows", "")
        before = auxiliary_vector(process.pid)
        measurement = self.spawn([harness.REGIONSTAT, "attach", "-e", "time", "-I", "100", "--interval-output",
                                  rows, process.pid], text=True)
        harness.wait_until(lambda: is_attached(process.pid, rows))
        process.stdin.close()
        harness.wait_until(lambda: auxiliary_vector(process.pid) not in (b"", before))
        n_rows = harness.read_text(rows).count("\n")
        harness.wait_until(lambda: harness.read_text(rows).count("\n") > n_rows + 3)  # it looks every 100 ms
        if does_end:
            process.kill()
        else:
            measurement.send_signal(signal.SIGINT)
        return re.sub(r"\s+", " ", measurement.communicate(timeout=harness.TIMEOUT_S)[1])

    def test_another_program_is_executed(self):
        """The totals go on. The execution is the only reason that is given for missing regions. This is so
        before and after the first call, if the same headers are there again, and if the program ends."""
        path = self.compile_text("""
            #include <poll.h>
            #include <regionstat.h>
            #include <string.h>
            #include <unistd.h>
            int main(int n, char **arguments)
            {
                struct pollfd input = {.fd = 0, .events = POLLIN};
                if (!strcmp(arguments[1], "pauses"))
                    return pause();
                if (write(1, "ready\\n", 6) != 6)
                    return n;
                while (poll(&input, 1, 1) == 0)
                    if (!strcmp(arguments[1], "marks")) {
                        REGIONSTAT_SCOPE("main");
                    }
                return execv(arguments[2], arguments + 2);
            }
            """, "-O1", "-no-pie")
        sleep = ["/bin/sleep", "60"]
        for how, words, does_end in (("marks", sleep, False), ("marks", sleep, True), ("waits", sleep, False),
                                     ("waits", [path, "pauses"], False)):
            with self.subTest(how=how, words=words, does_end=does_end):
                process = self.spawn([path, how, *words], stdin=subprocess.PIPE, text=True, ready="ready")
                text = self.measure_execution(
                    process, lambda pid, rows: is_measured(pid) if how == "marks" else harness.read_text(rows),
                    does_end)
                self.assertIn("process {0} has executed another program, whose regions are not measured: "
                              "use regionstat attach {0} again if it still runs, or regionstat COMMAND, "
                              .format(process.pid), text)
                self.assertNotRegex(text, "called none|could not load")
