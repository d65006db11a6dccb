/* SPDX-License-Identifier: MIT */
/*
 * Reporting slow calls while the program runs (--slow). The rules are read from the segment once,
 * into private memory. A call that exceeds a rule's limit is written to a ring in the segment. The
 * ranges of values that the fast path may record exclude slow calls, so the fast path needs no
 * check.
 */
#include <string.h>

#include "base/glob.h"
#include "runtime/calls/off_cpu.h"
#include "runtime/calls/switches.h"
#include "segment/slow_calls.h"

/* Set in of_region[] once the bits of the rules that match the region are known. */
#define IS_KNOWN (1u << RS_MAX_SLOW_RULES)

struct rule {
	char glob[RS_GLOB_BYTES];
	uint64_t counters; /* counters and above are as in struct rs_slow_rule */
	uint64_t above;
};

struct rs_slow_rules {
	uint32_t n;
	uint32_t call_bytes;
	struct rule items[RS_MAX_SLOW_RULES];
	_Atomic uint32_t of_region[RS_MAX_REGIONS];
};

/* Copy a rule, and limit its values to valid ones: any process may have written it. */
static void copy_rule(struct rule *to, const struct rs_slow_rule *from, uint32_t n_events)
{
	memcpy(to->glob, from->glob, sizeof(to->glob));
	to->glob[RS_GLOB_BYTES - 1] = '\0';
	to->counters = from->counters & ((UINT64_C(2) << n_events) - 1);
	to->above = from->above & INT64_MAX;
}

bool rs_slow_calls_read(struct rs_runtime *runtime, int fd)
{
	uint32_t n;
	struct rs_slow_rule rule;
	uint64_t offset = RS_SLOW_CALLS_OFFSET;
	if (RS_SYS(pread64, fd, &n, sizeof(n), offset) != sizeof(n) || n > RS_MAX_SLOW_RULES)
		return false;
	runtime->slow_rules = NULL;
	if (!n)
		return true;
	struct rs_slow_rules *rules = rs_chunk_allocate(
		runtime, &runtime->chunks, sizeof(*rules), false);
	if (!rules)
		return false;
	offset += offsetof(struct rs_slow_calls, rules);
	for (uint32_t i = 0; i < n; i++, offset += sizeof(rule)) {
		if (RS_SYS(pread64, fd, &rule, sizeof(rule), offset) != sizeof(rule))
			return false;
		copy_rule(&rules->items[i], &rule, runtime->shape.n_events);
	}
	rules->n = n;
	rules->call_bytes = rs_slow_call_bytes(runtime->shape.n_events);
	runtime->slow_rules = rules;
	return true;
}

/* Return a bit for each rule that matches the region's name, once per process and region. */
static uint32_t match(struct rs_slow_rules *rules, const struct rs_region *region)
{
	char name[RS_NAME_BYTES];
	uint32_t bits = IS_KNOWN;
	memcpy(name, region->name, sizeof(name));
	name[RS_NAME_BYTES - 1] = '\0';
	for (uint32_t i = 0; i < rules->n; i++)
		if (rs_glob_matches(rules->items[i].glob, name))
			bits |= 1u << i;
	return bits;
}

void rs_slow_calls_limit(const struct rs_thread *thread, struct rs_thread_region *region)
{
	const struct rs_slow_rules *rules = thread->runtime->slow_rules;
	uint32_t index = rs_region_of(thread, region), n_events = thread->n_events;
	const uint64_t *inside = thread->cost->inside;
	uint32_t bits = atomic_load_explicit(&rules->of_region[index], memory_order_relaxed);
	for (uint32_t i = 0; i < rules->n; i++) {
		const struct rule *rule = &rules->items[i];
		for (uint32_t m = 0; bits >> i & 1 && m <= n_events; m++) {
			struct rs_range *range = &region->table[m].range;
			uint64_t above = rule->above + inside[m], low = range->low;
			uint64_t width = above >= low ? above - low + 1 : 0;
			if (rule->counters >> m & 1 && range->width > width)
				range->width = width;
		}
	}
}

void rs_slow_calls_bind(struct rs_runtime *runtime, uint32_t region)
{
	struct rs_slow_rules *rules = runtime->slow_rules;
	uint64_t offset = RS_REGIONS_OFFSET + region * sizeof(struct rs_region);
	/* Relaxed: every thread stores the same value. */
	if (!atomic_load_explicit(&rules->of_region[region], memory_order_relaxed))
		atomic_store_explicit(&rules->of_region[region],
			match(rules, rs_at(runtime, offset)), memory_order_relaxed);
}

static bool is_above(const struct rule *rule, const uint64_t *values, uint32_t n_events)
{
	bool is = false;
	for (uint32_t m = 0; m <= n_events; m++)
		is |= (rule->counters >> m & 1) && values[m] != UINT64_MAX &&
		      values[m] > rule->above;
	return is;
}

/* Return the address of call number n in the ring, or NULL if memory is refused. */
static struct rs_slow_call *place_of(struct rs_runtime *runtime, uint64_t n)
{
	uint32_t bytes = runtime->slow_rules->call_bytes;
	uint64_t offset = rs_slow_call_offset(n, bytes), mask;
	bool is_there = rs_memory_is_mapped(runtime, offset) &&
			rs_memory_is_mapped(runtime, offset + bytes - 1);
	if (RS_UNLIKELY(!is_there)) {
		rs_lock(runtime, &mask);
		is_there = rs_memory_ensure(runtime, offset, bytes);
		rs_unlock(runtime, &mask);
	}
	return is_there ? rs_at(runtime, offset) : NULL;
}

/* Store a word of a call at an offset, and add it to the checksum. A writer that is one round of
 * the ring ahead may write here at the same time. */
static void store(struct rs_slow_call *call, uint64_t offset, const void *from, uint64_t *check)
{
	uint64_t word;
	memcpy(&word, from, sizeof(word));
	__atomic_store_n((uint64_t *)(void *)((char *)call + offset), word, __ATOMIC_RELAXED);
	*check = rs_slow_call_check(*check, word);
}

static void write_call(struct rs_slow_call *call, uint64_t n, const struct rs_slow_call *head,
	const uint64_t *values, uint32_t n_events)
{
	uint64_t check = n, offset = offsetof(struct rs_slow_call, begin_ticks);
	atomic_store_explicit(&call->number, 0, memory_order_relaxed);
	for (; offset < sizeof(*call); offset += sizeof(uint64_t))
		store(call, offset, (const char *)head + offset, &check);
	for (uint32_t m = 0; m <= n_events; m++, offset += sizeof(uint64_t))
		store(call, offset, &values[m], &check);
	__atomic_store_n(&call->check, check, __ATOMIC_RELAXED);
	/* Release pairs with the reader's acquire load. If another writer has mixed in its own
	 * words, the checksum does not match. */
	atomic_store_explicit(&call->number, n + 1, memory_order_release);
}

void rs_slow_calls_note(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t region, const uint64_t *values)
{
	struct rs_runtime *runtime = thread->runtime;
	const struct rs_slow_rules *rules = runtime->slow_rules;
	struct rs_slow_calls *shared = rs_at(runtime, RS_SLOW_CALLS_OFFSET);
	uint32_t bits = 0;
	uint32_t matching = atomic_load_explicit(&rules->of_region[region], memory_order_relaxed);
	for (uint32_t i = 0; i < rules->n; i++)
		if (matching >> i & 1 && is_above(&rules->items[i], values, thread->n_events))
			bits |= 1u << i;
	/* If is_here is 0, a handler has forked during the call, which is then the parent's. */
	if (!bits || !*thread->is_here)
		return;
	for (uint32_t i = 0; i < rules->n; i++)
		if (bits >> i & 1)
			atomic_fetch_add_explicit(
				&shared->rules[i].n_calls, 1, memory_order_relaxed);
	uint64_t n = atomic_fetch_add_explicit(&shared->n_calls, 1, memory_order_relaxed);
	struct rs_slow_call *call = place_of(runtime, n);
	if (!call)
		return; /* There is no memory, so the reader of the ring misses this call. */
	struct rs_slow_call head = {
		.begin_ticks = frame->values[0],
		.pid = thread->part.pid,
		.tid = thread->part.tid,
		.region = region,
		.rules = bits,
		.flags = rs_switches_are_watched(thread) ? RS_SLOW_CALL_WATCHED : 0,
	};
	if (frame->flags & RS_FRAME_SWITCHED)
		memcpy(head.off_ticks, rs_frame_off(thread, frame)->total, sizeof(head.off_ticks));
	memcpy(head.process, runtime->process->name, sizeof(head.process));
	memcpy(head.thread, thread->part.slot->name, sizeof(head.thread));
	write_call(call, n, &head, values, thread->n_events);
}
