/* SPDX-License-Identifier: MIT */
/*
 * The table of metrics and the rules under which one may be shown: both events in one group and
 * with the same modifiers, or else the two would be of different moments and mean nothing.
 */
#include "stats/metrics.h"

/* What a metric may be made of: a generic hardware event, or one of these. */
enum {
	OF_TIME = -1, /* column 0; for the whole run task-clock, since it may sleep and fork */
};

struct metric_rule {
	const char *name;
	const char *unit;
	int numerator; /* enum perf_hw_id */
	int denominator; /* enum perf_hw_id or OF_TIME */
	double factor;
};

/* Each is shown beside its numerator. */
static const struct metric_rule rules[] = {
	{"IPC", "ratio", PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, 1},
	{"frequency", "GHz", PERF_COUNT_HW_CPU_CYCLES, OF_TIME, 1},
	{"branch-miss rate", "%", PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		100},
	{"cache-miss rate", "%", PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, 100},
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

/* What an event of the plan counts that a column is of, itself or as the first of its parts. */
static const struct rs_event *event_of(const struct rs_metrics_source *source, size_t column)
{
	return source->columns->events[column].events[0];
}

/* Move *column to the next, itself included, that is of a generic hardware event and has a total.
 * False: there is none. */
static bool find_column(const struct rs_metrics_source *source, int id, size_t *column)
{
	for (; *column < source->columns->n; ++*column) {
		const struct rs_name *generic = event_of(source, *column)->generic;
		if (generic && generic->type == PERF_TYPE_HARDWARE &&
			generic->config == (uint64_t)id && source->values[*column].has_total)
			return true;
	}
	return false;
}

/* Were both counted during the same time? */
static bool same_time(const struct rs_value *a, const struct rs_value *b)
{
	double difference = a->running - b->running;
	return difference > -1e-9 && difference < 1e-9;
}

/* The value that pairs with that of a column as a rule's denominator; or NULL. */
static const struct rs_value *find_denominator(
	const struct rs_metrics_source *source, int denominator, size_t column)
{
	const struct rs_column_events *events = source->columns->events;
	for (size_t i = 1; find_column(source, denominator, &i); i++)
		if (rs_columns_are_together(&events[i], &events[column]) &&
			same_time(&source->values[i], &source->values[column]))
			return &source->values[i];
	return NULL;
}

/* The time to which the cycles of a column belong; or NULL. */
static const struct rs_value *find_time(const struct rs_metrics_source *source, size_t column)
{
	const struct perf_event_attr *attr = &event_of(source, column)->attr;
	const struct rs_value *cycles = &source->values[column];
	if (attr->exclude_user || attr->exclude_kernel)
		return NULL; /* the clock does not stop there */
	if (source->measured > 0) {
		bool whole = cycles->running >= 1 && cycles->counted == source->measured;
		return whole ? &source->values[0] : NULL;
	}
	if (source->columns->columns[column].is_part)
		return NULL; /* task-clock is of all types of cores */
	for (size_t i = 1; i < source->columns->n; i++) {
		const struct perf_event_attr *clock = &event_of(source, i)->attr;
		if (clock->type == PERF_TYPE_SOFTWARE &&
			clock->config == PERF_COUNT_SW_TASK_CLOCK && source->values[i].has_total)
			return &source->values[i];
	}
	return NULL;
}

/* One rule for one column. False: it gives nothing. */
static bool apply(struct rs_metric *metric, const struct metric_rule *rule,
	const struct rs_metrics_source *source, size_t column)
{
	const struct rs_value *below =
		rule->denominator == OF_TIME ? find_time(source, column)
					     : find_denominator(source, rule->denominator, column);
	if (!below || below->total == 0)
		return false;
	*metric = (struct rs_metric){.name = rule->name, .unit = rule->unit, .column = column};
	metric->value = rule->factor * (double)source->values[column].total / (double)below->total;
	return true;
}

bool rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source)
{
	*n_metrics = 0;
	/* every column is the numerator of one rule at most */
	*metrics = rs_arena_array(arena, source->columns->n, sizeof(**metrics));
	if (!*metrics)
		return false;
	for (size_t rule = 0; rule < N_RULES; rule++)
		for (size_t i = 1; find_column(source, rules[rule].numerator, &i); i++)
			if (apply(&(*metrics)[*n_metrics], &rules[rule], source, i))
				++*n_metrics;
	return true;
}
