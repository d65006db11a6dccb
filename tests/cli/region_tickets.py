# SPDX-License-Identifier: MIT
"""Every BEGIN makes a call, and pairs in the source are pairs in the report: recursion with all
markers and inlining, fibers, and coroutines. Calls and times agree with the programs' own
values."""

from functools import partialmethod

import harness

# Without inlining, and with most of it. With a sanitizer, the optimization level hardly changes the
# code of markers.
OPTIMIZATIONS = ("-O0", "-O3") if harness.SANITIZE == "none" else ("-O2",)


class Recursion(harness.TestCase):
    """Every entry is a call; a region's time is that of its outermost calls."""

    def check(self, program, *arguments, others=None, left=0):
        """Compare with the program's values. others: calls of regions that the program does not
        measure. left: calls without END."""
        result = self.measure(program, *arguments, events="time")
        report, truths = result.report, harness.truths(result.stdout)
        # markers that look up a name take longer
        margin = (2 if "name" in arguments else 1) * harness.MARKERS_RATIO
        for truth in truths.values():
            self.assertTruth(report, truth, margin)
            found = report.diagnostics(truth.region)
            # within a call that never ended, it is unknown whether calls are recursive
            if left:
                self.assertLessEqual(found.pop("recursive", 0), truth.inner + left)
            self.assertEqual(found.pop("lost", 0) + found.pop("open", 0), left)
            self.assertEqual(found, {"recursive": truth.inner} if truth.inner and not left else {})
        calls = {region: truth.calls for region, truth in truths.items()}
        self.assertEqual(report.calls(), {**calls, **(others or {})})
        # no time counts twice: the self times of all regions add up to the outermost one, which is
        # the first
        if not others and "crossed" not in arguments:
            own = sum(report.region(region).self_total for region in report.regions())
            outermost = next(iter(truths.values()))
            self.assertLessEqual(own, outermost.around.once_ns * (1 + harness.CLOCKS_RATIO))
            # as for the total, the overhead of inner calls' markers is taken out of it
            least = outermost.within.once_ns
            overhead = min(report.markers_ns(), harness.INNER_RATIO * least)
            if own < least * (1 - 1.5 * margin) - overhead:
                raise harness.TimeMissing("self times add up to %d: %r" % (own, outermost))
        return truths

    def sweep(self, *arguments, calls, inner, others=None, left=0):
        """Run the same program of every compiler, at every optimization."""
        for compiler in harness.compilers():
            for optimization in OPTIMIZATIONS:
                with self.subTest(arguments, compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/recursion.c", compiler, "-std=gnu11",
                                           optimization)
                    truths = self.steadily(
                        lambda: self.check(program, *arguments, others=others, left=left))
                    self.assertEqual([(t.calls, t.inner) for t in truths.values()],
                                     list(zip(calls, inner)))

    test_a_scope_inlined_into_one_of_its_name = partialmethod(
        sweep, "same", "1000", "0", calls=[2000], inner=[1000])
    test_a_pair_inlined_into_one_of_its_name = partialmethod(
        sweep, "pair-inlined", "1000", "0", calls=[2000], inner=[1000])
    test_scope_and_pair_of_one_name_in_one_frame = partialmethod(
        sweep, "mixed", "500", "0", calls=[1500], inner=[1000])
    test_by_scope = partialmethod(sweep, "scope", "40", "8", calls=[320], inner=[280])
    test_by_pair = partialmethod(sweep, "pair", "40", "8", calls=[320], inner=[280])
    test_by_pair_whose_end_is_a_jump = partialmethod(
        sweep, "last", "40", "8", calls=[320], inner=[280])
    test_by_next = partialmethod(
        sweep, "next", "40", "8", calls=[320], inner=[280], others={"before": 320})
    test_by_name = partialmethod(sweep, "name", "40", "8", calls=[320], inner=[280])
    test_by_function = partialmethod(sweep, "function", "40", "8", calls=[320], inner=[280])
    test_mutual = partialmethod(sweep, "mutual", "40", "8", calls=[160, 160], inner=[120, 120])

    def test_calls_in_one_in_which_another_was_jumped_over(self):
        """The time of the others within the outer call is in the total once."""
        self.sweep("jumped", "100", "0", calls=[400], inner=[300], left=100)

    test_not_recursion_but_overlap = partialmethod(
        sweep, "crossed", "1000", "0", calls=[1000, 1000], inner=[0, 0])

    def test_a_template_that_instantiates_itself(self):
        for compiler in harness.compilers("c++"):
            for optimization in OPTIMIZATIONS:
                with self.subTest(compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/template.cpp", compiler, "-std=c++17",
                                           optimization)
                    (truth,) = self.steadily(lambda: self.check(program, "200")).values()
                    self.assertEqual((truth.calls, truth.inner), (1000, 800))


class Fibers(harness.TestCase):
    """Calls with one name open on two stacks of one thread, which do not end in the order of
    nesting."""

    def check(self, how):
        harness.need_no_sanitizer("AddressSanitizer does not follow swapcontext(3)", "address")
        for compiler in harness.compilers():
            for optimization in OPTIMIZATIONS:
                with self.subTest(compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/fibers.c", compiler, "-std=gnu11",
                                           optimization)
                    self.steadily(lambda: self.run_once(program, how))

    def run_once(self, program, how):
        report, truths = self.measured(program, how)
        row, truth = report.region("request"), truths["request"]
        self.assertEqual((row.calls, row.counted), (2000, 2000))
        self.assertEqual(report.diagnostics(), {"recursive": truth.inner})
        # the report has at most this
        most = truth.around.once_ns * (1 + harness.CLOCKS_RATIO)
        self.assertLessEqual(row.total, most)
        self.assertTrue(0 <= row.self_total <= row.total, row)
        self.assertLessEqual(row.avg, truth.around.sum_ns / 2000 * (1 + harness.CLOCKS_RATIO))
        least = 1 - harness.MARKERS_RATIO
        if row.avg < least * truth.within.sum_ns / 2000 or row.total < least * truth.within.once_ns:
            raise harness.TimeMissing("%r, %r" % (row, truth))

    def measured(self, program, how):
        result = self.measure(program, how, "1000", events="time")
        return result.report, harness.truths(result.stdout)

    test_by_scope = partialmethod(check, "scope")
    test_by_pair = partialmethod(check, "pair")
    test_by_pair_whose_end_is_a_jump = partialmethod(check, "last")
    test_by_name = partialmethod(check, "name")


class Coroutines(harness.TestCase):
    """C++20 coroutines that suspend inside a region, which is then in no stack frame."""

    ROUNDS, HANDLES, STEPS = 200, 800, 2400

    def measured(self, how):
        """Return the report and the truth for each compiler that supports coroutines."""
        found = []
        for compiler in harness.compilers("c++"):
            if harness.run([compiler, "-std=c++20", "-fsyntax-only", self.probe()]).status != 0:
                harness.note("%s has no <coroutine>" % compiler)
                continue
            for optimization in OPTIMIZATIONS:
                program = self.compile("tickets/coroutines.cpp", compiler, "-std=c++20",
                                       optimization)
                found.append(self.steadily(lambda: self.run_once(program, how)))
        harness.need(found, "no compiler here has <coroutine>")
        return found

    def run_once(self, program, how):
        result = self.measure(program, how, self.ROUNDS, events="page-faults")
        truth = harness.truths(result.stdout)["handle"]
        self.check_others(result.report)
        if how != "moved":
            self.check_handles(result.report, truth)
        return result, truth

    def probe(self):
        path = self.text_file("probe.cpp",
                              "#include <coroutine>\nstd::coroutine_handle<> handle;\n")
        return path

    def check_others(self, report):
        """Other regions are measured as if there were no coroutines."""
        self.assertEqual(report.region("step").calls, self.STEPS)
        self.assertEqual(report.diagnostics("step"), {})
        beside = report.region("beside", "page-faults")
        self.assertEqual(report.diagnostics("beside"), {})
        n = self.HANDLES * 4  # each is resumed once before every step, and once at its end
        self.assertEqual((beside.calls, beside.counted), (n, n))
        if "thread" not in harness.SANITIZE:
            self.assertEqual((beside.p50, beside.p90), (2, 2), beside)

    def check_handles(self, report, truth):
        """A handle's time does not include the overhead of the markers in all steps while it is
        open."""
        row = report.region("handle")
        self.assertEqual((row.calls, row.counted), (self.HANDLES, self.HANDLES))
        total = row.avg * row.calls
        self.assertLessEqual(total, truth.around.sum_ns * (1 + harness.CLOCKS_RATIO))
        if total < truth.within.sum_ns * (1 - harness.MARKERS_RATIO):
            raise harness.TimeMissing("%.0f ns in handles, not %.0f" % (total, truth.within.sum_ns))

    def test_on_one_thread(self):
        for result, truth in self.measured("scope"):
            self.assertEqual(result.report.diagnostics(), {"recursive": truth.inner})

    def test_ended_on_another_thread(self):
        for result, _ in self.measured("moved"):
            found = result.report.diagnostics("handle")
            self.assertEqual((found.get("moved"), result.report.calls().get("handle", 0)),
                             (self.HANDLES, 0), found)
            # one message names calls that began on one thread and ended on another, with the remedy
            self.assertEqual(set(found) - {"moved", "recursive"}, set(), found)
            self.assertRegex(result.stderr, "handle")
            self.assertRegex(result.stderr, "REGIONSTAT_START")

    def test_started_and_stopped(self):
        for result, truth in self.measured("async"):
            self.assertClean(result.report)
            # begun and ended on two threads: no events
            self.assertEqual(result.report.region("handle", "page-faults").counted, 0)


class GoesOn(harness.TestCase):

    def test_scopes_that_moved_are_not_running(self):
        """One message says that they moved, also if the process continues: it sleeps after the end of
        the shell, which waits for its line of output."""
        script = '{ "$@" & } | read line'
        result = self.measure("sh", "-c", script, "sh", harness.app("rules"), "markers", 1,
                              "[m(])" * 5 + "." + "~" * 2000, events="time")
        self.assertEqual(result.report.diagnostics(), {"moved": 5})
        self.assertIn("5 calls ended on another thread", result.stderr)
        self.assertNotIn("calls still running", result.stderr)
