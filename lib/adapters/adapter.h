/* SPDX-License-Identifier: MIT */
/*
 * The common parts of all adapters. An adapter is a shared object, libregionstat-NAME.so, which
 * translates the calls of another marker API to regionstat's markers. The API's own interface for
 * tools, or LD_PRELOAD, loads it into a program. The adapter includes the marker header, as a
 * program does. Through this header it finds the launcher and the runtime. If there are none,
 * regionstat_table_() is NULL. The adapter then does what the API does without a tool, or calls the
 * tool that it replaced.
 *
 * Each region of the API gets a site (rs_adapter_site()): the runtime's struct for a region. If the
 * API has a place to store the site, the adapter stores it there. Otherwise it looks up the name in
 * every call. The adapter calls the markers of the header. If the API itself says which BEGIN an
 * END belongs to, the adapter uses regionstat_scope_begin_(), whose ticket ends this call. If BEGIN
 * and END have only a name in common, it uses table->begin() and table->end_site(). If a call may
 * end on another thread, it uses table->start() and table->stop().
 *
 * An adapter does not link the library of its API and does not include its headers. It declares the
 * parts of the ABI that it needs, and names their source. Adapters preserve errno, do not use the
 * program's heap, and take no locks.
 */
#ifndef RS_ADAPTERS_ADAPTER_H
#define RS_ADAPTERS_ADAPTER_H

#include <stddef.h>
#include <string.h>

#include "runtime/adapter_table.h"

/* The API of this adapter. Each adapter defines this constant. */
extern const enum rs_adapter rs_adapter_self;

/* Marks a function that the API calls or the program looks up. */
#define RS_ADAPTER_EXPORT __attribute__((visibility("default")))

/* Return the runtime's table with the entries for adapters. Return NULL if regionstat did not
 * launch the program, or if the table (such as the stub table) has no such entries. */
static inline const struct rs_adapter_table *rs_adapter_table(void)
{
	const struct regionstat_table_29_ *table = regionstat_table_();
	return table && table->bytes_ >= sizeof(struct rs_adapter_table) && table->adapter_[0]
		       ? (const struct rs_adapter_table *)(const void *)table
		       : NULL;
}

/* Add 1 to a count of this adapter (segment/adapters.h). Do nothing if regionstat did not launch
 * the program. */
void rs_adapter_note(enum rs_adapter_count count);

/* Add 1 to a count, but only once in a process and the children that it forks later. Use this to
 * count processes. */
extern _Atomic uint32_t rs_adapter_noted; /* one bit for each count that was added */
static inline void rs_adapter_note_once(enum rs_adapter_count count)
{
	uint32_t bit = UINT32_C(1) << count;
	if (!(atomic_load_explicit(&rs_adapter_noted, memory_order_relaxed) & bit) &&
		!(atomic_fetch_or_explicit(&rs_adapter_noted, bit, memory_order_relaxed) & bit))
		rs_adapter_note(count);
}

/* Count a call that cannot be tracked because memory ran out (RS_ADAPTER_COUNT_MEMORY), and
 * increment n_beyond, the count of open untracked calls. Call rs_adapter_end_missing() for an END
 * for which no open call is known. If n_beyond is above 0, that function assumes that the END
 * belongs to an untracked call, and decrements n_beyond. Otherwise it adds 1 to the count
 * `missing`. Any thread may call both. */
void rs_adapter_begin_beyond(_Atomic uint32_t *n_beyond);
void rs_adapter_end_missing(_Atomic uint32_t *n_beyond, enum rs_adapter_count missing);

/* Set the name of a thread of this process in reports, by table->name_thread(). If this fails,
 * count the call as ignored. */
void rs_adapter_name_thread(uint32_t tid, const char *name, size_t bytes);

/* Return the site of a region. The first call for a name creates it, and it is never freed. All
 * threads get the same site for the same name, without a lock. name: UTF-8 of any length; it need
 * not end in NUL. The runtime shortens long names. An empty name becomes "(unnamed)".
 *
 * A process can have 65,536 names. For a new name beyond this limit, or if memory runs out, return
 * the site of "(other)" and count RS_ADAPTER_COUNT_MEMORY. Without the limit, a program that makes
 * a new name for every call would fill memory and slow down every look-up. */
struct regionstat_site_ *rs_adapter_site(const char *name, size_t bytes);

/* Return the site of a name that ends in NUL. NULL is an empty name. */
static inline struct regionstat_site_ *rs_adapter_site_text(const char *name)
{
	return rs_adapter_site(name, name ? strlen(name) : 0);
}

/* Return the site of the name "first:second". If first is empty, the name is second, without a
 * colon. */
struct regionstat_site_ *rs_adapter_site_of(
	const char *first, size_t first_bytes, const char *second, size_t second_bytes);

/* Return zeroed memory that is never freed and does not come from the program's heap. Return NULL
 * if memory runs out. */
void *rs_adapter_allocate(size_t bytes);

#endif
