/* SPDX-License-Identifier: MIT */
/*
 * Tests of encoding pmu/terms/ on made-up PMUs. Expected values are put together by hand from the
 * bits in the format files.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "plan/sysfs.h"

static void set_up(void)
{
	machine_init();
	machine_add_intel_pmu();
	/* An uncore PMU, whose event needs the core as a term. */
	machine_add_file("uncore_cha_0", "type", "42\n");
	machine_add_file("uncore_cha_0", "cpumask", "0,32\n");
	machine_add_file("uncore_cha_0", "format/event", "config:0-7,32-35");
	machine_add_file("uncore_cha_0", "format/core", "config2:4-7");
	machine_add_file("uncore_cha_0", "events/hits", "event=0x11,core=?");
	/* The other PMU of a hybrid CPU, and an Arm PMU. */
	machine_add_file("cpu_atom", "type", "10\n");
	machine_add_file("cpu_atom", "cpus", "8-15\n");
	machine_add_file("cpu_atom", "format/event", "config:0-7\n");
	machine_add_file("armv8_cortex_a53", "type", "8\n");
	machine_add_file("armv8_cortex_a53", "format/event", "config:0-15\n");
	machine_add_file("armv8_cortex_a53", "format/long", "config1:0\n");
	machine_add_file("armv8_cortex_a53", "events/cpu_cycles", "event=0x0011\n");
}

static struct rs_err err;
static struct perf_event_attr attr;

TestSuite(sysfs, .init = set_up, .fini = machine_finish);

/* Encode one event into attr. Return false and set err on failure. */
static bool encode(const char *text)
{
	struct rs_arena arena = {0};
	struct rs_syntax syntax = {.arena = &arena};
	const char *help;
	attr = (struct perf_event_attr){0};
	bool ok = rs_syntax_parse(&syntax, text, &err) &&
		  rs_sysfs_encode(&machine.host, &syntax.events[0], &attr, &arena, &help, &err);
	rs_arena_finish(&arena);
	return ok;
}

Test(sysfs, encodes)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config;
		uint64_t config1;
		uint64_t config2;
	} cases[] = {
		{"cpu/event=0x3c/", 4, 0x3c, 0, 0},
		{"cpu/event=60/", 4, 0x3c, 0, 0},
		{"cpu/event=0xC0,umask=0X1/", 4, 0x1c0, 0, 0},
		{"cpu/event=0xc0,umask=1,edge,cmask=2,inv/", 4, 0x28401c0, 0, 0},
		{"cpu/event=0xcd,ldlat=0xffff/", 4, 0xcd, 0xffff, 0},
		{"cpu/offcore_rsp=0xffffffffffffffff/", 4, 0, UINT64_MAX, 0},
		{"cpu/config=0x123456789abcdef0/", 4, 0x123456789abcdef0, 0, 0},
		{"cpu/config=1,config1=2,config2=3/", 4, 1, 2, 3},
		{"cpu/instructions/", 4, 0xc0, 0, 0},
		{"cpu/cache-misses/", 4, 0x412e, 0, 0},
		{"cpu/mem-loads/", 4, 0x1cd, 3, 0},
		{"cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, 0},
		{"cpu/event=1,event=0x80/", 4, 0x80, 0, 0},
		{"cpu/umask=0xff,umask=0/", 4, 0, 0, 0},
		{"cpu/r1a8/", 4, 0x1a8, 0, 0},
		{"cpu//", 4, 0, 0, 0},
		{"cpu/event=1,name=foo/", 4, 1, 0, 0},
		{"cpu/name='a/b,c',event=1/", 4, 1, 0, 0},
		/* The 4 high bits of 0xf25 go to bits 32-35. */
		{"uncore_cha_0/event=0xf25/", 42, 0xf00000025, 0, 0},
		{"uncore_cha_0/hits,core=3/", 42, 0x11, 0, 0x30},
		{"uncore_cha_0/core=3,hits/", 42, 0x11, 0, 0x30},
		{"cpu_atom/event=0x3c/", 10, 0x3c, 0, 0},
		{"armv8_cortex_a53/cpu_cycles/", 8, 0x11, 0, 0},
		{"armv8_cortex_a53/cpu_cycles,long/", 8, 0x11, 1, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect(encode(cases[i].text), "%s: %s", cases[i].text, err.text);
		cr_expect_eq(attr.type, cases[i].type, "%s", cases[i].text);
		cr_expect_eq(attr.config, cases[i].config, "%s: %llx", cases[i].text, attr.config);
		cr_expect_eq(
			attr.config1, cases[i].config1, "%s: %llx", cases[i].text, attr.config1);
		cr_expect_eq(
			attr.config2, cases[i].config2, "%s: %llx", cases[i].text, attr.config2);
	}
}

Test(sysfs, refuses)
{
	static const struct {
		const char *text;
		const char *message; /* beginning of the message */
		const char *advice; /* text that the message contains */
	} cases[] = {
		{"cpu/event=0x1ff/",
			"bad event 'cpu/event=0x1ff/': too large a value for term 'event'",
			"the PMU 'cpu' has it in bits 0-7 of config"},
		{"cpu/edge=2/", "bad event 'cpu/edge=2/': too large a value for term 'edge'", "18"},
		{"cpu/event=zz/", "bad event 'cpu/event=zz/': not a number in term 'event'",
			"try: "},
		{"cpu/event=0x/", "bad event 'cpu/event=0x/': not a number", "try: "},
		{"cpu/event=-1/", "bad event 'cpu/event=-1/': not a number", "try: "},
		{"cpu/event=99999999999999999999/", "bad event 'cpu/event=9", "not a number"},
		{"cpu/evnt=1/", "bad event 'cpu/evnt=1/': unknown term 'evnt'", "event"},
		{"cpu/instruction/", "bad event 'cpu/instruction/': unknown term 'instruction'",
			"instructions"},
		{"cpu/instructions=1/", "bad event 'cpu/instructions=1/': unknown term", "try: "},
		{"cpu/name=/", "bad event list: expected a value after '='", "try: "},
		{"cpu/name/", "bad event 'cpu/name/': unknown term 'name'", "try: "},
		{"cpu/r1a8=1/", "bad event 'cpu/r1a8=1/': unknown term 'r1a8'", "try: "},
		{"uncore_cha_0/hits/",
			"bad event 'uncore_cha_0/hits/': a value must be given for term 'core'",
			"try: uncore_cha_0/hits,core=0/"},
		{"cpv/event=1/", "bad event 'cpv/event=1/': this machine has no PMU 'cpv'",
			"try: cpu"},
		{"../event=1/", "bad event '", "this machine has no PMU '..'"},
		{"./type/", "bad event '", "this machine has no PMU '.'"},
		{"cpu/../", "bad event '", "unknown term '..'"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_not(encode(cases[i].text), "%s", cases[i].text);
		cr_expect(strncmp(err.text, cases[i].message, strlen(cases[i].message)) == 0,
			"%s: %s", cases[i].text, err.text);
		cr_expect(strstr(err.text, cases[i].advice), "%s: %s", cases[i].text, err.text);
	}
}

Test(sysfs, knows_who_counts_cpus)
{
	cr_expect(rs_sysfs_is_system_wide(&machine.host, "uncore_cha_0"));
	cr_expect_not(rs_sysfs_is_system_wide(&machine.host, "cpu"));
	cr_expect_not(rs_sysfs_is_system_wide(&machine.host, "cpu_atom"));
	cr_expect_not(rs_sysfs_is_system_wide(&machine.host, "none"));
	char pmu[32];
	cr_expect(rs_sysfs_find_type(&machine.host, 42, pmu, sizeof(pmu)));
	cr_expect_str_eq(pmu, "uncore_cha_0");
	cr_expect_not(rs_sysfs_find_type(&machine.host, 43, pmu, sizeof(pmu)));
	uint32_t type;
	cr_expect(rs_sysfs_type(&machine.host, "cpu", &type) && type == 4);
	cr_expect_not(rs_sysfs_type(&machine.host, "", &type));
	cr_expect_not(rs_sysfs_type(&machine.host, "cpu/..", &type));
	cr_expect(rs_sysfs_has_event(&machine.host, "cpu", "instructions"));
	cr_expect_not(rs_sysfs_has_event(&machine.host, "cpu", "../type"));
}

static void collect(void *context, const char *pmu, const char *event, const char *definition)
{
	char *out = context;
	(void)definition;
	snprintf(out + strlen(out), 512 - strlen(out), "%s/%s ", pmu, event);
}

Test(sysfs, names_events_and_not_their_scales)
{
	char events[512] = "";
	rs_sysfs_visit(&machine.host, collect, events);
	cr_expect_str_eq(events, "armv8_cortex_a53/cpu_cycles cpu/cache-misses cpu/instructions "
				 "cpu/mem-loads cpu/topdown-recovery-bubbles uncore_cha_0/hits ");
}
