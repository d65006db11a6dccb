/* SPDX-License-Identifier: MIT */
/*
 * Open calls that may end in any order and on any thread. A table of fixed size maps keys to the
 * calls that START began. It works without locks. At any point a thread may be stopped, may fork,
 * or may be interrupted by a signal handler that uses the table.
 */
#ifndef RS_ADAPTERS_OPEN_CALLS_H
#define RS_ADAPTERS_OPEN_CALLS_H

#include "adapters/adapter.h"

/* The most calls that a process can have open at once. Further calls are not measured, and are
 * counted (RS_ADAPTER_COUNT_MEMORY). */
#define RS_MAX_OPEN_CALLS 16384u

/* The key of an open call. thread: the thread that began it; 0: the call belongs to no thread. */
struct rs_open_key {
	uint64_t words[4];
	uint64_t thread;
};

enum rs_open_again {
	RS_OPEN_KEEPS, /* ignore the new START; the open call continues */
	RS_OPEN_RESTARTS, /* forget the open call, and start a new one */
	RS_OPEN_NEW, /* do not look for one, because the key is used only once */
};

/* Return an id of the calling thread, which is not 0. */
uint64_t rs_open_thread(void);

/* Touch the memory of the table before the first call of the process, so that calls of the program
 * do not include these page faults. It may be called any number of times, or not at all. */
void rs_open_prepare(void);

/* Start a call of the region `site`. again: what to do if a call with this key is open. */
void rs_open_start(
	const struct rs_open_key *key, struct regionstat_site_ *site, enum rs_open_again again);

/* Stop the call with this key, or otherwise one with the same words that another thread began. If
 * there is none, add 1 to the count `missing`. Do not count if the END may belong to a call that
 * found no free record. */
void rs_open_stop(const struct rs_open_key *key, enum rs_adapter_count missing);

#endif
