# SPDX-License-Identifier: MIT
"""The full-screen view, in terminals of tmux: its figures are those of the report, keys, sizes and
signals work, and the run does not notice it."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time

import harness

OWN_USER = 61718  # a user whose programs nobody measures
PROMPT = r"^(\^C)?[$#] *\Z"
VIEW = r"part (.*\n)*.*q quit"
KEYS = ("Down", "Enter", "Escape", "s", "s", "Up", "Space", "Space", "PageDown", "PageUp", "k", "j")


class Screen:
    """A terminal of a tmux server of its own, with a shell."""

    numbers = itertools.count()

    def __init__(self, test, width, height, **changes):
        tmux = harness.need_tool("tmux")
        self.words = [tmux, "-f", os.devnull, "-L",
                      "regionstat-%d-%d" % (os.getpid(), next(self.numbers))]
        test.addCleanup(self.tmux, "kill-server", check=False)
        env = harness.environment(HISTFILE=None, ENV=None, **changes)
        result = subprocess.run([*self.words, "new-session", "-d", "-x", str(width), "-y",
                                 str(height), "sh"], env=env, capture_output=True, check=False)
        harness.need(result.returncode == 0, "tmux does not work here: %r" % result.stderr)

    def tmux(self, *words, check=True):
        return subprocess.run([*self.words, *words], capture_output=True, check=check,
                              timeout=harness.TIMEOUT_S).stdout.decode()

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def enter(self, *words):
        """Type a command."""
        self.tmux("send-keys", "-l", " ".join(map(str, words)))
        self.tmux("send-keys", "Enter")

    def quit(self, key="q"):
        """Leave the view with this key."""
        self.type(key)
        self.wait_for(PROMPT)

    def lines(self):
        return self.tmux("capture-pane", "-p").rstrip("\n").splitlines()

    def wait_for(self, pattern):
        """Wait until the screen matches. Return its lines."""
        deadline = time.monotonic() + harness.TIMEOUT_S
        while True:
            lines = self.lines()
            if re.search(pattern, "\n".join(lines), re.MULTILINE):
                return lines
            if time.monotonic() > deadline:
                raise AssertionError("no %r:\n%s" % (pattern, "\n".join(lines)))


class Live(harness.TestCase):
    def start(self, width=80, height=24, **changes):
        """Start a program that did its rounds and waits. Return its regionstat and a terminal."""
        self.saved = self.path("run.json")
        return (self.spawn_waiting("-o", self.saved, rounds=200),
                Screen(self, width, height, **changes))

    def show(self, *size, **changes):
        """Show the view of such a program. Return its regionstat, the terminal and its lines."""
        process, screen = self.start(*size, **changes)
        screen.enter(harness.REGIONSTAT, "live", process.pid)
        return process, screen, screen.wait_for(VIEW)

    def cells(self, lines, region):
        """Return the columns of a region's line: heading -> text. Columns are at least two apart."""
        head = next(line for line in lines if line.startswith("region "))
        line = next(line for line in lines if re.search(r"(^|[ \u2500-\u257f-])%s " % region, line))
        return {found.group(): line[:found.end()].split("  ")[-1].strip()
                for found in re.finditer(r"\S+", head)}

    def check_figures(self, width, height):
        process, screen, lines = self.show(width, height)
        self.assertRegex(lines[0], r"\A\S*coming 200 wait  ")
        self.assertRegex(lines[-1], r"\Aq quit  .* view \d+\.\d% CPU")
        self.assertTrue(all(len(line) <= width for line in lines), lines)
        shown = {region: self.cells(lines, region) for region in ("step", "part", "child")}
        screen.quit()
        self.finish_waiting(process)
        report = harness.regionstat("report", "--width", "250", "--columns",
                                    "total,self,calls,avg,p90,max", self.saved).stdout
        for region, cells in shown.items():
            wanted = self.cells(report.splitlines(), region)
            compared = [name for name in ("total", "calls", "avg", "p90", "max") if name in cells]
            self.assertIn("total", compared)
            self.assertEqual({name: cells[name] for name in compared},
                             {name: wanted[name] for name in compared})
        return compared

    def test_figures_80x24(self):
        self.check_figures(80, 24)

    def test_figures_200x50(self):
        self.assertEqual(len(self.check_figures(200, 50)), 5)

    def test_open_calls(self):
        """Two asynchronous calls and a nested one are open."""
        process = self.spawn([harness.REGIONSTAT, "--", harness.app("rules"), "markers", 1,
                              "bB+a-a+a+ab." + 60000 * "~"], ready="here")
        screen = Screen(self, 80, 24)
        screen.enter(harness.REGIONSTAT, "live", process.pid)
        lines = screen.wait_for(r"q quit")
        self.assertEqual([self.cells(lines, region)["open"] for region in "ab"], ["2", "1"])
        screen.quit()
        process.terminate()
        process.communicate(timeout=harness.TIMEOUT_S)

    def test_ascii(self):
        process, screen, lines = self.show(LC_ALL="C")
        self.assertTrue("\n".join(lines).isascii(), lines)
        screen.quit()
        self.finish_waiting(process)

    def test_keys(self):
        process, screen, _ = self.show(100, 30)
        screen.wait_for(r"q quit  enter detail  s sort: total")
        screen.type("s")
        screen.wait_for(r"sort: self")
        screen.type("Space")
        screen.wait_for(r"^PAUSED")
        screen.type("Down", "Enter")
        lines = screen.wait_for(r"^\S.*: [\d,]+ calls, total ")  # the distribution
        self.assertTrue(any("p99" in line for line in lines), lines)
        screen.type("Escape")
        screen.wait_for(r"sort: self")
        screen.quit()
        self.finish_waiting(process)

    def test_sizes(self):
        """50 sizes, with a key for each."""
        process, screen, _ = self.show()
        for i in range(50):
            screen.tmux("resize-window", "-x", str(20 + 37 * i % 180), "-y", str(3 + 11 * i % 47))
            screen.type(KEYS[i % len(KEYS)])
        screen.type("Escape")
        screen.tmux("resize-window", "-x", "120", "-y", "40")
        # On a narrow screen the headline takes several lines.
        lines = screen.wait_for(r" elapsed .* CPU.*\n\nregion (.*\n)*.*part (.*\n)*"
                                r".*q quit  enter detail")
        self.assertRegex(lines[2], r"\Aregion ")
        screen.quit()
        self.finish_waiting(process)

    def test_ends(self):
        """SIGINT, and SIGTSTP with fg; the terminal is as before."""
        process, screen = self.start()
        screen.enter("stty -a >", self.path("before"), ";", harness.REGIONSTAT, "live", process.pid)
        screen.wait_for(VIEW)
        screen.quit("C-z")
        screen.enter("fg")
        screen.wait_for(VIEW)
        screen.quit("C-c")
        screen.enter("echo status $?; stty -a >", self.path("after"), "; echo done")
        lines = screen.wait_for(r"^done")
        self.assertIn("status 130", lines)
        self.assertEqual(*[harness.read_text(self.path(name)) for name in ("before", "after")])
        self.finish_waiting(process)

    def test_killed_view(self):
        process, screen = self.start()
        screen.enter(harness.REGIONSTAT, "live", process.pid, "& echo $! >", self.path("pid"),
                     "; fg")
        screen.wait_for(VIEW)
        os.kill(int(harness.read_text(self.path("pid"))), signal.SIGKILL)
        screen.wait_for(r"Killed")
        self.finish_waiting(process)

    def test_name_is_no_pattern(self):
        process = self.spawn([harness.REGIONSTAT, "-o", self.path("run.json"), "sh", "-c",
                              '"$@"; echo waiting; read line', "sh", harness.app("named"), "*",
                              "other"], ready="waiting", stdin=subprocess.PIPE)
        screen = Screen(self, 100, 30)
        screen.enter(harness.REGIONSTAT, "live", process.pid)
        screen.wait_for("sort: total")
        screen.type("s", "s", "s", "s", "PageUp")
        screen.wait_for(r"^.{0,3}\* (.*\n)*.*other (.*\n)*.*sort: name")
        screen.type("Enter")
        lines = screen.wait_for(r"^\*: 1 call")
        rows = [line for line in lines if re.match(r"\S+ +time ", line)]  # beside the tree
        self.assertEqual([row.split()[0] for row in rows], ["*"])
        screen.type("q")

    def test_program(self):
        """PID may be a process of the program."""
        process, screen = self.start()
        screen.enter(harness.REGIONSTAT, "live", harness.children(process.pid)[0])
        screen.wait_for(VIEW)
        self.finish_waiting(process)
        screen.wait_for(r"^ENDED")
        screen.quit()


class Beside(harness.TestCase):
    """--live"""

    def test_output_follows(self):
        screen = Screen(self, 100, 40)
        pid = self.path("pid")
        screen.enter(harness.REGIONSTAT, "--live sh -c '%s 200 wait & echo $! > %s; wait; echo by by; "
                     "exit 7'; echo status $?" % (harness.app("coming"), pid))
        lines = screen.wait_for(VIEW)
        self.assertNotIn("waiting", lines)
        screen.type("q")
        screen.wait_for(r"^regionstat: the program runs on; the report follows at its end")
        os.kill(int(harness.read_text(pid)), signal.SIGUSR1)
        text = "\n".join(screen.wait_for(r"^status 7"))
        self.assertRegex(text, r"waiting\nby by\n(.*\n)*region  ")

    def test_cpu_time_of_a_running_child(self):
        """The child uses more than 1 s of CPU time. The shell that waits for it uses almost none."""
        screen = Screen(self, 100, 40)
        screen.enter(harness.REGIONSTAT,
                     "--live sh -c '%s 3000000; true'" % harness.app("coming"))
        screen.wait_for(r"^sh -c .* elapsed +\d+\.\d+ s CPU")
        screen.type("C-c")
        screen.wait_for("killed by SIGINT")

    def test_view_ends_with_the_program(self):
        screen = Screen(self, 100, 40)
        screen.enter(harness.REGIONSTAT, "--live --", harness.app("nest"), "4; echo status $?")
        text = "\n".join(screen.wait_for(r"^status 0"))
        self.assertIn("\nregion  ", text)
        self.assertNotIn("q quit", text)

    def start(self):
        """Start a program with a view. Return the screen and the processes of both."""
        screen, path = Screen(self, 100, 40), self.path("pid")
        screen.enter(harness.REGIONSTAT, "--live sh -c 'echo $PPID > %s; exec %s 200 wait'; "
                     "echo status $?" % (path, harness.app("coming")))
        screen.wait_for(VIEW)
        view, program = harness.children(int(harness.read_text(path)))
        self.assertEqual(os.readlink("/proc/%d/exe" % view), os.path.realpath(harness.REGIONSTAT))
        return screen, view, program

    def check_end(self, screen):
        """The report follows, and the terminal is as before."""
        text = "\n".join(screen.wait_for(r"^status 0"))
        self.assertIn("\nregion  ", text)
        screen.enter("stty -a")
        screen.wait_for(r" icanon .* echo ")

    def test_stopped_view(self):
        """A view that is stopped, as in the background, does not hold up the report."""
        screen, view, program = self.start()
        os.kill(view, signal.SIGSTOP)
        os.kill(program, signal.SIGUSR1)
        self.check_end(screen)

    def test_stopped_terminal(self):
        """Ctrl-S, so that the view waits for the terminal."""
        screen, view, program = self.start()
        screen.type("C-s")
        os.kill(program, signal.SIGUSR1)
        harness.wait_until(lambda: harness.has_ended(view))
        screen.type("C-q")
        self.check_end(screen)

    def test_background(self):
        """Ctrl-Z and bg: the program goes on without a screen, as if it began in the background. fg
        shows the view."""
        screen, path = Screen(self, 100, 40), self.path("pid")
        screen.enter(harness.REGIONSTAT, "--live sh -c 'echo $$ > %s; exec %s 200 wait' &"
                     % (path, harness.app("coming")))
        harness.wait_until(lambda: os.path.exists(path) and os.path.getsize(path))
        for _ in range(3):
            screen.enter("fg; clear")
            screen.wait_for(VIEW)
            screen.quit("C-z")
            screen.enter("bg; jobs")
            screen.wait_for(r"Running")
        screen.enter("kill -USR1 %s; wait; echo status $?" % harness.read_text(path).strip())
        self.check_end(screen)

    def test_interrupt(self):
        screen = Screen(self, 100, 40)
        screen.enter(harness.REGIONSTAT, "--live --", harness.app("coming"), "200 wait")
        screen.wait_for(VIEW)
        screen.type("C-c")
        text = "\n".join(screen.wait_for(r"killed by SIGINT(.*\n)*" + PROMPT))
        self.assertIn("\nregion  ", text)

    def test_an_attached_program(self):
        """The view of --live ends with q, and the measurement with Ctrl-C. The program has used
        2 s of CPU time before regionstat attaches, and almost none later."""
        harness.need_no_sanitizer("a runtime with a sanitizer needs a program with it")
        program = self.compile(os.path.join("attached", "load.c"), harness.compilers()[0], "-O2")
        busy = ("import os, sys, time\nwhile time.process_time() < 2: pass\n"
                "os.execv(sys.argv[1], sys.argv[1:])")
        process = self.spawn([sys.executable, "-c", busy, program, 2, 100000], ready="ready",
                             stdin=subprocess.PIPE, text=True)
        screen = Screen(self, 120, 40)
        screen.enter(harness.REGIONSTAT, "attach", "--live", "-e", "time", "-o",
                     self.path("report.csv"), process.pid)
        lines = screen.wait_for(r"elapsed +\S+ [num]?s CPU(.*\n)*region (.*\n)*.*scope .*[1-9]")
        self.assertRegex(lines[0], r"elapsed +\S+ [num]s CPU")
        screen.type("q")
        screen.wait_for("the program runs on")
        screen.quit("C-c")
        self.assertGreater(harness.read_report(self.path("report.csv")).calls()["scope"], 0)
        self.assertEqual(process.communicate(timeout=harness.TIMEOUT_S)[0], "done\n")


class Wrong(harness.TestCase):
    def refuse(self, *arguments, says, **options):
        result = self.regionstat(*arguments, status=125, **options)
        self.assertRegex(result.stderr, says)
        self.assertIn("\n  ", result.stderr)

    def test_refused(self):
        self.refuse("live", "x", says="live: 'x' is not a process id")
        self.refuse("live", "1", "2", says="live: more than one PID: '2'")
        self.refuse("live", "999999999", says="there is no process 999999999")
        self.refuse("live", os.getpid(), says="process %d is not measured by regionstat\n"
                    "  try: regionstat attach --live %d" % (os.getpid(), os.getpid()))
        self.refuse("--live", "true", says="--live: cannot show the run on the screen: there is no terminal")
        self.refuse("--live", "-r", "2", "true", says="--live shows one run")

    def test_terminals(self):
        """A terminal that cannot position the cursor is refused with a reason."""
        screen = Screen(self, 100, 30)
        for term, why in (("dumb", "cannot position the cursor"), ("nonsense", "names no known terminal")):
            screen.enter("TERM=" + term, harness.REGIONSTAT, "--live true; echo status $?")
            screen.wait_for(why)
        screen.wait_for(r"status 125(.*\n)*.*status 125")

    def test_another_user(self):
        harness.need_root("only root can become another user")
        process = self.spawn_waiting("-o", self.path("run.json"))
        other = harness.need_other_user(OWN_USER)
        result = self.execute([*other, harness.REGIONSTAT, "live", str(process.pid)], status=125)
        self.assertIn("process %d belongs to user 0, and this viewer to user %d" % (process.pid, OWN_USER),
                      result.stderr)
        result = harness.run([*other, harness.REGIONSTAT, "live"])
        self.assertIn("regionstat measures no program of this user", result.stderr)

    def test_protected(self):
        """A process of the same user with more capabilities."""
        harness.need_root("only root can become another user")
        other = harness.need_other_user()
        process = self.spawn([*other, "--inh-caps", "+sys_nice", "--ambient-caps", "+sys_nice",
                              "--", "sh", "-c", "echo; read line"], stdin=subprocess.PIPE)
        harness.need(process.stdout.readline(), "setpriv cannot keep a capability here")
        result = self.execute([*other, "--", harness.REGIONSTAT, "live", str(process.pid)], 125)
        self.assertIn("process %d is protected: it is not dumpable (prctl(2)), or has more "
                      "capabilities than this viewer\n  try: " % process.pid, result.stderr)

    def test_several_runs(self):
        for _ in range(2):
            self.spawn_waiting("-o", os.devnull)
        result = harness.regionstat("live")
        self.assertRegex(result.stderr, r"regionstat measures \d+ programs; choose one\n"
                         r"(  try: regionstat live \d+, which is .*\n){2,}")
