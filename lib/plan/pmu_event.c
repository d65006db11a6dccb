/* SPDX-License-Identifier: MIT */
/*
 * This file encodes pmu/terms/ into a perf_event_attr. It uses the PMU's terms and events in sysfs,
 * or the generic events that every core PMU has.
 */
#include "plan/resolve.h"

#include <string.h>

#include "plan/core_pmus.h"
#include "plan/sysfs.h"

/* Return the value of the term name=, which any event may have, or NULL. */
static const char *find_name(const struct rs_syntax_event *written)
{
	const char *name = NULL;
	for (size_t i = 0; i < written->n_terms; i++)
		if (strcmp(written->terms[i].name, "name") == 0)
			name = written->terms[i].value;
	return name;
}

/* Return the only term except name=. Return NULL if there are several terms, or if this term has a
 * value. */
static const char *find_single_term(const struct rs_syntax_event *written)
{
	const char *found = NULL;
	for (size_t i = 0; i < written->n_terms; i++) {
		const struct rs_syntax_term *term = &written->terms[i];
		if (strcmp(term->name, "name") == 0 && term->value)
			continue;
		if (found || term->value)
			return NULL;
		found = term->name;
	}
	return found;
}

/* Return the generic event if the terms name one and nothing else; otherwise NULL. */
static const struct rs_name *find_generic(const struct rs_syntax_event *written)
{
	const char *term = find_single_term(written);
	const struct rs_name *generic = term ? rs_names_find(term) : NULL;
	return generic && rs_name_is_of_cpus(generic) ? generic : NULL;
}

/* Accept an event of a core PMU on a machine that has no core PMU. It becomes a raw event, so that
 * reports treat it like other hardware events. */
static void know_missing(struct rs_resolved *resolved)
{
	resolved->kind = RS_EVENT_RAW;
	resolved->attr.type = PERF_TYPE_RAW;
}

void rs_resolved_mean(struct rs_resolved *resolved, const struct rs_name *name)
{
	resolved->generic = name;
	resolved->kind = name->kind;
	resolved->in_kernel_only = name->in_kernel_only;
	resolved->help = name->help;
}

static void encode_generic(struct rs_resolved *resolved, const struct rs_name *name,
	const struct rs_core_pmus *core_pmus, const struct rs_core_pmu *pmu)
{
	rs_resolved_mean(resolved, name);
	resolved->attr.type = name->type;
	resolved->attr.config = name->config;
	if (rs_core_pmus_are_several(core_pmus))
		rs_core_pmu_extend(pmu, &resolved->attr);
}

bool rs_pmu_event_encode(struct rs_resolved *resolved, const struct rs_host *host,
	const struct rs_syntax_event *written, const char **name, struct rs_err *err)
{
	const struct rs_name *generic = find_generic(written);
	bool is_usual = rs_core_pmus_is_usual_name(written->head);
	const struct rs_core_pmu *pmu = NULL;
	struct rs_core_pmus core_pmus = {0};
	/* read the PMUs only in this case, because large machines have hundreds */
	if (generic || is_usual) {
		rs_core_pmus_find(&core_pmus, host);
		pmu = rs_core_pmus_named(&core_pmus, written->head);
	}
	if (find_name(written))
		*name = find_name(written);
	if (is_usual && core_pmus.n == 0) {
		know_missing(resolved);
		return true;
	}
	resolved->kind = RS_EVENT_SYSFS;
	resolved->generic = pmu ? generic : NULL;
	if (resolved->generic &&
		!rs_sysfs_has_event(host, written->head, find_single_term(written)))
		encode_generic(resolved, generic, &core_pmus, pmu);
	else if (!rs_sysfs_encode(
			 host, written, &resolved->attr, resolved->arena, &resolved->help, err))
		return false;
	resolved->is_system_wide = rs_sysfs_is_system_wide(host, written->head);
	resolved->pmu = rs_arena_format(resolved->arena, "%s", written->head);
	return true;
}
