/* SPDX-License-Identifier: MIT */
/*
 * Making the plan. In: the user's event strings, or none. Out: events that are resolved, tried and
 * grouped; for those that cannot be counted, the reason. The rooms beside this file do the parts.
 */
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "plan/fit.h"
#include "plan/pack.h"
#include "plan/core_parts.h"
#include "plan/reason.h"
#include "plan/resolve.h"
#include "plan/settle.h"
#include "plan/syntax.h"
#include "segment/layout.h"

struct builder {
	struct rs_plan *plan;
	struct rs_group_wish *wishes; /* parallel to plan->events, RS_MAX_EVENTS of them */
	const struct rs_host *host;
	bool strict;
	bool no_totals;
	struct rs_err *err;
};

/* Where an event is counted, and with which. */
struct placement {
	int group; /* number of its {group}, or -1 */
	bool in_regions;
	bool in_totals;
};

static bool no_memory(struct rs_err *err)
{
	return rs_err_set(err, "cannot make the event plan: out of memory");
}

static void remove_last_event(struct rs_plan *plan)
{
	struct rs_event *event = &plan->events[--plan->n_events];
	free(event->name);
	free(event->part_name);
	free(event->help);
	free(event->reason);
	memset(event, 0, sizeof(*event));
}

static bool fail_too_many(const struct builder *builder)
{
	const struct rs_core_pmus *core_pmus = &builder->plan->core_pmus;
	rs_err_set(builder->err, "more than %u events", RS_MAX_EVENTS);
	if (rs_core_pmus_are_several(core_pmus))
		rs_err_add_line(builder->err,
			"an event without a PMU is one on each of the %zu core PMUs: %s/.../, "
			"%s/.../%s",
			core_pmus->n, core_pmus->items[0].name, core_pmus->items[1].name,
			core_pmus->n > 2 ? ", ..." : "");
	return rs_err_add_line(builder->err, "try: several runs with fewer events each");
}

/* Settle an event and add it. position: of what the user wrote. resolved: known_error set to why
 * it is not supported, or 0. reason: filled when it is not. */
static bool add_one(struct builder *builder, struct rs_resolved *resolved,
	const struct placement *placement, size_t position, struct rs_reason *reason)
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
	if (!rs_settle(&event, resolved, builder->host, reason)) {
		free(event.reason);
		return no_memory(builder->err);
	}
	event.core_pmu = rs_core_pmus_of(&plan->core_pmus, &event.attr);
	builder->wishes[plan->n_events] = (struct rs_group_wish){
		.written = placement->group, .weak = resolved->modifiers.weak};
	plan->events[plan->n_events++] = event;
	return true;
}

/* Whether any of the events from first on can be counted. */
static bool any_counted(const struct rs_plan *plan, size_t first)
{
	for (size_t i = first; i < plan->n_events; i++)
		if (plan->events[i].status == RS_EVENT_OK)
			return true;
	return false;
}

/* Add the event once for each core PMU; not at all, with *error set, if none can count it. */
static bool add_parts(struct builder *builder, const struct rs_resolved *whole,
	const struct placement *placement, int *error)
{
	struct rs_plan *plan = builder->plan;
	size_t first = plan->n_events;
	for (size_t i = 0; i < plan->core_pmus.n; i++) {
		struct rs_resolved part;
		struct rs_reason reason;
		if (!rs_parts_make(
			    &part, whole, builder->host, &plan->core_pmus.items[i], builder->err))
			return false;
		bool ok = add_one(builder, &part, placement, first, &reason);
		if (ok) {
			struct rs_event *event = &plan->events[plan->n_events - 1];
			event->core_pmu = 1 + i;
			event->part_name = rs_parts_name(&part);
			ok = event->part_name || no_memory(builder->err);
		}
		*error = i == 0 ? part.known_error : *error;
		rs_resolved_finish(&part);
		if (!ok)
			return false;
	}
	while (plan->n_events > first && !any_counted(plan, first))
		remove_last_event(plan);
	return true;
}

/* *counted: whether any of it is supported. reason: filled when it is not. */
static bool add_event(struct builder *builder, struct rs_resolved *resolved,
	const struct placement *placement, bool *counted, struct rs_reason *reason)
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

static bool is_time(const struct rs_syntax_event *written)
{
	return strcspn(written->head, ":") == strlen("time") &&
	       strncasecmp(written->head, "time", strlen("time")) == 0;
}

/* It is measured always; what could be said of it beyond its name means nothing. */
static bool check_time(const struct rs_syntax_event *written, struct rs_err *err)
{
	if (strlen(written->text) == strlen("time"))
		return true;
	rs_err_set(err, "bad event '%s': time takes no modifiers and no terms",
		rs_text_shown(written->text).text);
	return rs_err_add_line(err, "try: time, or task-clock for time on a CPU");
}

static bool add_written_events(struct builder *builder, const struct rs_plan_options *options)
{
	struct rs_syntax syntax = {0};
	bool ok = true;
	for (size_t i = 0; ok && i < options->n_event_strings; i++)
		ok = rs_syntax_parse(&syntax, options->event_strings[i], builder->err);
	for (size_t i = 0; ok && i < syntax.n_events; i++) {
		const struct rs_syntax_event *written = &syntax.events[i];
		if (is_time(written)) {
			ok = check_time(written, builder->err);
			continue;
		}
		struct rs_resolved resolved;
		struct rs_reason reason;
		bool counted;
		const struct placement placement = {written->group, true, !builder->no_totals};
		ok = rs_resolve(&resolved, builder->host, written, builder->err);
		if (ok) {
			ok = add_event(builder, &resolved, &placement, &counted, &reason);
			rs_resolved_finish(&resolved);
		}
	}
	rs_syntax_finish(&syntax);
	return ok;
}

/* What is left out of the default events, and why. */
struct omission {
	char names[128]; /* "branches, branch-misses" */
	char brief[sizeof(((struct rs_reason *)NULL)->brief)]; /* of the first */
};

/* Add one of the default events if it can be counted; *n_added counts it then. */
static bool add_default_event(struct builder *builder, const char *name, bool in_regions,
	struct omission *omission, size_t *n_added)
{
	char text[64];
	snprintf(text, sizeof(text), "%s", name);
	char none[] = "";
	const struct rs_syntax_event written = {.text = text,
		.head = text,
		.modifiers = none,
		.group_modifiers = none,
		.group = -1};
	const struct placement placement = {-1, in_regions, !builder->no_totals};
	struct rs_resolved resolved;
	struct rs_reason reason;
	if (!rs_resolve(&resolved, builder->host, &written, builder->err))
		return false;
	bool counted = false;
	bool ok = add_event(builder, &resolved, &placement, &counted, &reason);
	rs_resolved_finish(&resolved);
	*n_added += counted;
	if (!ok || counted)
		return ok;
	size_t used = strlen(omission->names);
	snprintf(omission->names + used, sizeof(omission->names) - used, "%s%s",
		used > 0 ? ", " : "", name);
	if (used == 0)
		snprintf(omission->brief, sizeof(omission->brief), "%s", reason.brief);
	remove_last_event(builder->plan);
	return true;
}

static bool set_note(struct builder *builder, const struct omission *hardware,
	const struct omission *software, bool has_hardware)
{
	struct rs_plan *plan = builder->plan;
	bool same = strcmp(software->brief, hardware->brief) == 0;
	int length = 0;
	if (has_hardware && *hardware->names)
		length = asprintf(&plan->note, "%s left out: %s", hardware->names, hardware->brief);
	else if (!has_hardware && (same || !*software->names))
		length = asprintf(&plan->note, "%s left out: %s; regions measure time alone",
			same ? "hardware and software events" : "hardware events", hardware->brief);
	else if (!has_hardware)
		length = asprintf(&plan->note,
			"hardware events left out: %s; %s left out: %s; regions measure time alone",
			hardware->brief, software->names, software->brief);
	if (length >= 0)
		return true;
	plan->note = NULL;
	return no_memory(builder->err);
}

static bool add_default_events(struct builder *builder)
{
	static const char *const regions[] = {
		"cycles", "instructions", "branches", "branch-misses"};
	static const char *const totals[] = {"task-clock", "page-faults", "context-switches"};
	const size_t n_essential = 2; /* without one of the first two, ratios mean nothing */
	struct omission hardware = {0};
	struct omission software = {0};
	struct rs_plan *plan = builder->plan;
	size_t n_added = 0;
	builder->strict = false; /* nobody asked for any of these */
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		if (!add_default_event(builder, regions[i], true, &hardware, &n_added))
			return false;
		if (i + 1 == n_essential && n_added < n_essential)
			break;
	}
	bool has_hardware = n_added >= n_essential;
	while (!has_hardware && plan->n_events > 0)
		remove_last_event(plan);
	bool wants_totals = !has_hardware && !builder->no_totals;
	for (size_t i = 0; wants_totals && i < sizeof(totals) / sizeof(totals[0]); i++)
		if (!add_default_event(builder, totals[i], false, &software, &n_added))
			return false;
	return set_note(builder, &hardware, &software, has_hardware);
}

bool rs_plan_init_on(struct rs_plan *plan, const struct rs_plan_options *options,
	const struct rs_host *host, struct rs_err *err)
{
	struct builder builder = {.plan = plan,
		.host = host,
		.strict = options->strict,
		.no_totals = options->no_totals,
		.err = err};
	memset(plan, 0, sizeof(*plan));
	rs_core_pmus_find(&plan->core_pmus, host);
	bool ok = false;
	plan->events = calloc(RS_MAX_EVENTS, sizeof(*plan->events));
	builder.wishes = calloc(RS_MAX_EVENTS, sizeof(*builder.wishes));
	if (!plan->events || !builder.wishes) {
		no_memory(err);
		goto out;
	}
	if (options->n_event_strings > 0)
		ok = add_written_events(&builder, options);
	else
		ok = add_default_events(&builder);
	ok = ok && rs_group_pack(plan, builder.wishes, host, err) &&
	     rs_fit_settle(plan, host, options->pin, err);
out:
	free(builder.wishes);
	if (!ok)
		rs_plan_finish(plan);
	return ok;
}

const struct rs_event *rs_plan_event_of(const struct rs_plan *plan, uint32_t quantity)
{
	for (size_t i = 0; i < plan->n_events && quantity > 0; i++)
		if (plan->events[i].quantity == quantity)
			return &plan->events[i];
	return NULL;
}

bool rs_event_is_same(const struct rs_event *a, const struct rs_event *b)
{
	return a->position == b->position;
}

bool rs_plan_init(struct rs_plan *plan, const struct rs_plan_options *options, struct rs_err *err)
{
	return rs_plan_init_on(plan, options, rs_host_self(), err);
}

void rs_plan_finish(struct rs_plan *plan)
{
	if (!plan)
		return;
	while (plan->n_events > 0)
		remove_last_event(plan);
	free(plan->events);
	free(plan->groups);
	free(plan->note);
	free(plan->fit_note);
	memset(plan, 0, sizeof(*plan));
}

static_assert(sizeof(struct perf_event_attr) <= RS_ATTR_BYTES, "an attr fits the segment");

void rs_plan_segment_events(struct rs_plan *plan, struct rs_segment_event *events,
	uint32_t *n_events, uint32_t *n_groups)
{
	*n_events = 0;
	*n_groups = 0;
	for (size_t e = 0; e < plan->n_events; e++)
		plan->events[e].quantity = 0;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct rs_group *group = &plan->groups[g];
		if (!group->in_regions)
			continue;
		for (size_t i = 0; i < group->n_events; i++) {
			struct rs_event *planned = &plan->events[group->first + i];
			struct perf_event_attr attr = planned->attr;
			attr.size = sizeof(attr);
			attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
					   PERF_FORMAT_TOTAL_TIME_RUNNING;
			attr.disabled = 0;
			attr.inherit = 0;
			attr.pinned = group->pinned && i == 0;
			struct rs_segment_event *event = &events[(*n_events)++];
			planned->quantity = *n_events;
			memset(event, 0, sizeof(*event));
			event->group = *n_groups;
			memcpy(event->attr, &attr, sizeof(attr));
			event->core_pmu = (uint32_t)group->core_pmu;
		}
		(*n_groups)++;
	}
}
