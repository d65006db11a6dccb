/* SPDX-License-Identifier: MIT */
/*
 * Calls of a thread that end by a key. An end has less than its begin, such as only a domain, or
 * an attribute of any value. A stack for each thread holds the tickets of open calls, under all
 * keys, in the order in which they began. An end takes the innermost of its key, wherever that
 * lies. So ends are paired by what the API says and never by a guess.
 *
 * Any thread, also in signal handlers that end what they begin. A forked child ends what its parent
 * had begun without a call.
 */
#ifndef RS_ADAPTERS_STACKS_H
#define RS_ADAPTERS_STACKS_H

#include "adapters/adapter.h"

/* Begin a call of that region under a key, any number. Beyond what the runtime keeps open of a
 * thread it is not measured, and the runtime counts it (RS_PROCESS_DIAG_DEPTH); it is paired all
 * the same. Where there is no room for that either it is counted here (RS_ADAPTER_COUNT_MEMORY). */
void rs_stack_push(uint64_t key, struct regionstat_site_ *site);

/* The same; returns its level, from 0, among those of that key on this thread. */
int rs_stack_push_level(uint64_t key, struct regionstat_site_ *site);

/* End the innermost call of that key on this thread. Returns the level of one that was begun with
 * one, else 0; -1, which is counted as unmatched: there is none. */
int rs_stack_pop(uint64_t key);

/* The same, of those of that key and that region. */
int rs_stack_pop_site(uint64_t key, const struct regionstat_site_ *site);

/* The same of that key; where there is none that is not counted. */
void rs_stack_pop_if_open(uint64_t key);

/* End the innermost call of that key, if there is one, and begin one of site in its place. */
void rs_stack_replace(uint64_t key, struct regionstat_site_ *site);

#endif
