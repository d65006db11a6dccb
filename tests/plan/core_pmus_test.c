/* SPDX-License-Identifier: MIT */
/* Tests of finding the PMUs of CPU cores, on made-up machines with the files of real kernels.
 * hybrid_test.c tests plans of machines with several of them. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "plan/core_pmus.h"

static struct rs_core_pmus pmus;

TestSuite(core_pmus, .init = machine_init, .fini = machine_finish);

/* Return the names and types of the PMUs, in order. */
static const char *find(void)
{
	static char text[512];
	rs_core_pmus_find(&pmus, &machine.host);
	text[0] = '\0';
	for (size_t i = 0; i < pmus.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%u", i ? " " : "",
			pmus.items[i].name, (unsigned)pmus.items[i].type);
	return text;
}

/* The first CPU belongs to the PMU with the second type. Other PMUs have no file cpus. */
Test(core_pmus, big_little)
{
	machine_add_big_little();
	machine_add_file("uncore_imc_0", "type", "23\n");
	machine_add_file("uncore_imc_0", "cpumask", "0\n");
	machine_add_file("msr", "type", "9\n");
	cr_expect_str_eq(find(), "armv8_cortex_a72:7 armv8_cortex_a53:8");
	cr_expect_str_eq(rs_core_pmus_first(&pmus)->name, "armv8_cortex_a53");
	machine_add_file("cpu", "type", "4\n");
	cr_expect_str_eq(find(), "cpu:4 armv8_cortex_a72:7 armv8_cortex_a53:8");
}

/* CPU lists as the kernel writes them, CPUs beyond the limit, and no online CPU. */
Test(core_pmus, cpu_lists)
{
	static const struct {
		const char *text;
		uint64_t first, second, last;
	} cases[] = {
		{"0,2,4-5\n", 0x35, 0, 0},
		{"60-67\n", UINT64_C(0xf000000000000000), 0xf, 0},
		{"1,380-1000000000\n", 2, 0, UINT64_C(0xf000000000000000)},
		{"\n", 0, 0, 0},
		{"x\n", 0, 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine_add_file("cpu_core", "type", "4\n");
		machine_add_file("cpu_core", "cpus", cases[i].text);
		cr_expect_str_eq(find(), "cpu_core:4");
		cr_expect_eq(pmus.items[0].cpus[0], cases[i].first, "%s", cases[i].text);
		cr_expect_eq(pmus.items[0].cpus[1], cases[i].second, "%s", cases[i].text);
		cr_expect_eq(pmus.items[0].cpus[5], cases[i].last, "%s", cases[i].text);
	}
}

Test(core_pmus, more_than_there_is_room_for)
{
	for (unsigned i = 0; i < 12; i++) {
		char path[128], type[16];
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/core_%u/type", i);
		snprintf(type, sizeof(type), "%u\n", 40 - i);
		machine_write(path, type);
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/core_%u/cpus", i);
		machine_write(path, "0\n");
	}
	find();
	cr_expect_eq(pmus.n, RS_MAX_CORE_PMUS);
	for (size_t i = 1; i < pmus.n; i++)
		cr_expect_lt(pmus.items[i - 1].type, pmus.items[i].type);
}
