# SPDX-License-Identifier: MIT
"""regionstat attach: measuring a program that was started without regionstat. The program counts the
calls that a runtime has begun, so calls and open calls of the reports are known exactly."""

import os
import re
import resource
import signal
import subprocess
import sys
import time

import harness

PLAIN = harness.SANITIZE == "none"
# An attach and detach each; more of them in a long proof.
ATTACHES = int(os.environ.get("REGIONSTAT_ATTACHES", "20" if PLAIN else "3"))
EXECUTIONS = int(os.environ.get("REGIONSTAT_EXECUTIONS", "20"))
THREADS = int(os.environ.get("REGIONSTAT_ATTACH_THREADS", "64" if PLAIN else "16"))
# Each measurement has another plan, so that threads lay out their memory again.
PLANS = (["-e", "time"], ["-e", "task-clock,page-faults"], ["-e", "time", "--only", "s*"],
         ["-e", "time", "--per-thread"], ["-e", "task-clock", "-e", "user_time"])
SOURCE = os.path.join("attached", "load.c")
PR_SET_DUMPABLE = 4
OWN_USER = 61717  # a user without other processes
STATIC = ("-DREGIONSTAT_STATIC", os.path.join(harness.BUILD, "lib", "runtime", "libregionstat.a"))


def state(pid):
    """Return the numbers of mappings, threads and descriptors of a process."""
    with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
        n_maps = len(maps.readlines())
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
    with open("/proc/%d/auxv" % pid, "rb") as vector:
        return vector.read()


def count_files(pid, what):
    """Return how many descriptors of a process have a name that contains a text."""
    return sum(what in file for file in harness.descriptors(pid).values())


class Program:
    """A running program of load.c."""

    def __init__(self, test, argv, n_threads=4, own=None, pause_us=100, n_blocked=0):
        # libc gives new threads memory of their own, up to a limit, which is no matter here
        self.process = harness.start([*argv, str(n_threads), str(pause_us), str(n_blocked)],
                                     stdin=subprocess.PIPE, text=True,
                                     env=harness.environment(MALLOC_ARENA_MAX="1"))
        test.addCleanup(harness.stop, self.process)
        line = self.process.stdout.readline()
        if line == "refused\n":
            test.skipTest("this machine does not let a process have %d threads" % (n_threads + n_blocked))
        test.assertEqual(line, "ready\n")
        self.pid = own(self.process.pid) if own else self.process.pid

    def ask(self, word=""):
        """Return how many calls of "scope" a runtime has begun, and how many were executed. "f" forks
        first. "w" wakes blocked threads."""
        return harness.ask(self.process, word)

    def end(self):
        """Return the rest of the output, and the exit status."""
        rest = self.process.communicate(timeout=harness.TIMEOUT_S)[0]
        return rest, self.process.returncode


class Attach(harness.TestCase):

    def build(self, *flags, compiler=None):
        return self.compile(SOURCE, compiler or harness.compilers()[0], "-O2", *flags)

    def attach(self, pid, *options, words=(), duration="50ms", status=0, **run_options):
        """Attach for a while. Return the result, with its report."""
        output = self.path("report.csv")
        result = self.execute([*words, harness.REGIONSTAT, "attach", "-x", ",", "-o", output,
                               "--duration", duration, *options, str(pid)], status, **run_options)
        if status == 0:
            result.report = harness.read_report(output)
        return result

    def refuse(self, pid, *texts, options=(), words=()):
        result = self.attach(pid, *options, words=words, status=125)
        for text in texts:
            self.assertIn(text, result.stderr)
        return result

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
        self.assertEqual(program.end(), ("done\n", 0))

    def test_ten_thousand_threads(self):
        """All but 4 are blocked, until the measurement has begun. Then each may make a step."""
        program = Program(self, [self.build()], 4, pause_us=10000, n_blocked=10000 - 4)
        before = state(program.pid)[1:]
        measurement = self.spawn([harness.REGIONSTAT, "attach", "-x", ",", "-o",
                                  self.path("report.csv"), "-e", "page-faults", program.pid])
        harness.wait_until(lambda: program.ask()[0] > 0 or measurement.poll() is not None)
        steps = program.ask("w")[1]
        harness.wait_until(lambda: program.ask()[1] > steps + 10000)
        measurement.send_signal(signal.SIGINT)
        messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1]
        self.assertEqual(measurement.returncode, 0, messages)
        report = harness.read_report(self.path("report.csv"))
        self.check_calls(program, report, 0)
        self.assertGreater(report.one(kind="region", region="scope", event="time").threads, 4)
        harness.wait_until(lambda: state(program.pid)[1:] == before)
        self.assertEqual(program.end(), ("done\n", 0))

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
        self.assertEqual(program.end(), ("done\n", 0))
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
        self.assertEqual(program.end(), ("done\n", 0))

    def build_first(self):
        return self.compile(os.path.join("attached", "first_markers.c"), harness.compilers()[0], "-O2",
                            "-D_GNU_SOURCE")

    def test_first_markers_find_their_memory(self):
        """The thread that loads has touched the pages. Alone, each thread would touch at least two."""
        process = self.spawn([self.build_first(), "16"], stdin=subprocess.PIPE, text=True)
        process.stdout.readline()
        self.assertEqual(process.stdout.readline(), "ready\n")
        for events in ("time", "time", "task-clock", "page-faults"):
            n_measured = 0
            while not n_measured:  # the machine may be busy
                self.attach(process.pid, "-e", events)
                n_measured, n_faults = harness.ask(process)
            self.assertLess(n_faults, n_measured + 4, events)  # and code that runs for the first time

    def test_the_thread_that_loads_opens_counters(self):
        """And the files for context switches, also those of the main thread, which has no markers."""
        process = self.spawn([self.build_first(), "16"], stdin=subprocess.PIPE, text=True)
        process.stdout.readline()
        self.assertEqual(process.stdout.readline(), "ready\n")
        measurement = self.spawn([harness.REGIONSTAT, "attach", str(process.pid), "-e",
                                  "task-clock,page-faults", "-o", os.devnull])
        harness.wait_until(lambda: count_files(process.pid, "perf_event") == 2 * 17)
        harness.wait_until(lambda: count_files(process.pid, "schedstat") == 17)
        measurement.send_signal(signal.SIGINT)
        self.assertEqual(measurement.wait(harness.TIMEOUT_S), 0)
        harness.wait_until(lambda: count_files(process.pid, "perf_event") == 0)
        self.assertEqual(count_files(process.pid, "schedstat"), 0)

    def test_a_thread_with_the_tid_of_an_ended_one(self):
        """The thread that loads has opened counters of the ended thread. Those would count nothing."""
        path = self.compile(os.path.join("attached", "same_tid.c"), harness.compilers()[0], "-O2",
                            "-D_GNU_SOURCE")
        process = harness.start([*harness.need_pid_namespaces(), "-m", "--mount-proc", path], text=True)
        self.addCleanup(harness.stop, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        pid = harness.children(process.pid)[0]
        report = self.attach(pid, "-e", "page-faults", duration="%ds" % harness.TIMEOUT_S).report
        outcome = process.communicate(timeout=harness.TIMEOUT_S)[0].strip()
        if outcome != "same":
            self.skipTest(outcome)
        self.assertEqual(report.region("later", "page-faults").total, 64)

    def check_stopped_handler(self, process):
        """Attach while the program is stopped in the handler, where its threads seem to block signals."""
        harness.wait_until(lambda: harness.read_text("/proc/%d/stat" % process.pid).split()[2] == "T")
        rows = self.text_file("rows.csv", "")
        measurement = self.spawn([harness.REGIONSTAT, "attach", str(process.pid), "-e", "time", "-x", ",",
                                  "-o", self.path("stopped.csv"), "-I", "20", "--interval-output", rows])
        harness.wait_until(lambda: harness.read_text(rows))  # the markers have been turned on
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=harness.TIMEOUT_S)  # it ends after its handler
        self.assertEqual(measurement.wait(harness.TIMEOUT_S), 0)
        self.assertEqual(harness.read_report(self.path("stopped.csv")).calls(), {})

    def test_markers_in_signal_handlers(self):
        """A handler may have interrupted malloc(3), so its markers do not load the runtime."""
        path = self.compile(os.path.join("attached", "handlers.c"), harness.compilers()[0], "-O2",
                            "-D_GNU_SOURCE")
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
        path = self.compile(os.path.join("attached", "reads.c"), harness.compilers()[0], "-O2")
        process = self.spawn([path], stdin=subprocess.PIPE, text=True, ready="ready")
        for i in range(8):
            self.attach(process.pid, "-e", ("time", "page-faults")[i % 2], duration="%dms" % (10 + 5 * i))
        self.until_called(process, "read", 3)  # one of two threads has read between two calls
        n_equal, n_others = map(int, process.communicate(timeout=harness.TIMEOUT_S)[0].split())
        self.assertEqual((process.returncode, n_others), (0, 0))
        self.assertGreater(n_equal, 0)

    def test_the_table_of_descriptors_is_large_before_any_thread(self):
        path = self.build_first()
        for options in ([], ["-e", "page-faults"]):
            result = harness.regionstat(*options, "-o", os.devnull, "--", path, "0")
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            self.assertGreater(int(result.stdout.split()[0]), min(limit // 4 * 3, 3072))

    def test_open_calls_are_told_and_earlier_ones_are_ignored(self):
        """"whole" and "started" are open all the time; their ENDs come after the detach."""
        program = Program(self, [self.build()])
        report = self.until_called(program)
        self.assertNotIn("whole", report.calls())
        self.assertNotIn("unmatched", report.diagnostics())
        result = self.regionstat("attach", str(program.pid), "--duration", "300ms", "-e", "time")
        self.assertNotIn("REGIONSTAT_SCOPE(), which", result.stderr)
        # the end of the program, during a measurement
        measurement = self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time",
                                  "-x", ",", "-o", self.path("end.csv")])
        harness.wait_until(lambda: self.has_words(program.pid))
        time.sleep(0.1)
        self.assertEqual(program.end(), ("done\n", 0))
        self.assertEqual(measurement.wait(harness.TIMEOUT_S), 0)
        report = harness.read_report(self.path("end.csv"))
        self.assertNotIn("unmatched", report.diagnostics())

    @staticmethod
    def has_words(pid):
        """Return true if the process has mapped a segment."""
        return "memfd:regionstat" in harness.read_text("/proc/%d/maps" % pid)

    def test_two(self):
        program = Program(self, [self.build()])
        first = self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time"])
        harness.wait_until(lambda: self.has_words(program.pid))
        self.refuse(program.pid, "is measured already, by regionstat %d\n" % first.pid,
                    "regionstat live %d" % first.pid)
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(harness.TIMEOUT_S), 0)
        self.assertEqual(program.end(), ("done\n", 0))

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
            self.assertEqual(measurement.returncode, 0)
            self.assertIn("scope", output)
            harness.wait_until(lambda: not self.has_words(program.pid))
        self.assertEqual(program.end(), ("done\n", 0))

    def test_a_stopped_program_delays_the_end(self):
        program = Program(self, [self.build()])
        measurement = self.spawn(
            [harness.REGIONSTAT, "-p", str(program.pid), "-e", "time", "-o", self.path("run.txt")],
            stderr=subprocess.PIPE, text=True)
        before = program.ask()[0]
        harness.wait_until(lambda: program.ask()[0] > before)
        os.kill(program.pid, signal.SIGSTOP)
        measurement.send_signal(signal.SIGINT)
        self.assertEqual([measurement.stderr.readline() for _ in range(2)],
                         ["regionstat: waiting for process %d, which is stopped and cannot leave the "
                          "measurement\n" % program.pid, "  try: kill -CONT %d, or thaw its cgroup (docker "
                          "unpause)\n" % program.pid])
        os.kill(program.pid, signal.SIGCONT)
        measurement.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(measurement.returncode, 0)
        os.kill(program.pid, signal.SIGSTOP)
        harness.wait_until(lambda: harness.read_text("/proc/%d/stat" % program.pid).split()[2] == "T")
        result = self.attach(program.pid)
        self.assertIn("process %d is stopped, and nothing is measured until it continues\n"
                      "  try: kill -CONT %d, or" % (program.pid, program.pid), result.stderr)
        os.kill(program.pid, signal.SIGCONT)
        self.assertEqual(program.end(), ("done\n", 0))

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
        self.assertEqual(program.end(), ("done\n", 0))

    def test_the_wait_for_a_stopped_program_is_not_measured(self):
        program, path, begin = Program(self, [self.build()]), self.path("run.csv"), time.monotonic()
        measurement = self.spawn(
            [harness.REGIONSTAT, "-p", str(program.pid), "-e", "time", "-x", ",", "-o", path],
            stderr=subprocess.PIPE, text=True)
        before = program.ask()[0]
        harness.wait_until(lambda: program.ask()[0] > before)
        os.kill(program.pid, signal.SIGSTOP)
        measurement.send_signal(signal.SIGINT)
        self.assertIn("which is stopped", measurement.stderr.readline())  # after 1 s
        waited = time.monotonic() - begin
        os.kill(program.pid, signal.SIGKILL)
        measurement.communicate(timeout=harness.TIMEOUT_S)
        elapsed = harness.read_report(path).one(kind="run", event="time").total / 1e9
        self.assertLess(elapsed, waited - 0.5)

    def test_a_launched_program(self):
        launcher = self.spawn([harness.REGIONSTAT, "-o", self.path("run.txt"), self.build()],
                              stdin=subprocess.PIPE, text=True, ready="ready")
        pid = harness.children(launcher.pid)[0]
        harness.wait_until(lambda: self.has_words(pid))
        self.refuse(pid, "is measured already, by regionstat %d\n" % launcher.pid)
        self.assertEqual(launcher.communicate(timeout=harness.TIMEOUT_S)[0], "done\n")

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
        process = self.spawn([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             env=harness.environment(LD_LIBRARY_PATH=os.path.join(
                                 harness.BUILD, "lib", "runtime")), ready="ready")
        self.refuse(process.pid, "process %d measures itself with regionstat_open()\n"
                    "  try: regionstat live %d\n" % (process.pid, process.pid))

    def test_forked_children(self):
        program = Program(self, [self.build()])
        measurement = self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time",
                                  "-x", ",", "-o", self.path("forks.csv")])
        harness.wait_until(lambda: self.has_words(program.pid))
        time.sleep(0.1)
        program.ask("f")
        measurement.send_signal(signal.SIGINT)
        self.assertEqual(measurement.wait(harness.TIMEOUT_S), 0)
        self.assertEqual(harness.read_report(self.path("forks.csv")).calls()["child"], 100)
        self.assertEqual(program.end(), ("done\n", 0))

    def test_a_child_that_is_forked_while_its_parent_loads(self):
        """The runtime in such a child has perhaps no relocations. No object of the child runs it, and the
        report says so."""
        compiler = harness.compilers()[0]
        library = self.compile(os.path.join("attached", "second.c"), compiler, "-shared", "-fPIC",
                               name="second.so")
        halfway = self.compile(os.path.join("attached", "halfway.c"), compiler, "-shared", "-fPIC",
                               name="halfway.so")
        program = self.spawn([self.compile(os.path.join("attached", "forked.c"), compiler, "-O2",
                                           library), halfway],
                             stdout=subprocess.PIPE, text=True, ready="ready")
        result = self.attach(program.pid, "-e", "time", duration="20s")
        output = program.communicate(timeout=harness.TIMEOUT_S)[0]
        self.assertEqual((output, program.returncode), ("off\n", 0))
        self.assertEqual([name for name in result.report.calls() if name != "open"], ["parent"])
        self.assertIn("a child process was forked while its parent loaded the runtime", result.stderr)

    def test_no_thread_can_be_started(self):
        """The program goes on, the report says why it has no or few calls, and it can be attached to
        again. The program has 5 threads, and its user has no other process."""
        harness.need_other_user()
        os.chmod(self.directory, 0o755)
        path = self.build()
        for n_more in (0, 1):  # the thread that loads, and then two others
            limit = 5 + n_more
            program = Program(self, [
                harness.need_tool("prlimit"), "--nproc=%d:%d" % (limit, limit), "setpriv",
                "--reuid=%d" % OWN_USER, "--regid=65534", "--clear-groups", path])
            for _ in range(2):
                result = self.attach(program.pid, "-e", "time", duration="200ms")
                self.assertIn("no thread can be started (ulimit -u, pids.max)", result.stderr)
                harness.wait_until(lambda: state(program.pid)[1] == 5)
            self.assertEqual(program.end(), ("done\n", 0))

    def test_no_descriptor_is_free(self):
        """The program cannot open the segment, so it cannot write the reason into it."""
        program = Program(self, [self.build()])
        n_files = 1 + max(int(name) for name in os.listdir("/proc/%d/fd" % program.pid))
        limits = resource.prlimit(program.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(program.pid, resource.RLIMIT_NOFILE, (n_files, limits[1]))
        result = self.attach(program.pid, "-e", "time", duration="200ms")
        self.assertIn("could not load the runtime that measures regions: it cannot open the segment",
                      result.stderr)
        self.assertNotIn("called none", result.stderr)
        resource.prlimit(program.pid, resource.RLIMIT_NOFILE, limits)
        self.until_called(program)
        self.assertEqual(program.end(), ("done\n", 0))

    def test_totals_intervals_and_files(self):
        program = Program(self, [self.build()])
        self.until_called(program)
        result = self.attach(program.pid, "-e", "task-clock,page-faults", "-I", "20",
                             "--interval-output", self.path("rows.csv"), duration="500ms")
        total = result.report.one(kind="run", event="task-clock")
        self.assertEqual(total.status, "ok")
        self.assertGreater(total.total, 0)
        # the CPU time of all threads, which the kernel may count in ticks of 10 ms
        used = sum(result.report.one(kind="run", event=event).total
                   for event in ("user_time", "system_time"))
        harness.note("task-clock %d ns, user and system time %d ns" % (total.total, used))
        if total.total > 1e8:  # the program did not get a CPU otherwise
            self.assertGreater(used, 0)
        # the threads ran no longer than all CPUs did
        elapsed = result.report.one(kind="run", event="time").total
        self.assertLessEqual(total.total, 1.1 * elapsed * os.cpu_count() + 2e7)
        self.assertIn("scope", harness.read_text(self.path("rows.csv")))
        output = self.path("run.json")
        result = self.regionstat("attach", str(program.pid), "--duration", "200ms", "-o", output,
                                 "-e", "time")
        shown = harness.regionstat("report", output)
        self.assertIn("scope", shown.stdout)
        self.assertIn("program 4 100", shown.stdout.splitlines()[0] + " ")

    def test_a_program_whose_first_thread_has_ended(self):
        """/proc/PID then has no memory and no files."""
        program = Program(self, [self.build("-DFIRST_ENDS")])
        harness.wait_until(lambda: open("/proc/%d/stat" % program.pid).read().split()[2] == "Z")
        begun = 0
        for _ in range(3):
            begun = self.attach_exactly(program, begun, "-e", "time")
        self.until_called(program)
        self.assertEqual(program.end(), ("done\n", 0))

    def test_static_programs_and_musl(self):
        harness.need_no_sanitizer("there are no static programs with sanitizers")
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
                self.assertEqual(running.end(), ("done\n", 0))

    def test_refusals(self):
        self.refuse(2 ** 22 + 1, "there is no process 4194305", "try: ")
        self.refuse(os.getpid(), "has no markers", "try: regionstat COMMAND")
        zombie = subprocess.Popen(["true"])
        harness.wait_until(lambda: open("/proc/%d/stat" % zombie.pid).read().split()[2] == "Z")
        self.refuse(zombie.pid, "process %d has ended" % zombie.pid)
        zombie.wait()
        program = Program(self, [self.build()])
        thread = max(int(name) for name in os.listdir("/proc/%d/task" % program.pid))
        self.refuse(thread, "%d is a thread of process %d" % (thread, program.pid))
        for options in (["--duration", "1s", "true"], ["-p", "abc"], ["attach", "--duration", "0s", "1"]):
            result = self.regionstat(*options, status=125)
            self.assertIn({"true": "-p or attach names none", "abc": "'abc' is not a process id from 1",
                           "1": "'0s' is not a time from 1ms to 596h"}[options[-1]], result.stderr)
        for options, text in ((["--timeout", "5"], "--duration TIME"), (["-r", "1"], "once"),
                              (["--markers", "itt"], "at a program's start")):
            self.refuse(program.pid, text, options=options)
        result = self.regionstat("-p", str(program.pid), "true", status=125)
        self.assertIn("'true' is a command", result.stderr)
        self.assertEqual(program.end(), ("done\n", 0))

    def test_a_program_that_ends_before_the_measurement_begins(self):
        """regionstat has found its markers, and waits for somebody to read the intervals."""
        program, rows = Program(self, [self.build()]), self.path("rows")
        os.mkfifo(rows)
        measurement = self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time", "-I", "50",
                                  "--interval-output", rows], stderr=subprocess.PIPE, text=True)
        harness.wait_until(lambda: count_files(measurement.pid, "pidfd") and harness.read_text(
            "/proc/%d/stat" % measurement.pid).split()[2] == "S")
        program.end()
        with open(rows, encoding="utf-8"):
            messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1]
        self.assertEqual((messages.splitlines()[0], measurement.returncode),
                         ("regionstat: there is no process %d" % program.pid, 125))

    def test_refused_objects(self):
        harness.need_no_sanitizer("these programs are built without sanitizers")
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

    def test_other_users(self):
        words = harness.need_other_user()
        os.chmod(self.directory, 0o755)
        path = self.build()
        mine, theirs = Program(self, [path]), Program(self, [*words, path])
        self.refuse(mine.pid, "belongs to user 0, and this regionstat to user 65534", "as root",
                    words=words + ["env", "-C", "/"], options=["-o", "/dev/null"])
        # root may measure another user's program, and the program finds the segment
        self.until_called(theirs)
        for program in (mine, theirs):
            self.assertEqual(program.end(), ("done\n", 0))

    def test_not_dumpable(self):
        words = harness.need_other_user()
        os.chmod(self.directory, 0o755)
        code = ("import ctypes, time; ctypes.CDLL(None).prctl(%d, 0); print('ready', flush=True); "
                "time.sleep(60)" % PR_SET_DUMPABLE)
        process = self.spawn([*words, sys.executable, "-c", code], text=True, ready="ready")
        self.refuse(process.pid, "it is not dumpable", "PR_SET_DUMPABLE",
                    words=words + ["env", "-C", "/"], options=["-o", "/dev/null"])

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

    def test_yama(self):
        if not os.path.exists("/proc/sys/kernel/yama/ptrace_scope"):
            self.skipTest("this kernel has no Yama")
        words = harness.need_other_user()
        if harness.sysctl("kernel.yama.ptrace_scope") == 0:
            self.skipTest("kernel.yama.ptrace_scope is 0")
        os.chmod(self.directory, 0o755)
        program = Program(self, [*words, self.build()])
        self.refuse(program.pid, "kernel.yama.ptrace_scope", "try: ",
                    words=words + ["env", "-C", "/"], options=["-o", "/dev/null"])

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
                program = Program(self, words, own=lambda pid: harness.children(pid)[0])
                self.until_called(program)
                self.until_called(program)

    def holder_of(self, measurement):
        """Return the pids of the process that waits, and of the holder."""
        harness.wait_until(lambda: harness.children(measurement.pid))
        waits = harness.children(measurement.pid)[0]
        harness.wait_until(lambda: harness.children(waits))
        return waits, harness.children(waits)[0]

    def test_the_holder_has_nothing_of_the_host(self):
        unshare = harness.need_pid_namespaces()
        program = Program(self, [*unshare, "-m", "--mount-proc", self.build()],
                          own=lambda pid: harness.children(pid)[0])
        run = "exec 9</dev/null; exec setpriv --groups 4,24 %s attach %d -e time -o /dev/null" % (
            harness.REGIONSTAT, program.pid)
        measurement = self.spawn(["sh", "-c", run])
        harness.wait_until(lambda: self.has_words(program.pid))
        holder = "/proc/%d/" % self.holder_of(measurement)[1]
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
        program = Program(self, [*unshare, self.build()], own=lambda pid: harness.children(pid)[0])
        for number in (signal.SIGKILL, signal.SIGSTOP):
            measurement = self.spawn([harness.REGIONSTAT, "attach", str(program.pid), "-e", "time"],
                                     stderr=subprocess.PIPE, text=True)
            harness.wait_until(lambda: self.has_words(program.pid))
            os.kill(self.holder_of(measurement)[1], number)
            if number == signal.SIGSTOP:
                measurement.send_signal(signal.SIGINT)
            messages = measurement.communicate(timeout=harness.TIMEOUT_S)[1]
            self.assertEqual("its helper process was killed" in messages, number == signal.SIGKILL,
                             messages)
            self.assertEqual(measurement.returncode, 0)
            harness.wait_until(lambda: not self.has_words(program.pid))
        self.assertEqual(program.end(), ("done\n", 0))

    def test_a_file_that_is_mapped_as_data(self):
        """It contains markers, and the program that maps it does not."""
        code = ("import mmap, sys, time; f = open(sys.argv[1], 'rb'); "
                "m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); "
                "print('ready', flush=True); time.sleep(60)")
        process = self.spawn([sys.executable, "-c", code, self.build()], text=True, ready="ready")
        self.refuse(process.pid, "has no markers")

    def test_several_objects_and_settings_for_commands(self):
        """The first object's markers may load the runtime before the last object is turned on."""
        names = ["object%d" % i for i in range(12)]
        libraries = [self.compile_text(
            '#include <regionstat.h>\nvoid %s(void);\n'
            'void %s(void)\n{\n\tREGIONSTAT_SCOPE("%s");\n}\n' % (name, name, name),
            "-shared", "-fPIC", name=name) for name in names]
        main = self.compile_text(
            "#include <stdio.h>\n#include <regionstat.h>\n%s\nint main(void)\n{\n"
            '\tputs("ready");\n\tfflush(stdout);\n\tfor (;;) {\n%s\t}\n}\n' % (
                "\n".join("void %s(void);" % name for name in names),
                "".join("\t\t%s();\n" % name for name in names)), *libraries)
        process = self.spawn([main], text=True, ready="ready")
        self.text_file("regionstat.yaml", "labels: true\n")
        for i in range(30):
            report = self.attach(process.pid, "-e", "time", cwd=self.directory).report
            if i >= 9 and report.calls():  # the machine may be busy
                break
        self.assertLessEqual(set(names), set(report.calls()))

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

    def measure_execution(self, process, is_attached, does_end=False):
        """Attach to a program that executes another one at the end of its input. Return what is printed."""
        rows = self.text_file("rows", "")
        before = auxiliary_vector(process.pid)
        measurement = self.spawn([harness.REGIONSTAT, "attach", "-e", "time", "-I", "100", "--interval-output",
                                  rows, str(process.pid)], stderr=subprocess.PIPE, text=True)
        harness.wait_until(lambda: is_attached(rows))
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
        """The totals go on. The report says why the regions of that program are missing, also if the
        program ends before the measurement."""
        path = self.compile_text("""
            #include <poll.h>
            #include <regionstat.h>
            #include <unistd.h>
            int main(void)
            {
                struct pollfd input = {.fd = 0, .events = POLLIN};
                if (write(1, "ready\\n", 6) != 6)
                    return 1;
                while (poll(&input, 1, 1) == 0) {
                    REGIONSTAT_SCOPE("main");
                }
                return execlp("sleep", "sleep", "60", NULL);
            }
            """)
        for does_end in (False, True):
            with self.subTest(does_end=does_end):
                process = self.spawn([path], stdin=subprocess.PIPE, text=True, ready="ready")
                text = self.measure_execution(process, lambda _: self.has_words(process.pid), does_end)
                self.assertIn(
                    "process %d has executed another program, whose regions are not measured: regionstat %s" %
                    (process.pid, "COMMAND" if does_end else "attach %d again" % process.pid), text)

    def test_another_program_is_executed_before_the_first_call(self):
        """The execution is the only reason that is given, also if the same headers are there again."""
        path = self.compile_text("""
            #include <regionstat.h>
            #include <unistd.h>
            int main(int n, char **arguments)
            {
                if (n == 2)
                    return pause();
                if (write(1, "ready\\n", 6) == 6 && read(0, arguments, 1) == 0)
                    return execv(arguments[1], arguments + 1);
                REGIONSTAT_SCOPE("main");
            }
            """, "-O1", "-no-pie")
        for words in (["/bin/sleep", "60"], [path, "2"]):
            with self.subTest(words=words):
                process = self.spawn([path, *words], stdin=subprocess.PIPE, text=True, ready="ready")
                text = self.measure_execution(process, harness.read_text)
                self.assertIn("has executed another program", text)
                self.assertNotRegex(text, "called none|could not load")

    def test_a_user_namespace_of_another_user(self):
        words = harness.need_other_user()
        os.chmod(self.directory, 0o755)
        path = self.build()
        program = Program(self, ["unshare", "-U", path])
        self.refuse(program.pid, "user", "try: ", words=words + ["env", "-C", "/"],
                    options=["-o", "/dev/null"])

    def test_words(self):
        for words, text in ((["attach"], "there is no PID"), (["attach", "x"], "'x' is no process"),
                            (["attach", "1", "2"], "'2' is one word too many"),
                            (["attach", "-p", "1", "2"], "'2' is one word too many"),
                            (["attach", "-p", "0"], "-p")):
            result = harness.regionstat(*words)
            self.assertEqual((result.status, text in result.stderr), (125, True), result)
        result = self.regionstat("attach", "--help")
        self.assertIn("--duration TIME", result.stdout)
        for option in ("--repeat", "--timeout", "--markers", "--functions"):
            self.assertNotIn("%s " % option, result.stdout)
