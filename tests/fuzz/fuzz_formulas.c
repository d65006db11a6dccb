/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing formulas with arbitrary text. A formula is refused with a message and a position, or has
 * a value, which may be unknown. A formula that is printed and parsed again has the same value.
 */
#include "fuzz_target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_require.h"
#include "metrics/formula.h"

static void check_refused(const char *text, unsigned column, const struct rs_err *err)
{
	REQUIRE(err->text[0] != '\0');
	REQUIRE(column >= 1 && column <= strlen(text) + 1);
}

static void check_taken(const struct rs_formula *formula)
{
	struct rs_dimension dimensions[RS_FORMULA_MAX_OPERANDS], result;
	struct rs_formula_value values[RS_FORMULA_MAX_OPERANDS];
	char shown[RS_DIMENSION_BYTES];
	struct rs_err err = {{0}};
	unsigned column = 0;
	double value = NAN;
	REQUIRE(formula->n_steps >= 1 && formula->n_operands <= RS_FORMULA_MAX_OPERANDS);
	for (size_t i = 0; i < formula->n_operands; i++) {
		const struct rs_formula_operand *operand = &formula->operands[i];
		bool is_event = operand->fact == RS_FACT_NONE;
		REQUIRE(rs_formula_name(formula, i)[0] != '\0');
		dimensions[i] = is_event ? rs_unit_of_event(rs_formula_name(formula, i))
					 : rs_fact_dimension(operand->fact);
		values[i] = (struct rs_formula_value){i % 5 != 4, (double)(i % 4)};
	}
	if (rs_formula_check(formula, dimensions, &result, &column, &err))
		REQUIRE(rs_dimension_write(result, shown)[0] != '\0');
	else
		REQUIRE(err.text[0] != '\0' && column > 0);
	if (rs_formula_evaluate(formula, values, &value))
		REQUIRE(isfinite(value));
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);
	struct rs_formula formula;
	struct rs_err err = {{0}};
	unsigned column = 0;
	if (rs_formula_parse(&formula, text, &column, &err))
		check_taken(&formula);
	else
		check_refused(text, column, &err);
	free(text);
}
