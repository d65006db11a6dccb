/* SPDX-License-Identifier: MIT */
/*
 * This file makes a checked rule from the text of a metric: its parsed formula, the events that it
 * needs, and its unit.
 */
#include "metrics/metric.h"

#include <string.h>

#include "base/glob.h"
#include "base/text.h"

/* Return the index of the event that a name in the formula refers to, or n_events if it is a new
 * event. */
static size_t find_event(
	const struct rs_metric_rule *rule, const char *const *aliases, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (aliases[i] && strcmp(aliases[i], name) == 0)
			return i;
	size_t event = 0;
	while (event < rule->n_events && strcmp(rule->events[event], name) != 0)
		event++;
	return event;
}

/* Report a short name of an event that is also the name of a fact, because it would be
 * ambiguous. */
static bool check_aliases(
	const char *const *aliases, size_t n, struct rs_metric_fault *fault, struct rs_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!aliases[i] || rs_fact_find(aliases[i]) == RS_FACT_NONE)
			continue;
		fault->key = "events";
		return rs_err_set(err,
			"'%s' cannot name an event: formulas use it for a value of their own",
			rs_text_shown(aliases[i]).text);
	}
	return true;
}

static bool find_events(struct rs_metric_rule *rule, const char *const *aliases,
	struct rs_metric_fault *fault, struct rs_err *err)
{
	struct rs_formula *formula = &rule->formula;
	size_t n = rule->n_events;
	for (size_t i = 0; i < formula->n_operands; i++) {
		const struct rs_formula_operand *operand = &formula->operands[i];
		const char *name = rs_formula_name(formula, i);
		if (operand->fact != RS_FACT_NONE)
			continue;
		size_t event = find_event(rule, aliases, n, name);
		if (event == RS_METRIC_MAX_EVENTS) {
			fault->column = operand->column;
			return rs_err_set(err, "more than %u events", RS_METRIC_MAX_EVENTS);
		}
		if (event == rule->n_events)
			rule->events[rule->n_events++] = name;
		rule->event_of[i] = event;
	}
	return true;
}

static bool check_units(
	const struct rs_metric_rule *rule, struct rs_metric_fault *fault, struct rs_err *err)
{
	const struct rs_formula *formula = &rule->formula;
	const struct rs_unit *unit = rs_unit_find(rule->unit);
	struct rs_dimension dimensions[RS_FORMULA_MAX_OPERANDS], result;
	char own[RS_DIMENSION_BYTES], other[RS_DIMENSION_BYTES];
	for (size_t i = 0; i < formula->n_operands; i++) {
		enum rs_fact fact = formula->operands[i].fact;
		dimensions[i] = fact == RS_FACT_NONE
					? rs_unit_of_event(rule->events[rule->event_of[i]])
					: rs_fact_dimension(fact);
	}
	if (!rs_formula_check(formula, dimensions, &result, &fault->column, err))
		return false;
	if (!unit || rs_dimension_is_same(unit->dimension, result))
		return true;
	fault->key = "unit";
	return rs_err_set(err, "'%s' is for %s, but the formula gives %s", unit->word,
		rs_dimension_write(unit->dimension, own), rs_dimension_write(result, other));
}

bool rs_metric_settle(struct rs_metric_rule *rule, const char *const *aliases,
	struct rs_metric_fault *fault, struct rs_err *err)
{
	*fault = (struct rs_metric_fault){"formula", 0};
	if (!rs_formula_parse(&rule->formula, rule->text, &fault->column, err) ||
		!check_aliases(aliases, rule->n_events, fault, err) ||
		!find_events(rule, aliases, fault, err) || !check_units(rule, fault, err))
		return false;
	if (rule->formula.n_operands > 0)
		return true;
	fault->column = 1;
	return rs_err_set(err, "the formula contains only numbers, so it measures nothing");
}

bool rs_metric_is_for(const struct rs_metric_rule *rule, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < rule->n_cpus; i++)
		for (size_t w = 0; w < n_words; w++)
			if (rs_glob_matches(rule->cpus[i], words[w]))
				return true;
	return rule->n_cpus == 0;
}
