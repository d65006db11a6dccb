/* SPDX-License-Identifier: MIT */
/*
 * These functions track open calls that may end in any order and on any thread. A table of fixed
 * size maps keys to the calls that START began. It works without locks. A thread may be stopped or
 * may fork at any point, and a signal handler that uses the table may interrupt it.
 */
#ifndef RS_ADAPTERS_OPEN_CALLS_H
#define RS_ADAPTERS_OPEN_CALLS_H

#include "adapters/adapter.h"

/* A process can have this many open calls. If a program starts more, the adapter does not measure
 * them, but counts them (RS_ADAPTER_COUNT_MEMORY). */
#define RS_MAX_OPEN_CALLS 16384u

/* The key of an open call. thread: the thread that began it; 0: the call belongs to no thread. */
struct rs_open_key {
	uint64_t words[4];
	uint64_t thread;
};

enum rs_open_again {
	RS_OPEN_KEEPS, /* ignore the new START; the open call continues */
	RS_OPEN_RESTARTS, /* forget the open call, and start a new one */
	RS_OPEN_NEW, /* do not search for an open call: each key is used only once */
};

/* Return an id of the calling thread, which is not 0. */
uint64_t rs_open_thread(void);

/* Touch the memory of the table before the first call of the process, so that calls of the program
 * do not include these page faults. An adapter may call this any number of times, or not at all. */
void rs_open_prepare(void);

/* Start a call of the region `site`. again: what to do if a call with this key is open. */
void rs_open_start(
	const struct rs_open_key *key, struct regionstat_site_ *site, enum rs_open_again again);

/* Stop the open call with this key. If there is none, stop a call that another thread began and
 * whose key has the same words. If there is no such call either, add 1 to the count `missing`,
 * unless the END may belong to a call for which the table was full. */
void rs_open_stop(const struct rs_open_key *key, enum rs_adapter_count missing);

#endif
