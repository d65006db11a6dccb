# SPDX-License-Identifier: MIT
"""Calls of regions: nesting, overlap, NEXT, and mistakes, which are counted. Each rule is tested in
three programs: one that loads the runtime, one that links it, and a static one."""

import os
import shutil

import harness


class Calls:
    """Tests that are mixed into one TestCase for each program."""

    program = None

    def check(self, *arguments, calls, diagnostics=None, status=0):
        """Run a rule and check its calls and diagnostics by region. Those of 0 may be omitted."""
        result = self.measure(harness.need_app(self.program), *arguments, status=status,
                              events="page-faults")
        report = result.report
        found = {name: n for name, n in report.calls().items() if n}
        self.assertEqual(found, calls)
        wanted = diagnostics or {}
        happened = {name: report.diagnostics(name) for name in report.regions()}
        for name, left in happened.items():
            # within a call that never ended, it is unknown whether a call is recursive
            if left.keys() & {"lost", "open"} and "recursive" not in wanted.get(name, ()):
                left.pop("recursive", None)
        self.assertEqual({name: left for name, left in happened.items() if left}, wanted)
        for row in report.select(kind="region"):
            self.assertLessEqual(row.counted or 0, row.calls)
        return result

    def test_nested(self):
        self.check("nested", "1000", calls={"outer": 1000, "middle": 2000, "inner": 6000})

    def test_overlapping(self):
        self.check("overlapping", "1000", calls={"first": 1000, "second": 1000})

    def test_next(self):
        self.check("next", "1000", calls={"a": 1000, "b": 1000, "c": 1000})
        self.check("next", "1", calls={"a": 1, "b": 1, "c": 1})

    def test_next_by_functions(self):
        self.check("next-functions", "1000", calls={"a": 1001, "b": 1000})

    def test_next_unmatched(self):
        self.check("next-unmatched", "10", calls={"begun": 10},
                   diagnostics={"missing": {"unmatched": 10}})

    def test_lost(self):
        self.check("lost", "1", calls={"lost": 1})
        result = self.check("lost", "100", calls={"lost": 1},
                            diagnostics={"lost": {"open": 99}})
        self.assertIn("lost", result.stderr)

    def test_lost_sometimes(self):
        # calls 0, 3, 6, ... of 100 have no END: 34, and from there on the first of them is open
        self.check("lost-sometimes", "100", calls={"inside": 100, "sometimes": 66},
                   diagnostics={"sometimes": {"open": 34}})

    def test_more_lost_than_a_thread_may_have_open(self):
        """Calls that can no longer end are dropped if too many are open. Their stack frame still
        exists here, so the runtime cannot know which these are; but no call that ends may be
        missing."""
        report = self.measure(harness.need_app(self.program), "lost-sometimes", "54000",
                              events="page-faults").report
        found = report.diagnostics("sometimes")
        self.assertEqual((report.calls()["sometimes"], report.calls()["inside"]), (36000, 54000))
        self.assertEqual(found.get("lost", 0) + found.get("open", 0), 18000)
        self.assertEqual(report.diagnostics("inside"), {})

    def test_unmatched(self):
        result = self.check("unmatched", "100", calls={"good": 1},
                            diagnostics={"unmatched": {"unmatched": 100}})
        self.assertIn("unmatched", result.stderr)

    def test_open_at_exit(self):
        self.check("open", "5", calls={"open": 5}, diagnostics={"open": {"open": 1}})
        self.check("open", "0", calls={}, diagnostics={"open": {"open": 1}})

    def test_open_at_thread_end(self):
        self.check("open-threads", "10", calls={"finished": 10}, diagnostics={"open": {"open": 10}})

    def test_deep(self):
        self.check("deep", "200", calls={"level %d" % i: 1 for i in range(200)})

    def test_deeper_than_a_thread_may_be(self):
        """Calls that are too deep are skipped and counted, and their ENDs end no other call."""
        harness.need_no_sanitizer("it has one thread, and ThreadSanitizer takes long for a deep stack", "thread")
        n = 20000
        for how in ("scope", "name"):
            with self.subTest(how):
                result = self.measure(harness.need_app(self.program), "beyond", how, n)
                calls = result.report.region("beyond").calls
                self.assertTrue(1000 < calls < n, calls)
                self.assertEqual(result.report.diagnostics(),
                                 {"recursive": calls - 1, "unmatched": 1})
                self.assertRegex(result.stderr, f"{n - calls:,} calls skipped: more than 16,384 open at once")

    def test_coroutines(self):
        harness.need_no_sanitizer("AddressSanitizer does not follow swapcontext(3)", "address")
        # "handed over" begins on one stack and ends on another; the last one stays open
        self.check("coroutines", "100", calls={"own": 100, "handed over": 100})

    def test_constructors_and_exit_handlers(self):
        calls = {"constructor": 1, "early constructor": 1, "main": 1, "exit handler": 1,
                 "destructor": 1, "late destructor": 1}
        self.check("lifetime", calls=calls)


class LoadedRuntime(Calls, harness.TestCase):
    program = "rules"


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
