/* SPDX-License-Identifier: MIT */
/*
 * Traces in the segment (RS_SEGMENT_TRACES): single calls, for the timeline of --trace. Each thread
 * slot has a struct rs_trace with two rings of cells and a table of the slowest calls. The slot's
 * thread writes them, and the launcher reads them. The rules of segment/layout.h apply.
 *
 *   recent   every measured call; the newest ones overwrite the oldest
 *   kept     the calls that the trace needs; the launcher takes them out. The fuller the ring, the
 *            slower a call must be to be kept. The thread counts all other calls as dropped.
 *   slowest  the slowest calls for which `kept` had no room, until the launcher takes them. An
 *            entry is two cells. Word RS_TRACE_MORE_N of the second is the pid. RS_TRACE_NUMBER
 *            is UINT64_MAX until all other words are stored. A reader reads an entry twice. If
 *            both copies are equal and have a number, the record is complete.
 *
 * If another process takes over the slot, both rings get a cell with its pid (rs_trace_owner()).
 *
 * A record is one cell, or two cells if RS_TRACE_MORE is set. The writer stores the cells first,
 * and then the ring's count of cells. So a reader finds only complete records, even of a killed
 * process.
 */
#ifndef RS_SEGMENT_TRACE_H
#define RS_SEGMENT_TRACE_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "segment/layout.h"
#include "segment/slow_calls.h"

#define RS_TRACE_OFFSET UINT64_C(0x1800000)
/* How many cells each ring has; powers of two. */
#define RS_TRACE_RECENT UINT64_C(4096)
#define RS_TRACE_KEPT UINT64_C(16384)
/* How many entries the table of the slowest calls has. */
#define RS_TRACE_SLOWEST UINT64_C(256)
/* How many of the oldest cells in a full ring of recent calls a reader must ignore, because the
 * writer is possibly overwriting them. */
#define RS_TRACE_UNSURE UINT64_C(64)

/* Which calls to keep, at RS_TRACE_OFFSET. The launcher may change it at any time. */
struct rs_trace_rules {
	/* About one of this many calls is kept as a sample. 0: no samples. */
	_Atomic uint64_t sample_calls;
	/* Nonzero if --trace-if was given: when a call is slow, all recent calls within it are also
	 * kept. */
	_Atomic uint64_t keeps_inner;
	uint64_t reserved[6];
	/* For each region: calls of at least this many ticks are slow, and are kept. 0: every call
	 * is kept. */
	_Atomic uint64_t above[RS_MAX_REGIONS];
};
static_assert(offsetof(struct rs_trace_rules, above) == 64, "ABI");

/* The words of a record's first cell. The events follow; UINT64_MAX: not counted. */
enum rs_trace_word {
	RS_TRACE_BEGIN, /* when the call began, in ticks */
	RS_TRACE_END, /* when the call ended, in ticks */
	/* The duration of the call in ticks, without the overhead of markers within the call. It is
	 * encoded by rs_w_of(), as in the accumulator. */
	RS_TRACE_TIME,
	/* Ticks from the begin of the enclosing call (rs_trace_parent()) to the begin of this call.
	 * For an asynchronous call: the tid of the thread that started it; 0: unknown. */
	RS_TRACE_FROM,
	RS_TRACE_IDS, /* tid, region, parent, flags: see the functions below */
	RS_TRACE_NUMBER, /* the cell's number in the ring of recent calls */
	RS_TRACE_EVENTS,
};

/* The words of a record's second cell. */
enum rs_trace_more {
	RS_TRACE_BLOCKED, /* time in ticks during which the call was blocked */
	RS_TRACE_PREEMPTED, /* time in ticks during which the call was preempted */
	RS_TRACE_BYTES, /* work: bytes */
	RS_TRACE_FLOPS, /* work: operations */
	RS_TRACE_MORE_N,
};
static_assert(
	(int)RS_TRACE_MORE_N < (int)RS_TRACE_EVENTS, "a second cell is not larger than a first");

enum rs_trace_flag {
	RS_TRACE_ASYNC = 1u << 0, /* a START/STOP call */
	RS_TRACE_MORE = 1u << 1, /* a second cell follows */
	/* The record is not a call: it is off-CPU time, somewhere between its RS_TRACE_BEGIN and
	 * RS_TRACE_END. Its region is the innermost open one, or RS_TRACE_NO_REGION. */
	RS_TRACE_OFF = 1u << 2,
	/* The flags from here on say why a call was kept. If none of them is set, the call is only
	 * in the ring of recent calls, or the rules keep all calls. */
	RS_TRACE_SLOW = 1u << 3, /* the call took at least the rules' `above` ticks */
	RS_TRACE_AROUND = 1u << 4, /* the call contains a kept call */
	RS_TRACE_SAMPLE = 1u << 5, /* the call is a sample: see sample_calls */
};
#define RS_TRACE_NO_REGION (RS_MAX_REGIONS + 1)

#define RS_TRACE_REGION_SHIFT 32
#define RS_TRACE_PARENT_SHIFT 45
#define RS_TRACE_FLAG_SHIFT 58
static_assert(RS_TRACE_NO_REGION < 1u << (RS_TRACE_PARENT_SHIFT - RS_TRACE_REGION_SHIFT),
	"an index has 13 bits");

static inline uint32_t rs_trace_tid(uint64_t ids)
{
	return (uint32_t)ids;
}
static inline uint32_t rs_trace_region(uint64_t ids)
{
	return ids >> RS_TRACE_REGION_SHIFT & 0x1fff;
}
/* Return the region of the enclosing call, or RS_TRACE_NO_REGION. */
static inline uint32_t rs_trace_parent(uint64_t ids)
{
	return ids >> RS_TRACE_PARENT_SHIFT & 0x1fff;
}
/* Return the word RS_TRACE_IDS of a cell that is not a record. Such a cell says that the cells
 * after it belong to the process pid. */
static inline uint64_t rs_trace_owner(uint32_t pid)
{
	return pid | (uint64_t)RS_TRACE_NO_REGION << RS_TRACE_REGION_SHIFT;
}
static inline uint32_t rs_trace_flags(uint64_t ids)
{
	return (uint32_t)(ids >> RS_TRACE_FLAG_SHIFT);
}

/* The trace of a thread slot. The cells follow: recent, kept, slowest. */
struct rs_trace {
	_Atomic uint64_t n_recent; /* cells written so far */
	_Atomic uint64_t n_kept;
	/* n_dropped: how many records found no room in `kept` and `slowest`. longest_dropped: the
	 * time of the longest of these calls in ticks. It is UINT64_MAX if there was no room for a
	 * cell of rs_trace_owner(), so that the calls of a process are missing. */
	_Atomic uint64_t n_dropped;
	_Atomic uint64_t longest_dropped;
	_Atomic uint32_t pid; /* pid of the process that owns the slot */
	uint32_t reserved1;
	_Atomic uint64_t n_dropped_slow; /* dropped records that were slow or around a kept call */
	_Atomic uint64_t slowest_end; /* 1 + the number of the last record put into `slowest` */
	uint64_t reserved2;
	/* The launcher writes these two: how many cells of `kept` it has read, and the number up to
	 * which it has read `slowest`. */
	_Atomic uint64_t n_taken;
	_Atomic uint64_t slowest_taken;
	uint64_t reserved3[6];
};
static_assert(sizeof(struct rs_trace) == 128, "ABI");

/* The value of rs_slot.trace if the trace could not be made. */
#define RS_TRACE_REFUSED UINT64_C(1)

/* Return the number of words in a cell with n_events events, and the bytes of a slot's trace. */
static inline uint32_t rs_trace_cell_words(uint32_t n_events)
{
	return RS_TRACE_EVENTS + n_events;
}
static inline uint64_t rs_trace_bytes(uint32_t n_events)
{
	uint64_t cells = RS_TRACE_RECENT + RS_TRACE_KEPT + 2 * RS_TRACE_SLOWEST;
	uint64_t bytes = sizeof(struct rs_trace) +
			 cells * rs_trace_cell_words(n_events) * sizeof(uint64_t);
	return (bytes + RS_EXTENT_BYTES - 1) / RS_EXTENT_BYTES * RS_EXTENT_BYTES;
}

static_assert(RS_SLOW_RING_OFFSET + UINT64_C(512) * RS_SLOW_RING_CALLS <= RS_TRACE_OFFSET,
	"slow calls fit");
static_assert(RS_TRACE_OFFSET + sizeof(struct rs_trace_rules) <= RS_DATA_OFFSET, "rules fit");

#endif
