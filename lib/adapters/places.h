/* SPDX-License-Identifier: MIT */
/*
 * From places in the code to regions: a function, or what calls a construct, known by its address.
 * In a report it has a name and a line, which are found out after the run.
 */
#ifndef RS_ADAPTERS_PLACES_H
#define RS_ADAPTERS_PLACES_H

#include "adapters/lists.h"

#define RS_ADAPTER_PLACE_KINDS 11 /* of what may begin at one place */

/* A place, one for each address and for life. */
struct rs_adapter_place;

/* The place of an address, NULL for an unknown one; NULL: no memory, which is counted. Any thread. */
struct rs_adapter_place *rs_adapter_place_of(const void *address);

/* The site of that kind of construct at a place, under its word ("": a function, by its name
 * alone). NULL: there is no place, or it cannot be found now; &rs_adapter_nowhere: it lies in no
 * file. Any thread. */
struct regionstat_site_ *rs_adapter_place_site(
	struct rs_adapter_place *place, unsigned int kind, const char *word);
extern struct regionstat_site_ rs_adapter_nowhere;

#endif
