/* SPDX-License-Identifier: MIT */
/*
 * The program reads its own results: regionstat_read() and similar functions. This file handles the
 * usual case in one function: the total of a region on the calling thread, without sampling and
 * multiplexing. That function follows only private pointers, so it checks no offsets. sums.c
 * handles all other cases. No function takes a lock or enters a marker, so a signal handler may
 * read at any time.
 */
#include "runtime/read/read.h"

#include <string.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/calls.h"
#include "runtime/process/process.h"
#include "runtime/process/self.h"

/* ---- the usual case ---- */

/* Return the word at an offset (place) in an accumulator. */
RS_INLINE uint64_t word_at(const struct rs_accumulator *accumulator, size_t place)
{
	return rs_load_64((const uint64_t *)(const void *)((const char *)accumulator + place));
}

/* Return an event's sum over the blocks of a region. */
RS_INLINE uint64_t blocks_sum(const struct rs_block_sums *known, uint64_t n, uint32_t value)
{
	const uint64_t *const *end = known->sums + n;
	uint64_t sum = 0;
	/* n is not 0: a region without blocks has RS_SUMS_STEP empty ones. */
	for (int64_t left = -(int64_t)n; left; left += RS_SUMS_STEP)
		for (uint32_t i = 0; i < RS_SUMS_STEP; i++)
			sum += rs_load_64(&end[left + i][(size_t)value - REGIONSTAT_EVENTS]);
	return sum;
}

/* Return the total of an accumulator, in ticks or counts. `word` is its calls_word, and `extremes`
 * is the offset of the value's extremes. `latest` is added if `sum` does not include the latest
 * call yet. The caller must read `latest` before `sum`: a thread adds the latest call to the sum
 * before it overwrites `latest`. */
RS_INLINE uint64_t total_of(const struct rs_accumulator *accumulator,
	const struct rs_places *places, size_t extremes, uint64_t word, uint64_t sum,
	uint64_t latest)
{
	uint64_t calls = rs_accumulator_calls(word);
	int64_t inside = (int64_t)word_at(accumulator, places->inside);
	uint64_t max = word_at(accumulator, extremes + offsetof(struct rs_rare_moments, max));
	sum = (rs_accumulator_with_latest(sum, word, latest) - calls) / 2;
	sum = rs_without_inside(sum, (int64_t)calls * inside);
	max = rs_without_inside(max, inside);
	sum = sum > max ? sum : max;
	sum -= word_at(accumulator, extremes + offsetof(struct rs_rare_moments, inner));
	return rs_without_inside(
		sum + word_at(accumulator, extremes + offsetof(struct rs_rare_moments, uncounted)),
		0);
}

/* Return true if the group at an offset in an accumulator was counted during all calls. */
RS_INLINE bool has_counted_all(const struct rs_accumulator *accumulator, size_t group)
{
	return !word_at(accumulator, group + offsetof(struct rs_rare_group, uncounted));
}

/* Return a key for accumulator and value, which is unique and not 0. value < RS_OFFSET_UNIT. */
RS_INLINE uint64_t key_of(const struct rs_accumulator *accumulator, uint32_t value)
{
	return (uintptr_t)accumulator + value + 1;
}

RS_INLINE uint32_t place_of(uint64_t key)
{
	return (uint32_t)(key / RS_OFFSET_UNIT ^ key) % RS_KNOWN_SUMS;
}

/* Read the total of a region's calls that had a context switch, and cache it in the thread. Return
 * false if sums.c must read the total. Also return false in a signal handler that interrupted this
 * function. */
static RS_COLD bool renew_sums(
	struct rs_thread *thread, struct rs_accumulator *accumulator, uint32_t value)
{
	const struct rs_runtime *runtime = thread->runtime;
	const struct rs_shape *shape = &runtime->switched_shape;
	const struct rs_places *places = &shape->places[value];
	uint64_t word = rs_accumulator_word(accumulator);
	atomic_signal_fence(memory_order_seq_cst);
	uint64_t latest = word_at(accumulator, places->latest);
	atomic_signal_fence(memory_order_seq_cst);
	const struct rs_read_accumulator from = {accumulator, shape};
	uint64_t sum = rs_read_sum_of(runtime, &from, value ? 1 + value - REGIONSTAT_EVENTS : 0);
	uint32_t row = rs_accumulator_row(word);
	sum = total_of(accumulator, places, places->rows[row].extremes, word, sum, latest);
	atomic_signal_fence(memory_order_seq_cst);
	if ((value && !has_counted_all(accumulator, places->rows[row].group)) ||
		rs_accumulator_word(accumulator) != word ||
		!rs_claim(&thread->known.is_changing, 0, 1))
		return false;
	uint64_t key = key_of(accumulator, value);
	uint32_t place = place_of(key);
	thread->known.sums.keys[place] = 0;
	atomic_signal_fence(memory_order_seq_cst);
	thread->known.sums.words[place] = word;
	thread->known.sums.totals[place] = sum;
	atomic_signal_fence(memory_order_seq_cst);
	thread->known.sums.keys[place] = key;
	atomic_signal_fence(memory_order_seq_cst);
	thread->known.is_changing = 0;
	return true;
}

enum quick { QUICK_DONE, QUICK_RENEW, QUICK_NO };

/* Add a region's calls with a context switch to the values and to *sum. If the cached total of an
 * accumulator is out of date, set *renewed to that accumulator and return QUICK_RENEW. A copy of
 * a region without an accumulator has no calls: a signal handler or a forked child may find one. */
RS_INLINE enum quick add_switched(struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t value, struct regionstat_values *values, uint64_t *sum,
	struct rs_accumulator **renewed)
{
	struct rs_accumulator *switched = region->switched->accumulator;
	if (RS_UNLIKELY(!switched))
		return QUICK_DONE;
	uint64_t key = key_of(switched, value);
	uint32_t place = place_of(key);
	*renewed = switched;
	if (RS_UNLIKELY(rs_load_64(&thread->known.sums.keys[place]) != key))
		return QUICK_RENEW;
	uint64_t word = rs_accumulator_word(switched);
	if (RS_UNLIKELY(rs_load_64(&thread->known.sums.words[place]) != word))
		return QUICK_RENEW;
	values->calls_ += rs_accumulator_calls(word);
	*sum += rs_load_64(&thread->known.sums.totals[place]);
	/* A signal handler may have replaced the cached total during the read. */
	atomic_signal_fence(memory_order_seq_cst);
	return RS_UNLIKELY(rs_load_64(&thread->known.sums.keys[place]) != key ||
			   rs_load_64(&thread->known.sums.words[place]) != word)
		       ? QUICK_NO
		       : QUICK_DONE;
}

/* Read the total of time or of an event of a region on the calling thread, if the value is one of
 * plain_values. Set *renewed as add_switched() does. A new site's region has no table. */
RS_INLINE enum quick read_quickly(struct rs_thread *thread, uint64_t plain_values,
	const struct regionstat_site_ *site, uint32_t value, struct regionstat_values *values,
	struct rs_accumulator **renewed)
{
	uint64_t sum;
	if (value > 63 || !(plain_values >> value & 1))
		return QUICK_NO;
	if (RS_UNLIKELY(!rs_load_64((const uint64_t *)(const void *)thread->is_here)))
		return QUICK_NO;
	const struct rs_thread_region *region = rs_site_region(thread, site);
	if (RS_UNLIKELY(!region->table))
		return QUICK_NO;
	const struct rs_accumulator *accumulator = region->accumulator;
	const struct rs_shape *shape = thread->shape;
	const struct rs_places *places = &shape->places[value];
	uint64_t word = rs_accumulator_word(accumulator);
	const struct rs_places_row *row = &places->rows[rs_accumulator_row(word)];
	__asm__("" : "+r"(row));
	values->calls_ = rs_accumulator_calls(word);
	values->validity_ = REGIONSTAT_VALID;
	atomic_signal_fence(memory_order_seq_cst);
	uint64_t latest = word_at(accumulator, places->latest);
	atomic_signal_fence(memory_order_seq_cst);
	if (!value) {
		sum = rs_load_64(&accumulator->time_sum);
	} else {
		const struct rs_block_sums *sums = rs_table_sums(shape, region->table);
		uint64_t n = sums->n;
		if (RS_UNLIKELY(!n || !has_counted_all(accumulator, row->group)))
			return QUICK_NO;
		sum = blocks_sum(sums, n, value);
	}
	sum = total_of(accumulator, places, row->extremes, word, sum, latest);
	if (region->switched) {
		enum quick quick = add_switched(thread, region, value, values, &sum, renewed);
		if (RS_UNLIKELY(quick != QUICK_DONE))
			return quick;
	}
	atomic_signal_fence(memory_order_seq_cst);
	if (RS_UNLIKELY(rs_accumulator_word(accumulator) != word))
		return QUICK_NO;
	double total = (double)(int64_t)sum;
	values->total_ = value ? total : total * rs_read_tick_ns(thread->runtime);
	return QUICK_DONE;
}

/* ---- all other cases ---- */

/* Return the slot of the calling thread, which may be inside a marker, or NULL if it has none. */
static const struct rs_slot *own_slot(const struct rs_runtime *runtime)
{
	const struct rs_thread *thread = rs_self;
	bool is_here = thread->runtime == runtime && thread->is_here && *thread->is_here;
	/* A slot from an earlier measurement may belong to another thread now. */
	bool is_now = is_here && thread->life.n_attach == runtime->n_attach;
	return is_now ? thread->part.slot : NULL;
}

static void limit(double *number, double most)
{
	*number = *number < most ? *number : most;
}

static void read_any(struct rs_runtime *runtime, uint32_t region, uint32_t value, unsigned int what,
	struct regionstat_values *values)
{
	const struct rs_slot *slot = own_slot(runtime);
	/* A name that no region has may be misspelled, so it has no values, not even 0 calls. */
	if (region >= RS_MAX_REGIONS || !runtime->process)
		return;
	values->validity_ = REGIONSTAT_VALID;
	if (!runtime->live->is_here)
		return;
	if (!(what & REGIONSTAT_PROCESS) && !slot)
		return;
	if (what & REGIONSTAT_PROCESS)
		slot = NULL;
	rs_read_sums(runtime, slot, region, value, values);
	if (what & REGIONSTAT_QUANTILES)
		rs_read_quantiles(runtime, slot, region, value, values);
	if (!rs_read_is_clock(runtime, value))
		return;
	/* A clock's value cannot exceed the region's time. */
	struct regionstat_values most = {0};
	read_any(runtime, region, REGIONSTAT_TIME, what, &most);
	limit(&values->total_, most.total_);
	limit(&values->self_, most.self_);
	limit(&values->p50_, most.p50_);
	limit(&values->p90_, most.p90_);
	limit(&values->p99_, most.p99_);
}

/* Read any value. In an attached process the thread enters a marker, here and in read_again().
 * Otherwise the thread that detaches could free the memory meanwhile. */
static RS_COLD int read_slowly(struct regionstat_site_ *site, int value, unsigned int what,
	struct regionstat_values *values, unsigned long long bytes)
{
	struct rs_runtime *runtime = rs_state;
	struct regionstat_values found = {0};
	uint32_t region = RS_MAX_REGIONS;
	/* rs_peek_site() enters a marker by itself. */
	bool enters = rs_load_flag(&runtime->is_attached) && !(what & REGIONSTAT_OPEN_CALL);
	struct rs_thread *thread = enters ? rs_enter(rs_self, RS_STACK) : NULL;
	/* A thread that enters no marker may read after the end of the measurement. */
	bool is_late = enters && !thread && rs_process_has_detached(runtime);
	if (!is_late && rs_read_event_name(value) && !rs_site_is_known_filtered(site)) {
		uint32_t mark = rs_load_32(&site->region_);
		if (mark)
			region = mark / rs_region_mark(0) - 1;
		else if (rs_region_find(runtime, site->name_, &region))
			__atomic_store_n(&site->region_, rs_region_mark(region), __ATOMIC_RELAXED);
		if (what & REGIONSTAT_OPEN_CALL)
			rs_peek_site(site, value, &found);
		else
			read_any(runtime, region, (uint32_t)value, what, &found);
	}
	if (thread)
		rs_leave(thread);
	/* A later version of the header may have more members than this struct. */
	memset(values, 0, bytes);
	memcpy(values, &found, bytes < sizeof(found) ? bytes : sizeof(found));
	return found.validity_;
}

/* Read in an attached process, or after a context switch. */
static __attribute__((noinline)) int read_again(struct regionstat_site_ *site, int value,
	struct regionstat_values *values, unsigned long long bytes)
{
	bool is_attached = rs_load_flag(&rs_state->is_attached);
	struct rs_thread *thread = is_attached ? rs_enter(rs_self, RS_STACK) : rs_self;
	struct rs_accumulator *renewed = NULL;
	enum quick quick = QUICK_NO;
	if (thread) {
		uint64_t plain = is_attached ? thread->runtime->plain_values
					     : thread->known.plain_values;
		quick = read_quickly(thread, plain, site, (uint32_t)value, values, &renewed);
		if (quick == QUICK_RENEW && renew_sums(thread, renewed, (uint32_t)value))
			quick = read_quickly(
				thread, plain, site, (uint32_t)value, values, &renewed);
		if (is_attached)
			rs_leave(thread);
	}
	return quick == QUICK_DONE ? REGIONSTAT_VALID : read_slowly(site, value, 0, values, bytes);
}

/* Read time or an event. Each caller inlines this function separately, because this needs fewer
 * registers. */
RS_INLINE int read_value(struct regionstat_site_ *site, int value, struct regionstat_values *values,
	unsigned long long bytes)
{
	struct rs_accumulator *renewed;
	struct rs_thread *thread = rs_self;
	if (RS_LIKELY(read_quickly(thread, thread->known.plain_values, site, (uint32_t)value,
			      values, &renewed) == QUICK_DONE))
		return REGIONSTAT_VALID;
	return read_again(site, value, values, bytes);
}

static __attribute__((noinline)) int read_time(
	struct regionstat_site_ *site, struct regionstat_values *values, unsigned long long bytes)
{
	return read_value(site, REGIONSTAT_TIME, values, bytes);
}

static int read_site(struct regionstat_site_ *site, int value, unsigned int what,
	struct regionstat_values *values, unsigned long long bytes)
{
	if (RS_UNLIKELY(what))
		return read_slowly(site, value, what, values, bytes);
	if (value == REGIONSTAT_TIME)
		return read_time(site, values, bytes);
	return read_value(site, value, values, bytes);
}

static int read_name(const char *name, int value, unsigned int what,
	struct regionstat_values *values, unsigned long long bytes)
{
	struct regionstat_site_ site = {name, 0, RS_SITE_BY_TICKET};
	return read_slowly(&site, value, what, values, bytes);
}

void rs_read_fill_table(struct regionstat_table_29_ *table)
{
	table->read_ = read_site;
	table->read_name_ = read_name;
	table->peek_ = rs_peek;
	table->event_ = rs_read_event;
	table->event_name_ = rs_read_event_name;
}
