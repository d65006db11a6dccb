/* SPDX-License-Identifier: MIT */
/*
 * Tests of reading the ring of slow calls. Calls are complete, late, missing or overwritten, and
 * some get no line.
 */
#include <criterion/criterion.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/slow_log.h"

#define N_EVENTS 1u
#define S UINT64_C(1000000000)

static struct rs_segment segment;
static struct rs_slow_ring ring;
static struct rs_slow_calls *shared;
static char *calls;
static struct rs_slow_call_copy call;
static struct rs_err err;

static void make(void)
{
	static const struct rs_segment_event event;
	static const struct rs_segment_slow rule = {"*", 1, 1000};
	const struct rs_segment_config config = {.clock = RS_CLOCK_MONOTONIC,
		.n_groups = 1,
		.n_events = N_EVENTS,
		.events = &event,
		.slow = &rule,
		.n_slow = 1};
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	size_t bytes = RS_SLOW_RING_CALLS * (size_t)rs_slow_call_bytes(N_EVENTS);
	char *first = mmap(
		NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, segment.fd, 0);
	calls = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment.fd,
		(off_t)RS_SLOW_RING_OFFSET);
	cr_assert(first != MAP_FAILED && calls != MAP_FAILED);
	shared = (void *)(first + RS_SLOW_CALLS_OFFSET);
	rs_slow_ring_init(&ring, segment.fd, N_EVENTS);
}

/* Write a complete call n, which is recognized by its time. */
static struct rs_slow_call *put(uint64_t n, uint64_t time)
{
	struct rs_slow_call *to =
		(void *)(calls + n % RS_SLOW_RING_CALLS * rs_slow_call_bytes(N_EVENTS));
	memset(to, 0, rs_slow_call_bytes(N_EVENTS));
	to->pid = to->tid = 7;
	to->values[0] = time;
	to->values[1] = UINT64_MAX;
	to->check = rs_slow_call_check_all(to, n, N_EVENTS);
	to->number = n + 1;
	return to;
}

static void expect(uint64_t now_ns, bool is_last, uint64_t time)
{
	cr_assert(rs_slow_ring_next(&ring, now_ns, is_last, &call));
	cr_assert_eq(call.values[0], time);
}

static void expect_none(uint64_t now_ns, bool is_last, uint64_t n_lost)
{
	cr_assert_not(rs_slow_ring_next(&ring, now_ns, is_last, &call));
	cr_assert_eq(ring.n_lost, n_lost);
}

Test(slow_ring, rules_are_where_the_program_looks, .init = make)
{
	cr_assert_eq(shared->n_rules, 1);
	cr_assert_str_eq(shared->rules[0].glob, "*");
	cr_assert_eq(shared->rules[0].above, 1000);
	shared->rules[0].n_calls = 5;
	cr_assert_eq(rs_slow_ring_calls_of(&ring, 0), 5);
	cr_assert_eq(rs_slow_ring_calls_of(&ring, RS_MAX_SLOW_RULES), 0);
}

Test(slow_ring, a_call_that_is_being_written_holds_up_nobody, .init = make)
{
	shared->n_calls = 3;
	put(0, 10);
	put(2, 12);
	cr_assert_eq(rs_slow_ring_look(&ring), 3);
	expect(S, false, 10);
	expect(S, false, 12);
	expect_none(S, false, 0);
	put(1, 11);
	expect(S + 1, false, 11);
	expect_none(3 * S, true, 0);
}

Test(slow_ring, one_that_never_comes_is_lost, .init = make)
{
	shared->n_calls = 2;
	put(1, 11)->values[0]++; /* now its check is wrong */
	rs_slow_ring_look(&ring);
	expect_none(S, false, 0);
	expect_none(2 * S - 1, false, 0);
	expect_none(2 * S, false, 2);
	shared->n_calls = 4;
	put(3, 13);
	rs_slow_ring_look(&ring);
	expect(2 * S, true, 13); /* at the end, missing calls are not waited for */
	expect_none(2 * S, true, 3);
}

Test(slow_ring, what_was_written_over_is_lost, .init = make)
{
	shared->n_calls = RS_SLOW_RING_CALLS + 5;
	for (uint64_t n = 0; n < shared->n_calls; n++)
		put(n, n);
	cr_assert_eq(rs_slow_ring_look(&ring), RS_SLOW_RING_CALLS + 5);
	for (uint64_t n = 5; n < shared->n_calls; n++)
		expect(S, false, n);
	expect_none(S, false, 5);
}

Test(slow_ring, a_number_that_goes_anywhere, .init = make)
{
	shared->n_calls = UINT64_MAX;
	rs_slow_ring_look(&ring);
	expect_none(S, true, UINT64_MAX);
	shared->n_calls = 1; /* decreased, as if there were no new calls */
	cr_assert_eq(rs_slow_ring_look(&ring), 0);
	cr_assert_eq(rs_slow_ring_skip(&ring), 0);
}
