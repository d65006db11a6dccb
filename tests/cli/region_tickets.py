"""Every entry is a call, and what the compiler pairs is paired: recursion however it is marked and
inlined, fibers, coroutines. Calls and times are compared with what the programs know themselves."""

import harness

OPTIMIZATIONS = ("-O0", "-O1", "-O2", "-O3")


class Recursion(harness.TestCase):
    """A call of every entry; a region's time is that of its outermost ones."""

    def check(self, program, *arguments, others=None):
        result = self.measure(program, *arguments, events="time")
        report, truths = result.report, harness.truths(result.stdout)
        for truth in truths.values():
            self.assertTruth(report, truth)
            self.assertEqual(report.diagnostics(truth.region),
                             {"recursive": truth.inner} if truth.inner else {})
        calls = {region: truth.calls for region, truth in truths.items()}
        self.assertEqual(report.calls(), {**calls, **(others or {})})
        # nothing is charged twice: what the regions have for themselves lies in the outermost one,
        # which is the first
        if not others and "crossed" not in arguments:
            own = sum(report.region(region).self_total for region in report.regions())
            outermost = next(iter(truths.values()))
            self.assertGreaterEqual(own, outermost.within.once_ns * 0.98)
            self.assertLessEqual(own, outermost.around.once_ns * (1 + harness.CLOCKS_RATIO))
        return truths

    def sweep(self, *arguments, calls, inner, others=None):
        """The same program by every compiler, at every optimization."""
        for compiler in harness.compilers():
            for optimization in OPTIMIZATIONS:
                with self.subTest(arguments, compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/recursion.c", compiler, "-std=gnu11",
                                           optimization)
                    truths = self.check(program, *arguments, others=others)
                    self.assertEqual([(t.calls, t.inner) for t in truths.values()],
                                     list(zip(calls, inner)))

    def test_a_scope_inlined_into_one_of_its_name(self):
        self.sweep("same", "1000", "0", calls=[2000], inner=[1000])

    def test_a_pair_inlined_into_one_of_its_name(self):
        self.sweep("pair-inlined", "1000", "0", calls=[2000], inner=[1000])

    def test_scope_and_pair_of_one_name_in_one_frame(self):
        self.sweep("mixed", "500", "0", calls=[1500], inner=[1000])

    def test_by_scope(self):
        self.sweep("scope", "100", "10", calls=[1000], inner=[900])

    def test_by_pair(self):
        self.sweep("pair", "100", "10", calls=[1000], inner=[900])

    def test_by_pair_whose_end_is_a_jump(self):
        self.sweep("last", "100", "10", calls=[1000], inner=[900])

    def test_by_next(self):
        self.sweep("next", "100", "10", calls=[1000], inner=[900], others={"before": 1000})

    def test_by_name(self):
        self.sweep("name", "100", "10", calls=[1000], inner=[900])

    def test_by_function(self):
        self.sweep("function", "100", "10", calls=[1000], inner=[900])

    def test_mutual(self):
        self.sweep("mutual", "100", "10", calls=[500, 500], inner=[400, 400])

    def test_not_recursion_but_overlap(self):
        self.sweep("crossed", "1000", "0", calls=[1000, 1000], inner=[0, 0])

    def test_a_template_that_instantiates_itself(self):
        for compiler in harness.compilers("c++"):
            for optimization in OPTIMIZATIONS:
                with self.subTest(compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/template.cpp", compiler, "-std=c++17",
                                           optimization)
                    (truth,) = self.check(program, "200").values()
                    self.assertEqual((truth.calls, truth.inner), (1000, 800))


class Fibers(harness.TestCase):
    """Calls of one name open on two stacks of one thread, that end in no order of nesting."""

    def check(self, how):
        if "address" in harness.SANITIZE:
            self.skipTest("AddressSanitizer does not follow swapcontext(3)")
        for compiler in harness.compilers():
            for optimization in ("-O0", "-O2"):
                with self.subTest(compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/fibers.c", compiler, "-std=gnu11",
                                           optimization)
                    result = self.measure(program, how, "1000", events="time")
                    truth = harness.truths(result.stdout)["request"]
                    row = result.report.region("request")
                    self.assertEqual((row.calls, row.counted), (2000, 2000))
                    own = truth.around.sum_ns / 2000
                    self.assertLess(abs(row.avg - own), 0.02 * own, (row, truth))
                    # in the report is no more than there was, and no kind of loss
                    self.assertLessEqual(row.total,
                                         truth.around.once_ns * (1 + harness.CLOCKS_RATIO))
                    self.assertTrue(0 <= row.self_total <= row.total, row)
                    self.assertEqual(result.report.diagnostics(), {"recursive": truth.inner})
                    harness.note("total %.1f %% of the time in which a request was open"
                                 % (100 * row.total / truth.around.once_ns))

    def test_by_scope(self):
        self.check("scope")

    def test_by_pair(self):
        self.check("pair")

    def test_by_pair_whose_end_is_a_jump(self):
        self.check("last")

    def test_by_name(self):
        self.check("name")


class Coroutines(harness.TestCase):
    """C++20 coroutines that suspend inside a region, which lies in no stack frame at all."""

    ROUNDS, HANDLES, STEPS = 200, 800, 2400

    def measured(self, how):
        """The report and the truth for each compiler that knows coroutines."""
        n_built = 0
        for compiler in harness.compilers("c++"):
            if harness.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"],
                           stdin=open(self.probe(), "rb")).status != 0:
                harness.note("%s has no <coroutine>" % compiler)
                continue
            for optimization in ("-O0", "-O2"):
                with self.subTest(compiler=compiler, optimization=optimization):
                    program = self.compile("tickets/coroutines.cpp", compiler, "-std=c++20",
                                           optimization)
                    result = self.measure(program, how, self.ROUNDS, events="page-faults")
                    yield result, harness.truths(result.stdout)["handle"]
                    self.check_others(result.report)
            n_built += 1
        if not n_built:
            self.skipTest("no compiler here has <coroutine>")

    def probe(self):
        path = self.path("probe.cpp")
        with open(path, "w", encoding="ascii") as file:
            file.write("#include <coroutine>\nstd::coroutine_handle<> handle;\n")
        return path

    def check_others(self, report):
        """Regions beside them are as if there were none."""
        self.assertEqual(report.region("step").calls, self.STEPS)
        self.assertEqual(report.diagnostics("step"), {})
        beside = report.region("beside", "page-faults")
        self.assertEqual(report.diagnostics("beside"), {})
        n = self.HANDLES * 4  # each is resumed once before every step, and once to its end
        self.assertEqual((beside.calls, beside.counted), (n, n))
        if "thread" not in harness.SANITIZE:
            self.assertEqual((beside.p50, beside.p90), (2, 2), beside)

    def test_on_one_thread(self):
        for result, truth in self.measured("scope"):
            row = result.report.region("handle")
            self.assertEqual((row.calls, row.counted), (self.HANDLES, self.HANDLES))
            self.assertEqual(result.report.diagnostics(), {"recursive": truth.inner})
            self.assertGreaterEqual(row.avg * row.calls, truth.within.sum_ns * 0.98)
            self.assertLessEqual(row.avg * row.calls,
                                 truth.around.sum_ns * (1 + harness.CLOCKS_RATIO))

    def test_ended_on_another_thread(self):
        for result, _ in self.measured("moved"):
            found = result.report.diagnostics("handle")
            self.assertEqual((found.get("moved"), result.report.calls().get("handle", 0)),
                             (self.HANDLES, 0), found)
            # what began here and ended elsewhere is told once, and with the remedy
            self.assertEqual(set(found) - {"moved", "recursive"}, set(), found)
            self.assertRegex(result.stderr, "handle")
            self.assertRegex(result.stderr, "REGIONSTAT_START")

    def test_started_and_stopped(self):
        for result, truth in self.measured("async"):
            self.assertClean(result.report)
            row = result.report.region("handle")
            self.assertEqual((row.calls, row.counted), (self.HANDLES, self.HANDLES))
            self.assertGreaterEqual(row.avg * row.calls, truth.within.sum_ns * 0.98)
            self.assertLessEqual(row.avg * row.calls,
                                 truth.around.sum_ns * (1 + harness.CLOCKS_RATIO))
            # begun and ended on two threads: time alone
            self.assertEqual(result.report.region("handle", "page-faults").counted, 0)


if __name__ == "__main__":
    harness.main()
