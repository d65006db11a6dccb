/* SPDX-License-Identifier: MIT */
/*
 * This file adds those default events to a plan that the machine can count. A note names the
 * others. The user did not ask for these events, so none of them causes an error.
 */
#include "plan/builder.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plan/syntax.h"

/* The default events that are not counted, and the reason. */
struct omission {
	char names[128]; /* "branches, branch-misses" */
	/* the reason for the first of them */
	char brief[sizeof(((struct rs_reason *)NULL)->brief)];
};

/* Add one default event if this machine can count it, and increment *n_added. Otherwise append its
 * name to omission. */
static bool add_default_event(struct rs_builder *builder, const char *name, bool in_regions,
	struct omission *omission, size_t *n_added)
{
	const struct rs_syntax_event written = {
		.text = name, .head = name, .modifiers = "", .group_modifiers = "", .group = -1};
	const struct rs_placement placement = {-1, in_regions, !builder->no_totals};
	struct rs_resolved resolved;
	struct rs_reason reason;
	if (!rs_resolve(&resolved, &builder->plan->arena, builder->host, &written, builder->err))
		return false;
	bool counted = false;
	bool ok = rs_builder_add(builder, &resolved, &placement, &counted, &reason);
	*n_added += counted;
	if (!ok || counted)
		return ok;
	if (!*omission->names)
		snprintf(omission->brief, sizeof(omission->brief), "%s", reason.brief);
	rs_text_list(omission->names, sizeof(omission->names), name);
	rs_builder_remove_last(builder->plan);
	return true;
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

bool rs_defaults_add(struct rs_builder *builder)
{
	static const char *const regions[] = {
		"cycles", "instructions", "branches", "branch-misses"};
	static const char *const totals[] = {"task-clock", "page-faults", "context-switches"};
	const size_t n_essential = 2; /* cycles and instructions: most ratios need both */
	struct omission hardware = {0};
	struct omission software = {0};
	struct rs_plan *plan = builder->plan;
	size_t n_added = 0;
	builder->strict = false; /* the user did not ask for these events, so none is an error */
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		if (!add_default_event(builder, regions[i], true, &hardware, &n_added))
			return false;
		if (i + 1 == n_essential && n_added < n_essential)
			break;
	}
	bool has_hardware = n_added >= n_essential;
	while (!has_hardware && plan->n_events > 0)
		rs_builder_remove_last(plan);
	bool wants_totals = !has_hardware && !builder->no_totals;
	for (size_t i = 0; wants_totals && i < sizeof(totals) / sizeof(totals[0]); i++)
		if (!add_default_event(builder, totals[i], false, &software, &n_added))
			return false;
	set_note(plan, &hardware, &software, has_hardware);
	return true;
}
