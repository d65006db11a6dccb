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

/* A group while it is packed. Its members are the events with its number. */
struct pack {
	bool is_explicit;
	bool needs_pmu;
	bool in_regions;
	size_t core_pmu; /* 1 + index of the core PMU of all its events; 0: none */
};

struct packer {
	struct rs_plan *plan;
	struct rs_group_wish *wishes;
	const struct rs_host *host;
	struct pack packs[RS_MAX_EVENTS];
	int n_packs;
	struct rs_err *err;
};

static bool is_usage(const struct rs_event *event)
{
	return event->attr.type == RS_TYPE_RUSAGE;
}

/* Return true if the kernel can open all events with this number as one group. If it cannot, return
 * false and set *error. */
static bool fits(const struct packer *packer, int number, int *error)
{
	const struct perf_event_attr *attrs[RS_MAX_EVENTS];
	size_t n_attrs = 0;
	for (size_t i = 0; i < packer->plan->n_events; i++)
		if (packer->plan->events[i].group == number)
			attrs[n_attrs++] = &packer->plan->events[i].attr;
	return rs_probe_group(packer->host, attrs, n_attrs, error) == n_attrs;
}

static void add_pack(struct packer *packer, const struct rs_event *first, bool is_explicit)
{
	packer->packs[packer->n_packs++] = (struct pack){.is_explicit = is_explicit,
		.needs_pmu = rs_attr_needs_pmu(&first->attr),
		.in_regions = first->in_regions,
		.core_pmu = first->core_pmu};
}

/* Put an event into the first group that accepts it, or into a new one. */
static void pack_free_event(struct packer *packer, struct rs_event *event)
{
	bool needs_pmu = rs_attr_needs_pmu(&event->attr);
	for (int number = 0; number < packer->n_packs; number++) {
		const struct pack *pack = &packer->packs[number];
		int error;
		if (pack->is_explicit || pack->needs_pmu != needs_pmu ||
			pack->core_pmu != event->core_pmu || pack->in_regions != event->in_regions)
			continue;
		event->group = number;
		if (fits(packer, number, &error))
			return;
	}
	event->group = packer->n_packs;
	add_pack(packer, event, false);
}

static void write_names(const struct packer *packer, int number, char *out, size_t out_bytes)
{
	out[0] = '\0';
	for (size_t i = 0; i < packer->plan->n_events; i++) {
		size_t used = strlen(out);
		if (packer->plan->events[i].group != number)
			continue;
		if (used > 0 && used + 2 < out_bytes)
			strcpy(out + used++, ",");
		rs_text_escape(out + used, out_bytes - used, packer->plan->events[i].name);
	}
}

static bool fail_group(const struct packer *packer, int number, size_t core_pmu, int error)
{
	char names[512];
	write_names(packer, number, names, sizeof(names));
	if (error != EINVAL)
		return rs_err_set_errno(packer->err, error,
			"cannot test whether the group {%s} fits the PMU", names);
	const struct rs_core_pmus *core_pmus = &packer->plan->core_pmus;
	const char *pmu = core_pmu ? core_pmus->items[core_pmu - 1].name : "";
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
 * are events of getrusage(2). The other events of the {group} get groups of their own. If the
 * kernel group does not fit and may be split, its events become free events.
 */
static bool pack_written_group(struct packer *packer, size_t first)
{
	struct rs_event *events = packer->plan->events;
	struct rs_group_wish *wishes = packer->wishes;
	const struct rs_group_wish wish = wishes[first];
	int number = packer->n_packs, error;
	for (size_t i = first; i < packer->plan->n_events; i++)
		if (wishes[i].written == wish.written && events[i].status == RS_EVENT_OK &&
			events[i].core_pmu == events[first].core_pmu &&
			is_usage(&events[i]) == is_usage(&events[first]))
			events[i].group = number;
	if (fits(packer, number, &error)) {
		add_pack(packer, &events[first], true);
		return true;
	}
	if (!wish.weak)
		return fail_group(packer, number, events[first].core_pmu, error);
	for (size_t i = first; i < packer->plan->n_events; i++)
		if (events[i].group == number)
			events[i].group = wishes[i].written = -1;
	return true;
}

static bool pack_all(struct packer *packer)
{
	struct rs_plan *plan = packer->plan;
	for (size_t i = 0; i < plan->n_events; i++) {
		if (plan->events[i].status != RS_EVENT_OK || plan->events[i].group >= 0)
			continue;
		if (packer->wishes[i].written >= 0 && !pack_written_group(packer, i))
			return false;
		if (plan->events[i].group < 0)
			pack_free_event(packer, &plan->events[i]);
	}
	if (packer->n_packs <= (int)RS_MAX_GROUPS)
		return true;
	rs_err_set(packer->err, "the events need %d groups, more than %u", packer->n_packs,
		RS_MAX_GROUPS);
	if (rs_core_pmus_are_several(&plan->core_pmus))
		rs_err_add_line(packer->err, "a group counts once for each of the %zu core PMUs",
			plan->core_pmus.n);
	return rs_err_add_line(packer->err, "try: fewer events, or fewer {groups}");
}

/* Reorder plan->events so that the events of each group are adjacent. */
static void bring_together(struct packer *packer)
{
	struct rs_plan *plan = packer->plan;
	struct rs_event *sorted = rs_arena_array(&plan->arena, plan->n_events, sizeof(*sorted));
	plan->groups = rs_arena_array(&plan->arena, (size_t)packer->n_packs, sizeof(*plan->groups));
	size_t n_sorted = 0;
	/* -1: the unsupported events before the first supported one, which come before group 0 */
	for (int number = -1; number < packer->n_packs; number++) {
		size_t first = n_sorted;
		for (size_t i = 0; i < plan->n_events; i++)
			if (number >= 0 && plan->events[i].group == number)
				sorted[n_sorted++] = plan->events[i];
		if (number >= 0) {
			plan->groups[plan->n_groups++] = (struct rs_group){
				.first = first,
				.n_events = n_sorted - first,
				.in_regions = packer->packs[number].in_regions,
				.core_pmu = packer->packs[number].core_pmu,
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

bool rs_group_pack(struct rs_plan *plan, struct rs_group_wish *wishes, const struct rs_host *host,
	struct rs_err *err)
{
	struct packer packer = {.plan = plan, .wishes = wishes, .host = host, .err = err};
	bool ok = pack_all(&packer);
	if (ok)
		bring_together(&packer);
	return ok;
}
