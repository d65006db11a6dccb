# SPDX-License-Identifier: MIT
"""Making random C programs that use traced.h. Their calls nest, overlap, recurse and get lost, and
some ENDs are unmatched, in functions, loops, threads, children and handlers. The programs also jump
out of calls, pause counting, and have asynchronous calls."""

import random

N_REGIONS = 7
N_FUNCTIONS = 8
N_CALLS = 16  # asynchronous ones, as in traced.h


class Generator:
    """Generates one program. features are any of "threads", "forks", "pauses", "handlers", "jumps",
    "disorder" and "async"."""

    def __init__(self, seed, features):
        self.random = random.Random(seed)
        self.features = features
        self.lines = []
        self.n_labels = 0
        self.n_jumps = 0  # open setjmp() blocks around the generated code, which must not return

    def region(self):
        """Return a random region: its number and its name as a literal."""
        n = self.random.randrange(N_REGIONS)
        return '%d, "r%d"' % (n, n)

    def put(self, indent, text):
        self.lines.append("\t" * indent + text)

    def marker(self, indent, kind, *regions):
        """Write a marker. Some markers get their name at run time."""
        named = "NAMED_" if self.random.random() < 0.25 else ""
        self.put(indent, "T_%s%s(%s);" % (named, kind, ", ".join(regions)))

    def block(self, indent, size, function):
        for _ in range(size):
            self.statement(indent, function)

    def statement(self, indent, function):
        choices = [("pair", 6), ("scope", 3), ("touch", 6), ("loop", 2), ("call", 4), ("next", 2)]
        if "disorder" in self.features:
            choices += [("begin", 1.2), ("end", 1.2), ("loose_next", 1), ("overlap", 2)]
        for feature, name, weight in (("threads", "thread", 0.6), ("forks", "fork", 0.5),
                                      ("pauses", "pause", 0.7), ("pauses", "resume", 0.9),
                                      ("handlers", "raise", 1), ("jumps", "jump", 1),
                                      ("async", "start", 1.5), ("async", "stop", 1.5)):
            if feature in self.features:
                choices.append((name, weight))
        if indent > 4:
            choices = [("touch", 3), ("call", 2), ("touch", 1)]
        names, weights = zip(*choices)
        getattr(self, "put_" + self.random.choices(names, weights)[0])(indent, function)

    def put_pair(self, indent, function):
        region = self.region()
        self.marker(indent, "BEGIN", region)
        self.block(indent + 1, self.random.randrange(4), function)
        self.marker(indent, "END", region)

    def put_scope(self, indent, function):
        self.put(indent, "{")
        self.put(indent + 1, "T_SCOPE(%s);" % self.region())
        self.block(indent + 1, self.random.randrange(4), function)
        if self.random.random() < 0.1 and not self.n_jumps and function is not None:
            self.put(indent + 1, "if (fuel & 1)")
            self.put(indent + 2, "return;")
        self.put(indent, "}")

    def put_touch(self, indent, _):
        self.put(indent, "touch(%d);" % self.random.choice((0, 1, 1, 2, 3, 5, 9, 40)))

    def put_loop(self, indent, function):
        self.n_labels += 1
        name = "i%d" % self.n_labels
        self.put(indent, "for (int %s = 0; %s < %d && fuel-- > 0; %s++) {" % (
            name, name, self.random.choice((2, 3, 8, 30)), name))
        self.block(indent + 1, self.random.randrange(1, 4), function)
        self.put(indent, "}")

    def put_call(self, indent, _):
        self.put(indent, "if (fuel-- > 0 && depth < 7)")
        self.put(indent + 1, "f%d(depth + 1);" % self.random.randrange(N_FUNCTIONS))

    def put_next(self, indent, function):
        regions = [self.region() for _ in range(self.random.randrange(2, 4))]
        self.marker(indent, "BEGIN", regions[0])
        for old, new in zip(regions, regions[1:]):
            self.block(indent + 1, self.random.randrange(2), function)
            self.marker(indent, "NEXT", old, new)
        self.block(indent + 1, self.random.randrange(2), function)
        self.marker(indent, "END", regions[-1])

    def put_begin(self, indent, _):
        self.marker(indent, "BEGIN", self.region())

    def put_end(self, indent, _):
        self.marker(indent, "END", self.region())

    def put_loose_next(self, indent, _):
        self.marker(indent, "NEXT", self.region(), self.region())

    def put_overlap(self, indent, function):
        one, two = self.region(), self.region()
        self.marker(indent, "BEGIN", one)
        self.block(indent, self.random.randrange(2), function)
        self.marker(indent, "BEGIN", two)
        self.block(indent, self.random.randrange(2), function)
        self.marker(indent, "END", one)
        self.block(indent, self.random.randrange(2), function)
        self.marker(indent, "END", two)

    def put_thread(self, indent, _):
        joins = 1 if {"pauses", "forks"} & set(self.features) else self.random.randrange(2)
        self.put(indent, "if (fuel-- > 0 && depth < 7)")
        self.put(indent + 1, "in_thread(f%d, %d);" % (self.random.randrange(N_FUNCTIONS), joins))

    def put_fork(self, indent, _):
        self.put(indent, "if (fuel-- > 0 && depth < 7)")
        self.put(indent + 1,
                 "in_child(f%d, depth + 1);" % self.random.randrange(N_FUNCTIONS))

    def put_pause(self, indent, _):
        self.put(indent, "if (fuel-- > 0 && n_pauses++ < 40)")
        self.put(indent + 1, "T_PAUSE();")

    def put_resume(self, indent, _):
        self.put(indent, "if (fuel-- > 0 && n_pauses++ < 40)")
        self.put(indent + 1, "T_RESUME();")

    def put_start(self, indent, _):
        named = "NAMED_" if self.random.random() < 0.25 else ""
        self.put(indent, "T_%sSTART(%d, %s);" % (named, self.random.randrange(N_CALLS),
                                                  self.region()))

    def put_stop(self, indent, _):
        self.put(indent, "T_STOP(%d);" % self.random.randrange(N_CALLS))

    def put_raise(self, indent, _):
        self.put(indent, "if (fuel-- > 0 && depth < 7)")
        self.put(indent + 1, "raise(SIGUSR1);")

    def put_jump(self, indent, function):
        self.put(indent, "if (fuel-- > 0 && depth < 7) {")
        self.put(indent + 1, "sigjmp_buf here, *volatile outer = jump;")
        self.put(indent + 1, "if (!sigsetjmp(here, 1)) {")
        self.put(indent + 2, "jump = &here;")
        self.n_jumps += 1
        self.block(indent + 2, self.random.randrange(1, 4), function)
        self.n_jumps -= 1
        self.put(indent + 2, "leave(depth);")
        self.put(indent + 1, "}")
        self.put(indent + 1, "jump = outer;")
        self.put(indent, "}")

    def program(self):
        """Return the program's text."""
        self.lines = ['#include "traced.h"', "", "static __thread sigjmp_buf *jump;",
                      "static __thread int in_handler;", "static _Atomic int n_pauses;"]
        for i in range(N_FUNCTIONS):
            self.put(0, "static void f%d(int depth);" % i)
        self.lines += ["static __attribute__((noinline)) void leave(int depth)", "{",
                       "\tif (depth & 1 || !jump)", "\t\treturn;",
                       "\tsiglongjmp(*jump, 1);", "}"]
        for i in range(N_FUNCTIONS):
            kind = self.random.choice(("__attribute__((noinline)) ", "", "inline "))
            self.put(0, "static %svoid f%d(int depth)" % (kind, i))
            self.put(0, "{")
            if self.random.random() < 0.3:
                self.put(1, "volatile char room[%d];" % self.random.choice((8, 200, 900)))
                self.put(1, "room[0] = (char)depth;")
            self.block(1, self.random.randrange(1, 6), i)
            if not self.random.randrange(6):
                self.put(1, "leave(depth + 1);")
            self.put(0, "}")
        self.lines += ["static void handler(int signal)", "{", "\t(void)signal;",
                       "\tif (in_handler++ < 2)", "\t\tf%d(6);" % self.random.randrange(
                           N_FUNCTIONS), "\tin_handler--;", "}"]
        self.lines += ["int main(void)", "{",
                       "\tconst int depth = 0;",
                       "\tstruct sigaction action = {.sa_handler = handler};",
                       "\tsigaction(SIGUSR1, &action, NULL);", "\tstart();",
                       "\tfor (int round = 0; round < %d; round++) {" % self.random.choice(
                           (1, 1, 3, 20)),
                       "\tfuel = 1000;"]
        self.block(1, self.random.randrange(3, 9), None)
        self.put(1, "}")
        self.put(1, "join_threads();")
        self.put(1, "end_pauses();")
        self.put(1, self.random.choice((
            "return 0;", "exit(0);", "_exit(0);", "kill(getpid(), SIGKILL);", "abort();")))
        self.put(0, "}")
        return "\n".join(self.lines) + "\n"
