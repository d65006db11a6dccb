/* SPDX-License-Identifier: MIT */
/*
 * Of metrics that were asked for: why they are not possible here, or have no value of some regions.
 */
#include "stats/warnings.h"

#include <math.h>
#include <string.h>

static bool has_remedy(const struct rs_plan_metric *metric, const char *remedy)
{
	return metric->reason && strcmp(rs_plan_metric_remedy(metric), remedy) == 0;
}

/* A note, since it was said before the run as well: once for all metrics about which the same is to be
 * done. */
static void tell_impossible(
	struct rs_messages *notes, const struct rs_plan *plan, const struct rs_plan_metric *first)
{
	struct rs_name_list others = {0};
	if (!first->reason)
		return;
	const char *remedy = rs_plan_metric_remedy(first);
	for (const struct rs_plan_metric *metric = plan->metrics; metric < first; metric++)
		if (has_remedy(metric, remedy))
			return; /* it has been told */
	for (const struct rs_plan_metric *metric = first + 1;
		metric < plan->metrics + plan->n_metrics; metric++)
		if (has_remedy(metric, remedy))
			rs_name_list_add(&others, notes->arena, metric->rule->name, 0);
	rs_messages_add(notes, RS_ABOUT("metric-impossible"), "cannot compute %s: %.*s%s%s%s",
		rs_message_quote(notes->arena, first->rule->name), (int)(remedy - first->reason),
		first->reason, others.n > 0 ? "\n  nor, for the like, " : "",
		others.n > 0 ? rs_name_list_text(&others, notes->arena) : "", remedy);
}

/* Of what a metric has no value for some reason. */
struct places {
	struct rs_name_list regions;
	bool of_run;
};

static bool is_apart(const struct rs_metric *metric)
{
	return metric->is_apart;
}

static bool lacks_cpu_time(const struct rs_metric *metric)
{
	return metric->lacks_cpu_time;
}

/* False: of nothing. */
static bool find_places(struct places *places, struct rs_arena *arena,
	const struct rs_summary *summary, const struct rs_plan_metric *wanted,
	bool (*is_it)(const struct rs_metric *metric))
{
	*places = (struct places){0};
	for (size_t r = 0; r < summary->n_merged; r++) {
		const struct rs_summary_region *region = &summary->merged[r];
		for (size_t i = 0; i < region->n_metrics; i++)
			if (region->metrics[i].wanted == wanted && is_it(&region->metrics[i]))
				rs_name_list_add(&places->regions, arena, region->name, 0);
	}
	for (size_t i = 0; i < summary->run.n_metrics; i++)
		places->of_run |= summary->run.metrics[i].wanted == wanted &&
				  is_it(&summary->run.metrics[i]);
	return places->regions.n > 0 || places->of_run;
}

/* "'a', 'b' and of the whole run", in arena. */
static const char *places_text(const struct places *places, struct rs_arena *arena)
{
	const char *text = rs_arena_format(arena, "%s%s%s",
		places->regions.n > 0 ? rs_name_list_text(&places->regions, arena) : "",
		places->regions.n > 0 && places->of_run ? " and of " : "",
		places->of_run ? "the whole run" : "");
	return text ? text : "?";
}

/* Regions, or the run, that were not counted as a metric needs it. */
static void tell_missing(struct rs_messages *notes, const struct rs_summary *summary,
	const struct rs_plan_metric *metric)
{
	struct places places;
	const char *name = rs_message_quote(notes->arena, metric->rule->name);
	if (find_places(&places, notes->arena, summary, metric, is_apart))
		rs_messages_add(notes,
			RS_ABOUT("metric-apart", places.regions.first, (double)places.regions.n),
			"%s has no value of %s: its events were not counted together\n"
			"  try: fewer events, so that they need not take turns on the PMU",
			name, places_text(&places, notes->arena));
	if (find_places(&places, notes->arena, summary, metric, lacks_cpu_time))
		rs_messages_add(notes,
			RS_ABOUT("metric-no-cpu-time", places.regions.first,
				(double)places.regions.n),
			"%s has no value of %s: the CPU time in which its events were counted is "
			"unknown\n"
			"  try: -e task-clock as well",
			name, places_text(&places, notes->arena));
}

/* Whether a metric is over what the program says of its work. */
static bool is_of_work(const struct rs_metric_rule *rule)
{
	for (size_t i = 0; i < rule->formula.n_operands; i++)
		if (rule->formula.operands[i].fact == RS_FACT_BYTES ||
			rule->formula.operands[i].fact == RS_FACT_FLOPS)
			return true;
	return false;
}

static bool has_value(const struct rs_summary *summary, const struct rs_plan_metric *metric)
{
	for (size_t r = 0; r < summary->n_merged; r++)
		for (size_t i = 0; i < summary->merged[r].n_metrics; i++)
			if (summary->merged[r].metrics[i].wanted == metric &&
				isfinite(summary->merged[r].metrics[i].value))
				return true;
	return false;
}

void rs_warnings_of_metrics(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_plan *plan = source->plan;
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &plan->metrics[i];
		tell_impossible(notes, plan, metric);
		tell_missing(notes, source->summary, metric);
		if (!metric->reason && is_of_work(metric->rule) &&
			!has_value(source->summary, metric))
			rs_messages_add(notes, RS_ABOUT("metric-no-work"),
				"%s has no value: no region said what work it does\n"
				"  try: REGIONSTAT_WORK() in the regions that move or compute",
				rs_message_quote(notes->arena, metric->rule->name));
	}
}
