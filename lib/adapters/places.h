/* SPDX-License-Identifier: MIT */
/*
 * These functions handle regions that are identified by a code address: that of a function, or of
 * the code that calls an OpenMP or ITT construct. The launcher finds the name and the source line
 * after the run.
 */
#ifndef RS_ADAPTERS_PLACES_H
#define RS_ADAPTERS_PLACES_H

#include "adapters/lists.h"

#define RS_ADAPTER_PLACE_KINDS 11 /* kinds of constructs that may begin at the same address */

/* One code address and its sites; never freed. */
struct rs_adapter_place;

/* Return the struct of a code address. address may be NULL if it is unknown. If memory runs out,
 * count this (RS_ADAPTER_COUNT_MEMORY) and return NULL. Any thread may call this. */
struct rs_adapter_place *rs_adapter_place_of(const void *address);

/* Return the site for this kind of construct at this address. word is the construct's name in the
 * name of the region; "" for a function. Return NULL if place is NULL or the site cannot be found
 * now. Return &rs_adapter_nowhere if no file contains the address. Any thread may call this. */
struct regionstat_site_ *rs_adapter_place_site(
	struct rs_adapter_place *place, unsigned int kind, const char *word);
extern struct regionstat_site_ rs_adapter_nowhere;

#endif
