/*
 * Trying the plan on ourselves. perf_event_open(2) takes any group that fits an empty PMU; whether
 * it finds counters there shows only when it is scheduled. So every group is opened pinned and
 * running, in the order of their claims: one that finds no counters is in error at once, and its
 * read() gives 0 bytes (perf_event_open(2), pinned). That needs no time to pass, and no guess about
 * what else counts on this machine.
 */
#include "plan/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segment/layout.h"

/* Enough for what regions and totals open together. */
#define MAX_OPEN (2 * RS_MAX_EVENTS)

/* What is open at the moment. */
struct trial {
	const struct rs_plan *plan;
	const struct rs_host *host;
	int fds[MAX_OPEN];
	bool leads[MAX_OPEN];
	size_t n_open;
};

static bool is_hardware(const struct rs_event *event)
{
	return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_TRACEPOINT &&
	       event->attr.type != PERF_TYPE_BREAKPOINT;
}

/* Whether the group needs counters of a PMU, in regions or (totals) over the run. */
static bool needs_pmu(const struct rs_plan *plan, const struct rs_group *group, bool totals)
{
	bool any_total = false, any_hardware = false;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		any_total |= plan->events[i].in_totals;
		any_hardware |= is_hardware(&plan->events[i]);
	}
	return any_hardware && (totals ? any_total : group->in_regions);
}

/* Close what was opened after the first n_kept. */
static void close_down_to(struct trial *trial, size_t n_kept)
{
	while (trial->n_open > n_kept)
		trial->host->close_event(trial->host->context, trial->fds[--trial->n_open]);
}

/* Open a group pinned and running. False: the kernel refuses it. */
static bool open_group(struct trial *trial, const struct rs_group *group, bool totals)
{
	int leader = -1;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		const struct rs_event *event = &trial->plan->events[i];
		if (totals && !event->in_totals)
			continue;
		struct perf_event_attr attr = event->attr;
		attr.read_format = PERF_FORMAT_GROUP;
		attr.disabled = 0;
		attr.pinned = leader < 0;
		int fd = trial->n_open < MAX_OPEN
				 ? trial->host->open_event(trial->host->context, &attr, leader)
				 : -1;
		if (fd < 0)
			return false;
		trial->leads[trial->n_open] = leader < 0;
		trial->fds[trial->n_open++] = fd;
		leader = leader < 0 ? fd : leader;
	}
	return true;
}

/* Whether every group that is open has its counters. */
static bool all_counted(const struct trial *trial)
{
	uint64_t counts[1 + RS_MAX_EVENTS];
	for (size_t i = 0; i < trial->n_open; i++)
		if (trial->leads[i] && trial->host->read_event(trial->host->context, trial->fds[i],
					       counts, sizeof(counts)) <= 0)
			return false;
	return true;
}

/* Open one group more, and keep it if everything is counted then. */
static bool try_more(struct trial *trial, const struct rs_group *group, bool totals)
{
	size_t n_before = trial->n_open;
	if (open_group(trial, group, totals) && all_counted(trial))
		return true;
	close_down_to(trial, n_before);
	return false;
}

static bool try_regions(struct trial *trial)
{
	const struct rs_plan *plan = trial->plan;
	for (size_t g = 0; g < plan->n_groups; g++)
		if (needs_pmu(plan, &plan->groups[g], false) &&
			!try_more(trial, &plan->groups[g], false))
			return false;
	return true;
}

/*
 * The totals beside the regions. A group that would never find room there is to be counted event by
 * event, so that some of it is. Returns whether all of them fit at once.
 */
static bool try_totals(struct trial *trial, struct rs_plan *plan)
{
	size_t n_regions = trial->n_open;
	bool all = true;
	for (size_t g = 0; g < plan->n_groups; g++) {
		struct rs_group *group = &plan->groups[g];
		if (!needs_pmu(plan, group, true))
			continue;
		group->totals_apart = !try_more(trial, group, true);
		close_down_to(trial, n_regions);
	}
	for (size_t g = 0; all && g < plan->n_groups; g++)
		if (needs_pmu(plan, &plan->groups[g], true))
			all = try_more(trial, &plan->groups[g], true);
	return all;
}

static void pin(struct rs_plan *plan, bool pinned)
{
	for (size_t g = 0; g < plan->n_groups; g++)
		plan->groups[g].pinned = pinned && needs_pmu(plan, &plan->groups[g], false);
}

bool rs_fit_settle(
	struct rs_plan *plan, const struct rs_host *host, bool force_pin, struct rs_err *err)
{
	struct trial trial = {.plan = plan, .host = host};
	size_t n_regions = 0, n_totals = 0;
	const char *note;
	for (size_t g = 0; g < plan->n_groups; g++) {
		n_regions += needs_pmu(plan, &plan->groups[g], false);
		n_totals += needs_pmu(plan, &plan->groups[g], true);
	}
	if (n_regions == 0)
		return true;
	bool fits = try_regions(&trial);
	plan->regions_rotate = !fits;
	pin(plan, fits || force_pin);
	if (!fits && force_pin)
		note = "regions are pinned to the PMU as --pin asks, but do not fit it";
	else if (!fits)
		note = "regions and the run's totals take turns on the PMU";
	else if (n_totals == 0)
		note = "regions are pinned to the PMU";
	else if (try_totals(&trial, plan))
		note = "regions are pinned to the PMU, and the run's totals fit beside them";
	else
		note = "regions are pinned to the PMU, and the run's totals share what is left";
	close_down_to(&trial, 0);
	plan->fit_note = strdup(note);
	return plan->fit_note ? true : rs_err_set(err, "cannot make the event plan: out of memory");
}
