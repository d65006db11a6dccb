/* SPDX-License-Identifier: MIT */
/*
 * These stacks of open calls are for APIs whose END says less than BEGIN, for example only the
 * domain. Each thread has one stack. It contains the tickets of the thread's open calls with all
 * keys, in the order in which they began. An END ends the innermost call with the same key, even if
 * it is not on top of the stack. Therefore the rules of the API decide which BEGIN an END belongs
 * to.
 *
 * Any thread may use these functions. A signal handler may use them if it ends each call that it
 * begins. If a forked child ends a call of its parent, nothing is measured.
 */
#ifndef RS_ADAPTERS_STACKS_H
#define RS_ADAPTERS_STACKS_H

#include "adapters/adapter.h"

/* Begin a call of the region `site` under a key, which may be any value. If more calls are nested
 * than the runtime's limit, the runtime counts the call (RS_PROCESS_DIAG_DEPTH) and does not
 * measure it. END still finds such a call. If memory runs out, this function counts the call
 * (RS_ADAPTER_COUNT_MEMORY). */
void rs_stack_push(uint64_t key, struct regionstat_site_ *site);

/* Begin a call as rs_stack_push() does. Return its level among the open calls of this key on this
 * thread, from 0. */
int rs_stack_push_level(uint64_t key, struct regionstat_site_ *site);

/* End the innermost call of this key on this thread. Return the level that rs_stack_push_level()
 * returned for it, or 0 after rs_stack_push(). If there is no such call, count an unmatched END and
 * return -1. */
int rs_stack_pop(uint64_t key);

/* End the innermost call of this key and this region, as rs_stack_pop() does. */
int rs_stack_pop_site(uint64_t key, const struct regionstat_site_ *site);

/* End the innermost call of this key. Do nothing if there is none. */
void rs_stack_pop_if_open(uint64_t key);

/* End the innermost call of this key, if there is one, and begin a call of site at its position on
 * the stack. */
void rs_stack_replace(uint64_t key, struct regionstat_site_ *site);

#endif
