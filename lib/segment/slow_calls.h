/* SPDX-License-Identifier: MIT */
/*
 * Slow calls, reported as they happen, as they lie in the segment. The launcher writes the rules by
 * which a call is slow before the program starts. All threads of all processes write slow calls to
 * a ring, and the launcher reads it. The rules of segment/layout.h apply.
 */
#ifndef RS_SEGMENT_SLOW_CALLS_H
#define RS_SEGMENT_SLOW_CALLS_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "segment/layout.h"

#define RS_MAX_SLOW_RULES 31u
#define RS_SLOW_RING_CALLS 8192u /* in the ring: a power of two */
#define RS_SLOW_CALLS_OFFSET UINT64_C(0xc000)
#define RS_SLOW_RING_OFFSET UINT64_C(0x1000000)

/* Calls of regions that a glob matches are slow when one of these values is above a limit. */
struct rs_slow_rule {
	char glob[RS_GLOB_BYTES];
	uint64_t quantities; /* a bit for each: 1 << q */
	uint64_t above; /* ticks or counts; less than 2^63 */
	_Atomic uint64_t n_calls; /* that were slow by it */
	uint64_t reserved[5];
};
static_assert(sizeof(struct rs_slow_rule) == 320, "ABI");

/* At RS_SLOW_CALLS_OFFSET. */
struct rs_slow_calls {
	uint32_t n_rules; /* 0: no call is slow */
	uint32_t reserved0;
	/* slow calls so far, by any rule: each takes the next number, which gives its place */
	_Atomic uint64_t n_calls;
	uint64_t reserved[6];
	struct rs_slow_rule rules[RS_MAX_SLOW_RULES];
};
static_assert(offsetof(struct rs_slow_calls, rules) == 64, "ABI");

enum rs_slow_call_flag {
	RS_SLOW_CALL_WATCHED = 1u << 0, /* off_ticks is known */
};

/*
 * A slow call: number n has place n % RS_SLOW_RING_CALLS. It is written in any order, then number,
 * which is n + 1 once all is there. Writers do not wait, neither for the reader nor for one
 * another. A call that is overwritten, unfinished or mixed with another does not match its check,
 * and is lost.
 */
struct rs_slow_call {
	_Atomic uint64_t number;
	uint64_t check; /* rs_slow_call_check() of what follows */
	uint64_t begin_ticks;
	uint64_t off_ticks[RS_OFF_N]; /* off-CPU time, enum rs_off_kind */
	uint32_t pid;
	uint32_t tid;
	uint32_t region; /* index */
	uint32_t rules; /* a bit for each by which it is slow: 1 << index */
	uint32_t flags; /* enum rs_slow_call_flag */
	uint32_t reserved;
	/* names, as in /proc/PID/comm: by the time that they are read both may have ended, and their
	 * places in the segment be others' */
	char process[16];
	char thread[16];
	uint64_t values[]; /* 1 + n_events: time in ticks, events; UINT64_MAX where not counted */
};
static_assert(sizeof(struct rs_slow_call) == 96, "ABI");

/* Of one in the ring, for a plan of n_events. */
static inline uint32_t rs_slow_call_bytes(uint32_t n_events)
{
	return rs_round_up_64(
		(uint32_t)(sizeof(struct rs_slow_call) + (1 + n_events) * sizeof(uint64_t)));
}

static inline uint64_t rs_slow_call_offset(uint64_t n, uint32_t bytes)
{
	return RS_SLOW_RING_OFFSET + n % RS_SLOW_RING_CALLS * bytes;
}

/* A check grows by one word after another: first by the number. As of FNV-1a, whose prime this is,
 * with 64 bits at a time. */
static inline uint64_t rs_slow_call_check(uint64_t check, uint64_t word)
{
	check = (check ^ word) * UINT64_C(0x100000001b3);
	return check ^ check >> 29;
}

/* Of a whole call with that number. */
static inline uint64_t rs_slow_call_check_all(
	const struct rs_slow_call *call, uint64_t n, uint32_t n_events)
{
	const size_t end = sizeof(*call) + (1 + n_events) * sizeof(uint64_t);
	uint64_t check = n, word;
	for (size_t at = offsetof(struct rs_slow_call, begin_ticks); at < end; at += sizeof(word)) {
		__builtin_memcpy(&word, (const char *)call + at, sizeof(word));
		check = rs_slow_call_check(check, word);
	}
	return check;
}

static_assert(RS_ONLY_OFFSET + RS_MAX_ONLY * RS_GLOB_BYTES <= RS_SLOW_CALLS_OFFSET, "globs fit");
static_assert(
	RS_SLOW_CALLS_OFFSET + sizeof(struct rs_slow_calls) <= RS_BUCKETS_OFFSET, "rules fit");
static_assert(RS_SLOTS_OFFSET + RS_MAX_SLOTS * sizeof(struct rs_slot) <= RS_SLOW_RING_OFFSET,
	"slots fit");
static_assert(
	RS_SLOW_RING_OFFSET + UINT64_C(512) * RS_SLOW_RING_CALLS <= RS_DATA_OFFSET, "calls fit");

#endif
