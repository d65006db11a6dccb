/* SPDX-License-Identifier: MIT */
/* Tests of tracepoints, with a made-up tracefs. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "machine.h"
#include "plan/host.h"

TestSuite(tracefs, .init = machine_init, .fini = machine_finish);

static void count(void *context, const char *name)
{
	char *names = context;
	snprintf(names + strlen(names), 256 - strlen(names), "%s ", name);
}

Test(tracefs, finds_ids)
{
	uint64_t id = 0;
	int tracefs_error;
	machine_write("tracing/events/sched/sched_switch/id", "372\n");
	machine_write("tracing/events/sched/enable", "0\n");
	machine_write("tracing/events/sched/broken/id", "none\n");
	cr_expect_eq(
		rs_tracefs_find(&machine.host, "sched", "sched_switch", &id, &tracefs_error), 0);
	cr_expect_eq(id, 372);
	cr_expect_eq(tracefs_error, 0);
	static const char *const unknown[][2] = {{"sched", "sched_swich"}, {"shed", "sched_switch"},
		{"sched", "broken"}, {"sched", "enable"}, {"..", "events"},
		{"sched", "../sched/sched_switch"}};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		cr_expect(rs_tracefs_find(
			&machine.host, unknown[i][0], unknown[i][1], &id, &tracefs_error));
		cr_expect_eq(tracefs_error, 0, "%s:%s", unknown[i][0], unknown[i][1]);
	}
	char names[256] = "";
	cr_expect_eq(rs_tracefs_visit(&machine.host, count, names), 0);
	cr_expect(strstr(names, "sched:sched_switch "));
	cr_expect_not(strstr(names, "enable"));
}

Test(tracefs, tells_a_missing_mount)
{
	uint64_t id;
	int tracefs_error;
	char names[256] = "";
	cr_expect_eq(rs_tracefs_find(&machine.host, "sched", "sched_switch", &id, &tracefs_error),
		ENOENT);
	cr_expect_eq(tracefs_error, ENOENT);
	cr_expect_eq(rs_tracefs_visit(&machine.host, count, names), ENOENT);
}
