/* SPDX-License-Identifier: MIT */
/*
 * Tests of perf's generic names. Expected values are the numbers of the kernel's ABI
 * (perf_event_open(2)), and libpfm4's encoding, which comes from a table of its own.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "plan/libpfm.h"
#include "segment/event_names.h"

/* Aliases, names that libpfm does not know, and a name in other letters. */
Test(names, numbers_of_the_kernel_abi)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{"cpu-cycles", 0, 0},
		{"branch-instructions", 0, 4},
		{"idle-cycles-frontend", 0, 7},
		{"idle-cycles-backend", 0, 8},
		{"faults", 1, 2},
		{"cs", 1, 3},
		{"migrations", 1, 4},
		{"alignment-faults", 1, 7},
		{"emulation-faults", 1, 8},
		{"dummy", 1, 9},
		{"bpf-output", 1, 10},
		{"l1-DCACHE-load-misses", 3, 0x10000},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rs_name *name = rs_names_find(cases[i].name);
		cr_assert(name, "%s", cases[i].name);
		cr_expect_eq(name->type, cases[i].type, "%s", cases[i].name);
		cr_expect_eq(name->config, cases[i].config, "%s", cases[i].name);
	}
	cr_expect_null(rs_names_find("cycle"));
	cr_expect_null(rs_names_find(""));
}

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
