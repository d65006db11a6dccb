/* SPDX-License-Identifier: MIT */
/*
 * This file adds events to a plan. Its input is a resolved event and where to count it: in regions,
 * for the whole run, or both. It tries the event with perf_event_open(2) as the user asked, then
 * with less precision, with another encoding, or in user space only. It adds the event to the plan.
 * If the event cannot be counted, the plan also gets the reason. On a machine with cores of several
 * types it adds one event for each type.
 */
#include "plan/builder.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "segment/layout.h"

void rs_builder_remove_last(struct rs_plan *plan)
{
	plan->events[--plan->n_events] = (struct rs_event){.name = NULL};
}

/* ---- whether and how an event can be counted ---- */

/* Return true for the errors that more privileges, another sysctl or another seccomp filter would
 * avoid (perf_event_open(2), ERRORS). */
static bool is_denial(int error)
{
	return error == EACCES || error == EPERM;
}

/* Add the modifier u to the name, as perf does: cycles:u, cycles:pu, cpu/event=0x3c/u. */
static void mark_user_only(struct rs_resolved *resolved)
{
	size_t length = strlen(resolved->name);
	bool needs_colon = resolved->name[length - 1] != '/' &&
			   rs_modifiers_split(resolved->name) == length;
	resolved->name = rs_arena_format(
		resolved->arena, "%s%su", resolved->name, needs_colon ? ":" : "");
	resolved->modifiers.user = true;
}

/* Try a resolved event. Set name, help, unit, generic, attr, status and reason of event. Set
 * resolved->known_error to the errno value of the refusal, or to 0. Fill reason if the event cannot
 * be counted. */
static void settle(struct rs_event *event, struct rs_resolved *resolved, const struct rs_host *host,
	struct rs_reason *reason)
{
	bool is_always_zero = resolved->in_kernel_only && resolved->attr.exclude_kernel;
	struct rs_probe probe = {.error = 0};
	if (!is_always_zero)
		probe = rs_resolved_probe(resolved, host);
	resolved->known_error = probe.error;
	event->unit = resolved->generic && resolved->generic->in_ns ? "ns" : "count";
	event->generic = resolved->generic;
	event->status = RS_EVENT_OK;
	event->attr = resolved->attr;
	if (probe.error || is_always_zero) {
		rs_reason_explain(reason, host, resolved, probe.error);
		event->status = is_denial(probe.error) ? RS_EVENT_NOT_PERMITTED
						       : RS_EVENT_NOT_SUPPORTED;
		event->reason = rs_arena_format(resolved->arena, "%s", reason->text.text);
	} else if (probe.user_only) {
		mark_user_only(resolved);
	}
	event->name = resolved->name;
	event->help = resolved->help;
}

/* ---- adding events ---- */

static bool fail_too_many(const struct rs_builder *builder)
{
	const struct rs_core_pmus *core_pmus = &builder->plan->core_pmus;
	rs_err_set(builder->err, "more than %u events", RS_MAX_EVENTS);
	if (rs_core_pmus_are_several(core_pmus))
		rs_err_add_line(builder->err,
			"an event without a PMU counts once for each of the %zu core PMUs: "
			"%s/.../, %s/.../%s",
			core_pmus->n, core_pmus->items[0].name, core_pmus->items[1].name,
			core_pmus->n > 2 ? ", ..." : "");
	if (builder->plan->n_metrics > 0)
		rs_err_add_line(builder->err, "events that metrics need count too, and an event in "
					      "two groups counts twice");
	return rs_err_add_line(builder->err, "try: several runs with fewer %s each",
		builder->plan->n_metrics > 0 ? "metrics or events" : "events");
}

/* Try one event and add it to the plan. position: index of the event in -e. If the kernel refuses
 * the event, set resolved->known_error and fill reason; otherwise known_error becomes 0. */
static bool add_one(struct rs_builder *builder, struct rs_resolved *resolved,
	const struct rs_placement *placement, size_t position, struct rs_reason *reason)
{
	struct rs_plan *plan = builder->plan;
	if (plan->n_events == RS_MAX_EVENTS)
		return fail_too_many(builder);
	struct rs_event event = {
		.group = -1,
		.in_regions = placement->in_regions,
		.in_totals = placement->in_totals,
		.position = position,
	};
	settle(&event, resolved, builder->host, reason);
	event.core_pmu = rs_core_pmus_of(&plan->core_pmus, &event.attr);
	builder->wishes[plan->n_events] = (struct rs_group_wish){
		.written = placement->group, .weak = resolved->modifiers.weak};
	plan->events[plan->n_events++] = event;
	return true;
}

/* Return true if at least one event from index first on can be counted. */
static bool any_counted(const struct rs_plan *plan, size_t first)
{
	for (size_t i = first; i < plan->n_events; i++)
		if (plan->events[i].status == RS_EVENT_OK)
			return true;
	return false;
}

/* Add the event once for each core PMU. If no core PMU can count it, add nothing and set *error to
 * the first PMU's errno value. */
static bool add_parts(struct rs_builder *builder, const struct rs_resolved *whole,
	const struct rs_placement *placement, int *error)
{
	struct rs_plan *plan = builder->plan;
	size_t first = plan->n_events;
	for (size_t i = 0; i < plan->core_pmus.n; i++) {
		struct rs_resolved part;
		struct rs_reason reason;
		rs_parts_make(&part, whole, builder->host, &plan->core_pmus.items[i]);
		if (!add_one(builder, &part, placement, first, &reason))
			return false;
		struct rs_event *event = &plan->events[plan->n_events - 1];
		event->core_pmu = 1 + i;
		event->part_name = rs_parts_name(&part);
		*error = i == 0 ? part.known_error : *error;
	}
	while (plan->n_events > first && !any_counted(plan, first))
		rs_builder_remove_last(plan);
	return true;
}

bool rs_builder_add(struct rs_builder *builder, struct rs_resolved *resolved,
	const struct rs_placement *placement, bool *counted, struct rs_reason *reason)
{
	struct rs_plan *plan = builder->plan;
	size_t first = plan->n_events;
	if (resolved->term && rs_core_pmus_are_several(&plan->core_pmus) &&
		!add_parts(builder, resolved, placement, &resolved->known_error))
		return false;
	if (plan->n_events == first && !add_one(builder, resolved, placement, first, reason))
		return false;
	*counted = any_counted(plan, first);
	if (*counted || !builder->strict)
		return true;
	char shown[256];
	rs_text_escape(shown, sizeof(shown), plan->events[first].name);
	rs_err_set(builder->err, "%s", plan->events[first].reason);
	return rs_err_prefix(builder->err, "cannot count '%s'", shown);
}
