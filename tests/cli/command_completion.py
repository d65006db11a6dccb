# SPDX-License-Identifier: MIT
"""Completion in real shells: a test types words and a TAB, and reads the completed line."""

import json
import os
import pty
import select
import signal
import time

import harness

PLACES = os.path.join(harness.SOURCE, "cmd", "completion")

# ^T inserts all completions, ^G writes the current line to the fifo.
BASH = """
bind 'set bell-style none'; bind 'set show-all-if-ambiguous off'; bind 'set enable-bracketed-paste off'
[ ! -r /usr/share/bash-completion/bash_completion ] || . /usr/share/bash-completion/bash_completion
. %(script)s
bind '"\\C-t": insert-completions'
bind -x '"\\C-g": printf "%%s\\n" "$READLINE_LINE" >%(fifo)s'
"""
ZSH = """
unsetopt beep prompt_cr; PS1='> '
fpath=(%(places)s $fpath)
autoload -Uz compinit && compinit -u -D
answer() { print -r -- "$BUFFER" >%(fifo)s }
zle -C all-matches complete-word _generic; bindkey '^T' all-matches
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
zle -N answer; bindkey '^G' answer; bindkey '^I' complete-word
"""


class Shell:
    """An interactive shell on its own terminal."""

    def __init__(self, argv, setup, directory):
        self.fifo = os.path.join(directory, "answer")
        os.mkfifo(self.fifo)
        self.answers = os.open(self.fifo, os.O_RDWR)
        setup_file = os.path.join(directory, "setup")
        harness.write_text(setup_file, setup % {
            "fifo": self.fifo, "places": PLACES,
            "script": os.path.join(PLACES, "regionstat.bash")})
        env = harness.environment(TERM="dumb", PATH="%s:%s" % (
            os.path.dirname(harness.REGIONSTAT), os.environ["PATH"]), HISTFILE="/dev/null")
        env["HOME"] = directory
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(argv[0], argv, env)
        self.read_to = ""
        self.type(". %s; echo ready >%s\n" % (setup_file, self.fifo))
        self.answer()

    def type(self, text):
        os.write(self.terminal, text.encode())

    def answer(self):
        """Return the next line of the fifo. Meanwhile read the shell's output and store it."""
        line, end = b"", time.monotonic() + harness.TIMEOUT_S
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.answers, self.terminal], [], [],
                                        max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError("no answer from the shell: " + self.read_to)
            if self.terminal in ready:
                self.read_to += os.read(self.terminal, 65536).decode("utf-8", "replace")
            if self.answers in ready:
                line += os.read(self.answers, 1)
        return line.decode()[:-1]

    def complete(self, text, key="\t"):
        """Return the line after typing text and a key."""
        self.type("\x15" + text + key + "\x07")
        return self.answer()

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)
        os.close(self.answers)


class Completion:
    """Completions that both shells must have. Subclasses name the shell."""

    argv, setup = (), ""

    def start(self):
        harness.need_tool(self.argv[0])
        harness.need_no_sanitizer("scripts of shells are the same with sanitizers")
        self.text_file("regionstat.yaml",
                       "profiles: {nightly: {description: all of it}, quick: {top: 1}}\n")
        self.text_file("unique-run.json", "{}")
        self.text_file("other.yaml", "profiles: {weekly: {top: 2}}\n")
        shell = Shell(self.argv, self.setup, self.directory)
        self.addCleanup(shell.close)
        return shell

    def test_lines(self):
        shell = self.start()
        for typed, expected in (
                ("regionstat --dry", "regionstat --dry-run"),
                ("regionstat -e page-fau", "regionstat -e page-faults"),
                ("regionstat -e cs,page-fau", "regionstat -e cs,page-faults"),
                ("regionstat -e {cs,minor-f", "regionstat -e {cs,minor-faults"),
                ("regionstat --event context-sw", "regionstat --event context-switches"),
                ("regionstat --profile night", "regionstat --profile nightly"),
                ("regionstat -c other.yaml --profile week",
                 "regionstat -c other.yaml --profile weekly"),
                ("regionstat --config=other.yaml --profile week",
                 "regionstat --config=other.yaml --profile weekly"),
                ("regionstat liv", "regionstat live"),
                ("regionstat live %d" % os.getpid(), "regionstat live %d" % os.getpid()),
                ("regionstat --format mark", "regionstat --format markdown"),
                ("regionstat --sort=stdd", "regionstat --sort=stddev"),
                ("regionstat --columns avg,stdd", "regionstat --columns avg,stddev"),
                ("regionstat -c unique", "regionstat -c unique-run.json"),
                ("regionstat repo", "regionstat report"),
                ("regionstat report unique", "regionstat report unique-run.json"),
                ("regionstat compa", "regionstat compare"),
                ("regionstat diff unique", "regionstat diff unique-run.json"),
                ("regionstat merg", "regionstat merge"),
                ("regionstat merge unique", "regionstat merge unique-run.json"),
                ("regionstat list page-fau", "regionstat list page-faults"),
                ("regionstat list prof", "regionstat list profiles"),
                ("regionstat list opti", "regionstat list options"),
                ("regionstat --markers likwid,kok", "regionstat --markers likwid,kokkos"),
                ("regionstat --color=alw", "regionstat --color=always"),
                ("regionstat --columns avg,on-", "regionstat --columns avg,on-cpu"),
                ("regionstat list metrics cpus-u", "regionstat list metrics cpus-utilized"),
                ("regionstat list --json metrics GFL", "regionstat list --json metrics GFLOP/s"),
                ("regionstat -M cpus-u", "regionstat -M cpus-utilized"),
                ("regionstat -M GHz,faults-p", "regionstat -M GHz,faults-per-second"),
                ("regionstat --metrics cpus-u", "regionstat --metrics cpus-utilized"),
                ("regionstat --metrics=cpus-u", "regionstat --metrics=cpus-utilized"),
                ("regionstat --metrics-file unique", "regionstat --metrics-file unique-run.json"),
                ("regionstat --slow-output unique", "regionstat --slow-output unique-run.json"),
                ("regionstat --slow parse:page-fau", "regionstat --slow parse:page-faults"),
                ("regionstat --slow page-fau", "regionstat --slow page-fau"),
                ("regionstat --histogram a:page-fau", "regionstat --histogram a:page-faults"),
                ("regionstat run --dry", "regionstat run --dry-run"),
                ("regionstat -e time ls unique", "regionstat -e time ls unique-run.json"),
                ("regionstat -- ls unique", "regionstat -- ls unique-run.json"),
                # the command cannot know the program's own words
                ("regionstat ls --dry", "regionstat ls --dry")):
            with self.subTest(typed=typed):
                self.assertEqual(shell.complete(typed).rstrip(" ="), expected)

    def test_every_option(self):
        shell = self.start()
        options = json.loads(harness.regionstat("list", "--json", "options").stdout)["options"]
        for verb in ("run", "list", "report", "compare", "diff", "merge", "attach"):
            words = ["--" + option["option"] for option in options
                     if verb.replace("attach", "run") in option["verbs"]]
            self.assertGreater(len(words), 4)
            line = "regionstat " + ("" if verb == "run" else verb + " ")
            with self.subTest(verb=verb):
                completed = shell.complete(line + "--", "\x14")
                self.assertTrue(completed.startswith(line), completed)
                self.assertEqual(sorted(word.rstrip("=") for word in completed[len(line):].split()),
                                 sorted(words))


class Bash(Completion, harness.TestCase):
    argv, setup = ("bash", "--norc", "--noprofile", "-i"), BASH

    def test_events_with_colons(self):
        events = json.loads(harness.regionstat("list", "--json", "*::*").stdout or '{"events":[]}')
        names = [event["name"] for event in events["events"]]
        harness.need(names, "no event of this machine has a colon in its name")
        shell = self.start()
        unique = [name for name in names if sum(other.startswith(name[:-1]) for other in names) == 1]
        line = shell.complete("regionstat list " + unique[0][:-1])
        self.assertEqual(line.rstrip(), "regionstat list " + unique[0])


class Zsh(Completion, harness.TestCase):
    argv, setup = ("zsh", "-f", "-i"), ZSH
