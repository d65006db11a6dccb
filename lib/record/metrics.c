/* SPDX-License-Identifier: MIT */
/*
 * Metrics to members of a document, and back.
 */
#include "record/metrics.h"

#include <string.h>

#define MOST_METRICS 4096u

/* A metric in a document, but for its lists. */
struct saved_metric {
	char *name;
	char *label;
	char *unit;
	char *formula;
	char *reason;
};

#define METRIC(member, kind) RS_JSON_FIELD(saved_metric, member, kind)
static const struct rs_json_field metric_fields[] = {
	METRIC(name, TEXT),
	METRIC(label, TEXT),
	METRIC(unit, TEXT),
	METRIC(formula, TEXT),
	METRIC(reason, TEXT),
};
static const struct rs_json_fields fields = RS_JSON_FIELDS(metric_fields);

static json_t *metric_of(const struct rs_plan_metric *metric)
{
	const struct rs_metric_rule *rule = metric->rule;
	const struct saved_metric saved = {(char *)rule->name, (char *)rule->label,
		(char *)rule->unit, (char *)rule->text, metric->reason};
	json_t *object = rs_json_struct(&fields, &saved);
	json_t *events = json_array(), *positions = json_array(), *operands = json_array();
	bool done = object && events && positions && operands;
	for (size_t i = 0; done && i < rule->n_events; i++)
		done = rs_json_append(events, rs_json_bytes(rule->events[i])) &&
		       rs_json_append(
			       positions, rs_json_u64(metric->reason ? 0 : metric->positions[i]));
	for (size_t i = 0; done && i < rule->formula.n_operands; i++)
		done = rs_json_append(operands, rs_json_u64(rule->event_of[i]));
	done = rs_json_set(object, "events", events) && done;
	done = rs_json_set(object, "positions", positions) && done;
	done = rs_json_set(object, "operands", operands) && done;
	if (done)
		return object;
	json_decref(object);
	return NULL;
}

json_t *rs_record_metrics(const struct rs_plan *plan)
{
	json_t *array = json_array();
	for (size_t i = 0; array && i < plan->n_metrics; i++) {
		if (rs_json_append(array, metric_of(&plan->metrics[i])))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

/* A list of numbers, n of them. */
static bool get_numbers(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, const char *key, size_t *numbers, size_t n)
{
	const struct rs_json_place place = {.above = above, .key = key};
	const json_t *array = rs_json_get(load, above, object, key, JSON_ARRAY);
	if (!array)
		return false;
	if (json_array_size(array) != n)
		return rs_json_refuse(load, &place, "has not as many members as it must");
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		uint64_t number;
		if (!rs_json_get_u64(load, &here, json_array_get(array, i), &number))
			return false;
		numbers[i] = number;
	}
	return true;
}

static bool get_events(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, struct rs_metric_rule *rule)
{
	const struct rs_json_place place = {.above = above, .key = "events"};
	const json_t *array = rs_json_get(load, above, object, "events", JSON_ARRAY);
	if (!array)
		return false;
	rule->n_events = json_array_size(array);
	if (rule->n_events > RS_METRIC_MAX_EVENTS)
		return rs_json_refuse(load, &place, "has too many members");
	for (size_t i = 0; i < rule->n_events; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		char *text;
		if (!rs_json_get_bytes(load, &here, json_array_get(array, i), &text))
			return false;
		rule->events[i] = text;
	}
	return true;
}

/* What evaluates: the formula, and which of the events each of its operands is. */
static bool get_formula(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, struct rs_metric_rule *rule)
{
	const struct rs_json_place here = {.above = place, .key = "formula"};
	const struct rs_json_place at = {.above = place, .key = "operands"};
	struct rs_formula *formula = &rule->formula;
	struct rs_err ignored;
	unsigned column;
	if (!rs_formula_parse(formula, rule->text, &column, &ignored))
		return rs_json_refuse(load, &here, "is no formula");
	if (!get_numbers(load, place, object, "operands", rule->event_of, formula->n_operands))
		return false;
	for (size_t i = 0; i < formula->n_operands; i++)
		if (formula->operands[i].fact == RS_FACT_NONE &&
			rule->event_of[i] >= rule->n_events)
			return rs_json_refuse(load, &at, "has a member that is no event's index");
	return true;
}

static bool load_metric(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, const struct saved_metric *saved, struct rs_plan_metric *metric)
{
	struct rs_metric_rule *rule = rs_arena_array(load->arena, 1, sizeof(*rule));
	if (!rule)
		return rs_err_set(load->err, "there is no memory for it");
	if (!saved->name || !saved->label || !saved->unit || !saved->formula)
		return rs_json_refuse(
			load, place, "lacks its name, its label, its unit or its formula");
	rule->name = saved->name;
	rule->label = saved->label;
	rule->unit = saved->unit;
	rule->text = saved->formula;
	metric->rule = rule;
	metric->reason = saved->reason;
	return get_events(load, place, object, rule) && get_formula(load, place, object, rule) &&
	       get_numbers(load, place, object, "positions", metric->positions, rule->n_events);
}

bool rs_load_metrics(const struct rs_json_load *load, struct rs_plan *plan,
	const struct rs_json_place *above, const json_t *object)
{
	const struct rs_json_place place = {.above = above, .key = "metrics"};
	const json_t *array = json_object_get(object, "metrics");
	size_t n;
	if (!array)
		return true;
	const struct saved_metric *saved = rs_json_get_structs(
		load, &place, array, &fields, sizeof(*saved), MOST_METRICS, &n);
	plan->metrics = saved ? rs_arena_array(load->arena, n, sizeof(*plan->metrics)) : NULL;
	if (!plan->metrics)
		return saved ? rs_err_set(load->err, "there is no memory for it") : false;
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_metric(
			    load, &here, json_array_get(array, i), &saved[i], &plan->metrics[i]))
			return false;
		plan->n_metrics++;
	}
	return true;
}
