/* SPDX-License-Identifier: MIT */
/*
 * What markers cost themselves, as it was learnt: by the way that a marker went, in every quantity.
 */
#ifndef RS_RUNTIME_COUNT_COST_H
#define RS_RUNTIME_COUNT_COST_H

#include <stdint.h>

#include "segment/layout.h"

/* How a call of a region ends: by an END or a NEXT, on the path that is plain or apart from it. */
enum rs_edge {
	RS_EDGE_PLAIN,
	RS_EDGE_NEXT,
	RS_EDGE_APART,
	RS_EDGE_APART_NEXT,
	RS_EDGE_NAME, /* by a name made at run time */
	RS_EDGE_NAME_NEXT,
	RS_EDGE_N
};

/* Why a marker was not plain, and where it went another way: each has a cost of its own. */
enum rs_slow_kind {
	RS_SLOW_READY, /* a region's first call on a thread, or a site's first marker: a BEGIN */
	RS_SLOW_OTHER, /* a call that is not plain, that an END ends */
	RS_SLOW_OTHER_NEXT, /* ... that a NEXT ends */
	RS_SLOW_APART, /* an END of another call than the innermost, or that has to be looked up */
	RS_SLOW_APART_NEXT, /* ... a NEXT */
	RS_SLOW_RENEW_BEGIN, /* a page of an event has changed since the last snapshot */
	RS_SLOW_RENEW_END, /* ... seen by an END */
	RS_SLOW_RENEW_NEXT, /* ... by a NEXT */
	RS_SLOW_RESUMED_BEGIN, /* the thread was switched out: seen by a BEGIN */
	RS_SLOW_RESUMED_NEXT, /* ... by a NEXT */
	RS_SLOW_RENEW_APART, /* a page has changed, seen by either, apart from the plain path */
	RS_SLOW_RESUMED_APART, /* the thread was switched out, seen there */
	RS_SLOW_NAME, /* a name that is looked up at every call, by a BEGIN */
	RS_SLOW_NAME_END,
	RS_SLOW_NAME_NEXT,
	RS_SLOW_START, /* an asynchronous call */
	RS_SLOW_STOP,
	RS_SLOW_WITHIN, /* a BEGIN in another region than that of its latest call, of those known */
	RS_SLOW_KIND_N
};

/* What markers cost themselves, in every quantity: time in ticks, then the events. The commonest
 * value over many empty pairs; all 0 with RS_SEGMENT_RAW. Any may be negative, modulo 2^64. */
struct rs_cost {
	/* between the snapshots of an empty call that a BEGIN begins, by what ends it */
	uint64_t inside[RS_EDGE_N][1 + RS_MAX_EVENTS];
	uint64_t pair[1 + RS_MAX_EVENTS]; /* to the region around it, of a BEGIN and its END */
	uint64_t begin[1 + RS_MAX_EVENTS]; /* ... of the BEGIN alone */
	uint64_t next[1 + RS_MAX_EVENTS]; /* ... of a NEXT */
	/* what to add to a NEXT's snapshot for the call that it begins: how much more lies inside
	 * that than inside one of BEGIN, less next, for that is charged after the snapshot */
	uint64_t share[1 + RS_MAX_EVENTS];
	uint64_t share_apart[1 + RS_MAX_EVENTS]; /* ... of one apart from the plain path */
	uint64_t share_name[1 + RS_MAX_EVENTS]; /* ... of one of names */
	uint64_t skip[1 + RS_MAX_EVENTS]; /* around a pair that sampling leaves out */
	/* ... whose END is not plain, and takes a snapshot */
	uint64_t skip_apart[1 + RS_MAX_EVENTS];
	uint64_t async[1 + RS_MAX_EVENTS]; /* between the snapshots of an empty asynchronous call */
	uint64_t attempt[1 + RS_MAX_EVENTS]; /* a slow path's snapshot that has to be taken again */
	/* of what surrounds a slow path's own snapshots, less what the plain way would have cost */
	uint64_t outside[RS_SLOW_KIND_N][1 + RS_MAX_EVENTS];
};

#endif
