/* SPDX-License-Identifier: MIT */
/*
 * These functions handle the names of objects that an API creates, such as domains and strings. For
 * each text there is one struct rs_name, which is never freed. Adapters attach objects to such a
 * struct, or to an address. All functions work without locks.
 */
#ifndef RS_ADAPTERS_NAMES_H
#define RS_ADAPTERS_NAMES_H

#include "adapters/lists.h"

enum rs_name_use {
	RS_NAME_DOMAIN, /* the API's domain of this name */
	RS_NAME_STRING, /* the API's registered string with this text */
	RS_NAME_SITE, /* the site of the region of this name, without a domain */
	RS_NAME_USES,
};

struct rs_name {
	struct rs_listed listed;
	_Atomic(void *) things[RS_NAME_USES];
	size_t bytes;
	char text[]; /* UTF-8, ends in NUL */
};

/* Return the struct of a text. The first call for a text creates it. Return NULL if memory runs
 * out. */
struct rs_name *rs_name_of(const char *text, size_t bytes);

/* Return the object that is attached to an address, or NULL. rs_address_set() attaches another
 * object to the address. It returns false if memory runs out. Any thread may call both. */
void *rs_address_get(const void *address);
bool rs_address_set(const void *address, void *thing);

#endif
