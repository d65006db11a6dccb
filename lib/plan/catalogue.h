/* SPDX-License-Identifier: MIT */
/*
 * The catalogue of events that this machine can count, ordered by kind. `regionstat list` prints
 * it.
 */
#ifndef RS_PLAN_CATALOGUE_H
#define RS_PLAN_CATALOGUE_H

#include "base/arena.h"
#include "base/err.h"
#include "plan/host.h"
#include "segment/event_names.h"

enum rs_offer {
	RS_OFFER_YES,
	/* countable in user space only, since this process may not count the kernel */
	RS_OFFER_USER_ONLY,
	RS_OFFER_NO, /* not countable; reason says why */
};

struct rs_catalogue_entry {
	const char *name; /* name in the form that -e accepts */
	const char *help; /* description in one line; "" if there is none */
	enum rs_event_kind kind;
	enum rs_offer offer;
	/* with more privileges the event would be countable, or countable in the kernel too */
	bool lacks_rights;
	char reason[96]; /* the reason in a few words; "" unless offer is RS_OFFER_NO */
};

struct rs_catalogue {
	struct rs_catalogue_entry *entries; /* in the order of enum rs_event_kind */
	size_t n_entries;
	int tracefs_error; /* the errno value if tracepoints cannot be listed, or 0 */
	struct rs_arena arena; /* owns the entries and their strings */
};

/*
 * List the events whose name or alias matches glob.
 *
 * Each generic event and each event of sysfs is tried with perf_event_open(2). Tracepoints and
 * libpfm4's PMU models have thousands of events. So only the first tracepoint and the first event
 * of each model is tried, and the result applies to the others.
 *
 * glob: a pattern (base/glob.h) that ignores case, or NULL for all events. Fill catalogue on
 * success; rs_catalogue_finish() releases it. Return false and set err if memory runs out.
 */
bool rs_catalogue_init(struct rs_catalogue *catalogue, const struct rs_host *host, const char *glob,
	struct rs_err *err);

/* Remove the entries for which wants() returns false. */
void rs_catalogue_filter(struct rs_catalogue *catalogue,
	bool (*wants)(const struct rs_catalogue_entry *entry, void *context), void *context);

/* Release the memory of a catalogue. catalogue may be zeroed. */
void rs_catalogue_finish(struct rs_catalogue *catalogue);

#endif
