# SPDX-License-Identifier: MIT
"""Markers called from an interpreter, whose stack is not that of C: Lua, whose errors leave C functions
by longjmp(3). The script counts its calls itself. bindings_python.py has CPython."""

import os

import harness

TICKETS = os.path.join(harness.APP_SOURCES, "tickets")


LEFT = """
    #include <regionstat.h>
    #include <setjmp.h>
    static jmp_buf back;
    static volatile int jumps = 1;
    static __attribute__((noinline)) void leave(int depth)
    {
        REGIONSTAT_SCOPE("left");
        if (depth > 1)
            leave(depth - 1);
        if (jumps)
            longjmp(back, 1);
    }
    static __attribute__((noinline)) void return_to(void)
    {
        REGIONSTAT_SCOPE("inner");
        for (volatile int i = 0; i < 20000; i++) /* more than the overhead of markers may be wrong */
            ;
        if (!setjmp(back))
            leave(6);
    }
    int main(void)
    {
        REGIONSTAT_SCOPE("outer");
        for (volatile int i = 0; i < 5000; i++)
            return_to();
        return 0;
    }
"""


# The same for one region. A call within each call that is left ends.
RECURSION = """
    #include <regionstat.h>
    #include <setjmp.h>
    static jmp_buf back;
    static volatile int jumps = 1;
    static __attribute__((noinline)) void end(void)
    {
        REGIONSTAT_SCOPE("rec");
        for (volatile int i = 0; i < 3000; i++)
            ;
    }
    static __attribute__((noinline)) void leave(int depth)
    {
        REGIONSTAT_SCOPE("rec");
        end();
        if (depth > 1)
            leave(depth - 1);
        if (jumps)
            longjmp(back, 1);
    }
    static __attribute__((noinline)) void begin(void)
    {
        REGIONSTAT_SCOPE("rec");
        for (volatile int i = 0; i < 5000; i++)
            if (!setjmp(back))
                leave(6);
    }
    int main(void)
    {
        REGIONSTAT_SCOPE("main");
        begin();
        for (volatile int i = 0; i < 100000000; i++)
            ;
        return 0;
    }
"""


class Jumps(harness.TestCase):

    def test_more_calls_left_than_a_thread_may_have_open(self):
        """The time of calls that ended within them is no self time of the call around."""
        report = self.measure(self.compile_text(LEFT, "-O1"), events="time").report
        outer, inner = report.region("outer"), report.region("inner")
        self.assertEqual((outer.calls, inner.calls), (1, 5000))
        self.assertEqual(report.diagnostics("left"), {"lost": 30000})
        self.assertLessEqual(outer.self_total + inner.total, outer.total + 3)  # each is rounded to a ns


    def test_a_recursion_counts_no_time_twice(self):
        """The outermost call contains all others, also those within calls that a thread has dropped."""
        report = self.measure(self.compile_text(RECURSION, "-O1"), events="time").report
        rec = report.region("rec")
        self.assertEqual((rec.calls, report.diagnostics("rec")["lost"]), (30001, 30000))
        self.assertLessEqual(rec.total, rec.max + 3)


class Lua(harness.TestCase):

    def setUp(self):
        harness.need_no_sanitizer("one thread races with nobody", "thread")
        super().setUp()
        pkg_config = harness.need_tool("pkg-config")
        found = harness.run([pkg_config, "--cflags", "--libs", "lua5.4"])
        harness.need(found.status == 0, "Lua 5.4 is not installed (liblua5.4-dev)")
        self.library = found.stdout.split()

    def check(self, seed, walks, depth, options=(), compilers=None):
        """Check that every call that returned is counted. Calls that an error left are lost or
        still open. The only other message is that some were nested. Return the results, and how
        many calls were left."""
        found = []
        for compiler in compilers or harness.compilers():
            for optimization in ("-O0", "-O2"):
                program = self.compile("tickets/lua.c", compiler, "-std=gnu11", optimization,
                                       *self.library)
                result = self.measure(program, os.path.join(TICKETS, "walk.lua"), seed, walks,
                                      depth, events="time", options=options)
                with self.subTest(compiler=compiler, optimization=optimization, seed=seed):
                    found.append((result, self.compare(result)))
        return found

    def compare(self, result):
        """Compare with the script's counts. Return the number of calls that errors left."""
        report = result.report
        counts = {region: (int(entered), int(returned)) for region, entered, returned in
                  map(str.split, result.stdout.splitlines())}
        left = {region: entered - returned for region, (entered, returned) in counts.items()}
        found = {region: report.diagnostics(region) for region in counts}
        self.assertEqual({region: report.region(region).calls for region in counts},
                         {region: returned for region, (_, returned) in counts.items()})
        self.assertEqual({region: what.pop("lost", 0) + what.pop("open", 0)
                          for region, what in found.items()}, left)
        for what in found.values():
            self.assertEqual(set(what) - {"recursive"}, set())
        self.assertEqual(report.region("head").calls, counts["next"][0])
        self.assertEqual(report.diagnostics("head"), {})
        return sum(left.values())

    def test_some_calls_left_by_errors(self):
        for seed in (1, 2, 3):
            for _, n_left in self.check(seed, 3, 5):
                self.assertGreater(n_left, 2)

    def test_more_calls_left_than_a_thread_may_have_open(self):
        """Calls that can no longer end are dropped if too many are open."""
        for result, n_left in self.check(4, 8000, 7, compilers=harness.compilers()[:1]):
            self.assertGreater(n_left, 20000)
            self.assertRegex(result.stderr, r"longjmp")

    def test_the_same_where_calls_are_sampled(self):
        for _, n_left in self.check(6, 1000, 7, options=("--sample", 5)):
            self.assertGreater(n_left, 1000)
