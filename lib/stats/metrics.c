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

static const struct rs_value *value_of(const struct rs_metrics_source *source, size_t index)
{
	return &source->values[source->columns[index]];
}

/* Move *index to the next event, itself included, that counts a generic hardware event and has a
 * total. False: there is none. */
static bool find_event(const struct rs_metrics_source *source, int id, size_t *index)
{
	for (; *index < source->plan->n_events; ++*index) {
		const struct perf_event_attr *attr = &source->plan->events[*index].attr;
		if (attr->type == PERF_TYPE_HARDWARE && hardware_id(attr) == (uint32_t)id &&
			value_of(source, *index)->has_total)
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

/* The value of the event that pairs with that at index as a rule's denominator; or NULL. */
static const struct rs_value *find_denominator(
	const struct rs_metrics_source *source, int denominator, size_t index)
{
	const struct rs_event *event = &source->plan->events[index];
	for (size_t i = 0; find_event(source, denominator, &i); i++) {
		const struct rs_event *other = &source->plan->events[i];
		if (other->group >= 0 && other->group == event->group &&
			same_modifiers(&other->attr, &event->attr) &&
			same_time(value_of(source, i), value_of(source, index)))
			return value_of(source, i);
	}
	return NULL;
}

/* The time to which the cycles at index belong; or NULL. */
static const struct rs_value *find_time(const struct rs_metrics_source *source, size_t index)
{
	const struct perf_event_attr *attr = &source->plan->events[index].attr;
	const struct rs_value *cycles = value_of(source, index);
	if (attr->exclude_user || attr->exclude_kernel)
		return NULL; /* the clock does not stop there */
	if (source->measured > 0) {
		bool whole = cycles->running >= 1 && cycles->counted == source->measured;
		return whole ? &source->values[0] : NULL;
	}
	for (size_t i = 0; i < source->plan->n_events; i++) {
		const struct perf_event_attr *clock = &source->plan->events[i].attr;
		if (clock->type == PERF_TYPE_SOFTWARE &&
			clock->config == PERF_COUNT_SW_TASK_CLOCK && value_of(source, i)->has_total)
			return value_of(source, i);
	}
	return NULL;
}

/* One rule for one event. False: it gives nothing. */
static bool apply(struct rs_metric *metric, const struct metric_rule *rule,
	const struct rs_metrics_source *source, size_t index)
{
	const struct rs_value *below = rule->denominator == OF_TIME
					       ? find_time(source, index)
					       : find_denominator(source, rule->denominator, index);
	if (!below || below->total == 0)
		return false;
	*metric = (struct rs_metric){
		.name = rule->name, .unit = rule->unit, .column = source->columns[index]};
	metric->value = rule->factor * (double)value_of(source, index)->total /
			(double)below->total;
	return true;
}

bool rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source)
{
	*n_metrics = 0;
	/* every event is the numerator of one rule at most */
	*metrics = rs_arena_array(arena, source->plan->n_events, sizeof(**metrics));
	if (!*metrics)
		return false;
	for (size_t rule = 0; rule < N_RULES; rule++)
		for (size_t i = 0; find_event(source, rules[rule].numerator, &i); i++)
			if (apply(&(*metrics)[*n_metrics], &rules[rule], source, i))
				++*n_metrics;
	return true;
}
