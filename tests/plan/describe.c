/* SPDX-License-Identifier: MIT */
#include "describe.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

struct rs_plan plan;
struct rs_err err;

bool make_plan(const char *events, struct rs_plan_options options)
{
	if (events) {
		options.event_strings = &events;
		options.n_event_strings = 1;
	}
	rs_plan_finish(&plan);
	memset(&err, 0, sizeof(err));
	bool made = rs_plan_init_on(&plan, &options, &machine.host, &err);
	cr_expect_eq(machine.n_open, 0, "descriptors left open");
	cr_expect_eq(CPU_COUNT(&machine.cpus), 16, "the thread is not back where it was");
	return made;
}

void finish_plan(void)
{
	rs_plan_finish(&plan);
	machine_finish();
}

void check_plan(const char *events, const char *expected)
{
	cr_expect(make_plan(events, (struct rs_plan_options){0}), "%s: %s", events, err.text);
	cr_expect_str_eq(describe_events(), expected, "%s: %s", events ? events : "default",
		describe_events());
}

void check_refused(const char *events, const char *message)
{
	cr_expect_not(make_plan(events, (struct rs_plan_options){0}), "%s", events);
	cr_expect(strncmp(err.text, message, strlen(message)) == 0, "%s: %s", events, err.text);
	cr_expect(strstr(err.text, "\n  "), "%s", err.text);
	cr_expect_eq(plan.n_events, 0);
	cr_expect_null(plan.events);
}

const char *describe_events(void)
{
	static char out[2048];
	out[0] = '\0';
	int group = -1;
	for (size_t i = 0; i < plan.n_events; i++) {
		const struct rs_event *event = &plan.events[i];
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

const char *describe_groups(void)
{
	static char out[64];
	out[0] = '\0';
	for (size_t g = 0; g < plan.n_groups; g++) {
		strcat(out, plan.groups[g].pinned ? "p" : "f");
		strcat(out, plan.groups[g].totals_apart ? "a" : "");
		strcat(out, plan.groups[g].totals_whole ? "w" : "");
	}
	return out;
}

void expect_fit(const char *what, const char *groups, bool rotate, const char *note)
{
	cr_expect_str_eq(describe_groups(), groups, "%s: %s", what, describe_groups());
	cr_expect_eq(plan.regions_rotate, rotate);
	cr_expect_str_eq(plan.fit_note ? plan.fit_note : "", note, "%s", what);
}
