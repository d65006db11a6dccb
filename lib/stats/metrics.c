/* SPDX-License-Identifier: MIT */
/*
 * This file computes the metrics of a row. Each metric has a rule, which is a formula over the
 * row's values. All events of a rule must have been counted together. Otherwise the counts are from
 * different times, and the result is meaningless.
 */
#include "stats/builder.h"

#include <math.h>
#include <string.h>

/* Return the event of a column, or its first part if it is counted in parts. */
static const struct rs_event *event_of(const struct rs_metrics_source *source, size_t column)
{
	return source->columns->events[column].events[0];
}

/* Search the columns from index *column on. Set *column to the first one that counts the given
 * generic event and has a total. Return false if there is none. */
static bool find_column(
	const struct rs_metrics_source *source, const struct rs_name *name, size_t *column)
{
	for (; *column < source->columns->n; ++*column)
		if (event_of(source, *column)->generic == name &&
			rs_value_has_total(&source->values[*column]))
			return true;
	return false;
}

/* Return true if both values were counted during equal shares of the time. */
static bool same_time(const struct rs_value *a, const struct rs_value *b)
{
	double difference = rs_value_running(a) - rs_value_running(b);
	return difference > -1e-9 && difference < 1e-9;
}

/* Return true if a value was counted in all calls of its row, for their full length. */
static bool is_whole(const struct rs_metrics_source *source, const struct rs_value *value)
{
	return rs_value_running(value) >= 1 &&
	       (source->measured == 0 || value->counted == source->measured);
}

/* Return the on-CPU time of a row. If it is unknown, return the count of task-clock. */
static struct rs_formula_value find_cpu_time(const struct rs_metrics_source *source)
{
	for (size_t i = RS_EVENT_FIRST;
		!source->facts[RS_FACT_CPU_TIME].is_known && i < source->columns->n; i++) {
		const struct perf_event_attr *clock = &event_of(source, i)->attr;
		const struct rs_value *value = &source->values[i];
		if (clock->type == PERF_TYPE_SOFTWARE &&
			clock->config == PERF_COUNT_SW_TASK_CLOCK && rs_value_has_total(value) &&
			(source->measured == 0 || is_whole(source, value)))
			return (struct rs_formula_value){true, (double)value->total};
	}
	return source->facts[RS_FACT_CPU_TIME];
}

/* Return true if a column counted during all on-CPU time of its row. */
static bool is_of_cpu_time(const struct rs_metrics_source *source, size_t column)
{
	const struct perf_event_attr *attr = &event_of(source, column)->attr;
	if (attr->exclude_user || attr->exclude_kernel)
		/* on-CPU time includes kernel or user time in which this event does not count */
		return false;
	if (source->measured > 0)
		return is_whole(source, &source->values[column]);
	/* on-CPU time includes all types of cores, but a part counts on only one */
	return !source->columns->columns[column].is_part;
}

/* Return the CPU time during which all events of a rule were counted. columns[rule->n_events]: the
 * columns of these events. */
static struct rs_formula_value cpu_time(const struct rs_metrics_source *source,
	const struct rs_metric_rule *rule, const size_t *columns)
{
	for (size_t i = 0; i < rule->n_events; i++)
		if (!is_of_cpu_time(source, columns[i]))
			return (struct rs_formula_value){false, 0};
	return find_cpu_time(source);
}

/* Fill values with the operands of a rule. All of its events must have columns. Return false if any
 * operand is unknown. */
static bool find_operands(struct rs_formula_value *values, const struct rs_metrics_source *source,
	const struct rs_metric_rule *rule, const size_t *columns)
{
	const struct rs_formula *formula = &rule->formula;
	bool are_known = true;
	for (size_t i = 0; i < formula->n_operands; i++) {
		enum rs_fact fact = formula->operands[i].fact;
		if (fact == RS_FACT_CPU_TIME)
			values[i] = cpu_time(source, rule, columns);
		else if (fact != RS_FACT_NONE)
			values[i] = source->facts[fact];
		else
			values[i] = (struct rs_formula_value){
				true, (double)source->values[columns[rule->event_of[i]]].total};
		are_known &= values[i].is_known;
	}
	return are_known;
}

static bool evaluate(
	double *value, const struct rs_metric_rule *rule, const struct rs_formula_value *values)
{
	const struct rs_unit *unit = rs_unit_find(rule->unit);
	if (!rs_formula_evaluate(&rule->formula, values, value))
		return false;
	*value *= unit ? unit->factor : 1;
	return isfinite(*value);
}

static struct rs_metric metric_of(const struct rs_metric_rule *rule)
{
	return (struct rs_metric){
		.name = rule->label, .unit = rule->unit, .column = RS_NO_COLUMN, .value = NAN};
}

/* ---- metrics beside their first event ---- */

/* Find a column for another event of a rule. It must have been counted together with `column`,
 * which has the rule's first event. Return the column, or 0 if there is none. */
static size_t find_partner(
	const struct rs_metrics_source *source, const struct rs_name *name, size_t column)
{
	const struct rs_column_events *events = source->columns->events;
	for (size_t i = RS_EVENT_FIRST; find_column(source, name, &i); i++)
		if (rs_columns_are_together(&events[i], &events[column]) &&
			same_time(&source->values[i], &source->values[column]))
			return i;
	return 0;
}

/* Make the metric of a rule beside one column of its first event. Return false if it has no
 * value. */
static bool make_beside(struct rs_metric *metric, const struct rs_metrics_source *source,
	const struct rs_metric_rule *rule, size_t column)
{
	size_t columns[RS_METRIC_MAX_EVENTS] = {column};
	struct rs_formula_value values[RS_FORMULA_MAX_OPERANDS];
	for (size_t i = 1; i < rule->n_events; i++) {
		columns[i] = find_partner(source, rs_names_find(rule->events[i]), column);
		if (columns[i] == 0)
			return false;
	}
	*metric = metric_of(rule);
	metric->column = column;
	return find_operands(values, source, rule, columns) &&
	       evaluate(&metric->value, rule, values);
}

/* ---- metrics that the user asked for ---- */

static size_t find_position(const struct rs_metrics_source *source, size_t position)
{
	for (size_t i = RS_EVENT_FIRST; i < source->columns->n; i++)
		if (!source->columns->columns[i].is_part &&
			event_of(source, i)->position == position)
			return i;
	return 0;
}

/* Return true if all columns were counted during the same time: they share their groups, or each
 * one was counted all the time. */
static bool are_together(const struct rs_metrics_source *source, const size_t *columns, size_t n)
{
	const struct rs_column_events *events = source->columns->events;
	for (size_t i = 1; i < n; i++) {
		const struct rs_value *a = &source->values[columns[0]];
		const struct rs_value *b = &source->values[columns[i]];
		bool shares = rs_columns_share_groups(&events[columns[0]], &events[columns[i]]) &&
			      same_time(a, b);
		if (!shares && !(is_whole(source, a) && is_whole(source, b)))
			return false;
	}
	return true;
}

/* Return the worse of two statuses. A metric has the worst status of its values. */
static enum rs_value_status worse(enum rs_value_status a, enum rs_value_status b)
{
	return a > b ? a : b;
}

/* Return true if a row has the facts that a rule needs, such as bytes of work. Events and on-CPU
 * time are checked later. For example, a region that reported no work has no rate of work; the
 * report then prints no warning. */
static bool has_facts(const struct rs_metrics_source *source, const struct rs_metric_rule *rule)
{
	for (size_t i = 0; i < rule->formula.n_operands; i++) {
		enum rs_fact fact = rule->formula.operands[i].fact;
		if (fact != RS_FACT_NONE && fact != RS_FACT_CPU_TIME &&
			!source->facts[fact].is_known)
			return false;
	}
	return true;
}

static void make_wanted(struct rs_metric *metric, const struct rs_metrics_source *source,
	const struct rs_plan_metric *wanted)
{
	const struct rs_metric_rule *rule = wanted->rule;
	size_t columns[RS_METRIC_MAX_EVENTS] = {0};
	struct rs_formula_value values[RS_FORMULA_MAX_OPERANDS];
	*metric = metric_of(rule);
	metric->wanted = wanted;
	metric->status = RS_VALUE_OK;
	if (wanted->reason) {
		metric->status = RS_VALUE_NOT_SUPPORTED;
		return;
	}
	for (size_t i = 0; i < rule->n_events; i++) {
		columns[i] = find_position(source, wanted->positions[i]);
		const struct rs_value *value = &source->values[columns[i]];
		bool has = columns[i] > 0 && rs_value_has_total(value);
		metric->status = worse(metric->status, value->status);
		if (!has) {
			metric->status = worse(metric->status, RS_VALUE_NOT_COUNTED);
			return;
		}
	}
	metric->is_apart = !are_together(source, columns, rule->n_events);
	metric->lacks_cpu_time = !metric->is_apart && !find_operands(values, source, rule, columns);
	if (metric->is_apart || metric->lacks_cpu_time) {
		metric->status = RS_VALUE_NOT_COUNTED;
	} else if (!evaluate(&metric->value, rule, values)) {
		metric->status = RS_VALUE_UNDEFINED;
		metric->value = NAN;
	}
}

/* Return true if the row already has a metric with the same value, name and events beside one of
 * its events. */
static bool is_listed(const struct rs_metric *metrics, size_t n,
	const struct rs_metrics_source *source, const struct rs_metric *wanted)
{
	const struct rs_metric_rule *rule = wanted->wanted->rule;
	for (size_t i = 0; i < n && isfinite(wanted->value); i++)
		if (metrics[i].column != RS_NO_COLUMN && metrics[i].value == wanted->value &&
			strcmp(metrics[i].name, rule->label) == 0 &&
			strcmp(metrics[i].unit, rule->unit) == 0 &&
			event_of(source, metrics[i].column)->position ==
				wanted->wanted->positions[0])
			return true;
	return false;
}

void rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source)
{
	const struct rs_metrics *usual = source->usual;
	const struct rs_plan *plan = source->plan;
	*n_metrics = 0;
	/* a rule makes at most one metric for each column */
	*metrics = rs_arena_array(
		arena, usual->n * source->columns->n + plan->n_metrics, sizeof(**metrics));
	for (size_t r = 0; r < usual->n; r++) {
		const struct rs_name *name = rs_names_find(usual->rules[r]->events[0]);
		for (size_t i = RS_EVENT_FIRST; find_column(source, name, &i); i++)
			*n_metrics += make_beside(
				&(*metrics)[*n_metrics], source, usual->rules[r], i);
	}
	for (size_t i = 0; i < plan->n_metrics; i++) {
		struct rs_metric *metric = &(*metrics)[*n_metrics];
		if (!has_facts(source, plan->metrics[i].rule))
			continue;
		make_wanted(metric, source, &plan->metrics[i]);
		*n_metrics += !is_listed(*metrics, *n_metrics, source, metric);
	}
}

void rs_metrics_set_fact(struct rs_metrics_source *source, enum rs_fact fact, double value)
{
	source->facts[fact] = (struct rs_formula_value){true, value};
}
