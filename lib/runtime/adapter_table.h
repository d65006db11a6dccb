/* SPDX-License-Identifier: MIT */
/*
 * The table of functions that adapters call. It is the marker header's table, with types for the
 * adapter_ members. These functions are slow. The members never move, because adapter, runtime and
 * launcher may be of different builds.
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

/* How calls of a site end; these are the values of is_paired_ in struct regionstat_site_. */
enum rs_site_ends {
	/* An END with the same name ends the call. If no frame is free, calls without an END are
	 * dropped. */
	RS_SITE_BY_NAME,
	/* an END with the BEGIN's ticket, in the same stack frame, ends the call, as in scopes */
	RS_SITE_BY_TICKET,
	/* An END with the ticket ends the call, in any stack frame and at any time. The runtime
	 * never drops such a call, because its END may follow even if the stack frame is gone. */
	RS_SITE_BY_API,
};

enum rs_located {
	/* the caller is a signal handler that interrupted a marker; call again later */
	RS_LOCATED_NOT_NOW,
	RS_LOCATED,
	/* no loaded object contains the address; all such addresses have the same name */
	RS_LOCATED_NOWHERE,
	RS_LOCATED_FILTERED, /* --functions does not select the function */
};

#define RS_THREAD_CALLING 0u /* This value instead of a tid means the calling thread. */

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
			/* Fill name[RS_NAME_BYTES] with the region's name for a code address. The
			 * name is the same in every process of a program. After the run, the
			 * launcher finds the address's symbol. Reports show the symbol after the
			 * text `kind`, which has up to RS_PLACE_KIND_BYTES - 1 bytes. If `kind` is
			 * NULL, the address is that of a function, which --functions may exclude.
			 * Safe in all threads and in signal handlers. The first call for an address
			 * takes microseconds. */
			enum rs_located (*locate)(
				const char *kind, const void *address, char *name);
			/* Set a thread's name in reports, but not in the kernel. The name is UTF-8;
			 * only its first 15 bytes are kept. "" restores the kernel's name. tid is
			 * from gettid(2), or RS_THREAD_CALLING. Return false if there is no such
			 * thread, if another thread has used no marker yet, or if the calling
			 * thread is inside a marker. Any thread may call this. */
			bool (*name_thread)(uint32_t tid, const char *name, size_t bytes);
			/* These are begin_ and end_site_ for callers that have stack frames of
			 * their own between the marked function and the marker. `stack` is the
			 * stack frame of the marked function, the same for both. */
			regionstat_ticket_ (*begin_at)(
				struct regionstat_site_ *site, uintptr_t stack);
			void (*end_site_at)(struct regionstat_site_ *site, uintptr_t stack);
			/* Do the same as locate, for a marker in the function whose stack frame is
			 * at stack. From stack, the runtime detects that a signal handler has
			 * jumped out of a marker. */
			enum rs_located (*locate_at)(
				const char *kind, const void *address, uintptr_t stack, char *name);
			/* Fill is_wanted[n] with true for each function that --functions selects.
			 * The n functions must be in one object. Without this option, return false:
			 * all functions are wanted. Any thread may call this, but no signal
			 * handler. It takes microseconds. */
			bool (*choose)(const void *const *functions, bool *is_wanted, size_t n);
			/* Return a number that identifies the object that is now at an address, or
			 * 0. The caller keeps it with the result of locate(). If it changes,
			 * another library is there, and the caller calls locate() again. The code
			 * at address must stay loaded during the call. Any thread may call this. */
			uint64_t (*object)(const void *address);
		};
	};
	/* regionstat_join() of this copy of the runtime. A process keeps the copy for later
	 * measurements, because the markers' sites keep region numbers of this copy. */
	const struct regionstat_table_29_ *(*join)(unsigned int abi, const char *segment);
};
static_assert(offsetof(struct rs_adapter_table, object) ==
		      offsetof(struct regionstat_table_29_, read_) - sizeof(void (*)(void)),
	"ABI");

#endif
