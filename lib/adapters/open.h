/* SPDX-License-Identifier: MIT */
/*
 * What a thread has open, for APIs whose ends say less than their begins: a pop without a name, the
 * end of whatever value an attribute has. Each entry keeps the ticket of its call, so that ends are
 * paired by what the API says and never by a guess.
 */
#ifndef RS_ADAPTERS_OPEN_H
#define RS_ADAPTERS_OPEN_H

#include "adapters/adapter.h"

/* As many a thread keeps open at once; what is beyond is not measured and counted as without memory. */
#define RS_ADAPTER_MAX_OPEN 65536u

/* Begin a call of the site's region on the calling thread, kept under key. key: what its end will
 * know, not 0. Nothing where nobody measures. */
void rs_adapter_open(uint64_t key, struct regionstat_site_ *site);

/*
 * End the call that the calling thread opened last under key; with a site: the last of that site.
 * False: there is none, which is the caller's to count.
 */
bool rs_adapter_close(uint64_t key, const struct regionstat_site_ *site);

/* End the one opened last under key, if there is one, and open one of site in its place. */
void rs_adapter_replace(uint64_t key, struct regionstat_site_ *site);

#endif
