/* SPDX-License-Identifier: MIT */
/*
 * Tests of packing events into groups, on a kernel whose groups hold a known number of hardware
 * events.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "plan/builder.h"
#include "plan/probe.h"

static struct rs_err err;
static char out[256];

TestSuite(group, .init = machine_init, .fini = machine_finish);
TestSuite(probe, .init = machine_init, .fini = machine_finish);

/*
 * Pack events, one for each letter: 'h' is a hardware event, 's' a software event, 'x' an
 * unsupported one. A digit after the letter puts the event into the {group} with that number, and
 * 'w' makes that group weak. out names the events by their positions. Groups are divided by '|',
 * and unsupported events are in parentheses.
 */
static bool pack(int n_counters, const char *events)
{
	machine.n_counters = n_counters;
	struct rs_event all[32] = {0};
	struct rs_plan plan = {.events = all};
	struct rs_group_wish wishes[32];
	for (const char *at = events; *at; at++) {
		if (*at == 'w') {
			wishes[plan.n_events - 1].weak = true;
		} else if (*at >= '0' && *at <= '9') {
			wishes[plan.n_events - 1].written = *at - '0';
		} else {
			struct rs_event *event = &plan.events[plan.n_events];
			wishes[plan.n_events] = (struct rs_group_wish){.written = -1};
			event->name = "e";
			event->attr.type = *at == 's' ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
			event->status = *at == 'x' ? RS_EVENT_NOT_SUPPORTED : RS_EVENT_OK;
			event->in_regions = true;
			event->position = plan.n_events++;
		}
	}
	bool ok = rs_group_pack(&plan, wishes, &machine.host, &err);
	cr_expect_eq(machine.n_open, 0, "descriptors left open");
	out[0] = '\0';
	size_t group = 0;
	for (size_t i = 0; ok && i < plan.n_events; i++) {
		const struct rs_event *event = &plan.events[i];
		char text[32];
		if (event->status != RS_EVENT_OK) {
			cr_expect_eq(event->group, -1);
			snprintf(text, sizeof(text), "(%zu)", event->position);
			strcat(out, text);
			continue;
		}
		if (group < plan.n_groups && plan.groups[group].first == i) {
			strcat(out, group > 0 ? "|" : "");
			group++;
		}
		cr_expect_eq(event->group, (int)group - 1);
		cr_expect_lt(i, plan.groups[group - 1].first + plan.groups[group - 1].n_events);
		snprintf(text, sizeof(text), "%zu", event->position);
		strcat(out, text);
	}
	cr_expect(!ok || group == plan.n_groups);
	rs_plan_finish(&plan);
	return ok;
}

static void check(int n_counters, const char *events, const char *expected)
{
	cr_expect(pack(n_counters, events), "%s: %s", events, err.text);
	cr_expect_str_eq(out, expected);
}

Test(group, packs_in_order)
{
	check(4, "", "");
	check(4, "h", "0");
	check(4, "hhhh", "0123");
	check(4, "hhhhh", "0123|4");
	check(2, "hhhhh", "01|23|4");
	check(1, "hhh", "0|1|2");
}

Test(group, keeps_software_apart)
{
	check(4, "sss", "012");
	check(1, "ssssssssss", "0123456789");
	check(4, "hsh", "02|1");
	check(2, "shhhs", "04|12|3");
}

Test(group, keeps_what_was_written)
{
	check(4, "h0h0", "01");
	check(4, "hh0h0h", "03|12");
	check(4, "h0h0h1h1", "01|23");
	check(4, "h0s0", "01");
	check(4, "s0h0s", "01|2");
	check(4, "s0s", "0|1");
}

Test(group, splits_a_weak_one)
{
	check(4, "h0wh0w", "01");
	check(2, "h0wh0wh0w", "01|2");
}

Test(group, leaves_out_what_is_not_supported)
{
	check(4, "x", "(0)");
	check(4, "hxh", "02(1)");
	check(4, "xhh", "(0)12");
	check(4, "h0x0h0", "02(1)");
	check(4, "x0x0", "(0)(1)");
	check(2, "hhxhx", "01(2)|3(4)");
}

Test(group, refuses_one_that_does_not_fit)
{
	cr_expect_not(pack(2, "h0h0h0"));
	cr_expect(strstr(err.text, "the group {e,e,e} does not fit the PMU (EINVAL)\n"), "%s",
		err.text);
	cr_expect(strstr(err.text, "\n  try: "), "%s", err.text);
}

Test(group, refuses_too_many)
{
	cr_expect(pack(1, "hhhhhhhhhhhhhhhh"));
	cr_expect_not(pack(1, "hhhhhhhhhhhhhhhhh"));
	cr_expect(strstr(err.text, "the events need 17 groups, more than 16"), "%s", err.text);
}

Test(probe, finds_how_many_fit)
{
	machine.n_counters = 3;
	const struct perf_event_attr hardware = {.type = PERF_TYPE_HARDWARE};
	const struct perf_event_attr *attrs[33];
	int error;
	for (size_t i = 0; i < 33; i++)
		attrs[i] = &hardware;
	cr_expect_eq(rs_probe_group(&machine.host, attrs, 0, &error), 0);
	cr_expect_eq(error, 0);
	cr_expect_eq(rs_probe_group(&machine.host, attrs, 3, &error), 3);
	cr_expect_eq(error, 0);
	cr_expect_eq(rs_probe_group(&machine.host, attrs, 5, &error), 3);
	cr_expect_eq(error, EINVAL);
	cr_expect_eq(rs_probe_group(&machine.host, attrs, 33, &error), 0);
	cr_expect_eq(error, E2BIG);
	cr_expect_eq(machine.n_open, 0);
}

Test(probe, falls_back_as_perf_does)
{
	static const struct machine_refusal absent[] = {
		{PERF_TYPE_HARDWARE, UINT64_MAX, ENOENT}, {0}};
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE};
	struct rs_probe probe = rs_probe_event(&machine.host, &attr, false);
	cr_expect(!probe.error && !probe.user_only && !attr.exclude_kernel);

	machine.kernel_error = EACCES;
	probe = rs_probe_event(&machine.host, &attr, true);
	cr_expect(probe.error == EACCES && !attr.exclude_kernel);
	probe = rs_probe_event(&machine.host, &attr, false);
	cr_expect(!probe.error && probe.user_only && attr.exclude_kernel && attr.exclude_hv);

	/* If an event does not exist, the message says so, even if permission is missing as
	 * well. */
	machine.refusals = absent;
	attr = (struct perf_event_attr){.type = PERF_TYPE_HARDWARE};
	probe = rs_probe_event(&machine.host, &attr, true);
	cr_expect(probe.error == ENOENT && !attr.exclude_kernel);

	machine.kernel_error = 0;
	machine.refusals = NULL;
	machine.has_no_guest = true;
	attr.exclude_guest = 1;
	probe = rs_probe_event(&machine.host, &attr, false);
	cr_expect(!probe.error && !attr.exclude_guest);
}
