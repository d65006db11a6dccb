/* SPDX-License-Identifier: MIT */
/*
 * This file makes a plan. Its input is the user's event strings, or none for the default events.
 * Its output is events that are resolved, tried and grouped, each with a reason if it cannot be
 * counted. A note names the default events that cannot be counted. The other files of this
 * directory do these steps.
 */
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "plan/builder.h"
#include "plan/syntax.h"
#include "segment/layout.h"

/* ---- events of -e and of metrics ---- */

static bool is_time(const struct rs_syntax_event *written)
{
	return strcspn(written->head, ":") == strlen("time") &&
	       strncasecmp(written->head, "time", strlen("time")) == 0;
}

/* Check an event that names time. regionstat always measures time, so the name must have no
 * modifiers and no terms. */
static bool check_time(const struct rs_syntax_event *written, struct rs_err *err)
{
	if (strlen(written->text) == strlen("time"))
		return true;
	rs_err_set(err, "bad event '%s': time takes no modifiers and no terms",
		rs_text_shown(written->text).text);
	return rs_err_add_line(err, "try: time, or task-clock for time on a CPU");
}

/* Convert the positions of metrics' events: from indexes of written events to positions in the
 * plan. */
static void place_metrics(struct rs_plan *plan, const size_t *positions)
{
	for (size_t i = 0; i < plan->n_metrics; i++) {
		struct rs_plan_metric *metric = &plan->metrics[i];
		for (size_t e = 0; !metric->reason && e < metric->rule->n_events; e++)
			metric->positions[e] = positions[metric->positions[e]];
	}
}

/* Add the events of -e, and the events that the metrics need. */
static bool add_written_events(struct rs_builder *builder)
{
	const struct rs_plan_options *options = builder->options;
	struct rs_syntax *syntax = &builder->syntax;
	struct rs_plan *plan = builder->plan;
	for (size_t i = 0; i < options->n_event_strings; i++)
		if (!rs_syntax_parse(syntax, options->event_strings[i], builder->err))
			return false;
	if (!rs_wanted_add(plan, syntax, builder->host, builder->strict, builder->err))
		return false;
	size_t *positions = rs_arena_array(syntax->arena, syntax->n_events, sizeof(*positions));
	for (size_t i = 0; i < syntax->n_events; i++) {
		const struct rs_syntax_event *written = &syntax->events[i];
		positions[i] = plan->n_events;
		struct rs_resolved resolved;
		struct rs_reason reason;
		bool counted;
		const struct rs_placement placement = {
			written->group, true, !builder->options->no_totals};
		bool ok = is_time(written) ? check_time(written, builder->err)
					   : rs_resolve(&resolved, &plan->arena, builder->host,
						     written, builder->err) &&
						     rs_builder_add(builder, &resolved, &placement,
							     &counted, &reason);
		if (!ok)
			return false;
	}
	place_metrics(plan, positions);
	return true;
}

/* ---- events of a run without -e ---- */

/* The default events that are not counted, and the reason. */
struct omission {
	char names[128]; /* "branches, branch-misses" */
	/* the reason why the first of them is not counted */
	char brief[sizeof(((struct rs_reason *)NULL)->brief)];
};

/* Add one default event if this machine can count it, and return true. Otherwise append its name to
 * omission. The calls below cannot fail: the name is a generic one, and the plan has space. */
static bool add_default_event(
	struct rs_builder *builder, const char *name, bool in_regions, struct omission *omission)
{
	const struct rs_syntax_event written = {
		.text = name, .head = name, .modifiers = "", .group_modifiers = "", .group = -1};
	const struct rs_placement placement = {-1, in_regions, !builder->options->no_totals};
	struct rs_resolved resolved;
	struct rs_reason reason;
	bool counted = false;
	rs_resolve(&resolved, &builder->plan->arena, builder->host, &written, builder->err);
	rs_builder_add(builder, &resolved, &placement, &counted, &reason);
	if (counted)
		return true;
	if (!*omission->names)
		snprintf(omission->brief, sizeof(omission->brief), "%s", reason.brief);
	rs_text_list(omission->names, sizeof(omission->names), name);
	rs_builder_remove_last(builder->plan);
	return false;
}

static void set_note(struct rs_plan *plan, const struct omission *hardware,
	const struct omission *software, bool has_hardware)
{
	struct rs_arena *arena = &plan->arena;
	bool same = strcmp(software->brief, hardware->brief) == 0;
	if (has_hardware && *hardware->names)
		plan->note = rs_arena_format(
			arena, "%s not counted: %s", hardware->names, hardware->brief);
	else if (!has_hardware && (same || !*software->names))
		plan->note = rs_arena_format(arena, "%s not counted: %s; regions show time only",
			same ? "hardware and software events" : "hardware events", hardware->brief);
	else if (!has_hardware)
		plan->note = rs_arena_format(arena,
			"hardware events not counted: %s; %s not counted: %s; regions show time "
			"only",
			hardware->brief, software->names, software->brief);
}

/* Add the default events that this machine can count. The plan's note names those that it cannot
 * count, with the reason. */
static void add_default_events(struct rs_builder *builder)
{
	static const char *const regions[] = {
		"cycles", "instructions", "branches", "branch-misses"};
	static const char *const totals[] = {"task-clock", "page-faults", "context-switches"};
	const size_t n_regions = sizeof(regions) / sizeof(regions[0]);
	const size_t n_essential = 2; /* cycles and instructions: most ratios need both */
	struct omission hardware = {0};
	struct omission software = {0};
	struct rs_plan *plan = builder->plan;
	size_t n_added = 0;
	static_assert(sizeof(regions) / sizeof(regions[0]) * RS_MAX_CORE_PMUS <= RS_MAX_EVENTS,
		"all parts of these events fit");
	builder->strict = false; /* the user did not ask for these events, so none is an error */
	for (size_t i = 0; i < n_regions && (i < n_essential || n_added >= n_essential); i++)
		n_added += add_default_event(builder, regions[i], true, &hardware);
	bool has_hardware = n_added >= n_essential;
	while (!has_hardware && plan->n_events > 0)
		rs_builder_remove_last(plan);
	bool wants_totals = !has_hardware && !builder->options->no_totals;
	for (size_t i = 0; wants_totals && i < sizeof(totals) / sizeof(totals[0]); i++)
		add_default_event(builder, totals[i], false, &software);
	set_note(plan, &hardware, &software, has_hardware);
}

/* ---- the plan ---- */

static void make(void *context)
{
	struct rs_builder *builder = context;
	const struct rs_plan_options *options = builder->options;
	struct rs_plan *plan = builder->plan;
	rs_core_pmus_find(&plan->core_pmus, builder->host);
	plan->events = rs_arena_array(&plan->arena, RS_MAX_EVENTS, sizeof(*plan->events));
	builder->wishes = rs_arena_array(&plan->arena, RS_MAX_EVENTS, sizeof(*builder->wishes));
	plan->metrics = rs_arena_array(&plan->arena, options->n_metrics, sizeof(*plan->metrics));
	for (size_t i = 0; i < options->n_metrics; i++)
		plan->metrics[plan->n_metrics++].rule = options->metrics[i];
	bool is_written = options->n_event_strings > 0 || options->n_metrics > 0;
	if (!is_written)
		add_default_events(builder);
	builder->done = (!is_written || add_written_events(builder)) &&
			rs_group_pack(plan, builder->wishes, builder->host, builder->err);
	if (builder->done)
		rs_fit_settle(plan, builder->host, options->pin);
}

bool rs_plan_init_on(struct rs_plan *plan, const struct rs_plan_options *options,
	const struct rs_host *host, struct rs_err *err)
{
	struct rs_builder builder = {.plan = plan,
		.host = host,
		.strict = options->strict,
		.err = err,
		.options = options,
		.syntax.arena = &plan->arena};
	memset(plan, 0, sizeof(*plan));
	bool ok = rs_arena_guard(make, &builder)
			  ? builder.done
			  : rs_err_set(err, "cannot make the event plan: out of memory");
	if (!ok)
		rs_plan_finish(plan);
	return ok;
}

const struct rs_event *rs_plan_event_of(const struct rs_plan *plan, uint32_t counter)
{
	for (size_t i = 0; i < plan->n_events && counter > 0; i++)
		if (plan->events[i].counter == counter)
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
	rs_arena_finish(&plan->arena);
	memset(plan, 0, sizeof(*plan));
}

static_assert(sizeof(struct perf_event_attr) <= RS_ATTR_BYTES, "an attr fits the segment");

void rs_plan_segment_events(struct rs_plan *plan, struct rs_segment_event *events,
	uint32_t *n_events, uint32_t *n_groups)
{
	*n_events = 0;
	*n_groups = 0;
	for (size_t e = 0; e < plan->n_events; e++)
		plan->events[e].counter = 0;
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
			planned->counter = *n_events;
			memset(event, 0, sizeof(*event));
			event->group = *n_groups;
			memcpy(event->attr, &attr, sizeof(attr));
			event->core_pmu = (uint32_t)group->core_pmu;
			snprintf(event->name, sizeof(event->name), "%s",
				planned->part_name ? planned->part_name : planned->name);
		}
		(*n_groups)++;
	}
}
