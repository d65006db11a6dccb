/* SPDX-License-Identifier: MIT */
/*
 * Slow calls in the segment, for reports while the program runs. The launcher writes the rules
 * before the program starts. All threads of all processes write slow calls into one ring, which the
 * launcher reads. The rules of segment/layout.h apply.
 */
#ifndef RS_SEGMENT_SLOW_CALLS_H
#define RS_SEGMENT_SLOW_CALLS_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "segment/layout.h"

#define RS_MAX_SLOW_RULES 31u
#define RS_SLOW_RING_CALLS 8192u /* entries of the ring; a power of two */
#define RS_SLOW_CALLS_OFFSET UINT64_C(0xc000)
#define RS_SLOW_RING_OFFSET UINT64_C(0x1000000)

/* A rule says which calls are slow: the region matches glob, and a selected value exceeds the
 * limit. */
struct rs_slow_rule {
	char glob[RS_GLOB_BYTES];
	uint64_t counters; /* bit mask of selected values: 1 << 0 for time, 2 << e for event e */
	uint64_t above; /* the limit in ticks or counts; less than 2^63 */
	_Atomic uint64_t n_calls; /* calls that were slow by this rule */
	uint64_t reserved[5];
};
static_assert(sizeof(struct rs_slow_rule) == 320, "ABI");

/* The rules, at RS_SLOW_CALLS_OFFSET. */
struct rs_slow_calls {
	uint32_t n_rules; /* 0: no call is slow */
	uint32_t reserved0;
	/* how many calls were slow so far, by any rule; a call's number selects its ring entry */
	_Atomic uint64_t n_calls;
	uint64_t reserved[6];
	struct rs_slow_rule rules[RS_MAX_SLOW_RULES];
};
static_assert(offsetof(struct rs_slow_calls, rules) == 64, "ABI");

enum rs_slow_call_flag {
	RS_SLOW_CALL_WATCHED = 1u << 0, /* off_ticks is known */
};

/* A slow call in the ring. Call n has entry n % RS_SLOW_RING_CALLS. The writer first stores all
 * other fields in any order, and then n + 1 in `number`. Writers do not wait. If a call was
 * overwritten, not finished or mixed with another, its check is wrong: the reader counts it as
 * lost. */
struct rs_slow_call {
	_Atomic uint64_t number;
	uint64_t check; /* rs_slow_call_check_all() of the fields below */
	uint64_t begin_ticks;
	uint64_t off_ticks[RS_OFF_N]; /* off-CPU time by enum rs_off_kind */
	uint32_t pid;
	uint32_t tid;
	uint32_t region; /* index of the region */
	uint32_t rules; /* bit mask of the rules by which the call is slow: 1 << index */
	uint32_t flags; /* enum rs_slow_call_flag */
	uint32_t reserved;
	/* Names from /proc/PID/comm, copied because process and thread may end before the launcher
	 * reads the call. */
	char process[16];
	char thread[16];
	/* 1 + n_events elements: the time in ticks, then the events; UINT64_MAX: not counted */
	uint64_t values[];
};
static_assert(sizeof(struct rs_slow_call) == 96, "ABI");

/* Return the size of an entry of the ring with n_events events. */
static inline uint32_t rs_slow_call_bytes(uint32_t n_events)
{
	return rs_round_up_64(
		(uint32_t)(sizeof(struct rs_slow_call) + (1 + n_events) * sizeof(uint64_t)));
}

static inline uint64_t rs_slow_call_offset(uint64_t n, uint32_t bytes)
{
	return RS_SLOW_RING_OFFSET + n % RS_SLOW_RING_CALLS * bytes;
}

/* Add a word to a check, which is a hash and starts as the call's number. The hash is FNV-1a on
 * 64-bit words, with one more shift. */
static inline uint64_t rs_slow_call_check(uint64_t check, uint64_t word)
{
	check = (check ^ word) * UINT64_C(0x100000001b3);
	return check ^ check >> 29;
}

/* Return the check of a whole call with number n. */
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
