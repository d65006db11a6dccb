/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about events: multiplexed events, events that not all types of cores
 * count, metrics without a value, and CPU frequencies that differ between regions.
 */
#include "report/finder.h"

/* If an event counted fewer than 10% of a region's calls, a finding says so. */
#define LOW_PERCENT 10

/* A region with at least 10 ms on-CPU time shows the CPU frequency. A finding reports that
 * frequencies differ if one is at least 1.25 times another. */
#define LEAST_CLOCK_NS 1e7
#define LEAST_RATIO 1.25

/* Return true if the kernel can stop counting an event to let others use its counter. Software
 * events need no hardware counter, so they always run. */
static bool is_multiplexed(const struct rs_event *event)
{
	return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_TRACEPOINT &&
	       event->attr.type != RS_TYPE_RUSAGE;
}

/* ---- regions for which an event counted few complete calls, or none ---- */

static uint32_t group_of(const struct rs_finder *finder, const struct rs_event *event)
{
	return finder->run->counter_group[event->counter];
}

/* Return true if two events are the same, or parts of the same event on two types of cores. Each
 * call is counted by only one of the parts. */
static bool are_parts(const struct rs_event *a, const struct rs_event *b)
{
	return a == b || (a->part_name && b->part_name && rs_event_is_same(a, b));
}

/* Findings name a group by its first event. Return this event. Return NULL if the group has no
 * event, or if an earlier group counts another part of that event. Also return NULL if only one
 * type of core counts the event, because few calls may have run on such cores. */
static const struct rs_event *find_event(const struct rs_finder *finder, uint32_t group)
{
	const struct rs_event *first = NULL;
	for (size_t i = 0; i < finder->plan->n_events && !first; i++) {
		const struct rs_event *event = &finder->plan->events[i];
		if (event->counter > 0 && group_of(finder, event) == group)
			first = event;
	}
	if (!first || (first->core_pmu > 0 && !first->part_name))
		return NULL;
	for (size_t i = 0; i < finder->plan->n_events; i++) {
		const struct rs_event *other = &finder->plan->events[i];
		if (other->counter > 0 && group_of(finder, other) < group &&
			are_parts(first, other))
			return NULL;
	}
	return first;
}

/* How many of a region's calls an event counted. */
enum share {
	SHARE_ENOUGH, /* also used if the event never counted, which other findings report */
	SHARE_FEW,
	SHARE_NONE,
};

static enum share share_of(
	const struct rs_finder *finder, size_t region, const struct rs_event *event)
{
	const struct rs_region_counts *counts = &finder->counts->regions[region];
	uint64_t counted = 0, running = 0;
	for (size_t i = 0; i < finder->plan->n_events; i++) {
		const struct rs_event *part = &finder->plan->events[i];
		if (part->counter == 0 || !are_parts(event, part))
			continue;
		counted += counts->counted[group_of(finder, part)];
		running |= counts->running_ns[group_of(finder, part)];
	}
	if (running == 0 || counts->calls == 0)
		return SHARE_ENOUGH;
	if (counted == 0)
		return SHARE_NONE;
	bool is_low = (long double)counted * 100 < (long double)counts->calls * LOW_PERCENT;
	return is_low ? SHARE_FEW : SHARE_ENOUGH;
}

/* For each region, find the worst share among the events that name the groups first to last. List
 * the regions for which this is `share`. */
static struct rs_names regions_with(
	struct rs_finder *finder, enum share share, uint32_t first, uint32_t last)
{
	struct rs_names names = {0};
	for (size_t i = 0; i < finder->run->n_regions; i++) {
		enum share least = SHARE_ENOUGH;
		for (uint32_t g = first; g <= last; g++) {
			const struct rs_event *event = find_event(finder, g);
			enum share here = event ? share_of(finder, i, event) : SHARE_ENOUGH;
			least = here > least ? here : least;
		}
		if (least == share)
			rs_names_add(&names, finder, finder->run->regions[i].name, 0);
	}
	return names;
}

/* Report groups whose events counted few or no complete calls of some regions, and say why. arg:
 * enum share. */
static void find_low(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	if (finder->plan->regions_rotate)
		return;
	for (uint32_t g = 0; g < finder->run->n_groups; g++) {
		const struct rs_event *event = find_event(finder, g);
		if (!event)
			continue;
		struct rs_names names = regions_with(finder, (enum share)kind->arg, g, g);
		struct rs_found found = {.n = names.n,
			.event = rs_finder_quote(finder, event->name),
			.names = rs_names_text(&names, finder),
			.region = names.first};
		if (names.n == 0)
			continue;
		if (event->part_name) {
			found.text = "a long call moves from one type of core to another";
			found.remedy = "use taskset -c with CPUs of one type";
		} else if (is_multiplexed(event)) {
			found.text = "events were multiplexed, and a long call spans switches";
			found.remedy = "count fewer events at once with -e";
		} else {
			found.text = "others were on threads that could not count it, or ended on "
				     "another thread";
			found.remedy = "raise ulimit -n; end calls on the thread that began them";
		}
		rs_finder_add(finder, kind, &found);
	}
}

/* Return the hardware events of a group in the syntax of -e: "{cycles,instructions}". Return NULL
 * if there are none. */
static const char *describe_group(struct rs_finder *finder, const struct rs_group *group)
{
	const char *names = NULL;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		const struct rs_event *event = &finder->plan->events[i];
		if (group->in_regions && is_multiplexed(event))
			names = rs_text(finder, "%s%s%s", names ? names : "", names ? "," : "{",
				rs_shown(finder, event->name));
	}
	return names ? rs_text(finder, "%s}", names) : NULL;
}

/* Return a remedy that lists groups of events. The PMU can count each group alone. */
static const char *groups_remedy(struct rs_finder *finder)
{
	const char *list = "";
	size_t n = 0;
	for (size_t g = 0; g < finder->plan->n_groups; g++) {
		const char *group = describe_group(finder, &finder->plan->groups[g]);
		/* a group has one part for each type of core, with the same names; list these names
		 * only once */
		if (!group || strstr(list, group))
			continue;
		list = rs_text(finder, "%s %s", list, group);
		n++;
	}
	return n > 1 ? rs_text(finder, "use one run for each of these groups:%s", list)
		     : "count fewer events with -e, in several runs";
}

/* Report that the PMU cannot count all groups of regions at the same time. arg: true if --pin keeps
 * some groups on the PMU. */
static void find_multiplexed(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	struct rs_names few = {0}, none = {0};
	const char *text = "";
	if (!finder->plan->regions_rotate || finder->plan->is_forced != kind->arg)
		return;
	if (finder->run->n_groups > 0) {
		few = regions_with(finder, SHARE_FEW, 0, finder->run->n_groups - 1);
		none = regions_with(finder, SHARE_NONE, 0, finder->run->n_groups - 1);
	}
	if (few.n > 0)
		text = rs_text(finder,
			"; fewer than %d%% of the calls were counted all the time: %s", LOW_PERCENT,
			rs_names_text(&few, finder));
	if (none.n > 0)
		text = rs_text(finder, "%s; no call was counted all the time: %s", text,
			rs_names_text(&none, finder));
	rs_finder_add(finder, kind,
		RS_FOUND(.text = text, .region = few.n > 0 ? few.first : none.first,
			.remedy = kind->remedy ? NULL : groups_remedy(finder)));
}

static bool has_low(struct rs_finder *finder)
{
	bool has = false;
	for (uint32_t g = 0; g < finder->run->n_groups; g++) {
		const struct rs_event *event = find_event(finder, g);
		has |= event && is_multiplexed(event) && !event->part_name &&
		       (regions_with(finder, SHARE_FEW, g, g).n > 0 ||
			       regions_with(finder, SHARE_NONE, g, g).n > 0);
	}
	return has;
}

static bool is_scaled(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && rs_value_running(value) < 1;
}

/* Report totals that are scaled although all calls were measured. */
static void find_scaled(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	const uint64_t *diag = finder->counts->process_diag;
	bool any = false, are_multiplexed = false;
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++) {
		any |= summary->total.values && is_scaled(&summary->total.values[c]);
		for (size_t r = 0; r < summary->n_regions; r++)
			any |= is_scaled(&summary->regions[r].values[c]);
	}
	if (!any || finder->plan->regions_rotate || has_low(finder))
		return;
	for (size_t i = 0; i < finder->plan->n_events; i++)
		are_multiplexed |= finder->plan->events[i].status == RS_EVENT_OK &&
				   is_multiplexed(&finder->plan->events[i]);
	bool are_apart = diag[RS_PROCESS_DIAG_TIME_ONLY] > 0 || diag[RS_PROCESS_DIAG_INACTIVE] > 0;
	rs_finder_add(finder, kind,
		RS_FOUND(.text = rs_text(finder, "%s%s%s",
				 are_multiplexed ? "events were multiplexed" : "",
				 are_multiplexed && are_apart ? ", or " : "",
				 are_apart || !are_multiplexed
					 ? "some threads could not count all events"
					 : "")));
}

static void find_sampled(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_counts *counts = finder->counts;
	if (counts->skipped > 0)
		rs_finder_add(finder, kind,
			RS_FOUND(.n = counts->measured,
				.text = rs_finder_count(
					finder, counts->measured + counts->skipped)));
}

/* Return the names of core PMUs that count a part of an event: "cpu_core, cpu_atom". If is_counted
 * is false, return the names of those that do not count it. */
static const char *name_pmus(
	struct rs_finder *finder, const struct rs_event *event, bool is_counted)
{
	const struct rs_plan *plan = finder->plan;
	const char *names = "";
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *part = &plan->events[i];
		if (!rs_event_is_same(part, event) || (part->status == RS_EVENT_OK) != is_counted)
			continue;
		names = rs_text(finder, "%s%s%s", names, *names ? ", " : "",
			rs_shown(finder, plan->core_pmus.items[part->core_pmu - 1].name));
	}
	return names;
}

static void find_missing_parts(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_plan *plan = finder->plan;
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		bool is_first = event->part_name != NULL;
		for (size_t j = 0; j < i; j++)
			is_first &= !rs_event_is_same(event, &plan->events[j]);
		const char *missing = is_first ? name_pmus(finder, event, false) : "";
		if (*missing)
			rs_finder_add(finder, kind,
				RS_FOUND(.event = rs_finder_quote(finder, event->name),
					.names = name_pmus(finder, event, true), .text = missing));
	}
}

/* ---- metrics ---- */

static bool has_remedy(const struct rs_plan_metric *metric, const char *remedy)
{
	return metric->reason && strcmp(rs_plan_metric_remedy(metric), remedy) == 0;
}

static bool is_first_of_remedy(const struct rs_plan *plan, const struct rs_plan_metric *metric)
{
	const struct rs_plan_metric *before = plan->metrics;
	while (before < metric && !has_remedy(before, rs_plan_metric_remedy(metric)))
		before++;
	return before == metric;
}

/* Report metrics that this machine or these options make impossible. Metrics with the same remedy
 * share one finding. */
static void find_impossible(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_plan *plan = finder->plan;
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &plan->metrics[i];
		struct rs_names others = {0};
		if (!metric->reason || !is_first_of_remedy(plan, metric))
			continue;
		const char *remedy = rs_plan_metric_remedy(metric);
		for (size_t j = i + 1; j < plan->n_metrics; j++)
			if (has_remedy(&plan->metrics[j], remedy))
				rs_names_add(&others, finder, plan->metrics[j].rule->name, 0);
		const char *reason = rs_text(
			finder, "%.*s", (int)(remedy - metric->reason), metric->reason);
		rs_finder_add(finder, kind,
			RS_FOUND(.event = rs_finder_quote(finder, metric->rule->name),
				.text = rs_text(finder, "%s%s%s%s", rs_shown(finder, reason),
					others.n > 0 ? "; the same holds for " : "",
					rs_names_text(&others, finder),
					rs_finder_lines(finder, remedy))));
	}
}

enum lack { LACKS_TOGETHER, LACKS_CPU_TIME };

static bool lacks(
	const struct rs_metric *metric, const struct rs_plan_metric *wanted, enum lack lack)
{
	return metric->wanted == wanted &&
	       (lack == LACKS_TOGETHER ? metric->is_apart : metric->lacks_cpu_time);
}

/* Report metrics that have no value because their events were not counted together or have no
 * on-CPU time. arg: enum lack. */
static void find_lacking(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_summary *summary = finder->summary;
	for (size_t m = 0; m < finder->plan->n_metrics; m++) {
		const struct rs_plan_metric *wanted = &finder->plan->metrics[m];
		struct rs_names names = {0};
		bool of_run = false;
		for (size_t r = 0; r < summary->n_merged; r++)
			for (size_t i = 0; i < summary->merged[r].n_metrics; i++)
				if (lacks(&summary->merged[r].metrics[i], wanted,
					    (enum lack)kind->arg))
					rs_names_add(&names, finder, summary->merged[r].name, 0);
		for (size_t i = 0; i < summary->total.n_metrics; i++)
			of_run |= lacks(&summary->total.metrics[i], wanted, (enum lack)kind->arg);
		if (names.n == 0 && !of_run)
			continue;
		rs_finder_add(finder, kind,
			RS_FOUND(.n = names.n, .event = rs_finder_quote(finder, wanted->rule->name),
				.names = rs_text(finder, "%s%s%s", rs_names_text(&names, finder),
					names.n > 0 && of_run ? " and of " : "",
					of_run ? "the whole run" : ""),
				.region = names.first));
	}
}

/* Return true if a metric uses bytes or flops that the program reports with REGIONSTAT_WORK(). */
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

static void find_no_work(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	for (size_t i = 0; i < finder->plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &finder->plan->metrics[i];
		if (!metric->reason && is_of_work(metric->rule) &&
			!has_value(finder->summary, metric))
			rs_finder_add(finder, kind,
				RS_FOUND(.event = rs_finder_quote(finder, metric->rule->name)));
	}
}

/* ---- CPU frequencies ---- */

/* Return the index of the value of an event that counts user and kernel mode on all types of cores.
 * Return 0 if there is none. */
static uint32_t find_counted(const struct rs_plan *plan, uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		const struct perf_event_attr *attr = &event->attr;
		bool is_it = attr->type == type && attr->config == config;
		if (event->generic)
			is_it |= event->generic->type == type && event->generic->config == config;
		if (is_it && event->counter > 0 && event->core_pmu == 0 && !attr->exclude_user &&
			!attr->exclude_kernel)
			return rs_event_of_counter(event->counter);
	}
	return 0;
}

/* Return cycles per ns of on-CPU time, or 0 if too little was counted. */
static double frequency_of(const struct rs_result *result, uint32_t clock, uint32_t cycles)
{
	const struct rs_value *values = result->values;
	bool is_whole = result->measured > 0 && values[clock].counted == result->measured &&
			values[cycles].counted == result->measured;
	double ns = (double)values[clock].sum;
	return is_whole && ns >= LEAST_CLOCK_NS ? (double)values[cycles].sum / ns : 0;
}

static void find_frequency(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_run *run = finder->run;
	uint32_t clock = find_counted(finder->plan, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	uint32_t cycles = find_counted(finder->plan, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	const struct rs_result *least = NULL, *most = NULL;
	double lowest = 0, highest = 0;
	for (size_t i = 0; clock > 0 && cycles > 0 && i < run->n_results; i++) {
		double ghz = frequency_of(&run->results[i], clock, cycles);
		if (ghz > 0 && (!least || ghz < lowest)) {
			least = &run->results[i];
			lowest = ghz;
		}
		if (ghz > highest) {
			most = &run->results[i];
			highest = ghz;
		}
	}
	if (!least || highest < LEAST_RATIO * lowest)
		return;
	uint32_t low = rs_run_owner(run, least->region);
	uint32_t high = rs_run_owner(run, most->region);
	const char *name = run->regions[low].name;
	rs_finder_add(finder, kind,
		RS_FOUND(.number = highest / lowest, .region = name,
			.text = rs_text(finder, "%.2f GHz in %s, %.2f GHz in %s%s", lowest,
				rs_finder_quote_region(finder, name), highest,
				rs_finder_quote_region(finder, run->regions[high].name),
				low != high			? ""
				: least->region == most->region ? " on another thread"
								: " of other work")));
}

static void find_plan_note(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const char *note = kind->arg ? finder->plan->fit_note : finder->plan->note;
	if (note)
		rs_finder_add(finder, kind, RS_FOUND(.text = rs_finder_lines(finder, note)));
}

const struct rs_finding_kind rs_findings_events[] = {
	{"multiplexed", RS_WARNING, find_multiplexed, false, 0,
		"the events of regions do not fit the PMU: they are multiplexed, totals are "
		"estimates, and other values include only calls counted all the time{text}",
		NULL},
	{"multiplexed", RS_WARNING, find_multiplexed, true, 0,
		"the events of regions do not fit the PMU: --pin keeps some groups there, and the "
		"others share the remaining counters, if any{text}",
		"count fewer events with -e, or omit --pin"},
	{"few-counted", RS_WARNING, find_low, SHARE_FEW, 0,
		"{event} and its group were counted all the time in fewer than 10% of the calls: "
		"{names}; {text}",
		NULL},
	{"none-counted", RS_WARNING, find_low, SHARE_NONE, 0,
		"{event} and its group were counted all the time in no call, and have only totals: "
		"{names}; {text}",
		NULL},
	{"scaled", RS_NOTE, find_scaled, 0, 0, "{text}: their totals are scaled and estimates",
		NULL},
	{"parts-missing", RS_NOTE, find_missing_parts, 0, 0,
		"{event} is counted only by {names}, and not on cores of {text}", NULL},
	{"metric-impossible", RS_NOTE, find_impossible, 0, 0, "cannot compute {event}: {text}",
		NULL},
	{"metric-apart", RS_NOTE, find_lacking, LACKS_TOGETHER, 0,
		"{event} has no value of {names}: its events were not counted together",
		"count fewer events, so that they need not be multiplexed"},
	{"metric-no-cpu-time", RS_NOTE, find_lacking, LACKS_CPU_TIME, 0,
		"{event} has no value of {names}: the CPU time in which its events were counted is "
		"unknown",
		"count task-clock as well, with -e"},
	{"metric-no-work", RS_NOTE, find_no_work, 0, 0,
		"{event} has no value: no region used REGIONSTAT_WORK()",
		"use REGIONSTAT_WORK() in the regions that move or compute"},
	{"frequency", RS_NOTE, find_frequency, 0, 0,
		"the clock rate changed, or a virtual machine had only a part of its CPU: {text}",
		"compare cycles, or fix the clock rate: cpupower frequency-set -g performance"},
	{"plan", RS_NOTE, find_plan_note, false, 0, "{text}", NULL},
	{"fit", RS_DETAIL, find_plan_note, true, 0, "{text}", NULL},
	{"sampled", RS_DETAIL, find_sampled, 0, 0,
		"calls were sampled, {n} of {text} measured: totals are estimates of all", NULL},
	{0},
};
