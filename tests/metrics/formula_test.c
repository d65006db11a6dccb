/* SPDX-License-Identifier: MIT */
/*
 * Tests of formulas. Expected values come from the same arithmetic in C. Columns of errors and
 * units are counted by hand.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/formula.h"

static struct rs_formula formula;
static struct rs_err err;
static unsigned column;

/* Return the value of a name in these tests: aN is N, "none" is unknown, and "nan" is not a
 * number. */
static struct rs_formula_value value_of(const char *name)
{
	if (strcmp(name, "none") == 0)
		return (struct rs_formula_value){false, 0};
	if (strcmp(name, "nan") == 0)
		return (struct rs_formula_value){true, NAN};
	return (struct rs_formula_value){true, atof(name + 1)};
}

static bool evaluate(const char *text, double *result)
{
	struct rs_formula_value values[RS_FORMULA_MAX_OPERANDS];
	cr_assert(rs_formula_parse(&formula, text, &column, &err), "'%s': %s", text, err.text);
	for (size_t i = 0; i < formula.n_operands; i++)
		values[i] = value_of(rs_formula_name(&formula, i));
	return rs_formula_evaluate(&formula, values, result);
}

Test(formula, values_are_those_of_arithmetic)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"1", 1},
		{" 1.5e3 ", 1500},
		{".5", 0.5},
		{"a7", 7},
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"10 - 3 - 2", 5},
		{"100 / 10 / 5", 2},
		{"100 / (10 / 5)", 50},
		{"-2 * 3", -6},
		{"2 * -3", -6},
		{"--2", 2},
		{"-(1 + 2)", -3},
		{"min(3, 2) + max(3, 2)", 5},
		{"max(min(1, 2), 1 - 3)", 1},
		{"a6/a3", 2},
		{"a6 - a3", 3},
		{"a6 -a3", 3},
		{"1 - a2 / a8", 0.75},
		{"'a3' + \"a4\"", 7},
		{"a1.5 * 2", 3},
		{"1\n+\t2", 3},
		{"(a7 + a7) / a7", 2},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double value = NAN;
		cr_expect(evaluate(cases[i].text, &value), "'%s'", cases[i].text);
		cr_expect_eq(value, cases[i].value, "'%s': %g", cases[i].text, value);
	}
}

Test(formula, nothing_is_divided_by_nothing)
{
	static const char *const texts[] = {"1 / 0", "0 / 0", "a1 / a0", "a1 / (a2 - a2)",
		"1 / -a0", "none", "a1 + none", "0 * none", "nan", "max(nan, 1)", "a1e300 * a1e300",
		"-a1e300 * a1e300", "a5 / min(a0, a1)"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		double value = 0;
		cr_expect_not(evaluate(texts[i], &value), "'%s': %g", texts[i], value);
	}
}

Test(formula, names_may_hold_dashes_colons_and_dots)
{
	cr_assert(rs_formula_parse(&formula,
		"branch-misses / L1-dcache-loads:u - sched:sched_switch + "
		"'cpu/event=0x3c,umask=1/' "
		"+ time - UOPS.X:Y",
		&column, &err));
	static const char *const names[] = {"branch-misses", "L1-dcache-loads:u",
		"sched:sched_switch", "cpu/event=0x3c,umask=1/", "time", "UOPS.X:Y"};
	cr_assert_eq(formula.n_operands, 6);
	for (size_t i = 0; i < 6; i++) {
		cr_expect_str_eq(rs_formula_name(&formula, i), names[i]);
		cr_expect_eq(formula.operands[i].fact, i == 4 ? RS_FACT_TIME : RS_FACT_NONE);
	}
	cr_expect_eq(formula.operands[1].column, 17);
	/* A quoted name is always an event, even if a fact has the same name. */
	cr_assert(rs_formula_parse(&formula, "'time'", &column, &err));
	cr_expect_eq(formula.operands[0].fact, RS_FACT_NONE);
}

static void expect_error(const char *text, unsigned expected, const char *words)
{
	bool done = rs_formula_parse(&formula, text, &column, &err);
	cr_expect_not(done, "'%s' is taken", text);
	cr_expect_eq(column, expected, "'%s': column %u, %s", text, column, err.text);
	cr_expect(strstr(err.text, words), "'%s': %s", text, err.text);
}

Test(formula, errors_have_their_column)
{
	static const struct {
		const char *text;
		unsigned column;
		const char *words;
	} cases[] = {
		{"", 1, "ends where a number, a name or '(' is expected"},
		{"   ", 4, "ends"},
		{"1 +", 4, "ends"},
		{"1 + * 2", 5, "'*'"},
		{"(1 + 2", 7, "')' or an operator"},
		{"1 + 2)", 6, "')' where an operator"},
		{"1 2", 3, "'2' where an operator"},
		{"a b", 3, "'b' where an operator"},
		{"()", 2, "')'"},
		{"sqrt(2)", 1, "unknown function"},
		{"1 + sqrt (2)", 5, "unknown function"},
		{"min(1)", 6, "',' or an operator"},
		{"min(1, 2, 3)", 9, "')' or an operator"},
		{"max(, 2)", 5, "','"},
		{"'cpu/x/", 1, "not closed"},
		{"1 + ''", 5, "without a name"},
		{"2x", 1, "neither a number nor a name"},
		{"0x10", 1, "neither"},
		{"1.2.3", 1, "neither"},
		{"1e", 1, "neither"},
		{".", 1, "neither"},
		{"1e999", 1, "too large"},
		{"a % b", 3, "'%'"},
		{"cpu/event=1/", 10, "'='"},
		{"a ^ 2", 3, "'^'"},
		{"a & b", 3, "'&'"},
		{"\x01", 1, "\\x01"},
		{"\xff", 1, "\\xff"},
		{"1 + \xc3\xbc", 5, "ü"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_error(cases[i].text, cases[i].column, cases[i].words);
}

Test(formula, is_bounded)
{
	char text[2 * RS_FORMULA_BYTES];
	memset(text, '(', sizeof(text));
	text[500] = '\0';
	expect_error(text, RS_FORMULA_MAX_DEPTH + 1, "parentheses or signs");
	memset(text, '-', sizeof(text));
	text[500] = '\0';
	expect_error(text, RS_FORMULA_MAX_DEPTH + 1, "parentheses or signs");
	memset(text, ' ', sizeof(text));
	text[RS_FORMULA_BYTES] = '\0';
	expect_error(text, RS_FORMULA_BYTES, "too long");
	strcpy(text, "1");
	for (size_t i = 0; i < 200; i++)
		strcat(text, "+1");
	/* 64 numbers and 63 signs are 127 steps. The next sign, after its number, is step 129. */
	expect_error(text, 128, "too long");
	strcpy(text, "a0");
	for (int i = 1; i <= 16; i++)
		sprintf(text + strlen(text), "+a%d", i);
	expect_error(text, (unsigned)strlen(text) - 2, "more than 16 different names");
}

/* Expect the dimension of a formula, or an error and its column. */
static void expect_dimension(const char *text, const char *words, unsigned at)
{
	struct rs_dimension dimensions[RS_FORMULA_MAX_OPERANDS], result;
	char shown[RS_DIMENSION_BYTES];
	cr_assert(rs_formula_parse(&formula, text, &column, &err), "'%s': %s", text, err.text);
	for (size_t i = 0; i < formula.n_operands; i++) {
		const struct rs_formula_operand *operand = &formula.operands[i];
		dimensions[i] = operand->fact == RS_FACT_NONE
					? rs_unit_of_event(rs_formula_name(&formula, i))
					: rs_fact_dimension(operand->fact);
	}
	column = 0;
	bool done = rs_formula_check(&formula, dimensions, &result, &column, &err);
	cr_expect_eq(column, at, "'%s': column %u", text, column);
	cr_expect_str_eq(done ? rs_dimension_write(result, shown) : err.text, words, "'%s'", text);
}

Test(formula, units_are_checked)
{
	expect_dimension("instructions / cycles", "a number", 0);
	expect_dimension("cycles / time", "1 / time", 0);
	expect_dimension("task-clock:u / wall_time", "a number", 0);
	expect_dimension("bytes / time", "bytes / time", 0);
	expect_dimension("flops / bytes", "flops / bytes", 0);
	expect_dimension("time * time", "time^2", 0);
	expect_dimension("time / calls", "time", 0);
	expect_dimension("min(time, wall_time) + task-clock", "time", 0);
	expect_dimension("-bytes * cycles / (time * cpus * threads)", "bytes / time", 0);
	expect_dimension("1 / (time * time)", "1 / time^2", 0);
	expect_dimension("time + cycles", "time and a number cannot be added", 6);
	expect_dimension("1 - time", "a number and time cannot be subtracted", 3);
	expect_dimension("bytes + flops", "bytes and flops cannot be added", 7);
	expect_dimension("2 * max(calls, time)", "a number and time cannot be compared", 5);
}

Test(formula, units_say_which_number_is_shown)
{
	static const struct {
		const char *word;
		double ns_or_count;
		double shown;
	} cases[] = {
		{"%", 0.05, 5},
		{"GHz", 4.5, 4.5}, /* cycles per ns */
		{"MHz", 4.5, 4500},
		{"/s", 1e-9, 1},
		{"s", 2e9, 2},
		{"ms", 2e9, 2000},
		{"GB/s", 8, 8}, /* bytes per ns */
		{"GiB/s", 8, 7.450580596923828},
		{"MB/s", 8, 8000},
		{"GFLOP/s", 2, 2},
		{"MPKI", 0.002, 2},
		{"ratio", 3, 3},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rs_unit *unit = rs_unit_find(cases[i].word);
		cr_assert(unit, "%s", cases[i].word);
		cr_expect_float_eq(unit->factor * cases[i].ns_or_count, cases[i].shown,
			1e-12 * cases[i].shown, "%s", cases[i].word);
	}
	cr_expect_null(rs_unit_find("widgets"));
}
