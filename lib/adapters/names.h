/* SPDX-License-Identifier: MIT */
/*
 * Names that an API makes things of: each text is one struct for life, to which things are tied,
 * also by their address. Without locks.
 */
#ifndef RS_ADAPTERS_NAMES_H
#define RS_ADAPTERS_NAMES_H

#include "adapters/lists.h"

enum rs_name_use {
	RS_NAME_DOMAIN, /* what the API calls a domain of that name */
	RS_NAME_STRING, /* a registered string of that text */
	RS_NAME_SITE, /* the region of that name alone */
	RS_NAME_USES,
};

struct rs_name {
	struct rs_listed listed;
	_Atomic(void *) things[RS_NAME_USES];
	size_t bytes;
	char text[]; /* UTF-8, ends in NUL */
};

/* The struct of a text, made at first sight; NULL: there is no memory for it. */
struct rs_name *rs_name_of(const char *text, size_t bytes);

/* Get the thing that is tied to an address, NULL for none; and tie another to it, false without
 * memory. Any thread. */
void *rs_address_get(const void *address);
bool rs_address_set(const void *address, void *thing);

#endif
