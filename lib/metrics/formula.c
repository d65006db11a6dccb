/* SPDX-License-Identifier: MIT */
/*
 * This file checks the units of a formula once, and computes its value for each row of a report. It
 * also defines the facts, because they are words of the formula language.
 */
#include "metrics/formula.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *word;
	struct rs_dimension dimension;
} facts[RS_FACT_N] = {
	[RS_FACT_TIME] = {"time", {1, 0, 0}},
	[RS_FACT_CPU_TIME] = {"cpu-time", {1, 0, 0}},
	[RS_FACT_WALL_TIME] = {"wall_time", {1, 0, 0}},
	[RS_FACT_CALLS] = {"calls", {0, 0, 0}},
	[RS_FACT_THREADS] = {"threads", {0, 0, 0}},
	[RS_FACT_CPUS] = {"cpus", {0, 0, 0}},
	[RS_FACT_BYTES] = {"bytes", {0, 1, 0}},
	[RS_FACT_FLOPS] = {"flops", {0, 0, 1}},
};

enum rs_fact rs_fact_find(const char *name)
{
	int fact = 0;
	while (fact < RS_FACT_N && strcmp(facts[fact].word, name) != 0)
		fact++;
	return (enum rs_fact)fact;
}

struct rs_dimension rs_fact_dimension(enum rs_fact fact)
{
	return facts[fact].dimension;
}

/* Return the dimension of a * b, or of a / b if sign is -1. */
static struct rs_dimension times(struct rs_dimension a, struct rs_dimension b, int sign)
{
	return (struct rs_dimension){
		a.time + sign * b.time, a.bytes + sign * b.bytes, a.flops + sign * b.flops};
}

/* Check an operation on two values, and replace left by the dimension of the result. */
static bool check_step(const struct rs_formula_step *step, struct rs_dimension *left,
	struct rs_dimension right, unsigned *column, struct rs_err *err)
{
	static const char *const words[] = {[RS_FORMULA_ADD] = "added",
		[RS_FORMULA_SUBTRACT] = "subtracted",
		[RS_FORMULA_MIN] = "compared",
		[RS_FORMULA_MAX] = "compared"};
	char a[RS_DIMENSION_BYTES], b[RS_DIMENSION_BYTES];
	if (step->op == RS_FORMULA_MULTIPLY || step->op == RS_FORMULA_DIVIDE) {
		*left = times(*left, right, step->op == RS_FORMULA_DIVIDE ? -1 : 1);
		return true;
	}
	if (rs_dimension_is_same(*left, right))
		return true;
	*column = step->column;
	return rs_err_set(err, "%s and %s cannot be %s", rs_dimension_write(*left, a),
		rs_dimension_write(right, b), words[step->op]);
}

bool rs_formula_check(const struct rs_formula *formula, const struct rs_dimension *dimensions,
	struct rs_dimension *result, unsigned *column, struct rs_err *err)
{
	struct rs_dimension stack[RS_FORMULA_MAX_STEPS];
	size_t n = 0;
	for (size_t i = 0; i < formula->n_steps; i++) {
		const struct rs_formula_step *step = &formula->steps[i];
		if (step->op == RS_FORMULA_NUMBER) {
			stack[n++] = (struct rs_dimension){0};
		} else if (step->op == RS_FORMULA_OPERAND) {
			stack[n++] = dimensions[step->operand];
		} else if (step->op != RS_FORMULA_NEGATE) {
			n--;
			if (!check_step(step, &stack[n - 1], stack[n], column, err))
				return false;
		}
	}
	*result = stack[0];
	return true;
}

/* Apply an operator to two values, and store the result in left. Return false if it is undefined or
 * not finite. */
static bool apply(enum rs_formula_op op, double *left, double right)
{
	switch (op) {
	case RS_FORMULA_ADD:
		*left += right;
		break;
	case RS_FORMULA_SUBTRACT:
		*left -= right;
		break;
	case RS_FORMULA_MULTIPLY:
		*left *= right;
		break;
	case RS_FORMULA_DIVIDE:
		if (right == 0)
			return false;
		*left /= right;
		break;
	case RS_FORMULA_MIN:
		*left = fmin(*left, right);
		break;
	default:
		*left = fmax(*left, right);
		break;
	}
	return isfinite(*left);
}

bool rs_formula_evaluate(
	const struct rs_formula *formula, const struct rs_formula_value *values, double *result)
{
	double stack[RS_FORMULA_MAX_STEPS];
	size_t n = 0;
	for (size_t i = 0; i < formula->n_steps; i++) {
		const struct rs_formula_step *step = &formula->steps[i];
		if (step->op == RS_FORMULA_NUMBER) {
			stack[n++] = step->number;
		} else if (step->op == RS_FORMULA_OPERAND) {
			const struct rs_formula_value *value = &values[step->operand];
			if (!value->is_known || !isfinite(value->value))
				return false;
			stack[n++] = value->value;
		} else if (step->op == RS_FORMULA_NEGATE) {
			stack[n - 1] = -stack[n - 1];
		} else {
			n--;
			if (!apply(step->op, &stack[n - 1], stack[n]))
				return false;
		}
	}
	*result = stack[0];
	return n == 1;
}

const char *rs_formula_name(const struct rs_formula *formula, size_t operand)
{
	return formula->names + formula->operands[operand].name;
}
