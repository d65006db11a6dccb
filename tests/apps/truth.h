/* SPDX-License-Identifier: MIT */
/*
 * A program's own values of the calls that it marks, for C and C++. They are the number of calls
 * and their times by CLOCK_MONOTONIC, read just within the markers and just around them. The times
 * in a report must lie between the two. With truth_enter_within(), the times that are read within a
 * call's markers exclude the markers of calls inside it. Only one thread at a time may write to a
 * struct truth.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>
#include <stdio.h>

#include "clock.h"

/* The times of calls, on one side of their markers: within or around. */
struct truth_side {
	uint64_t sum_ns; /* sum over all calls */
	uint64_t once_ns; /* time while at least one call was open */
	uint64_t since_ns; /* begin of the first open call */
	uint64_t n_open;
	uint64_t min_ns, max_ns;
};

struct truth {
	uint64_t calls;
	uint64_t inner; /* calls that began while another one was open */
	struct truth_side within, around;
};

static inline uint64_t truth_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t truth_enter_at(struct truth_side *side, uint64_t now_ns)
{
	if (side->n_open++ == 0)
		side->since_ns = now_ns;
	return now_ns;
}

static inline void truth_leave_at(struct truth_side *side, uint64_t since_ns, uint64_t now_ns)
{
	uint64_t took_ns = now_ns - since_ns;
	if (--side->n_open == 0)
		side->once_ns += now_ns - side->since_ns;
	if (took_ns < side->min_ns || side->sum_ns == 0)
		side->min_ns = took_ns;
	if (took_ns > side->max_ns)
		side->max_ns = took_ns;
	side->sum_ns += took_ns;
}

/* Begin a call on this side. */
static inline uint64_t truth_enter(struct truth_side *side)
{
	return truth_enter_at(side, truth_now_ns());
}

/* End a call on this side. */
static inline void truth_leave(struct truth_side *side, uint64_t since_ns)
{
	truth_leave_at(side, since_ns, truth_now_ns());
}

/* Return the thread's time in markers: between the readings within and around them. */
static inline uint64_t *truth_markers_ns(void)
{
	static __thread uint64_t markers_ns;
	return &markers_ns;
}

/* Begin a call on the side within, without the time in markers. All calls must be on one thread.
 * around_ns is what truth_enter() returned before the marker. */
static inline uint64_t truth_enter_within(struct truth *truth, uint64_t around_ns)
{
	uint64_t now_ns = truth_now_ns();
	*truth_markers_ns() += now_ns - around_ns;
	return truth_enter_at(&truth->within, now_ns - *truth_markers_ns());
}

/* End a call on the side within, before the marker that ends it. Pass the result to
 * truth_leave_around(). */
static inline uint64_t truth_leave_within(struct truth *truth, uint64_t within_ns)
{
	uint64_t now_ns = truth_now_ns();
	truth_leave_at(&truth->within, within_ns, now_ns - *truth_markers_ns());
	return now_ns;
}

static inline void truth_leave_around(struct truth *truth, uint64_t around_ns, uint64_t marker_ns)
{
	uint64_t now_ns = truth_now_ns();
	truth_leave_at(&truth->around, around_ns, now_ns);
	*truth_markers_ns() += now_ns - marker_ns;
}

/* Run statements between begin and end, as one call of truth. If end is empty, the end of the block
 * ends the call. The statements must not return. */
#define TRUTH_CALL(truth, begin, end, ...)                                             \
	do {                                                                           \
		uint64_t around_ns_ = truth_enter(&(truth)->around), marker_ns_;       \
		(truth)->calls++;                                                      \
		(truth)->inner += (truth)->around.n_open > 1;                          \
		{                                                                      \
			begin;                                                         \
			uint64_t within_ns_ = truth_enter_within((truth), around_ns_); \
			__VA_ARGS__;                                                   \
			marker_ns_ = truth_leave_within((truth), within_ns_);          \
			end;                                                           \
		}                                                                      \
		truth_leave_around((truth), around_ns_, marker_ns_);                   \
	} while (0)

/* Run two overlapping calls: `first`, a struct truth *, ends while the second one is open. The
 * statements are run three times: in the first call only, in both, and in the second only. */
#define TRUTH_OVERLAP(first, begin_first, end_first, second, begin_second, end_second, ...)   \
	do {                                                                                  \
		uint64_t around_first_ns_ = truth_enter(&(first)->around), marker_ns_;        \
		begin_first;                                                                  \
		uint64_t within_first_ns_ = truth_enter_within((first), around_first_ns_);    \
		__VA_ARGS__;                                                                  \
		uint64_t around_second_ns_ = truth_enter(&(second)->around);                  \
		begin_second;                                                                 \
		uint64_t within_second_ns_ = truth_enter_within((second), around_second_ns_); \
		__VA_ARGS__;                                                                  \
		marker_ns_ = truth_leave_within((first), within_first_ns_);                   \
		end_first;                                                                    \
		truth_leave_around((first), around_first_ns_, marker_ns_);                    \
		__VA_ARGS__;                                                                  \
		marker_ns_ = truth_leave_within((second), within_second_ns_);                 \
		end_second;                                                                   \
		truth_leave_around((second), around_second_ns_, marker_ns_);                  \
		(first)->calls++;                                                             \
		(second)->calls++;                                                            \
	} while (0)

/* Add the calls of another thread. */
static inline void truth_add(struct truth *to, const struct truth *from)
{
	struct truth_side *sides[2] = {&to->within, &to->around};
	const struct truth_side *others[2] = {&from->within, &from->around};
	to->calls += from->calls;
	to->inner += from->inner;
	for (int i = 0; i < 2; i++) {
		if (others[i]->sum_ns &&
			(!sides[i]->sum_ns || others[i]->min_ns < sides[i]->min_ns))
			sides[i]->min_ns = others[i]->min_ns;
		if (others[i]->max_ns > sides[i]->max_ns)
			sides[i]->max_ns = others[i]->max_ns;
		sides[i]->sum_ns += others[i]->sum_ns;
		sides[i]->once_ns += others[i]->once_ns;
	}
}

/* Print a line that truth.py reads, with the name at the end. */
static inline void truth_print(const char *name, const struct truth *truth)
{
	const struct truth_side *sides[2] = {&truth->within, &truth->around};
	printf("truth %llu %llu", (unsigned long long)truth->calls,
		(unsigned long long)truth->inner);
	for (int i = 0; i < 2; i++)
		printf(" %llu %llu %llu %llu", (unsigned long long)sides[i]->sum_ns,
			(unsigned long long)sides[i]->once_ns, (unsigned long long)sides[i]->min_ns,
			(unsigned long long)sides[i]->max_ns);
	printf(" %s\n", name);
	fflush(stdout);
}

/* Work for a few ns per round. Each round waits for the one before it, and the first one for
 * `value`. Return the last value. */
static inline uint64_t truth_work_on(uint64_t value, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

/* Work that waits for that of the call before. */
static inline void truth_work(uint64_t rounds)
{
	static __thread volatile uint64_t sink;
	sink = truth_work_on(sink, rounds);
}

#endif
