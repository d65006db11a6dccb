# SPDX-License-Identifier: MIT
"""Calls of regions: nesting, overlap, NEXT, pauses, threads and processes, and mistakes, which are
counted. Each rule is tested in three programs: one that loads the runtime, one that links it, and a
static one."""

import os
import shutil

import harness


def markers(script, n=1):
    """Return the words that perform a script n times: "abAB" begins a and b, and ends them.
    tests/apps/rules/markers.c describes all signs."""
    return "markers", n, script


FIVE = "cC" * 5

# What happens, the words of the program, the calls of each region, and its diagnostics.
RULES = (
    ("scopes in functions", ("nested", 1000), {"outer": 1000, "middle": 2000, "inner": 6000}, {}),
    ("many are open at once", ("deep", 200), {"level %d" % i: 1 for i in range(200)}, {}),
    ("before main() and after it", ("lifetime",),
     {"constructor": 1, "early constructor": 1, "main": 1, "exit handler": 1, "destructor": 1,
      "late destructor": 1}, {}),
    ("overlap", markers("abAB", 1000), {"a": 1000, "b": 1000}, {}),
    ("recursion in one frame", markers("aaaAAA", 10), {"a": 30}, {"a": {"recursive": 20}}),

    ("NEXT once", markers("aA/bB/cC"), {"a": 1, "b": 1, "c": 1}, {}),
    ("NEXT round and round", markers("a" + "A/bB/cC/a" * 1000 + "A"),
     {"a": 1001, "b": 1000, "c": 1000}, {}),
    ("NEXT from what is not open", markers("X/bB", 10), {"b": 10}, {"x": {"unmatched": 10}}),
    ("END without BEGIN", markers("A" * 100 + "gG"), {"g": 1}, {"a": {"unmatched": 100}}),
    ("one END for all", markers("a" * 100 + "A"), {"a": 1}, {"a": {"open": 99}}),
    ("every third call has no END", markers("siI" + "siIS" * 2, 33), {"s": 66, "i": 99},
     {"s": {"open": 33}}),
    ("the outer END finds a call without END", markers("oiO", 9), {"o": 9}, {"i": {"lost": 9}}),
    ("the only call is open", markers("o"), {}, {"o": {"open": 1}}),
    ("the last call is open", markers("oO" * 5 + "o"), {"o": 5}, {"o": {"open": 1}}),
    ("open when a thread ends", markers("(fFo)", 10), {"f": 10}, {"o": {"open": 10}}),
    ("a scope goes to another thread, and the call around it ends", markers("o[mO(])", 50), {"o": 50},
     {"m": {"moved": 50}}),

    ("a pause within c; i begins in another", markers("c<>CwW<i>I", 50), {"w": 50},
     {"c": {"cut": 50}}),
    ("a pause within a pause", markers("<<>iI>cC", 50), {"c": 50}, {}),
    ("threads pause at once", ("pause-threads", 100, 4), {"counted": 100}, {}),

    ("children make calls", markers("pP{" + FIVE + "}", 20), {"p": 20, "c": 100}, {}),
    ("children end a call of their parent, and then make one", markers("a{" + FIVE + "AaA}A", 20),
     {"a": 40, "c": 100}, {}),
    ("children end a scope, a pair and a NEXT of their parent", markers("[s{]}]p{P}Pn{N/lL}N/lL", 20),
     {"s": 20, "p": 20, "n": 20, "l": 40}, {}),
    ("children end with open calls", markers("{ccccccc}", 200), {}, {"c": {"open": 1400}}),
    ("21 generations, before and after their child",
     markers((FIVE + "{") * 20 + FIVE * 2 + ("}" + FIVE) * 20), {"c": 2 * 5 * 21}, {}),
    ("threads fork at once", ("fork-threads", 8, 10), {"child": 8 * 11}, {}),
    ("clone() of the kernel", ("raw-clone", 5, 10), {"child": 51}, {}),
    ("system(3)", ("system", 5, 10), {"system": 5, "child": 50}, {}),
    ("exec of itself in a call", ("exec", 5, 10), {"child": 60}, {"left by exec": {"open": 5}}),
)


class Calls:
    """Tests that are mixed into one TestCase for each program."""

    program = None

    def setUp(self):
        super().setUp()
        harness.need_app(self.program)

    def results(self, *words, events="page-faults", options=()):
        """Return the result, and for each region with calls or diagnostics both of them."""
        result = self.measure(harness.app(self.program), *words, events=events, options=options)
        report = result.report
        return result, {name: (n, report.diagnostics(name)) for name, n in report.calls().items()
                        if n or report.diagnostics(name)}

    def check(self, *words, calls, diagnostics, events="page-faults"):
        result, found = self.results(*words, events=events)
        self.assertEqual({name: n for name, (n, _) in found.items() if n}, calls)
        for name, (_, counts) in found.items():
            # within a call that never ended, it is unknown whether a call is recursive
            if "open" in counts:
                counts.pop("recursive", None)
            self.assertEqual(counts, diagnostics.get(name, {}), name)
            if counts.keys() & {"open", "unmatched"}:
                self.assertIn("'%s' (" % name, result.stderr)
        self.assertLessEqual(diagnostics.keys(), found.keys())
        for row in result.report.select(kind="region", event="page-faults"):
            self.assertEqual(row.counted or 0, row.calls, row)

    def test_rules(self):
        for what, words, calls, diagnostics in RULES:
            cases = [(words, "page-faults")]
            if words[0] == "markers" and self.program == "rules":
                cases += [(words, "time"), ((*words, "by-name"), "page-faults,task-clock")]
            for case, events in cases:
                with self.subTest(what, words=case, events=events):
                    self.check(*case, calls=calls, diagnostics=diagnostics, events=events)

    def test_more_lost_than_a_thread_may_have_open(self):
        """Calls that can no longer end are dropped if too many are open. Their stack frame still
        exists here, so the runtime cannot know which these are; but no call that ends may be
        missing."""
        _, found = self.results(*markers("siI" + "siIS" * 2, 18000))
        n_ended, counts = found["s"]
        self.assertEqual((n_ended, found["i"]), (36000, (54000, {})))
        self.assertEqual(counts.get("lost", 0) + counts.get("open", 0), 18000)

    def test_deeper_than_a_thread_may_be(self):
        """Calls that are too deep are skipped and counted, and their ENDs end no other call."""
        harness.need_no_sanitizer("it has one thread, and ThreadSanitizer takes long for a deep stack", "thread")
        n = 20000
        for how in ("scope", "name"):
            with self.subTest(how):
                result = self.measure(harness.app(self.program), "beyond", how, n, 0)
                calls = result.report.region("beyond").calls
                self.assertTrue(1000 < calls < n, calls)
                self.assertEqual(result.report.diagnostics(),
                                 {"recursive": calls - 1, "unmatched": 1})
                self.assertRegex(result.stderr, f"{n - calls:,} calls skipped: more than 16,384 open at once")

    def test_coroutines(self):
        harness.need_no_sanitizer("AddressSanitizer does not follow swapcontext(3)", "address")
        # "h" begins on one stack and ends on another
        self.check("fibers", 100, "oOh|", "H|", calls={"o": 100, "h": 100}, diagnostics={})


class LoadedRuntime(Calls, harness.TestCase):
    program = "rules"

    @harness.no_sanitizer("the same without sampling has each branch of the command")
    def test_rules_where_calls_are_sampled(self):
        """Skipped and measured calls have the same diagnostics: cut, open, lost, unmatched,
        recursive."""
        for words in [words for _, words, *_ in RULES] + [
                ("beyond", "scope", 600), ("beyond", "name", 600, 50), ("handler", 200)]:
            _, truth = self.results(*words)
            for every in (2, 7, 1000):
                with self.subTest(words, every=every):
                    self.assertEqual(self.results(*words, options=["--sample", every])[1], truth)


@harness.no_sanitizer("it is the runtime that LoadedRuntime has")
class LinkedRuntime(Calls, harness.TestCase):
    program = "rules-linked"


class StaticProgram(Calls, harness.TestCase):
    program = "rules-static"


class Objects(harness.TestCase):
    """Several objects in one process, each with its own marker header."""

    def check(self, program):
        result = self.measure(harness.app(program), "100", harness.app("libplugin.so"))
        self.assertClean(result.report)
        calls = result.report.calls()
        # the plugin is loaded and unloaded twice; libc decides whether its destructor runs each
        # time, because the state of its markers may keep it loaded
        plugin_loads = calls.pop("plugin constructor")
        self.assertIn(plugin_loads, (1, 2))
        self.assertEqual(calls.pop("plugin destructor"), plugin_loads)
        self.assertEqual(calls, {
            "program": 100, "first": 100, "second": 100, "plugin": 200, "shared": 500,
            "across": 102, "first constructor": 1, "second constructor": 1,
            "first destructor": 1, "second destructor": 1})

    def test_objects_share_one_state(self):
        self.check("dso")

    def test_linked_and_loaded_runtime_share_one_state(self):
        self.check("dso-linked")

    def test_closed_with_the_runtime_in_it(self):
        """Threads that used markers of an unloaded plugin end, sleep and fork through the runtime
        that it loaded."""
        result = self.measure(harness.app("closed-by"), harness.app("libclosed.so"))
        self.assertClean(result.report)
        self.assertEqual(result.report.calls()["closed"], 2 * 3 * 100)

    def test_cpp_scopes_and_exceptions(self):
        result = self.measure(harness.need_app("scope"), "300")
        self.assertEqual(result.stdout,
                         harness.run([harness.app("scope"), "300"]).stdout)
        self.assertClean(result.report)
        self.assertEqual(result.report.calls(), {
            "rethrown": 300, "thrown": 300, "caught": 150, "returned": 300, "rest": 200,
            "template": 600, "inline": 300, "lambda": 300 + 4 * 300, "object": 300})

    def test_setuid_program_stays_off(self):
        """A set-user-id copy of a marked program runs with AT_SECURE: no markers, and no
        message."""
        harness.need_root("only root can make a program that is another user's")
        harness.need_no_sanitizer("LeakSanitizer cannot look into a set-user-id program", "address")
        os.chmod(self.directory, 0o755)
        program = shutil.copy(harness.app("rules"), self.path("rules"))
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("the directory for temporary files is mounted nosuid")
        result = self.measure(program, "nested", "5")
        self.assertEqual(result.report.regions(), [])
