/* SPDX-License-Identifier: MIT */
/*
 * Prints how the plan encodes event strings on this machine, for tests that compare with other
 * tools. There is a line for each event, with fields separated by tabs.
 */
#include <stdio.h>

#include "plan/plan.h"

int main(int argc, char **argv)
{
	const struct rs_plan_options options = {
		.event_strings = (const char *const *)argv + 1,
		.n_event_strings = (size_t)argc - 1,
	};
	struct rs_plan plan;
	struct rs_err err;
	if (!rs_plan_init(&plan, &options, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < plan.n_events; i++) {
		const struct rs_event *event = &plan.events[i];
		const struct perf_event_attr *attr = &event->attr;
		printf("%s\t%s\t%u\t%llu\t%llu\t%llu\t%u\t%u\t%u\t%u\t%u\n", event->name,
			event->status == RS_EVENT_OK ? "ok" : "not-supported", attr->type,
			attr->config, attr->config1, attr->config2, attr->exclude_user,
			attr->exclude_kernel, attr->exclude_hv, attr->exclude_host,
			attr->precise_ip);
	}
	rs_plan_finish(&plan);
	return 0;
}
