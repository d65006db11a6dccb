/* SPDX-License-Identifier: MIT */
/*
 * Calls that end by what they are called, in any order and on any thread: a bounded table from keys
 * to what START gave. Without locks: any thread may be stopped, forked from, or interrupted by a
 * signal handler that does the same, between any two steps.
 */
#ifndef RS_ADAPTERS_OPEN_CALLS_H
#define RS_ADAPTERS_OPEN_CALLS_H

#include "adapters/adapter.h"

/* Open at once in a process; more are not measured, and counted (RS_ADAPTER_COUNT_MEMORY). */
#define RS_MAX_OPEN_CALLS 16384u

/* The key of an open call. thread: that began it; 0: it belongs to none. */
struct rs_open_key {
	uint64_t words[4];
	uint64_t thread;
};

enum rs_open_again {
	RS_OPEN_KEEPS, /* what is open goes on; this START is ignored */
	RS_OPEN_RESTARTS, /* what is open is forgotten, and a call starts now */
	RS_OPEN_NEW, /* there is none: the key was never given before */
};

/* A word that identifies the calling thread, not 0. */
uint64_t rs_open_thread(void);

/* Before the process's first call, where its memory is touched for the first time. Any number of
 * times; the rest works without, but then the program's calls have those page faults. */
void rs_open_prepare(void);

/* Start a call of that region. again: where there is one of that key. */
void rs_open_start(
	const struct rs_open_key *key, struct regionstat_site_ *site, enum rs_open_again again);

/* Stop the call of that key, or else one of the same words that is another thread's. Without
 * either, the END is counted as missing, unless it may be that of a call for which there was no
 * room. */
void rs_open_stop(const struct rs_open_key *key, enum rs_adapter_count missing);

#endif
