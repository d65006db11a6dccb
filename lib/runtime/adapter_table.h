/* SPDX-License-Identifier: MIT */
/*
 * The table that adapters call: the marker header's, with types for the adapter_ members. These
 * members are slow. They never move, because adapter, runtime and launcher may be of different
 * builds.
 */
#ifndef RS_RUNTIME_ADAPTER_TABLE_H
#define RS_RUNTIME_ADAPTER_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regionstat.h"
#include "segment/adapters.h"
#include "segment/objects.h"

/* How calls of a site end: the values of is_paired in struct regionstat_site_. */
enum rs_site_ends {
	/* by an END with the same name; if frames run out, calls without an END are dropped */
	RS_SITE_BY_NAME,
	/* by an END with the BEGIN's ticket in the same stack frame, as scopes do */
	RS_SITE_BY_TICKET,
	/* By an END with the ticket, in any stack frame and at any time. The runtime never drops
	 * such a call, because its END may follow even if the stack frame is gone. */
	RS_SITE_BY_API,
};

enum rs_located {
	/* the caller is a signal handler that interrupted a marker; call again later */
	RS_LOCATED_NOT_NOW,
	RS_LOCATED,
	/* no loaded object contains the address; all such addresses have the same name */
	RS_LOCATED_NOWHERE,
	RS_LOCATED_FILTERED, /* A function that --functions does not select. */
};

#define RS_THREAD_CALLING 0u /* Instead of a tid: the calling thread. */

/* Indexes in adapter_ of the members begin_at and end_site_at. */
enum { RS_ADAPTER_BEGIN_AT = 4, RS_ADAPTER_END_SITE_AT = 5 };

struct rs_adapter_table {
	union {
		struct regionstat_table_29_ markers;
		struct {
			unsigned char before_[offsetof(struct regionstat_table_29_, adapter_)];
			/* Add n to a count of an adapter (segment/adapters.h), on any thread. */
			void (*note)(uint32_t adapter, uint32_t count, uint64_t n);
			void (*unused)(void);
			/* Fill name[RS_NAME_BYTES] with the region's name for a code address, the
			 * same in every process of a program. The launcher finds the address's
			 * symbol after the run. Reports show it after the text kind, up to
			 * RS_PLACE_KIND_BYTES - 1 bytes. If kind is NULL, the address is a
			 * function's, and --functions may exclude it. Safe in all threads and in
			 * signal handlers. The first call for an address takes microseconds. */
			enum rs_located (*locate)(
				const char *kind, const void *address, char *name);
			/* Set a thread's name in reports, but not in the kernel. The name is UTF-8;
			 * only its first 15 bytes are kept. "" restores the kernel's name. tid is
			 * from gettid(2), also of a thread that has used no marker yet, or
			 * RS_THREAD_CALLING. Return false if there is no such thread, if too many
			 * names wait for their threads, or if the calling thread is inside a
			 * marker. Any thread may call this. */
			bool (*name_thread)(uint32_t tid, const char *name, size_t bytes);
			/* begin_ and end_site_ for callers with stack frames of their own in
			 * between. stack is the marked function's stack frame, the same at both. */
			regionstat_ticket_ (*begin_at)(
				struct regionstat_site_ *site, uintptr_t stack);
			void (*end_site_at)(struct regionstat_site_ *site, uintptr_t stack);
			/* As locate, for a marker in the function whose stack frame is at stack. So
			 * the runtime detects a marker that a signal handler has jumped out of. */
			enum rs_located (*locate_at)(
				const char *kind, const void *address, uintptr_t stack, char *name);
			/* Fill is_wanted[n] with true for each function that --functions selects.
			 * The n functions must be in one object. Return false if the option was not
			 * given: all are wanted. Any thread may call this, but no signal handler.
			 * It takes microseconds. */
			bool (*choose)(const void *const *functions, bool *is_wanted, size_t n);
			/* Return a number that identifies the object at an address now, or 0. The
			 * caller keeps it with the result of locate(), and calls locate() again if
			 * it changes: then another library is there. The code at address must stay
			 * loaded during the call. Any thread may call this. */
			uint64_t (*object)(const void *address);
		};
	};
	/* regionstat_join() of this copy. A process keeps its copy of the runtime for later
	 * measurements, because the markers' sites keep its region numbers. */
	const struct regionstat_table_29_ *(*join)(unsigned int abi, const char *segment);
};
static_assert(offsetof(struct rs_adapter_table, object) ==
		      offsetof(struct regionstat_table_29_, read_) - sizeof(void (*)(void)),
	"ABI");

#endif
