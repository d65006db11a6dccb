/* SPDX-License-Identifier: MIT */
/*
 * This file makes the parts of an event that names no PMU. Its input is the resolved event and one
 * core PMU. Its output is a resolved event that counts on this PMU only.
 */
#include "plan/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/sysfs.h"

/* Names in sysfs of perf's generic events on Arm, in order of preference. Source:
 * armv8_pmuv3_perf_map and armv8_pmuv3_perf_cache_map in arch/arm64/kernel/perf_event.c. */
static const struct {
	const char *generic;
	const char *names[2];
} arm_names[] = {
	{"cycles", {"cpu_cycles"}},
	{"instructions", {"inst_retired"}},
	{"branches", {"br_retired", "pc_write_retired"}},
	{"branch-misses", {"br_mis_pred"}},
	{"cache-references", {"l1d_cache"}},
	{"cache-misses", {"l1d_cache_refill"}},
	{"bus-cycles", {"bus_cycles"}},
	{"stalled-cycles-frontend", {"stall_frontend"}},
	{"stalled-cycles-backend", {"stall_backend"}},
	{"L1-dcache-loads", {"l1d_cache"}},
	{"L1-dcache-load-misses", {"l1d_cache_refill"}},
	{"L1-icache-loads", {"l1i_cache"}},
	{"L1-icache-load-misses", {"l1i_cache_refill"}},
	{"dTLB-loads", {"l1d_tlb"}},
	{"dTLB-load-misses", {"l1d_tlb_refill"}},
	{"iTLB-loads", {"l1i_tlb"}},
	{"iTLB-load-misses", {"l1i_tlb_refill"}},
	{"LLC-loads", {"ll_cache_rd"}},
	{"LLC-load-misses", {"ll_cache_miss_rd"}},
	{"branch-loads", {"br_pred"}},
	{"branch-load-misses", {"br_mis_pred"}},
};

/* Encode a term of the part's PMU into attr. Return false if the PMU does not have the term. */
static bool encode_term(struct perf_event_attr *attr, const struct rs_host *host,
	const struct rs_resolved *part, const char *term)
{
	struct rs_syntax_term terms = {.name = term};
	const struct rs_syntax_event written = {
		.text = term, .head = part->pmu, .has_terms = true, .terms = &terms, .n_terms = 1};
	const char *name = NULL, *help;
	struct rs_err ignored;
	return rs_sysfs_encode(host, &written, attr, &name, part->arena, &help, &ignored);
}

static bool is_generic(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
}

void rs_parts_make(struct rs_resolved *part, const struct rs_resolved *whole,
	const struct rs_host *host, const struct rs_core_pmu *pmu)
{
	*part = *whole;
	part->pmu = rs_arena_format(part->arena, "%s", pmu->name);
	if (is_generic(&part->attr))
		rs_core_pmu_extend(pmu, &part->attr);
	else if (whole->kind == RS_EVENT_RAW)
		part->attr.type = pmu->type;
	else if (!rs_sysfs_has_event(host, pmu->name, whole->term) ||
		 !encode_term(&part->attr, host, part, whole->term))
		part->known_error = ENOENT;
}

const char *rs_parts_name(const struct rs_resolved *part)
{
	char letters[RS_MODIFIERS_BYTES];
	rs_modifiers_write(&part->modifiers, letters);
	return rs_arena_format(part->arena, "%s/%s/%s", part->pmu, part->term, letters);
}

/* Encode part as the PMU's event `name`. Return false if the PMU has no event of this name. */
static bool try_name(struct rs_resolved *part, const struct rs_host *host, const char *name)
{
	struct perf_event_attr attr = part->attr;
	attr.config = 0;
	if (!name || !rs_sysfs_has_event(host, part->pmu, name) ||
		!encode_term(&attr, host, part, name))
		return false;
	part->attr = attr;
	return true;
}

bool rs_parts_fall_back(struct rs_resolved *part, const struct rs_host *host)
{
	const struct rs_name *generic = part->generic;
	if (!part->pmu || !generic || !is_generic(&part->attr))
		return false;
	if (try_name(part, host, generic->name) || try_name(part, host, generic->alias))
		return true;
	for (size_t i = 0; i < sizeof(arm_names) / sizeof(arm_names[0]); i++)
		if (strcmp(arm_names[i].generic, generic->name) == 0)
			return try_name(part, host, arm_names[i].names[0]) ||
			       try_name(part, host, arm_names[i].names[1]);
	return false;
}
