/* SPDX-License-Identifier: MIT */
/*
 * This file lists the events that the machine can count. It asks every source of names in this
 * directory, keeps the names that match a pattern, and tries events with perf_event_open(2). The
 * output has one entry for each event, sorted by kind.
 */
#include "plan/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "plan/core_pmus.h"
#include "plan/libpfm.h"
#include "plan/resolve.h"
#include "plan/sysfs.h"

#define NAME_BYTES 512u

struct gatherer {
	struct rs_catalogue *catalogue;
	const struct rs_host *host;
	struct rs_core_pmus core_pmus;
	const char *glob;
	struct rs_arena scratch; /* memory for trying one event */
	/* The PMU model of libpfm4 or the tracepoints, which are being listed, and the result of
	 * trying the first of these events. */
	char source[64];
	struct rs_catalogue_entry trial;
};

static bool matches(const struct gatherer *gatherer, const char *name)
{
	return !gatherer->glob || rs_glob_matches_any_case(gatherer->glob, name);
}

/* Add an event. trial: the result of trying it or a similar event. */
static void add_entry(struct gatherer *gatherer, enum rs_event_kind kind, const char *name,
	const char *help, const struct rs_catalogue_entry *trial)
{
	struct rs_catalogue *catalogue = gatherer->catalogue;
	catalogue->entries = rs_arena_room(&catalogue->arena, catalogue->entries,
		catalogue->n_entries, sizeof(*catalogue->entries));
	struct rs_catalogue_entry *entry = &catalogue->entries[catalogue->n_entries++];
	*entry = *trial;
	entry->kind = kind;
	entry->name = rs_arena_format(&catalogue->arena, "%s", name);
	entry->help = rs_arena_format(&catalogue->arena, "%.*s", (int)strcspn(help, "\n"), help);
}

static void try_resolved(const struct gatherer *gatherer, struct rs_resolved *resolved,
	struct rs_catalogue_entry *trial)
{
	struct rs_probe probe = rs_parts_probe(resolved, gatherer->host, &gatherer->core_pmus);
	struct rs_reason reason;
	trial->offer = probe.user_only ? RS_OFFER_USER_ONLY : RS_OFFER_YES;
	trial->lacks_rights = probe.user_only || probe.error == EACCES || probe.error == EPERM;
	if (probe.error) {
		trial->offer = RS_OFFER_NO;
		rs_reason_explain(&reason, gatherer->host, resolved, probe.error);
		memcpy(trial->reason, reason.brief, sizeof(trial->reason));
	}
}

/* Try the event that the option -e with this text would count. */
static void try_event(struct gatherer *gatherer, const char *text, struct rs_catalogue_entry *trial)
{
	struct rs_syntax syntax = {.arena = &gatherer->scratch};
	struct rs_resolved resolved;
	struct rs_err err;
	*trial = (struct rs_catalogue_entry){.offer = RS_OFFER_NO};
	if (rs_syntax_parse(&syntax, text, &err) &&
		rs_resolve(&resolved, &gatherer->scratch, gatherer->host, &syntax.events[0], &err))
		try_resolved(gatherer, &resolved, trial);
	else
		snprintf(trial->reason, sizeof(trial->reason), "needs more terms");
	rs_arena_finish(&gatherer->scratch);
}

/* Add an event of a source of which only the first event is tried. */
static void add_untried(struct gatherer *gatherer, enum rs_event_kind kind, const char *name,
	const char *help, const char *source)
{
	if (strcmp(gatherer->source, source) != 0) {
		snprintf(gatherer->source, sizeof(gatherer->source), "%s", source);
		try_event(gatherer, name, &gatherer->trial);
	}
	add_entry(gatherer, kind, name, help, &gatherer->trial);
}

static void gather_generic(struct gatherer *gatherer)
{
	size_t n_names;
	const struct rs_name *names = rs_names(&n_names);
	for (size_t i = 0; i < n_names; i++) {
		const struct rs_name *name = &names[i];
		if (!matches(gatherer, name->name) &&
			!(name->alias && matches(gatherer, name->alias)))
			continue;
		char help[NAME_BYTES];
		struct rs_catalogue_entry trial;
		snprintf(help, sizeof(help), "%s%s%s", name->help,
			name->alias ? "; also called " : "", name->alias ? name->alias : "");
		try_event(gatherer, name->name, &trial);
		add_entry(gatherer, name->kind, name->name, help, &trial);
	}
}

static void gather_raw(struct gatherer *gatherer)
{
	struct rs_catalogue_entry trial;
	if (!matches(gatherer, "rNNN"))
		return;
	try_event(gatherer, "r0", &trial);
	add_entry(gatherer, RS_EVENT_RAW, "rNNN",
		"event number NNN, in hexadecimal, of the CPU's PMU: see the CPU's manual", &trial);
}

static void gather_sysfs_event(
	void *context, const char *pmu, const char *event, const char *definition)
{
	struct gatherer *gatherer = context;
	char name[NAME_BYTES];
	snprintf(name, sizeof(name), "%s/%s/", pmu, event);
	if (!matches(gatherer, name) && !matches(gatherer, event))
		return;
	struct rs_catalogue_entry trial;
	try_event(gatherer, name, &trial);
	add_entry(gatherer, RS_EVENT_SYSFS, name, definition, &trial);
}

static void gather_tracepoint(void *context, const char *pmu, const char *name, const char *help)
{
	struct gatherer *gatherer = context;
	(void)pmu;
	(void)help;
	if (matches(gatherer, name))
		add_untried(gatherer, RS_EVENT_TRACEPOINT, name, "times that the kernel passed it",
			"tracefs");
}

static void gather_libpfm_event(void *context, const char *pmu, const char *name, const char *help)
{
	struct gatherer *gatherer = context;
	char full_name[NAME_BYTES];
	snprintf(full_name, sizeof(full_name), "%s::%s", pmu, name);
	if (matches(gatherer, name) || matches(gatherer, full_name))
		add_untried(gatherer, RS_EVENT_LIBPFM, full_name, help, pmu);
}

/* Add all events. The table of generic names and the order of the calls below sort them by kind. */
static void gather(void *context)
{
	struct gatherer *gatherer = context;
	gather_generic(gatherer);
	gather_raw(gatherer);
	rs_sysfs_visit(gatherer->host, gather_sysfs_event, gatherer);
	gatherer->catalogue->tracefs_error = rs_tracefs_visit(
		gatherer->host, gather_tracepoint, gatherer);
	rs_libpfm_visit(gather_libpfm_event, gatherer);
}

bool rs_catalogue_init(struct rs_catalogue *catalogue, const struct rs_host *host, const char *glob,
	struct rs_err *err)
{
	memset(catalogue, 0, sizeof(*catalogue));
	struct gatherer gatherer = {.catalogue = catalogue, .host = host, .glob = glob};
	rs_core_pmus_find(&gatherer.core_pmus, host);
	bool done = rs_arena_guard(gather, &gatherer);
	rs_arena_finish(&gatherer.scratch);
	if (done)
		return true;
	rs_catalogue_finish(catalogue);
	return rs_err_set(err, "cannot list the events: out of memory");
}

void rs_catalogue_filter(struct rs_catalogue *catalogue,
	bool (*wants)(const struct rs_catalogue_entry *entry, void *context), void *context)
{
	size_t kept = 0;
	for (size_t i = 0; i < catalogue->n_entries; i++)
		if (wants(&catalogue->entries[i], context))
			catalogue->entries[kept++] = catalogue->entries[i];
	catalogue->n_entries = kept;
}

void rs_catalogue_finish(struct rs_catalogue *catalogue)
{
	rs_arena_finish(&catalogue->arena);
	memset(catalogue, 0, sizeof(*catalogue));
}
