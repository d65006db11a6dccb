/* SPDX-License-Identifier: MIT */
/*
 * Memory whose faults are known: what the rules on page faults and on pauses have in common.
 */
#ifndef RULES_PAGES_H
#define RULES_PAGES_H

#include <stddef.h>

/* n_pages of fresh memory, never in huge pages, so that each page's first touch is one fault.
 * Never given back. */
volatile unsigned char *map_pages(size_t n_pages);

/* Write one byte of each page. */
void touch_pages(volatile unsigned char *pages, size_t n_pages);

/*
 * Call before the first region whose faults matter, in a forked child as well. Whatever else could
 * fault inside it is touched here: code and data of every loaded object (a child shares data until
 * it writes to it, and finds code unmapped), some stack, and by calls of a region "warm-up" what
 * the thread's counters and markers need.
 */
void warm_up_faults(void);

#endif
