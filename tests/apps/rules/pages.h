/* SPDX-License-Identifier: MIT */
/*
 * Memory whose faults are known, for the rules on page faults and on pauses.
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
 * Call before the first region whose faults matter, in a forked child as well. It touches
 * everything else that could fault inside: code and data of every loaded object, and some stack. A
 * child shares data until it writes to it, and finds code unmapped. Calls of a region "warm-up"
 * touch the memory of the thread's counters and markers.
 */
void warm_up_faults(void);

#endif
