/* SPDX-License-Identifier: MIT */
/*
 * The common parts of all adapters. An adapter is a shared object, libregionstat-NAME.so, that a
 * marker API's own contract brings into a program that is measured. It includes the marker header,
 * as a program does, and so finds the launcher and the runtime. Without them regionstat_table_()
 * is NULL. An adapter then does what the API does without a tool, or what the tool that was there
 * before does.
 *
 * A region of the API becomes a site (rs_adapter_site()). An adapter finds it once and keeps it
 * where the API allows that; otherwise it looks the name up at every call. With a site the markers
 * are the header's. regionstat_scope_begin_() gives a ticket, for calls that the API itself pairs.
 * table->begin() and table->end_site() pair by name. table->start() and table->stop() are for
 * calls that may end on another thread. No adapter links its API's library or includes its
 * headers; what it knows of the ABI is written down in it, with its source.
 *
 * Adapters keep errno, allocate nothing on the program's heap, and lock nothing.
 */
#ifndef RS_ADAPTERS_ADAPTER_H
#define RS_ADAPTERS_ADAPTER_H

#include <stddef.h>
#include <string.h>

#include "runtime/adapter_table.h"

/* Each adapter defines its own. */
extern const enum rs_adapter rs_adapter_self;

/* For functions that the API calls, or the program looks up. */
#define RS_ADAPTER_EXPORT __attribute__((visibility("default")))

/* The table with the entries for adapters; NULL: not launched, or a runtime without them. */
static inline const struct rs_adapter_table *rs_adapter_table(void)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	return table && table->bytes_ >= sizeof(struct rs_adapter_table)
		       ? (const struct rs_adapter_table *)(const void *)table
		       : NULL;
}

/* Add 1 to a count of this adapter's (segment/adapters.h). Nothing where it is not launched. */
void rs_adapter_note(enum rs_adapter_count count);

/* The same, once a process and its children that are forked later: of what happens to the process. */
extern _Atomic uint32_t rs_adapter_noted; /* a bit each count */
static inline void rs_adapter_note_once(enum rs_adapter_count count)
{
	uint32_t bit = UINT32_C(1) << count;
	if (!(atomic_load_explicit(&rs_adapter_noted, memory_order_relaxed) & bit) &&
		!(atomic_fetch_or_explicit(&rs_adapter_noted, bit, memory_order_relaxed) & bit))
		rs_adapter_note(count);
}

/* A call began when there was no room for it: counted (RS_ADAPTER_COUNT_MEMORY), and in n_beyond until
 * its end, which is one that no call is found for. Such an end counts as `missing` only where none
 * of these is left. Any thread. */
void rs_adapter_begin_beyond(_Atomic uint32_t *n_beyond);
void rs_adapter_end_missing(_Atomic uint32_t *n_beyond, enum rs_adapter_count missing);

/* Set the name of a thread of this process in reports, by table->name_thread(); if that fails, the
 * call is counted as ignored. */
void rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes);

/* The site of a region, one a name for life, made at first sight. name: UTF-8 of any length, need
 * not end in NUL. A name that is too long for a region is kept whole, and the runtime shortens it.
 * Of no bytes: "(unnamed)". The same site for the same name on every thread, without a lock.
 * Without memory, and for new names beyond 65,536 of a process, it is the site of "(other)", and
 * that is counted (RS_ADAPTER_COUNT_MEMORY). A program with a number in each name would otherwise
 * fill memory, and make the lists ever longer. */
struct regionstat_site_ *rs_adapter_site(const char *name, size_t bytes);

/* The same of a text that ends in NUL; NULL: it has no bytes. */
static inline struct regionstat_site_ *rs_adapter_site_text(const char *name)
{
	return rs_adapter_site(name, name ? strlen(name) : 0);
}

/* The same of two parts, written "first:second"; an empty first leaves the colon out. */
struct regionstat_site_ *rs_adapter_site_of(
	const char *first, size_t first_bytes, const char *second, size_t second_bytes);

/* Memory for life, zeroed, not of the program's heap; NULL when there is none. */
void *rs_adapter_allocate(size_t bytes);

#endif
