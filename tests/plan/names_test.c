/* SPDX-License-Identifier: MIT */
/*
 * Tests of perf's generic names. Expected values are libpfm4's encoding, which comes from a table
 * of its own. plan_test.c has names that libpfm4 does not know, and aliases.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "plan/libpfm.h"
#include "segment/event_names.h"

Test(names, libpfm_agrees)
{
	/* libpfm4 4.11 to 4.13 does not know these events and those of getrusage(2). It must know
	 * all others. */
	static const char unknown[] =
		" alignment-faults emulation-faults bpf-output dummy user_time system_time ";
	size_t n_names;
	size_t n_compared = 0;
	const struct rs_name *names = rs_names(&n_names);
	for (size_t i = 0; i < n_names; i++) {
		char string[128];
		char padded[128];
		struct perf_event_attr attr;
		snprintf(string, sizeof(string), "perf::%s", names[i].name);
		snprintf(padded, sizeof(padded), " %s ", names[i].name);
		int result = rs_libpfm_encode(string, &attr, NULL, NULL);
		if (strstr(unknown, padded))
			continue;
		cr_expect_eq(result, PFM_SUCCESS, "%s", names[i].name);
		cr_expect_eq(attr.type, names[i].type, "%s", names[i].name);
		cr_expect_eq(attr.config, names[i].config, "%s", names[i].name);
		cr_expect_eq(attr.exclude_guest, 1, "%s", names[i].name);
		n_compared++;
	}
	cr_expect_geq(n_compared, 40);
}

Test(names, are_complete_and_ordered_by_kind)
{
	size_t n_names;
	const struct rs_name *names = rs_names(&n_names);
	for (size_t i = 0; i < n_names; i++) {
		cr_expect(names[i].help && *names[i].help && !strchr(names[i].help, '\n'), "%s",
			names[i].name);
		cr_expect(i == 0 || names[i].kind >= names[i - 1].kind, "%s", names[i].name);
		cr_expect_eq(rs_names_find(names[i].name), &names[i], "%s", names[i].name);
	}
}
