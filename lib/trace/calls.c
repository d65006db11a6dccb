/* SPDX-License-Identifier: MIT */
/* This file keeps the calls of a trace in memory, and selects which calls to remove when there are
 * too many (calls.h). */
#include "trace/calls.h"

#include <stdlib.h>
#include <string.h>

/* Limit of calls->thinned: calls that are not slow are removed first, until one in 2^16 of them is
 * left. */
#define THINNEST 16u
/* At most this many calls at the end of each thread are kept as its last calls, however old they
 * are. */
#define MOST_LAST 16u
/* How many of n calls a removal leaves. It leaves fewer than n, so that the next removal is not
 * needed soon. */
#define LEAVE(n) ((n) / 4 * 3)

void rs_traced_calls_init(struct rs_traced_calls *calls, uint32_t n_events, size_t most)
{
	*calls = (struct rs_traced_calls){
		.most = most,
		.n_events = n_events,
		.last_most = MOST_LAST,
		.call_bytes = sizeof(struct rs_traced_call) + n_events * sizeof(uint64_t),
	};
}

void rs_traced_calls_finish(struct rs_traced_calls *calls)
{
	free(calls->memory);
	*calls = (struct rs_traced_calls){0};
}

struct rs_traced_call *rs_traced_calls_add(struct rs_traced_calls *calls)
{
	if (calls->n >= calls->most && calls->is_ring)
		return memset(rs_traced_call_at(calls, calls->oldest++ % calls->most), 0,
			calls->call_bytes);
	if (calls->n >= calls->most)
		rs_traced_calls_thin(calls, LEAVE(calls->most));
	if (calls->n == calls->room) {
		size_t room = calls->room ? 2 * calls->room : 1024;
		char *memory = reallocarray(calls->memory, room, calls->call_bytes);
		if (!memory) {
			calls->failed = true;
			return NULL;
		}
		calls->memory = memory;
		calls->room = room;
	}
	struct rs_traced_call *call = rs_traced_call_at(calls, calls->n++);
	calls->is_sorted = false;
	memset(call, 0, calls->call_bytes);
	return call;
}

void rs_traced_calls_append(struct rs_traced_calls *calls, const struct rs_traced_calls *ring)
{
	for (size_t i = 0; i < ring->n; i++) {
		struct rs_traced_call *call = rs_traced_calls_add(calls);
		if (!call)
			return;
		memcpy(call, rs_traced_call_at(ring, (ring->oldest + i) % ring->n),
			calls->call_bytes);
	}
}

/* ---- sets ---- */

/* The finalizer of MurmurHash3: https://github.com/aappleby/smhasher */
static uint64_t mix(uint64_t word)
{
	word = (word ^ word >> 33) * UINT64_C(0xff51afd7ed558ccd);
	word = (word ^ word >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return word ^ word >> 33;
}

/* Return the key of a call, which is never 0. Two calls almost never have the same key, because a
 * thread begins at most one call per tick. */
static uint64_t key_of(uint32_t tid, uint64_t begin)
{
	uint64_t key = mix(begin ^ mix(tid));
	return key ? key : 1;
}

static uint64_t *find(const struct rs_begin_set *set, uint64_t key)
{
	size_t i = key & (set->n_slots - 1);
	while (set->keys[i] && set->keys[i] != key)
		i = (i + 1) & (set->n_slots - 1);
	return &set->keys[i];
}

/* Double the slots of a set that is half full. */
static void grow(struct rs_begin_set *set)
{
	struct rs_begin_set larger = {.n_slots = set->n_slots ? 2 * set->n_slots : 1024};
	larger.keys = calloc(larger.n_slots, sizeof(*larger.keys));
	if (!larger.keys) {
		set->failed = true;
		return;
	}
	for (size_t i = 0; i < set->n_slots; i++)
		if (set->keys[i])
			*find(&larger, set->keys[i]) = set->keys[i];
	free(set->keys);
	set->keys = larger.keys;
	set->n_slots = larger.n_slots;
}

void rs_begin_set_add(struct rs_begin_set *set, uint32_t tid, uint64_t begin)
{
	uint64_t key = key_of(tid, begin);
	if (2 * set->n >= set->n_slots && !set->failed)
		grow(set);
	if (set->failed)
		return;
	uint64_t *slot = find(set, key);
	set->n += !*slot;
	*slot = key;
}

bool rs_begin_set_has(const struct rs_begin_set *set, uint32_t tid, uint64_t begin)
{
	return set->n > 0 && *find(set, key_of(tid, begin));
}

void rs_begin_set_finish(struct rs_begin_set *set)
{
	free(set->keys);
	*set = (struct rs_begin_set){0};
}

/* ---- removing calls ---- */

static bool is_slow(const struct rs_traced_calls *calls, const struct rs_traced_call *call)
{
	uint64_t from = calls->slow_from && call->region < RS_MAX_REGIONS
				? calls->slow_from[call->region]
				: 0;
	return call->flags & (RS_TRACE_SLOW | RS_TRACE_OFF) || (from && call->time >> 1 >= from);
}

/* Return true if the call is one of the last calls of its thread, which are not removed. */
static bool is_last(const struct rs_traced_calls *calls, const struct rs_traced_call *call)
{
	return call->flags & RS_TRACED_LAST && call->age < calls->last_most;
}

/* Return true if the call itself is selected. Other calls are kept only if they contain a kept
 * call. */
static bool is_chosen(const struct rs_traced_call *call, void *context)
{
	const struct rs_traced_calls *calls = context;
	if (is_last(calls, call))
		return true;
	if (call->flags & RS_TRACED_RECENT)
		return call->end >= calls->recent_since;
	if (is_slow(calls, call) && call->time >> 1 >= calls->floor[call->region])
		return true;
	uint64_t mask = (UINT64_C(1) << calls->thinned) - 1;
	return !(mix(call->number ^ mix(call->tid)) & mask);
}

/* Record that a call was removed, so that the trace does not claim to contain all calls of this
 * length. Removed recent calls do not matter, because the calls that the rules select are also in
 * the ring of kept calls. */
static void note_removed(struct rs_traced_calls *calls, const struct rs_traced_call *call)
{
	uint64_t *complete_from = &calls->complete_from[call->region];
	if (!(call->flags & RS_TRACED_RECENT) && call->time >> 1 >= *complete_from)
		*complete_from = (call->time >> 1) + 1;
}

typedef bool is_wanted_call(const struct rs_traced_call *call, void *context);

static void filter(
	struct rs_traced_calls *calls, is_wanted_call *is_wanted, void *context, bool are_missing)
{
	/* If memory for the set runs out, the enclosing calls of kept calls are removed. */
	struct rs_begin_set around = {0};
	size_t n = 0;
	/* Look at inner calls first, to find out which calls enclose a kept call. */
	for (size_t i = 0; i < calls->n; i++) {
		struct rs_traced_call *call = rs_traced_call_at(
			calls, calls->is_sorted ? calls->n - 1 - i : i);
		call->flags &= (uint16_t)~RS_TRACED_STAYS;
		if (!is_wanted(call, context) && !rs_begin_set_has(&around, call->tid, call->begin))
			continue;
		call->flags |= RS_TRACED_STAYS;
		if (rs_traced_call_has_parent(call))
			rs_begin_set_add(&around, call->tid, call->begin - call->from);
	}
	for (size_t i = 0; i < calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (call->flags & RS_TRACED_STAYS)
			memmove(rs_traced_call_at(calls, n++), call, calls->call_bytes);
		else if (are_missing)
			note_removed(calls, call);
	}
	calls->n = n;
	rs_begin_set_finish(&around);
}

void rs_traced_calls_filter(struct rs_traced_calls *calls, is_wanted_call *is_wanted, void *context)
{
	filter(calls, is_wanted, context, false);
}

/* For each region with many slow calls, keep only those that take longer than their mean. */
static void raise_floors(struct rs_traced_calls *calls)
{
	static struct { /* not on the stack, which may be small */
		double sum;
		size_t n;
	} of_region[RS_TRACE_NO_REGION + 1];
	memset(of_region, 0, sizeof(of_region));
	for (size_t i = 0; i < calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (!is_slow(calls, call) || call->flags & RS_TRACED_RECENT)
			continue;
		of_region[call->region].sum += (double)(call->time >> 1);
		of_region[call->region].n++;
	}
	for (uint32_t r = 0; r <= RS_TRACE_NO_REGION; r++) {
		size_t n = of_region[r].n;
		uint64_t mean = n > 0 ? (uint64_t)(of_region[r].sum / (double)n) : 0;
		/* Skip regions with few calls, because they do not cause the lack of memory. */
		if (n > calls->n / RS_MAX_REGIONS && mean >= calls->floor[r])
			calls->floor[r] = mean + 1;
	}
}

/* The counts of calls of the kinds that are removed first. */
struct counts {
	size_t samples; /* calls that are neither slow nor recent */
	size_t recent;
	size_t last; /* last calls of threads, which are not in `recent` */
	/* the middle between the ends of the first and the last recent call, in ticks */
	uint64_t middle;
};

static struct counts count(const struct rs_traced_calls *calls)
{
	struct counts counts = {0};
	uint64_t first = UINT64_MAX, last = 0;
	for (size_t i = 0; i < calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		bool is_recent = call->flags & RS_TRACED_RECENT;
		if (is_last(calls, call)) {
			counts.last++;
			continue;
		}
		counts.samples += !is_slow(calls, call) && !is_recent;
		counts.recent += is_recent;
		first = is_recent && call->end < first ? call->end : first;
		last = is_recent && call->end > last ? call->end : last;
	}
	counts.middle = counts.recent > 0 ? first + (last - first) / 2 + 1 : 0;
	return counts;
}

void rs_traced_calls_thin(struct rs_traced_calls *calls, size_t n)
{
	/* Every step removes half of the samples, or about half of the recent or slow calls, so few
	 * steps are needed. */
	for (uint32_t step = 0; calls->n > n && step < 64; step++) {
		const struct counts counts = count(calls);
		if (calls->thinned < THINNEST && counts.samples > n / 8)
			calls->thinned++;
		else if (counts.recent > n / 8)
			calls->recent_since = counts.middle;
		else if (counts.last > n / 4)
			calls->last_most /= 2;
		else
			raise_floors(calls);
		filter(calls, is_chosen, calls, true);
	}
	/* If there are still too many calls, only selected calls and their enclosing calls are
	 * left. Remove the last ones. */
	for (size_t i = n; i < calls->n; i++)
		note_removed(calls, rs_traced_call_at(calls, i));
	calls->n = calls->n < n ? calls->n : n;
}

/* ---- sorting ---- */

static int compare_calls(const void *first, const void *second)
{
	const struct rs_traced_call *a = first, *b = second;
	int order = rs_compare_numbers(a->pid, b->pid);
	order = order ? order : rs_compare_numbers(a->tid, b->tid);
	order = order ? order : rs_compare_numbers(a->begin, b->begin);
	order = order ? order : rs_compare_numbers(b->end, a->end);
	/* the outer call ends later, so its sequence number is higher */
	return order ? order : rs_compare_numbers(b->number, a->number);
}

/* Return true if two records describe the same call. a: the record that ends later. */
static bool is_same_call(const struct rs_traced_call *a, const struct rs_traced_call *b)
{
	bool are_cut = a->flags & b->flags & RS_TRACED_CUT;
	return are_cut ? a->pid == b->pid && a->tid == b->tid && a->begin == b->begin
		       : compare_calls(a, b) == 0;
}

void rs_traced_calls_sort(struct rs_traced_calls *calls)
{
	size_t n = 0;
	if (calls->n > 0)
		qsort(calls->memory, calls->n, calls->call_bytes, compare_calls);
	for (size_t i = 0; i < calls->n; i++) {
		struct rs_traced_call *call = rs_traced_call_at(calls, i);
		struct rs_traced_call *last = n > 0 ? rs_traced_call_at(calls, n - 1) : NULL;
		if (last && is_same_call(last, call)) {
			/* If only one of the two records is recent, the call was also kept for
			 * another reason, which the other flags say. It is then not marked as
			 * recent. */
			unsigned recent = last->flags & call->flags & RS_TRACED_RECENT;
			unsigned others = (last->flags | call->flags) & ~(unsigned)RS_TRACED_RECENT;
			if (call->flags & RS_TRACED_LAST)
				last->age = call->age;
			last->flags = (uint16_t)(others | recent);
			continue;
		}
		memmove(rs_traced_call_at(calls, n++), call, calls->call_bytes);
	}
	calls->n = n;
	calls->is_sorted = true;
}
