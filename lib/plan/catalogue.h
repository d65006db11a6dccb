/* SPDX-License-Identifier: MIT */
/*
 * Everything that this machine offers to count, by kind: for `regionstat list`.
 */
#ifndef RS_PLAN_CATALOGUE_H
#define RS_PLAN_CATALOGUE_H

#include "base/err.h"
#include "plan/host.h"
#include "plan/names.h"

enum rs_offer {
	RS_OFFER_YES,
	RS_OFFER_USER_ONLY, /* in user space only, as we are not privileged */
	RS_OFFER_NO, /* see reason */
};

struct rs_catalogue_entry {
	char *name; /* as -e takes it; owned */
	char *help; /* one line, "" when there is none; owned */
	enum rs_event_kind kind;
	enum rs_offer offer;
	bool lacks_rights; /* with more of them it could be counted, or wholly */
	char reason[96]; /* a few words; "" unless RS_OFFER_NO */
};

struct rs_catalogue {
	struct rs_catalogue_entry *entries; /* ordered by kind as enum rs_event_kind is; owned */
	size_t n_entries;
	int tracefs_error; /* errno value of why tracepoints are missing, or 0 */
};

/*
 * List the events whose name, or whose other name, matches.
 *
 * Generic events and those of sysfs are tried one by one; of tracepoints, and of each PMU model of
 * libpfm4's, one event is tried in place of all.
 * glob: a pattern (base/glob.h), in which upper and lower case are equal, or NULL for all.
 * catalogue: filled on success; release with rs_catalogue_finish(). False, with err filled: no
 * memory.
 */
bool rs_catalogue_init(struct rs_catalogue *catalogue, const struct rs_host *host, const char *glob,
	struct rs_err *err);

/* Drop the entries that wants() does not want. */
void rs_catalogue_filter(struct rs_catalogue *catalogue,
	bool (*wants)(const struct rs_catalogue_entry *entry, void *context), void *context);

/* Release what the catalogue owns. catalogue: filled, zeroed, or NULL. */
void rs_catalogue_finish(struct rs_catalogue *catalogue);

#endif
