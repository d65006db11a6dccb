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

/* With several core types the upper half of config names the PMU; see perf_event_open(2). */
static uint32_t hardware_id(const struct perf_event_attr *attr)
{
	return (uint32_t)attr->config;
}

static bool same_modifiers(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->config >> 32 == b->config >> 32 && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
	       a->exclude_idle == b->exclude_idle && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest && a->precise_ip == b->precise_ip;
}

/* The next event from *index on that counts a generic hardware event and has a total. */
static const struct rs_event *find_event(
	const struct rs_plan *plan, const struct rs_value *values, int id, size_t *index)
{
	for (; *index < plan->n_events; ++*index) {
		const struct rs_event *event = &plan->events[*index];
		if (event->attr.type == PERF_TYPE_HARDWARE &&
			hardware_id(&event->attr) == (uint32_t)id && values[*index + 1].has_total)
			return event;
	}
	return NULL;
}

/* Were both counted during the same time? */
static bool same_time(const struct rs_value *a, const struct rs_value *b)
{
	double difference = a->running - b->running;
	return difference > -1e-9 && difference < 1e-9;
}

/* The value of the event that pairs with plan->events[index] as a rule's denominator; or NULL. */
static const struct rs_value *find_denominator(const struct rs_plan *plan,
	const struct rs_value *values, const struct metric_rule *rule, size_t index)
{
	const struct rs_event *event = &plan->events[index];
	size_t other = 0;
	for (;; other++) {
		const struct rs_event *found = find_event(plan, values, rule->denominator, &other);
		if (!found)
			return NULL;
		if (found->group >= 0 && found->group == event->group &&
			same_modifiers(&found->attr, &event->attr) &&
			same_time(&values[other + 1], &values[index + 1]))
			return &values[other + 1];
	}
}

/* The time to which cycles of plan->events[index] belong; or NULL. */
static const struct rs_value *find_time(
	const struct rs_plan *plan, const struct rs_value *values, size_t index, uint64_t n_calls)
{
	const struct perf_event_attr *attr = &plan->events[index].attr;
	const struct rs_value *cycles = &values[index + 1];
	if (attr->exclude_user || attr->exclude_kernel)
		return NULL; /* the clock does not stop there */
	if (n_calls > 0)
		return cycles->status == RS_VALUE_OK && cycles->counted == n_calls ? &values[0]
										   : NULL;
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct perf_event_attr *clock = &plan->events[i].attr;
		if (clock->type == PERF_TYPE_SOFTWARE &&
			clock->config == PERF_COUNT_SW_TASK_CLOCK && values[i + 1].has_total)
			return &values[i + 1];
	}
	return NULL;
}

/* One rule for one event. False: it gives nothing. */
static bool apply(struct rs_metric *metric, const struct metric_rule *rule,
	const struct rs_plan *plan, const struct rs_value *values, size_t index, uint64_t n_calls)
{
	const struct rs_value *below = rule->denominator == OF_TIME
					       ? find_time(plan, values, index, n_calls)
					       : find_denominator(plan, values, rule, index);
	if (!below || below->total == 0)
		return false;
	*metric = (struct rs_metric){.name = rule->name, .unit = rule->unit, .column = index + 1};
	metric->value = rule->factor * (double)values[index + 1].total / (double)below->total;
	return true;
}

bool rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_plan *plan, const struct rs_value *values, uint64_t n_calls)
{
	*n_metrics = 0;
	*metrics = rs_arena_array(arena, plan->n_events, sizeof(**metrics));
	if (!*metrics)
		return false;
	for (size_t i = 0; i < N_RULES; i++) {
		size_t index = 0;
		while (find_event(plan, values, rules[i].numerator, &index)) {
			if (apply(&(*metrics)[*n_metrics], &rules[i], plan, values, index, n_calls))
				++*n_metrics;
			index++;
		}
	}
	return true;
}
