/* SPDX-License-Identifier: MIT */
/*
 * The table of markers as adapters see it: what the header declares, and behind it entries for
 * adapters alone, which are cold. A header that grows takes these as given. Adapter, runtime and
 * launcher may be of different builds: `bytes` says what is there.
 */
#ifndef RS_RUNTIME_ADAPTER_TABLE_H
#define RS_RUNTIME_ADAPTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regionstat.h"
#include "segment/adapters.h"
#include "segment/objects.h"

/* How calls of a site end: values of regionstat_site_'s is_paired. */
enum rs_site_ends {
	RS_SITE_BY_NAME, /* by their name: what is never ended is given up when room is needed */
	RS_SITE_BY_TICKET, /* by what they began with, in the stack frame that they began in, as scopes */
	/* by what they began with, wherever and whenever the API says. The runtime keeps all: a
	 * stack frame that is gone does not prove that they have no end */
	RS_SITE_BY_API,
};

/* The measurements of a region on the calling thread so far, without its open calls, with those of
 * ended threads whose slot it has. */
struct rs_adapter_values {
	uint64_t calls;
	uint64_t time_ns;
	uint32_t n_events;
	uint32_t reserved;
	double events
		[RS_MAX_EVENTS]; /* totals, as the report would have them, in the order of -e */
};

enum rs_located {
	RS_LOCATED_NOT_NOW, /* in a handler that interrupted a marker: nothing was found out */
	RS_LOCATED,
	RS_LOCATED_NOWHERE, /* in no object that is loaded; the name is of one region for all such */
	RS_LOCATED_LEFT_OUT, /* a function that --functions does not name */
};

#define RS_THREAD_CALLING 0u /* in place of a thread's number: the one that calls */

struct rs_adapter_table {
	struct regionstat_table_14_ markers;
	/* Add to one of the counts of an adapter (segment/adapters.h). Any thread. */
	void (*note)(uint32_t adapter, uint32_t count, uint64_t n);
	/* Any thread; values: filled. False: the thread has measured nothing of that region, or is
	 * in the middle of a marker. */
	bool (*read)(struct regionstat_site_ *site, struct rs_adapter_values *values);
	/*
	 * The name of the region of a place in the code: name[RS_NAME_BYTES]. The launcher finds
	 * the place's symbol after the run; reports show it after kind. kind has up to
	 * RS_PLACE_KIND_BYTES - 1 bytes, and may be empty; NULL: the same as empty, and
	 * --functions may exclude the place, a function. The name is the same in every process of
	 * a program. Any thread, also in signal handlers; takes microseconds, for the first time
	 * that a place is met.
	 */
	enum rs_located (*locate)(const char *kind, const void *address, char *name);
	/* Set a thread's name in reports; the kernel's name of it stays. The name is UTF-8 of up
	 * to 15 bytes, or the head of a longer one; none: the kernel's again. tid: as gettid(2)
	 * has it, also of a thread that has not marked yet, or RS_THREAD_CALLING. Any thread.
	 * False: there is no such thread, or too many that have not marked yet were named, or the
	 * calling one is in the middle of a marker. */
	bool (*name_thread)(uint32_t tid, const char *name, size_t bytes);
	/* begin and end_site of the header's, for callers that have frames of others in between.
	 * stack is the address of the frame of the marked function, the same at both. */
	regionstat_ticket_ (*begin_at)(struct regionstat_site_ *site, uintptr_t stack);
	void (*end_site_at)(struct regionstat_site_ *site, uintptr_t stack);
	/* locate, for the marker of a function with that frame: both treat a marker in the same
	 * way that a handler jumped out of. */
	enum rs_located (*locate_at)(
		const char *kind, const void *address, uintptr_t stack, char *name);
	/* Which of n functions, all of one object, --functions names: is_wanted[n], filled. False:
	 * it was not given, and all are wanted. Any thread, not in signal handlers;
	 * microseconds. */
	bool (*choose)(const void *const *functions, bool *is_wanted, size_t n);
	/* Identify the object that holds an address now. The caller keeps this number beside the
	 * result of locate(). It asks again when the number changes, since another library then
	 * lies where one was closed. 0: none does. address: of code that stays meanwhile. Any
	 * thread. */
	uint64_t (*object)(const void *address);
};

#endif
