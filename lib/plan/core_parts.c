/* SPDX-License-Identifier: MIT */
/*
 * This file makes the parts of an event that names no PMU, and tries them. Its input is the
 * resolved event and one core PMU. Its output is a resolved event that counts on this PMU only.
 */
#include "plan/resolve.h"

#include <errno.h>

#include "plan/sysfs.h"

/* Encode a term of the part's PMU into attr. Return false if the PMU does not have the term. */
static bool encode_term(struct perf_event_attr *attr, const struct rs_host *host,
	const struct rs_resolved *part, const char *term)
{
	struct rs_syntax_term terms = {.name = term};
	const struct rs_syntax_event written = {
		.text = term, .head = part->pmu, .has_terms = true, .terms = &terms, .n_terms = 1};
	const char *help;
	struct rs_err ignored;
	return rs_sysfs_encode(host, &written, attr, part->arena, &help, &ignored);
}

void rs_parts_make(struct rs_resolved *part, const struct rs_resolved *whole,
	const struct rs_host *host, const struct rs_core_pmu *pmu)
{
	*part = *whole;
	part->pmu = rs_arena_format(part->arena, "%s", pmu->name);
	if (part->attr.type == PERF_TYPE_HARDWARE || part->attr.type == PERF_TYPE_HW_CACHE)
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

struct rs_probe rs_resolved_probe(struct rs_resolved *resolved, const struct rs_host *host)
{
	bool keep_kernel = resolved->in_kernel_only ||
			   rs_modifiers_name_privilege(&resolved->modifiers);
	int known = resolved->tracefs_error ? resolved->tracefs_error : resolved->known_error;
	if (known)
		return (struct rs_probe){.error = known};
	struct rs_probe probe = rs_probe_event(host, &resolved->attr, keep_kernel);
	while (probe.error && resolved->modifiers.most_precise && resolved->attr.precise_ip > 0) {
		resolved->attr.precise_ip--;
		probe = rs_probe_event(host, &resolved->attr, keep_kernel);
	}
	return probe;
}

struct rs_probe rs_parts_probe(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_core_pmus *core_pmus)
{
	struct rs_probe probe = {.error = ENOENT};
	if (!resolved->term || !rs_core_pmus_are_several(core_pmus))
		return rs_resolved_probe(resolved, host);
	for (size_t i = 0; probe.error && i < core_pmus->n; i++) {
		struct rs_resolved part;
		rs_parts_make(&part, resolved, host, &core_pmus->items[i]);
		probe = rs_resolved_probe(&part, host);
		if (!probe.error)
			resolved->attr = part.attr;
	}
	return probe;
}
