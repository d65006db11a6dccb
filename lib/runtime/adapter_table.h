/* SPDX-License-Identifier: MIT */
/*
 * The table that adapters call: the marker header's table, whose adapter_ members have a type here.
 * They are not fast. Adapter, runtime and launcher may be of different builds, so these members
 * keep their places.
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
	/* An END with the same name ends the call. If memory for frames runs out, the runtime gives
	 * up calls that were not ended. */
	RS_SITE_BY_NAME,
	/* An END with the ticket of the BEGIN ends the call, in the same stack frame, as scopes
	 * do. */
	RS_SITE_BY_TICKET,
	/* An END with the ticket ends the call, in any stack frame and at any time. The runtime
	 * never gives up such a call: that its stack frame is gone does not prove that no END
	 * follows. */
	RS_SITE_BY_API,
};

enum rs_located {
	/* The caller is a signal handler that interrupted a marker. Nothing was looked up; ask
	 * again later. */
	RS_LOCATED_NOT_NOW,
	RS_LOCATED,
	/* No loaded object holds the address. The name is one region's for all such addresses. */
	RS_LOCATED_NOWHERE,
	RS_LOCATED_FILTERED, /* A function that --functions does not select. */
};

#define RS_THREAD_CALLING 0u /* The calling thread, as a thread number. */

/* The indexes in adapter_ of members that are set there. */
enum { RS_ADAPTER_BEGIN_AT = 4, RS_ADAPTER_END_SITE_AT = 5 };

struct rs_adapter_table {
	union {
		struct regionstat_table_29_ markers;
		struct {
			unsigned char before_[offsetof(struct regionstat_table_29_, adapter_)];
			/* Add n to a count of an adapter (segment/adapters.h). Any thread may call
			 * this. */
			void (*note)(uint32_t adapter, uint32_t count, uint64_t n);
			void (*unused)(void);
			/*
			 * Fill name[RS_NAME_BYTES] with the name of the region for a code address.
			 * The name is the same in every process of a program. The launcher finds
			 * the address's symbol after the run; reports show it behind kind, which
			 * has up to RS_PLACE_KIND_BYTES - 1 bytes. If kind is NULL, the address is
			 * a function's, and --functions may exclude it. Safe in all threads and in
			 * signal handlers. An address takes microseconds when it is first seen.
			 */
			enum rs_located (*locate)(
				const char *kind, const void *address, char *name);
			/* Set a thread's name in reports, without changing the kernel's name. The
			 * name is UTF-8; only its first 15 bytes are kept. An empty name restores
			 * the kernel's. tid is a number from gettid(2), also of a thread that has
			 * used no marker yet, or RS_THREAD_CALLING. Return false if there is no
			 * such thread, if too many names wait for their threads, or if the calling
			 * thread is inside a marker. Any thread may call this. */
			bool (*name_thread)(uint32_t tid, const char *name, size_t bytes);
			/* begin and end_site of the marker header, for callers with stack frames of
			 * their own between the marked function and this call. stack is the address
			 * of the marked function's stack frame, the same at both. */
			regionstat_ticket_ (*begin_at)(
				struct regionstat_site_ *site, uintptr_t stack);
			void (*end_site_at)(struct regionstat_site_ *site, uintptr_t stack);
			/* locate, for a marker of the function whose stack frame is at stack. The
			 * runtime uses stack to detect a marker that a signal handler has jumped
			 * out of. */
			enum rs_located (*locate_at)(
				const char *kind, const void *address, uintptr_t stack, char *name);
			/* Fill is_wanted[n] with true for each function that --functions selects.
			 * The n functions must be in one object. Return false if the option was not
			 * given: all are then wanted. Any thread may call this, but no signal
			 * handler. It takes microseconds. */
			bool (*choose)(const void *const *functions, bool *is_wanted, size_t n);
			/* Return a number that identifies the object at an address now, or 0 if no
			 * object is there. The caller keeps it beside the result of locate(). If
			 * the number has changed, another library lies there now, and the caller
			 * must call locate() again. The code at address must not be unloaded during
			 * the call. Any thread may call this. */
			uint64_t (*object)(const void *address);
		};
	};
	/* regionstat_join() of this copy. A process that has a copy of the runtime keeps it for
	 * later measurements, because the markers' sites keep its numbers. */
	const struct regionstat_table_29_ *(*join)(unsigned int abi, const char *segment);
};
static_assert(offsetof(struct rs_adapter_table, object) ==
		      offsetof(struct regionstat_table_29_, read_) - sizeof(void (*)(void)),
	"ABI");

#endif
