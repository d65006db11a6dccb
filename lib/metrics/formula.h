/* SPDX-License-Identifier: MIT */
/*
 * Formulas of metrics. A formula is parsed once into a short program for a stack machine, which is
 * evaluated for each row of a report.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = "-" factor | number | name | "'" event "'" | "(" sum ")"
 *           | ("min" | "max") "(" sum "," sum ")"
 *
 * A name is a fact (below) or an event. It consists of letters, digits, '_' and '.'; '-' and ':'
 * may stand between two of these. So "a-b" is one name, and "a - b" is a difference. A name with
 * other characters, such as cpu/event=0x3c/, needs 'quotes' or "quotes".
 */
#ifndef RS_METRICS_FORMULA_H
#define RS_METRICS_FORMULA_H

#include <stddef.h>

#include "base/err.h"
#include "metrics/unit.h"

#define RS_FORMULA_BYTES 1024u /* longest formula, with its NUL */
#define RS_FORMULA_MAX_STEPS 128u
#define RS_FORMULA_MAX_OPERANDS 16u
#define RS_FORMULA_MAX_DEPTH 32u /* deepest nesting of parentheses, functions and signs */

/* Facts: values of a row other than its events. */
enum rs_fact {
	RS_FACT_TIME, /* ns: sum over a region's calls; for the run, from start to end */
	RS_FACT_CPU_TIME, /* ns: on-CPU time of the region or the run */
	RS_FACT_WALL_TIME, /* ns: the run from start to end, also in rows of regions */
	RS_FACT_CALLS, /* calls of the region; 1 for the run */
	RS_FACT_THREADS, /* threads that called the region; undefined for the run */
	RS_FACT_CPUS, /* CPUs of the machine */
	RS_FACT_BYTES, /* bytes and flops that REGIONSTAT_WORK reported */
	RS_FACT_FLOPS,
	RS_FACT_N,
	RS_FACT_NONE = RS_FACT_N,
};

struct rs_formula_operand {
	unsigned name; /* offset in names; see rs_formula_name() */
	enum rs_fact fact; /* RS_FACT_NONE for an event */
	unsigned column; /* position of the operand's first use in the formula, in bytes from 1 */
};

enum rs_formula_op {
	RS_FORMULA_NUMBER,
	RS_FORMULA_OPERAND,
	RS_FORMULA_NEGATE,
	RS_FORMULA_ADD,
	RS_FORMULA_SUBTRACT,
	RS_FORMULA_MULTIPLY,
	RS_FORMULA_DIVIDE,
	RS_FORMULA_MIN,
	RS_FORMULA_MAX,
};

struct rs_formula_step {
	enum rs_formula_op op;
	unsigned operand; /* for RS_FORMULA_OPERAND: index of the operand */
	double number; /* for RS_FORMULA_NUMBER */
	unsigned column; /* position in the formula, from 1 */
};

struct rs_formula {
	struct rs_formula_step steps[RS_FORMULA_MAX_STEPS]; /* in postfix order */
	size_t n_steps;
	struct rs_formula_operand operands[RS_FORMULA_MAX_OPERANDS]; /* each name once */
	size_t n_operands;
	char names[RS_FORMULA_BYTES]; /* names of all operands, each with its NUL */
	size_t names_bytes;
};

/* The value of an operand in one row. */
struct rs_formula_value {
	bool is_known;
	double value; /* times are in ns */
};

/*
 * Parse a formula. Fill formula, which does not refer to text afterwards and needs no release.
 *
 * Return false and set err if the text is not a formula. Set column to the position of the error in
 * bytes from 1, or to 0 if it has none.
 */
bool rs_formula_parse(
	struct rs_formula *formula, const char *text, unsigned *column, struct rs_err *err);

/* Return the name of an operand without quotes. It belongs to formula. */
const char *rs_formula_name(const struct rs_formula *formula, size_t operand);

/* Set result to the dimension of a formula's value. dimensions[n_operands] are the dimensions of
 * the operands. Return false, and set err and column, if the formula adds or compares different
 * dimensions. */
bool rs_formula_check(const struct rs_formula *formula, const struct rs_dimension *dimensions,
	struct rs_dimension *result, unsigned *column, struct rs_err *err);

/* Set result to the value of a formula. values[n_operands] are the values of the operands. Return
 * false if there is no value: an operand is unknown, a divisor is 0, or a result is not finite. */
bool rs_formula_evaluate(
	const struct rs_formula *formula, const struct rs_formula_value *values, double *result);

/* Return the fact with this name, or RS_FACT_NONE. */
enum rs_fact rs_fact_find(const char *name);

/* Return the dimension of a fact. */
struct rs_dimension rs_fact_dimension(enum rs_fact fact);

#endif
