/* SPDX-License-Identifier: MIT */
/*
 * Tests of names from libpfm4, which the tests configure for a Skylake. Expected encodings are
 * Intel's (Software Developer's Manual, volume 3B, performance events). Event 0xc0 with unit mask 0
 * is INST_RETIRED.ANY_P. Event 0xd1 with unit mask 1 is MEM_LOAD_RETIRED.L1_HIT.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "plan/plan.h"

static void set_up(void)
{
	machine_init();
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	machine_add_intel_pmu();
}

TestSuite(libpfm, .init = set_up, .fini = finish_plan);

/* libpfm4 has x86 events only if it was built for x86. */
static void skip_without_x86(void)
{
#if !defined(__x86_64__) && !defined(__i386__)
	cr_skip_test("libpfm4 knows no x86 events on this architecture");
#endif
}

Test(libpfm, encodes)
{
	skip_without_x86();
	static const struct {
		const char *text;
		uint64_t config;
		bool exclude_user;
		bool exclude_kernel;
	} cases[] = {
		{"INST_RETIRED:ANY_P", 0xc0, false, false},
		{"inst_retired:any_p", 0xc0, false, false},
		{"skl::INST_RETIRED:ANY_P", 0xc0, false, false},
		{"INST_RETIRED:ANY_P:u", 0xc0, false, true},
		{"INST_RETIRED:ANY_P:k", 0xc0, true, false},
		{"INST_RETIRED:ANY_P:uk", 0xc0, false, false},
		{"INST_RETIRED:ANY_P:c=2", 0x20000c0, false, false},
		{"INST_RETIRED:ANY_P:c=2:u", 0x20000c0, false, true},
		{"MEM_LOAD_RETIRED:L1_HIT", 0x1d1, false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(make_plan(cases[i].text, (struct rs_plan_options){0}), "%s: %s",
			cases[i].text, err.text);
		const struct perf_event_attr *attr = &plan.events[0].attr;
		cr_expect_str_eq(plan.events[0].name, cases[i].text);
		cr_expect_eq(attr->type, PERF_TYPE_RAW);
		cr_expect_eq(
			attr->config, cases[i].config, "%s: %llx", cases[i].text, attr->config);
		cr_expect_eq(attr->exclude_user, cases[i].exclude_user, "%s", cases[i].text);
		cr_expect_eq(attr->exclude_kernel, cases[i].exclude_kernel, "%s", cases[i].text);
		cr_expect(plan.events[0].help && *plan.events[0].help);
	}
}

Test(libpfm, suggests)
{
	skip_without_x86();
	check_refused("INST_RETIERD:ANY_P",
		"unknown event 'INST_RETIERD:ANY_P'\n  try: INST_RETIRED:ANY_P");
}

/* The library knows these events, but not what follows their names. */
Test(libpfm, names_what_is_wrong_with_an_event)
{
	skip_without_x86();
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{"INST_RETIRED:ANY_PP",
			"unknown unit mask or modifier 'ANY_PP'\n  try: INST_RETIRED:ANY_P"},
		{"INST_RETIRED:ANY_P:qqqqqqqqqqqqqqq",
			"unknown unit mask or modifier 'qqqqqqqqqqqqqqq'\n"
			"  try: regionstat list 'INST_RETIRED*'"},
		{"skl::INST_RETIRED:QQQQQQQQQQ:u", "unknown unit mask or modifier 'QQQQQQQQQQ'\n"
						   "  try: regionstat list 'INST_RETIRED*'"},
		{"INST_RETIRED:ANY_P:c=300:u", "'c=300' is out of range\n  try: 1 or 0"},
		{"MEM_LOAD_RETIRED", "its unit mask is missing\n"
				     "  try: regionstat list 'MEM_LOAD_RETIRED*'"},
		{"MEM_LOAD_RETIRED:L1_HIT:L2_HIT",
			"its unit masks and modifiers cannot be combined\n  try: fewer"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[256];
		snprintf(expected, sizeof(expected), "bad event '%s': %s", cases[i].text,
			cases[i].message);
		check_refused(cases[i].text, expected);
	}
}
