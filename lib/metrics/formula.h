/* SPDX-License-Identifier: MIT */
/*
 * Formulas of metrics. A text is parsed once into a short program for a stack, and evaluated for each
 * row of a report.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = "-" factor | number | name | "'" event "'" | "(" sum ")"
 *           | ("min" | "max") "(" sum "," sum ")"
 *
 * A name is a fact (below) or an event: letters, digits, '_' and '.', and '-' and ':' between two
 * of those, so that "a-b" is one name and "a - b" a difference. A name with other characters, such
 * as cpu/event=0x3c/, stands in 'quotes' or "quotes".
 */
#ifndef RS_METRICS_FORMULA_H
#define RS_METRICS_FORMULA_H

#include <stddef.h>

#include "base/err.h"
#include "metrics/unit.h"

#define RS_FORMULA_BYTES 1024u /* the longest, with its NUL */
#define RS_FORMULA_MAX_STEPS 128u
#define RS_FORMULA_MAX_OPERANDS 16u
#define RS_FORMULA_MAX_DEPTH 32u /* of parentheses, functions and signs */

/* Facts about a row besides its events. */
enum rs_fact {
	RS_FACT_TIME, /* ns: of a region's calls, together; of the run, from start to end */
	RS_FACT_CPU_TIME, /* ns: the same, as far as threads were on a CPU */
	RS_FACT_WALL_TIME, /* ns: of the run, from start to end, also for regions */
	RS_FACT_CALLS, /* of the run: 1 */
	RS_FACT_THREADS, /* that called the region; not of the run */
	RS_FACT_CPUS, /* of the machine */
	RS_FACT_BYTES, /* of REGIONSTAT_WORK */
	RS_FACT_FLOPS,
	RS_FACT_N,
	RS_FACT_NONE = RS_FACT_N,
};

struct rs_formula_operand {
	unsigned name; /* where in names: see rs_formula_name() */
	enum rs_fact fact; /* RS_FACT_NONE: an event */
	unsigned column; /* of its first use, from 1, in bytes */
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
	unsigned operand; /* of RS_FORMULA_OPERAND: which */
	double number; /* of RS_FORMULA_NUMBER */
	unsigned column; /* where it is written, from 1 */
};

struct rs_formula {
	struct rs_formula_step steps[RS_FORMULA_MAX_STEPS]; /* postfix: operands first */
	size_t n_steps;
	struct rs_formula_operand operands[RS_FORMULA_MAX_OPERANDS]; /* each name once */
	size_t n_operands;
	char names[RS_FORMULA_BYTES]; /* of all operands, each with its NUL */
	size_t names_bytes;
};

/* The value of an operand for one row. */
struct rs_formula_value {
	bool is_known;
	double value; /* times in ns */
};

/*
 * Parse a formula. text: borrowed. formula: filled on success; it owns nothing.
 * False, with err filled: what is wrong, and column, from 1 in bytes, where (0: not one place).
 */
bool rs_formula_parse(
	struct rs_formula *formula, const char *text, unsigned *column, struct rs_err *err);

/* The name of an operand as it is written, without quotes; of the formula's. */
const char *rs_formula_name(const struct rs_formula *formula, size_t operand);

/*
 * Find a formula's dimension. dimensions[n_operands]: of each operand.
 * False, with err and column filled: it adds or compares what is not of one kind.
 */
bool rs_formula_check(const struct rs_formula *formula, const struct rs_dimension *dimensions,
	struct rs_dimension *result, unsigned *column, struct rs_err *err);

/*
 * Evaluate a formula. values[n_operands]: of each operand.
 * False: there is no value: an operand that it needs is not known, it divides by 0, or the value is
 * beyond all numbers.
 */
bool rs_formula_evaluate(
	const struct rs_formula *formula, const struct rs_formula_value *values, double *result);

/* The fact of that name; RS_FACT_NONE: there is none. */
enum rs_fact rs_fact_find(const char *name);

/* The dimension of a fact. */
struct rs_dimension rs_fact_dimension(enum rs_fact fact);

#endif
