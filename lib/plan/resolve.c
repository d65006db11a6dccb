/* SPDX-License-Identifier: MIT */
/*
 * This file looks up the name of an event and fills its perf_event_attr, its name for reports and
 * its description. It looks in this order: perf's generic names, raw rNNN, pmu/terms/, libpfm4's
 * names, tracepoints, names of events in sysfs without their PMU. The first of these sources that
 * knows the name is used.
 */
#include "plan/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plan/core_pmus.h"
#include "plan/sysfs.h"
#include "plan/host.h"
#include "segment/layout.h"

enum found {
	FOUND,
	NOT_FOUND, /* try the next source */
	FAILED, /* the source knows the name but rejects the event; err is set */
};

struct lookup {
	struct rs_resolved *resolved;
	const struct rs_host *host;
	const struct rs_syntax_event *written;
	char base[RS_SYNTAX_EVENT_BYTES]; /* written->head without modifiers */
	const char *modifiers; /* the modifiers at the end of written->head, or "" */
	const char *name_term; /* value of the term name=, or NULL; borrowed from written */
	int libpfm; /* libpfm4's answer; valid after libpfm4 was asked */
	struct rs_err *err;
};

static enum found found_if(bool ok)
{
	return ok ? FOUND : FAILED;
}

static bool apply_modifiers(struct lookup *lookup, const char *head_modifiers)
{
	struct rs_modifiers *modifiers = &lookup->resolved->modifiers;
	const struct rs_syntax_event *written = lookup->written;
	return rs_modifiers_add(modifiers, head_modifiers, written->text, lookup->err) &&
	       rs_modifiers_add(modifiers, written->modifiers, written->text, lookup->err) &&
	       rs_modifiers_add(modifiers, written->group_modifiers, written->text, lookup->err);
}

/* Apply the terms after a name that is not a PMU. Only name= is allowed. */
static bool apply_plain_terms(struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->written->n_terms; i++) {
		const struct rs_syntax_term *term = &lookup->written->terms[i];
		if (strcmp(term->name, "name") == 0 && term->value && *term->value) {
			lookup->name_term = term->value;
			continue;
		}
		char shown[128];
		rs_text_escape(shown, sizeof(shown), term->name);
		rs_err_set(lookup->err, "bad event '%s': unknown term '%s' for '%s'",
			lookup->written->text, shown, lookup->base);
		if (rs_modifiers_are_known(term->name))
			return rs_err_add_line(lookup->err, "try: %s:%s", lookup->base, term->name);
		return rs_err_add_line(lookup->err, "try: %s/name=NAME/", lookup->base);
	}
	return true;
}

/* Set resolved->term for an event that names no PMU: each core PMU can have an event of this
 * name. */
static void set_term(struct lookup *lookup, const char *term)
{
	lookup->resolved->term = rs_arena_format(lookup->resolved->arena, "%s", term);
}

static enum found find_generic(struct lookup *lookup)
{
	const struct rs_name *name = rs_names_find(lookup->base);
	if (!name)
		return NOT_FOUND;
	struct rs_resolved *resolved = lookup->resolved;
	const struct rs_syntax_event *written = lookup->written;
	/* W (wanted.c) is about the group, not about its events */
	const char *of_group = written->group_modifiers + strspn(written->group_modifiers, "W");
	if (name->type == RS_TYPE_RUSAGE &&
		(*lookup->modifiers || *written->modifiers || *of_group)) {
		rs_err_set(lookup->err, "bad event '%s': '%s' takes no modifiers", written->text,
			name->name);
		rs_err_add_line(lookup->err, "try: %s", name->name);
		return FAILED;
	}
	resolved->attr.type = name->type;
	resolved->attr.config = name->config;
	resolved->attr.exclude_guest = 1;
	rs_resolved_mean(resolved, name);
	if (rs_name_is_of_cpus(name))
		set_term(lookup, name->name);
	return found_if(apply_plain_terms(lookup) && apply_modifiers(lookup, lookup->modifiers));
}

static enum found find_raw(struct lookup *lookup)
{
	const char *digits = lookup->base + 1;
	size_t n_digits = strspn(digits, "0123456789abcdefABCDEF");
	if (lookup->base[0] != 'r' || n_digits == 0 || digits[n_digits])
		return NOT_FOUND;
	if (n_digits > 16) {
		rs_err_set(lookup->err, "bad event '%s': more than 16 hexadecimal digits",
			lookup->written->text);
		rs_err_add_line(lookup->err, "try: r1a8, or pmu/config=0x1a8/");
		return FAILED;
	}
	struct rs_resolved *resolved = lookup->resolved;
	resolved->kind = RS_EVENT_RAW;
	resolved->attr.type = PERF_TYPE_RAW;
	resolved->attr.config = strtoull(digits, NULL, 16);
	resolved->attr.exclude_guest = 1;
	resolved->help = "raw event of the CPU's PMU";
	set_term(lookup, lookup->base);
	return found_if(apply_plain_terms(lookup) && apply_modifiers(lookup, lookup->modifiers));
}

static enum found find_pmu(struct lookup *lookup)
{
	if (!lookup->written->has_terms)
		return NOT_FOUND;
	lookup->resolved->attr.exclude_guest = 1;
	return found_if(rs_pmu_event_encode(lookup->resolved, lookup->host, lookup->written,
				&lookup->name_term, lookup->err) &&
			apply_modifiers(lookup, ""));
}

/*
 * If the machine has cores of several types and none of their PMUs accepts raw events (Arm), assign
 * a raw event to the first CPU's PMU. libpfm4 encoded the event for the model of that CPU. Return
 * true if the event was assigned.
 */
static bool place_raw(struct lookup *lookup)
{
	struct rs_resolved *resolved = lookup->resolved;
	struct rs_core_pmus core_pmus;
	if (resolved->attr.type != PERF_TYPE_RAW)
		return false;
	rs_core_pmus_find(&core_pmus, lookup->host);
	if (!rs_core_pmus_are_several(&core_pmus) || rs_core_pmus_of(&core_pmus, &resolved->attr))
		return false;
	const struct rs_core_pmu *pmu = rs_core_pmus_first(&core_pmus);
	resolved->attr.type = pmu->type;
	resolved->pmu = rs_arena_format(resolved->arena, "%s", pmu->name);
	return true;
}

/* Ask libpfm4. Pass it the whole head first, because the library has its own modifiers. If it
 * rejects the head, pass it the head without perf's modifiers. */
static enum found find_libpfm(struct lookup *lookup)
{
	struct rs_resolved *resolved = lookup->resolved;
	resolved->kind = RS_EVENT_LIBPFM;
	lookup->libpfm = rs_libpfm_encode(
		lookup->written->head, &resolved->attr, resolved->arena, &resolved->help);
	const char *left = "";
	if (lookup->libpfm != PFM_SUCCESS && *lookup->modifiers) {
		left = lookup->modifiers;
		lookup->libpfm = rs_libpfm_encode(
			lookup->base, &resolved->attr, resolved->arena, &resolved->help);
	}
	if (lookup->libpfm != PFM_SUCCESS)
		return NOT_FOUND;
	if (resolved->attr.type == PERF_TYPE_TRACEPOINT) {
		/* find_tracepoint() is called next, and sets a better description */
		resolved->help = NULL;
		return NOT_FOUND;
	}
	/* a :u or :k that libpfm4 applied has the same effect as a modifier that the user wrote */
	resolved->modifiers.user = resolved->attr.exclude_kernel && !resolved->attr.exclude_user;
	resolved->modifiers.kernel = resolved->attr.exclude_user && !resolved->attr.exclude_kernel;
	resolved->modifiers.hypervisor = resolved->attr.exclude_user &&
					 resolved->attr.exclude_kernel;
	const struct rs_name *name = rs_names_find_encoding(
		resolved->attr.type, resolved->attr.config);
	char pmu[129];
	if (name) { /* such as perf::cs, or a name with one of libpfm4's own modifiers */
		rs_resolved_mean(resolved, name);
		if (rs_name_is_of_cpus(name))
			set_term(lookup, name->name);
	} else if (place_raw(lookup)) {
		/* place_raw() assigned the event to the first CPU's PMU */
	} else if (resolved->attr.type > PERF_TYPE_BREAKPOINT &&
		   rs_sysfs_find_type(lookup->host, resolved->attr.type, pmu, sizeof(pmu))) {
		resolved->is_system_wide = rs_sysfs_is_system_wide(lookup->host, pmu);
		resolved->pmu = rs_arena_format(resolved->arena, "%s", pmu);
	}
	return found_if(apply_modifiers(lookup, left));
}

static bool is_lower_case(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			return false;
	return length > 0;
}

/* Look up system:name in tracefs. If tracefs cannot be read, assume that the tracepoint exists if
 * its system is in lower case. */
static enum found find_tracepoint(struct lookup *lookup)
{
	struct rs_resolved *resolved = lookup->resolved;
	char system[RS_SYNTAX_EVENT_BYTES];
	snprintf(system, sizeof(system), "%s", lookup->base);
	char *name = strchr(system, ':');
	if (!name || name == system || !name[1] || strchr(name + 1, ':'))
		return NOT_FOUND;
	*name++ = '\0';
	uint64_t id = 0;
	int error = rs_tracefs_find(lookup->host, system, name, &id, &resolved->tracefs_error);
	bool may_exist = resolved->tracefs_error && !rs_libpfm_knows_event(lookup->libpfm) &&
			 is_lower_case(system, strlen(system));
	if (error && !may_exist) {
		resolved->tracefs_error = 0;
		return NOT_FOUND;
	}
	resolved->kind = RS_EVENT_TRACEPOINT;
	resolved->attr.type = PERF_TYPE_TRACEPOINT;
	resolved->attr.config = id;
	resolved->attr.exclude_guest = 1;
	/* only system calls and probes in programs can be counted in user space: they pass the
	 * user's registers to perf_tp_event_match() in kernel/events/core.c */
	resolved->in_kernel_only = strcmp(system, "syscalls") != 0 &&
				   !rs_tracefs_is_uprobe(lookup->host, system, name);
	resolved->help = "times that the kernel passed this tracepoint";
	return found_if(apply_modifiers(lookup, lookup->modifiers));
}

struct search {
	const char *name;
	char pmu[129];
};

/* Keep the first PMU that has the event. */
static void match_event(void *context, const char *pmu, const char *event, const char *definition)
{
	struct search *search = context;
	(void)definition;
	if (!*search->pmu && strcmp(search->name, event) == 0)
		snprintf(search->pmu, sizeof(search->pmu), "%s", pmu);
}

/* Look up an event of sysfs that is written without its PMU: "slots" for cpu/slots/. */
static enum found find_bare_sysfs(struct lookup *lookup)
{
	struct search search = {.name = lookup->base};
	rs_sysfs_visit(lookup->host, match_event, &search);
	if (!*search.pmu)
		return NOT_FOUND;
	struct rs_resolved *resolved = lookup->resolved;
	struct rs_syntax_term term = {.name = lookup->base};
	struct rs_syntax_event written = {
		.text = lookup->written->text, .head = search.pmu, .terms = &term, .n_terms = 1};
	resolved->attr.exclude_guest = 1;
	struct rs_core_pmus core_pmus;
	rs_core_pmus_find(&core_pmus, lookup->host);
	if (rs_core_pmus_named(&core_pmus, search.pmu))
		set_term(lookup, lookup->base);
	return found_if(rs_pmu_event_encode(resolved, lookup->host, &written, &lookup->name_term,
				lookup->err) &&
			apply_modifiers(lookup, lookup->modifiers));
}

/* Set the name for reports: the value of name=, or the text of -e with the modifiers of its
 * group. */
static void set_name(struct lookup *lookup)
{
	const struct rs_syntax_event *written = lookup->written;
	char letters[16];
	size_t n_letters = 0;
	for (const char *at = written->group_modifiers; *at && n_letters < sizeof(letters) - 1;
		at++)
		if (*at != 'W')
			letters[n_letters++] = *at;
	letters[n_letters] = '\0';
	bool has_modifiers = written->has_terms || *lookup->modifiers;
	lookup->resolved->name =
		lookup->name_term
			? rs_arena_format(lookup->resolved->arena, "%s", lookup->name_term)
			: rs_arena_format(lookup->resolved->arena, "%s%s%s", written->text,
				  n_letters > 0 && !has_modifiers ? ":" : "", letters);
}

bool rs_resolve(struct rs_resolved *resolved, struct rs_arena *arena, const struct rs_host *host,
	const struct rs_syntax_event *written, struct rs_err *err)
{
	static enum found (*const finders[])(struct lookup *) = {
		find_generic, find_raw, find_pmu, find_libpfm, find_tracepoint, find_bare_sysfs};
	*resolved = (struct rs_resolved){.arena = arena, .attr.size = sizeof(resolved->attr)};
	struct lookup lookup = {.resolved = resolved, .host = host, .written = written, .err = err};
	size_t base_length = rs_modifiers_split(written->head);
	memcpy(lookup.base, written->head, base_length);
	lookup.base[base_length] = '\0';
	lookup.modifiers = written->head + base_length;

	enum found found = NOT_FOUND;
	for (size_t i = 0; i < sizeof(finders) / sizeof(finders[0]) && found == NOT_FOUND; i++)
		found = finders[i](&lookup);
	if (found == NOT_FOUND)
		rs_unknown_explain(written, lookup.base, lookup.libpfm, host, err);
	if (found != FOUND)
		return false;
	set_name(&lookup);
	rs_modifiers_apply(&resolved->modifiers, &resolved->attr);
	return true;
}
