/* SPDX-License-Identifier: MIT */
/*
 * This file packs events into groups. Its input is the countable events in the user's order. Its
 * output is groups; the kernel accepted each of them as a whole when it was tried. They are ordered
 * by their first event, and the events of each group are adjacent.
 */
#include "plan/builder.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "plan/probe.h"
#include "segment/layout.h"

/* A group while it is packed; members are indexes in plan.events. */
struct pack {
	size_t members[RS_MAX_EVENTS];
	size_t n_members;
	bool is_explicit;
	bool needs_pmu;
	size_t core_pmu; /* 1 + index of the core PMU of all its events; 0: none */
};

struct packer {
	struct rs_plan *plan;
	const struct rs_group_wish *wishes;
	const struct rs_host *host;
	struct pack packs[RS_MAX_EVENTS];
	size_t n_packs;
	struct rs_err *err;
};

static bool is_usage(const struct rs_event *event)
{
	return event->attr.type == RS_TYPE_RUSAGE;
}

/* Return true if the kernel can open all members of pack as one group. If it cannot, return false
 * and set *error. `more` is an event that is added to the group; SIZE_MAX: none. */
static bool fits(const struct packer *packer, const struct pack *pack, size_t more, int *error)
{
	const struct perf_event_attr *attrs[RS_MAX_EVENTS + 1];
	size_t n_attrs = 0;
	for (; n_attrs < pack->n_members; n_attrs++)
		attrs[n_attrs] = &packer->plan->events[pack->members[n_attrs]].attr;
	if (more != SIZE_MAX)
		attrs[n_attrs++] = &packer->plan->events[more].attr;
	return rs_probe_group(packer->host, attrs, n_attrs, error) == n_attrs;
}

static void add_member(struct packer *packer, size_t number, size_t event)
{
	struct pack *pack = &packer->packs[number];
	pack->members[pack->n_members++] = event;
	packer->plan->events[event].group = (int)number;
}

/* Put an event into the first group that accepts it, or into a new one. */
static void pack_free_event(struct packer *packer, size_t index)
{
	const struct rs_event *event = &packer->plan->events[index];
	bool needs_pmu = rs_attr_needs_pmu(&event->attr);
	for (size_t i = 0; i < packer->n_packs; i++) {
		const struct pack *pack = &packer->packs[i];
		int error;
		if (pack->is_explicit || pack->needs_pmu != needs_pmu ||
			pack->core_pmu != event->core_pmu ||
			packer->plan->events[pack->members[0]].in_regions != event->in_regions)
			continue;
		if (fits(packer, pack, index, &error)) {
			add_member(packer, i, index);
			return;
		}
	}
	packer->packs[packer->n_packs] = (struct pack){
		.needs_pmu = needs_pmu, .core_pmu = event->core_pmu};
	add_member(packer, packer->n_packs++, index);
}

static void write_names(
	const struct packer *packer, const struct pack *pack, char *out, size_t out_bytes)
{
	out[0] = '\0';
	for (size_t i = 0; i < pack->n_members; i++) {
		size_t used = strlen(out);
		if (i > 0 && used + 2 < out_bytes)
			strcpy(out + used++, ",");
		rs_text_escape(
			out + used, out_bytes - used, packer->plan->events[pack->members[i]].name);
	}
}

static bool fail_group(const struct packer *packer, const struct pack *pack, int error)
{
	char names[512];
	write_names(packer, pack, names, sizeof(names));
	if (error != EINVAL)
		return rs_err_set_errno(packer->err, error,
			"cannot test whether the group {%s} fits the PMU", names);
	const struct rs_core_pmus *core_pmus = &packer->plan->core_pmus;
	const char *pmu = pack->core_pmu ? core_pmus->items[pack->core_pmu - 1].name : "";
	rs_err_set(packer->err, "the group {%s} does not fit the PMU%s%s (EINVAL)", names,
		*pmu ? " " : "", pmu);
	rs_err_add_line(packer->err, "the kernel counts all events of a group together, and the "
				     "PMU has too few counters for this one");
	return rs_err_add_line(packer->err,
		"try: fewer events in the group, or {...}:W, which splits it if necessary");
}

/*
 * Make a kernel group from the user's {group} that begins with events[first]. Skip events that
 * cannot be counted. All events of the kernel group have the same core PMU, and either all or none
 * are events of getrusage(2). The other events of the {group} get groups of their own.
 */
static bool pack_written_group(struct packer *packer, size_t first)
{
	const struct rs_plan *plan = packer->plan;
	const struct rs_group_wish *wish = &packer->wishes[first];
	struct pack trial = {.is_explicit = true, .core_pmu = plan->events[first].core_pmu};
	for (size_t i = first; i < plan->n_events; i++) {
		if (packer->wishes[i].written != wish->written ||
			plan->events[i].status != RS_EVENT_OK ||
			plan->events[i].core_pmu != trial.core_pmu ||
			is_usage(&plan->events[i]) != is_usage(&plan->events[first]))
			continue;
		trial.members[trial.n_members++] = i;
		trial.needs_pmu |= rs_attr_needs_pmu(&plan->events[i].attr);
	}
	int error;
	bool whole = fits(packer, &trial, SIZE_MAX, &error);
	if (!whole && !wish->weak)
		return fail_group(packer, &trial, error);
	size_t number = packer->n_packs;
	if (whole)
		packer->packs[packer->n_packs++] = (struct pack){.is_explicit = true,
			.needs_pmu = trial.needs_pmu,
			.core_pmu = trial.core_pmu};
	for (size_t i = 0; i < trial.n_members; i++) {
		if (whole)
			add_member(packer, number, trial.members[i]);
		else
			pack_free_event(packer, trial.members[i]);
	}
	return true;
}

static bool pack_all(struct packer *packer)
{
	struct rs_plan *plan = packer->plan;
	for (size_t i = 0; i < plan->n_events; i++) {
		if (plan->events[i].status != RS_EVENT_OK || plan->events[i].group >= 0)
			continue;
		if (packer->wishes[i].written < 0)
			pack_free_event(packer, i);
		else if (!pack_written_group(packer, i))
			return false;
	}
	if (packer->n_packs <= RS_MAX_GROUPS)
		return true;
	rs_err_set(packer->err, "the events need %zu groups, more than %u", packer->n_packs,
		RS_MAX_GROUPS);
	if (rs_core_pmus_are_several(&plan->core_pmus))
		rs_err_add_line(packer->err, "a group counts once for each of the %zu core PMUs",
			plan->core_pmus.n);
	return rs_err_add_line(packer->err, "try: fewer events, or fewer {groups}");
}

/* Reorder plan->events so that the events of each group are adjacent. Afterwards the indexes in
 * packs[] are no longer valid. */
static void bring_together(struct packer *packer)
{
	struct rs_plan *plan = packer->plan;
	struct rs_event *sorted = rs_arena_array(&plan->arena, plan->n_events, sizeof(*sorted));
	plan->groups = rs_arena_array(&plan->arena, packer->n_packs, sizeof(*plan->groups));
	size_t n_sorted = 0;
	/* -1: the unsupported events before the first supported one, which come before group 0 */
	for (int number = -1; number < (int)packer->n_packs; number++) {
		size_t first = n_sorted;
		for (size_t i = 0; i < plan->n_events; i++)
			if (number >= 0 && plan->events[i].group == number)
				sorted[n_sorted++] = plan->events[i];
		if (number >= 0) {
			const struct pack *pack = &packer->packs[number];
			plan->groups[plan->n_groups++] = (struct rs_group){
				.first = first,
				.n_events = n_sorted - first,
				.in_regions = sorted[first].in_regions,
				.core_pmu = pack->core_pmu,
			};
		}
		int group = -1; /* group of the last supported event before events[i] */
		for (size_t i = 0; i < plan->n_events; i++) {
			if (plan->events[i].status == RS_EVENT_OK)
				group = plan->events[i].group;
			else if (group == number)
				sorted[n_sorted++] = plan->events[i];
		}
	}
	plan->events = sorted;
}

bool rs_group_pack(struct rs_plan *plan, const struct rs_group_wish *wishes,
	const struct rs_host *host, struct rs_err *err)
{
	struct rs_arena scratch = {0};
	struct packer *packer = rs_arena_array(&scratch, 1, sizeof(*packer));
	packer->plan = plan;
	packer->wishes = wishes;
	packer->host = host;
	packer->err = err;
	bool ok = pack_all(packer);
	if (ok)
		bring_together(packer);
	rs_arena_finish(&scratch);
	return ok;
}
