/* SPDX-License-Identifier: MIT */
/* Memory with known page faults, for the rules about page faults and pauses. */
#ifndef RULES_PAGES_H
#define RULES_PAGES_H

#include <stddef.h>

/* Return n_pages of fresh memory. There are no huge pages, so that the first access to each page is
 * one fault. The memory is never freed. */
volatile unsigned char *map_pages(size_t n_pages);

/* Write one byte to each page, and return the page after them. */
volatile unsigned char *touch_pages(volatile unsigned char *pages, size_t n_pages);

/*
 * Touch all other memory that could fault inside regions: code and data of every loaded object, and
 * some stack. Call this before the first region whose faults matter, and again in a forked child. A
 * child shares data until it writes to it, and its code is not mapped yet. Calls of a region
 * "warm-up" touch the memory of the thread's counters and markers.
 */
void warm_up_faults(void);

#endif
