/* SPDX-License-Identifier: MIT */
/*
 * Ranges that nest in each thread and domain: what ends one says which domain, not which range. A
 * stack for each thread holds the tickets of what is open, of all domains, in the order in which it
 * began; an end takes the innermost of its domain, wherever that lies.
 */
#ifndef RS_ADAPTERS_STACKS_H
#define RS_ADAPTERS_STACKS_H

#include "adapters/adapter.h"

/* Before the first push of the process; again it does nothing. Any thread. */
void rs_stack_init(void);

/* Begin a range of that region. domain: any value, NULL as well; compared, not followed. Returns its
 * level, from 0, among those of that domain on this thread. Where there is no memory for it the
 * range is not measured, and counted (RS_ADAPTER_COUNT_MEMORY). Any thread, also in signal handlers. */
int rs_stack_push(const void *domain, struct regionstat_site_ *site);

/* End the innermost range of that domain on this thread. Returns its level; -1 where there is none,
 * which is counted (RS_ADAPTER_COUNT_UNMATCHED). A forked child ends what its parent had begun
 * without a call. */
int rs_stack_pop(const void *domain);

#endif
