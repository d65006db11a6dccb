/* SPDX-License-Identifier: MIT */
/*
 * Tests of metric files: valid ones, and the lines and columns of errors, counted by hand. All
 * installed files must be valid, and each of their metrics must name its source.
 */
#include <criterion/criterion.h>

#include <string.h>
#include <strings.h>

#include "metrics/metrics.h"

static struct rs_metrics metrics;
static struct rs_err err;

static void teardown(void)
{
	rs_metrics_finish(&metrics);
}

TestSuite(metrics, .fini = teardown);

static void add(const char *text)
{
	bool done = rs_metrics_add_text(&metrics, "f.yaml", text, &err);
	cr_assert(done, "%s\n%s", text, err.text);
}

static const struct rs_metric_rule *find(const char *name, const char *cpu)
{
	const struct rs_metric_rule *elsewhere;
	return rs_metrics_find(&metrics, name, &cpu, 1, &elsewhere);
}

Test(metrics, a_metric_is_all_that_is_said_of_it)
{
	add("metrics:\n"
	    "  - name: a-b/c\n"
	    "    label: 'a b'\n"
	    "    formula: x / (y + cycles:u) * time\n"
	    "    unit: ms\n"
	    "    events: {lead: cpu/slots/, y: 'cpu/event=0x3c,umask=1/', x: r1a8}\n"
	    "    meaning: what it is\n"
	    "    worry: when\n"
	    "    source: a book\n"
	    "  - {name: plain, formula: instructions / cycles}\n");
	const struct rs_metric_rule *rule = find("A-B/C", "any");
	static const char *const events[] = {
		"cpu/slots/", "cpu/event=0x3c,umask=1/", "r1a8", "cycles:u"};
	cr_assert(rule);
	cr_expect_eq(rule, find("a b", "any"));
	cr_expect_str_eq(rule->label, "a b");
	cr_expect_str_eq(rule->unit, "ms");
	cr_expect_str_eq(rule->meaning, "what it is");
	cr_expect_str_eq(rule->worry, "when");
	cr_expect_str_eq(rule->source, "a book");
	cr_expect_str_eq(rule->place, "f.yaml:2");
	cr_assert_eq(rule->n_events, 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect_str_eq(rule->events[i], events[i]);
	/* The operands are x, y, cycles:u and time. */
	cr_assert_eq(rule->formula.n_operands, 4);
	cr_expect_eq(rule->event_of[0], 2);
	cr_expect_eq(rule->event_of[1], 1);
	cr_expect_eq(rule->event_of[2], 3);
	rule = find("plain", "any");
	cr_assert(rule);
	cr_expect_str_eq(rule->label, "plain");
	cr_expect_str_eq(rule->unit, "ratio");
	cr_expect_null(rule->meaning);
	cr_expect_str_eq(rule->place, "f.yaml:10");
}

Test(metrics, the_last_of_a_name_that_is_for_the_cpu_counts)
{
	const struct rs_metric_rule *elsewhere;
	const char *word = "AuthenticAMD-25-61";
	add("metrics:\n"
	    "  - {name: m, formula: a, cpus: [AuthenticAMD-25-6?]}\n"
	    "  - {name: m, formula: b, cpus: 'GenuineIntel-6-*'}\n");
	cr_expect_str_eq(find("m", word)->text, "a");
	cr_expect_str_eq(find("m", "GenuineIntel-6-9A")->text, "b");
	cr_expect_null(find("m", "0x413fd0c1"));
	cr_expect_null(rs_metrics_find(&metrics, "m", NULL, 0, &elsewhere));
	cr_expect_str_eq(elsewhere->text, "a");
	cr_expect_null(rs_metrics_find(&metrics, "n", NULL, 0, &elsewhere));
	cr_expect_null(elsewhere);
	add("cpus: [AuthenticAMD-*]\n"
	    "metrics:\n"
	    "  - {name: M, formula: c}\n"
	    "  - {name: o, formula: d, cpus: [x]}\n");
	cr_expect_str_eq(find("m", word)->text, "c");
	cr_expect_str_eq(find("m", "GenuineIntel-6-9A")->text, "b");
	cr_expect_null(find("o", word));
}

Test(metrics, wrong_files_are_refused_with_line_and_column)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{"x: 1\n", "f.yaml:1:1: "},
		{"- a\n", "f.yaml:1:1: "},
		{"cpus: [a]\n", "f.yaml:1:1: there is no 'metrics'"},
		{"metrics: 1\n", "f.yaml:1:10: "},
		{"metrics: [1]\n", "f.yaml:1:11: "},
		{"metrics:\n  - {}\n", "f.yaml:2:5: a metric without 'name'"},
		{"metrics:\n  - name: a\n", "f.yaml:2:5: a metric without 'formula'"},
		{"metrics:\n  - name: a\n    formula: b\n    formla: c\n", "f.yaml:4:5: "},
		{"metrics:\n  - name: a\n    name: b\n    formula: c\n", "f.yaml:3:5: "},
		{"metrics:\n  - name: a b\n    formula: c\n",
			"f.yaml:2:11: the name 'a b' contains a character other than letters, "
			"digits and"},
		{"metrics:\n  - name: 'a*'\n    formula: c\n",
			"f.yaml:2:11: the name 'a*' contains"},
		{"metrics:\n  - name: ''\n    formula: c\n", "f.yaml:2:11: "},
		{"metrics:\n  - name: a\n    formula: b +\n",
			"f.yaml:3:17: 'formula', character 4: the formula ends"},
		{"metrics:\n  - name: a\n    formula: b / sqrt(c)\n",
			"f.yaml:3:18: 'formula', character 5: unknown function"},
		{"metrics:\n  - name: a\n    formula: 'b +'\n",
			"f.yaml:3:14: 'formula', character 4: the formula ends"},
		{"metrics:\n  - name: a\n    formula: [b]\n", "f.yaml:3:14: "},
		{"metrics:\n  - name: a\n    formula: 1 + 2\n",
			"f.yaml:3:14: 'formula', character 1: the formula contains only"},
		{"metrics:\n  - name: a\n    formula: time + cycles\n",
			"f.yaml:3:19: 'formula', character 6: time and a number cannot be added"},
		{"metrics:\n  - name: a\n    formula: bytes / time\n    unit: GHz\n",
			"f.yaml:4:11: 'unit': 'GHz' is for 1 / time, but the formula gives bytes / "
			"time"},
		{"metrics:\n  - name: a\n    formula: bytes / time\n",
			"f.yaml:2:5: 'unit': 'ratio' is for a number"},
		{"metrics:\n  - name: a\n    formula: task-clock\n    unit: '%'\n",
			"f.yaml:4:11: 'unit': '%' is for a number, but the formula gives time"},
		{"metrics:\n  - name: a\n    formula: b\n    unit: ''\n", "f.yaml:4:11: "},
		{"metrics:\n  - name: a\n    formula: b\n    events: c\n", "f.yaml:4:13: "},
		{"metrics:\n  - name: a\n    formula: b\n    events: {b: [c]}\n", "f.yaml:4:17: "},
		{"metrics:\n  - name: a\n    formula: b\n    events: {time: c}\n",
			"f.yaml:4:13: 'events': 'time' cannot name an event"},
		{"metrics:\n  - name: a\n    formula: b\n    cpus: []\n",
			"f.yaml:4:11: 'cpus' is empty"},
		{"metrics:\n  - name: a\n    formula: b\n    cpus: {c: d}\n", "f.yaml:4:11: "},
		{"metrics:\n  - name: a\n    formula: b\n    meaning: \"c\\nd\"\n",
			"f.yaml:4:14: 'meaning' is not one line of plain text"},
		{"metrics:\n  - {name: a, formula: b}\n  - {name: A, formula: c}\n",
			"f.yaml:3:12: the metric 'A' is already defined at f.yaml:2"},
		{"metrics:\n  - name: &x a\n    formula: b\n", "f.yaml:2:"},
		{"metrics:\n  - name: a\n   formula: b\n", "f.yaml:3:"},
		{"metrics: [\n", "f.yaml:2:"},
		{"a: \xff\n", "f.yaml:1:4: "},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *error = cases[i].error;
		err.text[0] = '\0';
		cr_expect_not(rs_metrics_add_text(&metrics, "f.yaml", cases[i].text, &err), "%s",
			cases[i].text);
		cr_expect(strncmp(err.text, error, strlen(error)) == 0, "%s\nnot %s\nbut %s",
			cases[i].text, error, err.text);
		rs_metrics_finish(&metrics);
	}
}

Test(metrics, what_is_not_there_is_told)
{
	cr_expect_not(rs_metrics_add_file(&metrics, "/nowhere/f.yaml", &err));
	cr_expect(strstr(err.text, "/nowhere/f.yaml"), "%s", err.text);
	cr_expect(rs_metrics_add_directory(&metrics, "/nowhere", RS_METRICS_FOUND, &err));
	cr_expect_eq(metrics.n, 0);
}

Test(metrics, those_that_are_installed_are_whole)
{
	size_t n_of_cpus = 0;
	bool done = rs_metrics_add_directory(
		&metrics, METRICS_DIRECTORY, RS_METRICS_INSTALLED, &err);
	cr_assert(done, "%s", err.text);
	cr_assert_gt(metrics.n, 60);
	for (size_t i = 0; i < metrics.n; i++) {
		const struct rs_metric_rule *rule = metrics.rules[i];
		cr_expect(rule->meaning && rule->source, "%s: %s", rule->place, rule->name);
		cr_expect(rs_unit_find(rule->unit), "%s: %s", rule->place, rule->unit);
		n_of_cpus += rule->n_cpus > 0;
	}
	cr_expect_gt(n_of_cpus, 30);
	static const char *const names[] = {"IPC", "CPI", "GHz", "frequency", "cpus-utilized",
		"branch-miss-rate", "cache-miss-rate", "branch-MPKI", "L1-MPKI", "LLC-MPKI",
		"dTLB-MPKI", "L3MPKI", "stalled-frontend", "stalled-backend", "frequency-ratio",
		"faults-per-second", "switches-per-second", "GB/s", "GFLOP/s", "flops-per-byte"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_expect(find(names[i], "any"), "%s", names[i]);
	/* An Ice Lake server, a P core's machine, Skylake, Zen 4 and 5, Neoverse V1, and N2 r0p0
	 * and r0p3. */
	static const char *const cpus[] = {"GenuineIntel-6-6A", "GenuineIntel-6-9A",
		"GenuineIntel-6-55", "AuthenticAMD-25-61", "AuthenticAMD-26-44", "0x411fd401",
		"0x410fd490", "0x410fd493"};
	static const char *const parts[] = {"topdown-retiring", "topdown-bad-speculation",
		"topdown-frontend-bound", "topdown-backend-bound"};
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
			cr_expect(find(parts[p], cpus[i]), "%s of %s", parts[p], cpus[i]);
	/* Shares of cycles are wrong for one of two threads that share the slots. A counter of
	 * slots is right. */
	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
		cr_expect(strstr(find(parts[p], "GenuineIntel-6-55")->label, " without SMT"));
		cr_expect_str_eq(find(parts[p], "GenuineIntel-6-6A")->label, parts[p]);
	}
	cr_expect_null(find(parts[0], "AuthenticAMD-23-31"));
	cr_expect(find(parts[3], "0x413fd0c1"));
}

/* Return the value of a metric if its events have these values, in their order. */
static double evaluate(const char *name, const char *cpu, const double *events)
{
	const struct rs_metric_rule *rule = find(name, cpu);
	struct rs_formula_value values[RS_FORMULA_MAX_OPERANDS];
	double value = -1;
	cr_assert(rule, "%s", name);
	for (size_t i = 0; i < rule->formula.n_operands; i++)
		values[i] = (struct rs_formula_value){true, events[rule->event_of[i]]};
	cr_assert(rs_formula_evaluate(&rule->formula, values, &value));
	return value * rs_unit_find(rule->unit)->factor;
}

/* Top-down level 1, computed by hand: the four parts share all slots, with every way of counting
 * them. */
Test(metrics, top_down_shares_make_a_whole)
{
	cr_assert(rs_metrics_add_directory(&metrics, METRICS_DIRECTORY, RS_METRICS_INSTALLED, &err),
		"%s", err.text);
	/* The values are slots, retiring, bad, frontend and backend. */
	const double fixed[] = {1000, 500, 100, 150, 250};
	cr_expect_float_eq(evaluate("topdown-retiring", "GenuineIntel-6-6A", fixed), 50, 1e-9);
	cr_expect_float_eq(
		evaluate("topdown-bad-speculation", "GenuineIntel-6-6A", fixed), 10, 1e-9);
	cr_expect_float_eq(
		evaluate("topdown-frontend-bound", "GenuineIntel-6-9A", fixed), 15, 1e-9);
	cr_expect_float_eq(evaluate("topdown-backend-bound", "GenuineIntel-6-9A", fixed), 25, 1e-9);
	/* Skylake: 1000 cycles, 2000 retired, 2200 issued, 25 recovering, 600 undelivered. */
	const char *skylake = "GenuineIntel-6-55";
	double sum = evaluate("topdown-retiring", skylake, (double[]){2000, 1000});
	cr_expect_float_eq(sum, 50, 1e-9);
	sum += evaluate("topdown-bad-speculation", skylake, (double[]){2200, 2000, 25, 1000});
	cr_expect_float_eq(sum, 57.5, 1e-9);
	sum += evaluate("topdown-frontend-bound", skylake, (double[]){600, 1000});
	sum += evaluate("topdown-backend-bound", skylake, (double[]){600, 2200, 25, 1000});
	cr_expect_float_eq(sum, 100, 1e-9);
	/* Zen 4 has 6 slots. V2 has 8 slots, of which 4000 stalled, 1000 of these in the front end;
	 * 3 of 4 operations retired. */
	cr_expect_float_eq(
		evaluate("topdown-retiring", "AuthenticAMD-25-11", (double[]){1000, 3000}), 50,
		1e-9);
	cr_expect_float_eq(
		evaluate("topdown-retiring", "0x410fd4f1", (double[]){1000, 3000, 4000, 4000}),
		37.5, 1e-9);
	cr_expect_float_eq(evaluate("topdown-frontend-bound", "0x410fd4f1", (double[]){1000, 1000}),
		12.5, 1e-9);
}
