/* SPDX-License-Identifier: MIT */
/*
 * This file enumerates the core PMUs. It reads sysfs and returns the name, type and CPUs of each.
 * As in perf, a PMU with the name "cpu" (x86) or "cpum_cf" (s390) is the core PMU of a machine with
 * one type of core. Every other core PMU has a file cpus in sysfs.
 *
 * Source: perf_event_open(2), config, for the type of a PMU in the upper half of a generic event's
 * config (Linux 5.13 on x86, 5.19 on Arm).
 */
#include "plan/core_pmus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "plan/sysfs.h"

#define CPUS_BYTES 4096u /* limit of the bytes that are read from a file cpus */
#define TYPE_SHIFT 32 /* PERF_PMU_TYPE_SHIFT of the kernel; old headers do not define it */

/* Set a bit in cpus for each CPU of a list such as "0-7,16". Ignore CPUs for which cpus has no
 * bit. */
static void parse_cpus(uint64_t *cpus, const char *text)
{
	const unsigned long n_cpus = 64 * RS_CORE_PMU_CPU_WORDS;
	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long low = strtoul(text, &end, 10);
		unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
		for (unsigned long cpu = low; cpu <= high && cpu < n_cpus; cpu++)
			cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
		text = end + (*end == ',');
	}
}

/* Insert a PMU so that the array remains sorted by type. */
static void insert(struct rs_core_pmus *pmus, const struct rs_core_pmu *pmu)
{
	size_t place = pmus->n;
	if (pmus->n == RS_MAX_CORE_PMUS)
		return;
	for (; place > 0 && pmus->items[place - 1].type > pmu->type; place--)
		pmus->items[place] = pmus->items[place - 1];
	pmus->items[place] = *pmu;
	pmus->n++;
}

static void add_pmu(struct rs_core_pmus *pmus, const struct rs_host *host, const char *name)
{
	char cpus[CPUS_BYTES];
	struct rs_core_pmu pmu = {0};
	bool has_cpus = rs_sysfs_read(host, cpus, sizeof(cpus), name, "cpus");
	bool is_only_one = strcmp(name, "cpu") == 0 || strcmp(name, "cpum_cf") == 0;
	if ((!has_cpus && !is_only_one) || strlen(name) >= sizeof(pmu.name) ||
		!rs_sysfs_type(host, name, &pmu.type))
		return;
	strcpy(pmu.name, name);
	parse_cpus(pmu.cpus, cpus);
	insert(pmus, &pmu);
}

void rs_core_pmus_find(struct rs_core_pmus *pmus, const struct rs_host *host)
{
	glob_t found;
	*pmus = (struct rs_core_pmus){0};
	rs_sysfs_find(host, "*/type", &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		add_pmu(pmus, host, rs_sysfs_pmu_of(found.gl_pathv[i]));
	globfree(&found);
}

bool rs_core_pmus_are_several(const struct rs_core_pmus *pmus)
{
	return pmus->n > 1;
}

const struct rs_core_pmu *rs_core_pmus_named(const struct rs_core_pmus *pmus, const char *name)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (strcmp(pmus->items[i].name, name) == 0)
			return &pmus->items[i];
	return NULL;
}

size_t rs_core_pmus_of(const struct rs_core_pmus *pmus, const struct perf_event_attr *attr)
{
	uint64_t type = attr->type;
	if (!rs_core_pmus_are_several(pmus))
		return 0;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		type = attr->config >> TYPE_SHIFT;
	for (size_t i = 0; i < pmus->n; i++)
		if (pmus->items[i].type == type)
			return 1 + i;
	return 0;
}

void rs_core_pmu_extend(const struct rs_core_pmu *pmu, struct perf_event_attr *attr)
{
	attr->config |= (uint64_t)pmu->type << TYPE_SHIFT;
}

static unsigned first_cpu(const struct rs_core_pmu *pmu)
{
	unsigned word = 0;
	while (word < RS_CORE_PMU_CPU_WORDS && pmu->cpus[word] == 0)
		word++;
	unsigned bit = word < RS_CORE_PMU_CPU_WORDS ? (unsigned)__builtin_ctzll(pmu->cpus[word])
						    : 0;
	return 64 * word + bit;
}

const struct rs_core_pmu *rs_core_pmus_first(const struct rs_core_pmus *pmus)
{
	const struct rs_core_pmu *first = NULL;
	for (size_t i = 0; i < pmus->n; i++)
		if (!first || first_cpu(&pmus->items[i]) < first_cpu(first))
			first = &pmus->items[i];
	return first;
}

bool rs_core_pmus_is_usual_name(const char *name)
{
	return strcmp(name, "cpu") == 0 || strcmp(name, "cpum_cf") == 0 ||
	       strcmp(name, "cpu_core") == 0 || strcmp(name, "cpu_atom") == 0 ||
	       strcmp(name, "cpu_lowpower") == 0 || strncmp(name, "armv8_", 6) == 0;
}
