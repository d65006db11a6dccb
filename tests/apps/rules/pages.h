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
 * Call before the first region whose faults matter. Everything else that could fault inside it
 * happens here: the touching code and its stack are mapped by touching spare pages, and the
 * thread's counters are opened by calls of a region "warm-up".
 */
void warm_up_faults(void);

#endif
