/* SPDX-License-Identifier: MIT */
#include "describe.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

const char *describe_events(const struct rs_plan *plan)
{
	static char out[2048];
	out[0] = '\0';
	int group = -1;
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		bool ok = event->status == RS_EVENT_OK;
		bool divide = ok && group >= 0 && event->group != group;
		size_t used = strlen(out);
		snprintf(out + used, sizeof(out) - used, "%s%s%s%s%s%s%s", used > 0 ? " " : "",
			divide ? "| " : "", ok ? "" : "(", event->name, event->part_name ? "=" : "",
			event->part_name ? event->part_name : "", ok ? "" : ")");
		group = ok ? event->group : group;
		cr_expect_eq(ok, event->reason == NULL);
	}
	return out;
}

const char *describe_groups(const struct rs_plan *plan)
{
	static char out[64];
	out[0] = '\0';
	for (size_t g = 0; g < plan->n_groups; g++) {
		strcat(out, plan->groups[g].pinned ? "p" : "f");
		strcat(out, plan->groups[g].totals_apart ? "a" : "");
		strcat(out, plan->groups[g].totals_whole ? "w" : "");
	}
	return out;
}

void expect_fit(const struct rs_plan *plan, const char *what, const char *groups, bool rotate,
	const char *note)
{
	cr_expect_str_eq(describe_groups(plan), groups, "%s: %s", what, describe_groups(plan));
	cr_expect_eq(plan->regions_rotate, rotate);
	cr_expect_str_eq(plan->fit_note, note);
}
