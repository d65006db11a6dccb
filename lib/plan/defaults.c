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
	char text[64];
	snprintf(text, sizeof(text), "%s", name);
	char none[] = "";
	const struct rs_syntax_event written = {.text = text,
		.head = text,
		.modifiers = none,
		.group_modifiers = none,
		.group = -1};
	const struct rs_placement placement = {-1, in_regions, !builder->no_totals};
	struct rs_resolved resolved;
	struct rs_reason reason;
	if (!rs_resolve(&resolved, builder->host, &written, builder->err))
		return false;
	bool counted = false;
	bool ok = rs_builder_add(builder, &resolved, &placement, &counted, &reason);
	rs_resolved_finish(&resolved);
	*n_added += counted;
	if (!ok || counted)
		return ok;
	if (!*omission->names)
		snprintf(omission->brief, sizeof(omission->brief), "%s", reason.brief);
	rs_text_list(omission->names, sizeof(omission->names), name);
	rs_builder_remove_last(builder->plan);
	return true;
}

static bool set_note(struct rs_builder *builder, const struct omission *hardware,
	const struct omission *software, bool has_hardware)
{
	struct rs_plan *plan = builder->plan;
	bool same = strcmp(software->brief, hardware->brief) == 0;
	int length = 0;
	if (has_hardware && *hardware->names)
		length = asprintf(
			&plan->note, "%s not counted: %s", hardware->names, hardware->brief);
	else if (!has_hardware && (same || !*software->names))
		length = asprintf(&plan->note, "%s not counted: %s; regions show time only",
			same ? "hardware and software events" : "hardware events", hardware->brief);
	else if (!has_hardware)
		length = asprintf(&plan->note,
			"hardware events not counted: %s; %s not counted: %s; regions show time "
			"only",
			hardware->brief, software->names, software->brief);
	if (length >= 0)
		return true;
	plan->note = NULL;
	return rs_builder_no_memory(builder->err);
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
	return set_note(builder, &hardware, &software, has_hardware);
}
