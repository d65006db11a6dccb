/* SPDX-License-Identifier: MIT */
/*
 * This file finds out which groups of the plan fit the PMU at once, by opening them on the calling
 * thread. perf_event_open(2) accepts any group that fits an empty PMU, so only scheduling shows
 * whether counters are free. Each group is opened pinned and running, in order of priority. A group
 * that gets no counters enters the error state at once: its read() returns 0 bytes
 * (perf_event_open(2), pinned). So the trial does not have to wait, and its result includes the
 * effect of other processes that use counters.
 *
 * On a machine with cores of several types, a thread may run on a core that does not have the
 * group's PMU. The group then counts nothing, without an error. So the groups of each core PMU are
 * tried on a CPU with that PMU. Groups of different core PMUs need different counters, so they are
 * tried separately.
 */
#include "plan/builder.h"

#include <stdio.h>
#include <string.h>

#include "segment/layout.h"

/* A trial opens each event at most twice: for regions and for totals. */
#define MAX_OPEN (2 * RS_MAX_EVENTS)

/* The groups that are open during a trial. */
struct trial {
	const struct rs_plan *plan;
	const struct rs_host *host;
	size_t core_pmu; /* 1 + index of the core PMU whose groups are tried now: see on_trial() */
	int fds[MAX_OPEN];
	bool leads[MAX_OPEN];
	size_t n_open;
};

/* The result of trying the groups of one core PMU. */
struct verdict {
	size_t n_regions; /* groups of regions that need the PMU; 0: nothing was tried */
	size_t n_totals; /* groups of the run's totals that need the PMU */
	bool regions_fit;
	bool totals_fit;
};

/* Return true if the group needs counters of a PMU for the run's totals (totals is true) or for the
 * regions. */
static bool needs_pmu(const struct rs_plan *plan, const struct rs_group *group, bool totals)
{
	bool any_total = false, any_hardware = false;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		any_total |= plan->events[i].in_totals;
		any_hardware |= rs_attr_needs_pmu(&plan->events[i].attr);
	}
	return any_hardware && (totals ? any_total : group->in_regions);
}

/* Return true if a group needs counters, and is tried together with those of the current core PMU.
 * Groups without a core PMU are tried with the first core PMU. */
static bool on_trial(const struct trial *trial, const struct rs_group *group, bool totals)
{
	bool is_here = group->core_pmu == trial->core_pmu ||
		       (group->core_pmu == 0 && trial->core_pmu == 1);
	return is_here && needs_pmu(trial->plan, group, totals);
}

/* Close all events except the first n_kept. */
static void close_down_to(struct trial *trial, size_t n_kept)
{
	while (trial->n_open > n_kept)
		trial->host->close(trial->fds[--trial->n_open]);
}

/* Open a group, pinned and running. The leader is enabled after its members are opened, as in the
 * program. Return false if the kernel refuses an event. */
static bool open_group(struct trial *trial, const struct rs_group *group, bool totals)
{
	int leader = -1;
	for (size_t i = group->first; i < group->first + group->n_events; i++) {
		const struct rs_event *event = &trial->plan->events[i];
		if (totals && !event->in_totals)
			continue;
		struct perf_event_attr attr = event->attr;
		attr.read_format = PERF_FORMAT_GROUP;
		attr.disabled = leader < 0;
		attr.enable_on_exec = leader < 0; /* try_open() in probe.c says why */
		attr.pinned = leader < 0;
		int fd = trial->n_open < MAX_OPEN ? trial->host->open_event(&attr, leader) : -1;
		if (fd < 0)
			return false;
		trial->leads[trial->n_open] = leader < 0;
		trial->fds[trial->n_open++] = fd;
		leader = leader < 0 ? fd : leader;
	}
	if (leader >= 0)
		trial->host->enable_event(leader);
	return true;
}

/* Return true if every open group has got its counters. */
static bool all_counted(const struct trial *trial)
{
	uint64_t counts[1 + RS_MAX_EVENTS];
	for (size_t i = 0; i < trial->n_open; i++)
		if (trial->leads[i] &&
			trial->host->read(trial->fds[i], counts, sizeof(counts)) <= 0)
			return false;
	return true;
}

/* Open one more group. Keep it if all open groups still have their counters. Otherwise close it and
 * return false. */
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
		if (on_trial(trial, &plan->groups[g], false) &&
			!try_more(trial, &plan->groups[g], false))
			return false;
	return true;
}

/*
 * Try the run's totals beside the regions. If a group does not fit even without other totals, mark
 * it, so that each of its events is opened alone. Then at least some of the events are counted.
 * Return true if all groups of the totals fit at once.
 */
static bool try_totals(struct trial *trial, struct rs_plan *plan)
{
	size_t n_regions = trial->n_open;
	bool all = true;
	for (size_t g = 0; g < plan->n_groups; g++) {
		struct rs_group *group = &plan->groups[g];
		if (!on_trial(trial, group, true))
			continue;
		group->totals_apart = !try_more(trial, group, true);
		close_down_to(trial, n_regions);
	}
	for (size_t g = 0; all && g < plan->n_groups; g++)
		if (on_trial(trial, &plan->groups[g], true))
			all = try_more(trial, &plan->groups[g], true);
	return all;
}

/* Try the groups of trial->core_pmu, and decide which are pinned. */
static struct verdict judge(struct trial *trial, struct rs_plan *plan, bool force_pin)
{
	struct verdict verdict = {0};
	for (size_t g = 0; g < plan->n_groups; g++) {
		verdict.n_regions += on_trial(trial, &plan->groups[g], false);
		verdict.n_totals += on_trial(trial, &plan->groups[g], true);
	}
	if (verdict.n_regions == 0)
		return verdict;
	verdict.regions_fit = try_regions(trial);
	verdict.totals_fit = verdict.regions_fit && verdict.n_totals > 0 && try_totals(trial, plan);
	close_down_to(trial, 0);
	for (size_t g = 0; g < plan->n_groups; g++) {
		struct rs_group *group = &plan->groups[g];
		if (!on_trial(trial, group, false))
			continue;
		group->pinned = verdict.regions_fit || force_pin;
		group->totals_whole = verdict.totals_fit;
	}
	return verdict;
}

static const char *describe(const struct verdict *verdict, bool force_pin)
{
	if (!verdict->regions_fit && force_pin)
		return "regions are pinned to the PMU as --pin asks, but do not fit it";
	if (!verdict->regions_fit)
		return "regions and the run's totals are multiplexed on the PMU";
	if (verdict->n_totals == 0)
		return "regions are pinned to the PMU";
	return verdict->totals_fit
		       ? "regions are pinned to the PMU, and the run's totals fit beside them"
		       : "regions are pinned to the PMU, and the run's totals share the other "
			 "counters";
}

/* Move the calling thread to the CPUs of a core PMU. If that is not permitted, the program cannot
 * run on these CPUs either. Then no event is counted there, and the trial reports no error. */
static void move_to(const struct rs_host *host, const struct rs_core_pmu *pmu)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	for (size_t cpu = 0; cpu < 64 * RS_CORE_PMU_CPU_WORDS; cpu++)
		if (pmu->cpus[cpu / 64] >> cpu % 64 & 1)
			CPU_SET(cpu, &cpus);
	host->setaffinity(0, sizeof(cpus), &cpus);
}

/* Set plan->fit_note: one text if the texts of all core PMUs are equal, otherwise one text for each
 * core PMU. */
static void set_note(struct rs_plan *plan, const struct verdict *verdicts, bool force_pin)
{
	const char *same = NULL;
	bool differ = false;
	char text[1024] = "";
	for (size_t i = 0; i < RS_MAX_CORE_PMUS; i++) {
		if (verdicts[i].n_regions == 0)
			continue;
		const char *note = describe(&verdicts[i], force_pin);
		size_t used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "%s%s: %s", used > 0 ? "; " : "",
			plan->core_pmus.items[i].name, note);
		differ |= same && strcmp(same, note) != 0;
		same = note;
	}
	if (same)
		plan->fit_note = rs_arena_format(&plan->arena, "%s", differ ? text : same);
}

/* If there are several core PMUs, try the groups of each one on its own CPUs. */
void rs_fit_settle(struct rs_plan *plan, const struct rs_host *host, bool force_pin)
{
	struct trial trial = {.plan = plan, .host = host};
	struct verdict verdicts[RS_MAX_CORE_PMUS] = {0};
	bool are_several = rs_core_pmus_are_several(&plan->core_pmus);
	cpu_set_t before;
	bool can_move = are_several && host->getaffinity(0, sizeof(before), &before) == 0;
	for (size_t i = 0; i < (are_several ? plan->core_pmus.n : 1); i++) {
		trial.core_pmu = 1 + i;
		if (can_move)
			move_to(host, &plan->core_pmus.items[i]);
		verdicts[i] = judge(&trial, plan, force_pin);
		plan->regions_rotate |= verdicts[i].n_regions > 0 && !verdicts[i].regions_fit;
	}
	if (can_move)
		host->setaffinity(0, sizeof(before), &before);
	set_note(plan, verdicts, force_pin);
	plan->is_forced = plan->regions_rotate && force_pin;
}
