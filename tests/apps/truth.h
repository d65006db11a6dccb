/* SPDX-License-Identifier: MIT */
/*
 * A program's own values of the calls that it marks: their number, and their times by
 * CLOCK_MONOTONIC, read just within the markers and just around them. A report must lie between the
 * two. The times within do not include the markers of other calls within a call
 * (truth_enter_within()). One thread at a time writes to a struct truth. For C and C++.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* The times of the calls on one side of their markers, within or around. */
struct truth_side {
	uint64_t sum_ns; /* of all calls */
	uint64_t once_ns; /* while at least one call was open */
	uint64_t since_ns; /* when the first of those open began */
	uint64_t n_open;
	uint64_t min_ns, max_ns;
};

struct truth {
	uint64_t calls;
	uint64_t inner; /* of them, begun while another was open */
	struct truth_side within, around;
};

static inline uint64_t truth_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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

/* When a call begins, seen from that side. */
static inline uint64_t truth_enter(struct truth_side *side)
{
	return truth_enter_at(side, truth_now_ns());
}

/* And when it ends. */
static inline void truth_leave(struct truth_side *side, uint64_t since_ns)
{
	truth_leave_at(side, since_ns, truth_now_ns());
}

/* The thread's time in markers between the clock readings on both sides of them. */
static inline uint64_t *truth_markers_ns(void)
{
	static __thread uint64_t markers_ns;
	return &markers_ns;
}

/* The same from within, without the time in markers. For calls of one thread. around_ns: what
 * truth_enter() returned before the marker. */
static inline uint64_t truth_enter_within(struct truth *truth, uint64_t around_ns)
{
	uint64_t now_ns = truth_now_ns();
	*truth_markers_ns() += now_ns - around_ns;
	return truth_enter_at(&truth->within, now_ns - *truth_markers_ns());
}

/* When the marker begins that ends the call; for truth_leave_around(). */
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

/*
 * statements, marked by begin and end, as one call of truth. Where end is empty the block ends what
 * begin began. No return out of it.
 */
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

/*
 * Two calls that overlap: the first, a struct truth *, ends while the second is open. The
 * statements are done three times: in the first
 * alone, in both, and in the second alone.
 */
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

/* Add the calls of another thread: their sums are of both. */
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

/* A line that truth.py reads: the name last. */
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

/* Work that takes a few nanoseconds a round, each round waiting for the one before it. */
static inline void truth_work(uint64_t rounds)
{
	static __thread volatile uint64_t sink;
	uint64_t value = sink;
	for (uint64_t i = 0; i < rounds; i++) {
		value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		__asm__ volatile("" : "+r"(value));
	}
	sink = value;
}

#endif
