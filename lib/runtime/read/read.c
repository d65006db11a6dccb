/* SPDX-License-Identifier: MIT */
/*
 * Reading results inside the program: regionstat_read() and its kin. This file handles the usual
 * case in one function: the total of a region on the calling thread, without sampling and
 * multiplexing. That function follows only pointers in private memory, so it checks no offsets.
 * sums.c handles all other cases. No function takes a lock or enters a marker, so a signal handler
 * may read at any time.
 */
#include "runtime/read/read.h"

#include <string.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/calls.h"
#include "runtime/process/process.h"
#include "runtime/process/self.h"

/* ---- the usual case ---- */

/* Return the word at an offset in an accumulator. */
RS_INLINE uint64_t word_at(const struct rs_accumulator *accumulator, size_t place)
{
	return rs_load_64((const uint64_t *)(const void *)((const char *)accumulator + place));
}

/* Return an event's sum over the blocks of a region. */
RS_INLINE uint64_t blocks_sum(const struct rs_block_sums *known, uint32_t value)
{
	const uint64_t *const *sums = known->sums, *const *end = sums + known->n;
	uint64_t sum = 0;
	/* Before the region's first call has ended, there are no blocks. */
	for (; sums != end; sums += RS_SUMS_STEP)
		for (uint32_t i = 0; i < RS_SUMS_STEP; i++)
			sum += rs_load_64(&sums[i][(size_t)value - REGIONSTAT_EVENTS]);
	return sum;
}

/* Return the total of an accumulator, in ticks or as counted. word is its calls_word. sum may lack
 * the latest call. latest must be read before sum, because a thread adds the latest call to the sum
 * before it overwrites `latest`. */
RS_INLINE uint64_t total_of(const struct rs_accumulator *accumulator,
	const struct rs_places *places, uint64_t word, uint64_t sum, uint64_t latest)
{
	size_t extremes = places->rows[rs_accumulator_row(word)].extremes;
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

/* Return true if the event's group was counted during all calls. */
RS_INLINE bool has_counted_all(
	const struct rs_accumulator *accumulator, const struct rs_places *places, uint64_t word)
{
	size_t group = places->rows[rs_accumulator_row(word)].group;
	return !word_at(accumulator, group + offsetof(struct rs_rare_group, uncounted));
}

static struct rs_read_sums *known_sums(
	struct rs_thread *thread, const struct rs_accumulator *accumulator, uint32_t value)
{
	return &thread->known
			.sums[((uintptr_t)accumulator / RS_OFFSET_UNIT ^ value) % RS_KNOWN_SUMS];
}

/* Read the total of a region's calls that had a context switch, and cache it in the thread. This is
 * needed only after a context switch. Return false if sums.c must read the total, or if this is a
 * handler that interrupted this function. */
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
	uint64_t offset = rs_load_64(&rs_accumulator_blocks(accumulator, shape->n_events)[0]),
		 sum = 0;
	const struct rs_block *block;
	for (uint32_t n = 0; value && n < RS_BLOCK_OCTAVES; n++) {
		if (!(block = rs_read_block(runtime, offset, shape->n_events)))
			break;
		sum += rs_load_64(&block->sums[value - REGIONSTAT_EVENTS]);
		offset = rs_block_next(rs_load_64(&block->link));
	}
	sum = value ? sum : rs_load_64(&accumulator->time_sum);
	sum = total_of(accumulator, places, word, sum, latest);
	atomic_signal_fence(memory_order_seq_cst);
	if ((value && !has_counted_all(accumulator, places, word)) ||
		rs_accumulator_word(accumulator) != word ||
		!rs_claim(&thread->known.is_changing, 0, 1))
		return false;
	struct rs_read_sums *known = known_sums(thread, accumulator, value);
	known->accumulator = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	known->word = word;
	known->value = value;
	known->total = sum;
	atomic_signal_fence(memory_order_seq_cst);
	known->accumulator = accumulator;
	atomic_signal_fence(memory_order_seq_cst);
	thread->known.is_changing = 0;
	return true;
}

enum quick { QUICK_DONE, QUICK_RENEW, QUICK_NO };

/* Read the total of time or of an event of a region on the calling thread. For QUICK_RENEW, set
 * *renewed to the accumulator whose cached total is out of date. If the site has no region yet, the
 * region that rs_site_region() returns has no table. */
RS_INLINE enum quick read_quickly(struct rs_thread *thread, const struct regionstat_site_ *site,
	uint32_t value, struct regionstat_values *values, struct rs_accumulator **renewed)
{
	uint64_t sum, other = 0, calls;
	if (value > 63 || !(thread->known.plain_values >> value & 1))
		return QUICK_NO;
	if (RS_UNLIKELY(!rs_load_64((const uint64_t *)(const void *)thread->is_here)))
		return QUICK_NO;
	const struct rs_thread_region *region = rs_site_region(thread, site);
	if (RS_UNLIKELY(!region->table))
		return QUICK_NO;
	const struct rs_accumulator *accumulator = region->accumulator;
	const struct rs_places *places = &thread->shape->places[value];
	uint64_t word = rs_accumulator_word(accumulator);
	calls = rs_accumulator_calls(word);
	if (atomic_load_explicit(&accumulator->switched, memory_order_relaxed)) {
		struct rs_accumulator *switched =
			thread->switched.regions[rs_region_of(thread, region)].accumulator;
		const struct rs_read_sums *known = known_sums(thread, switched, value);
		*renewed = switched;
		if (RS_UNLIKELY(!switched))
			return QUICK_NO;
		uint64_t known_word = rs_accumulator_word(switched);
		if (RS_UNLIKELY(known->accumulator != switched || known->value != value ||
				known->word != known_word))
			return QUICK_RENEW;
		other = known->total;
		/* A signal handler may have replaced the cached total during the read. */
		atomic_signal_fence(memory_order_seq_cst);
		if (RS_UNLIKELY(known->accumulator != switched || known->value != value ||
				known->word != known_word))
			return QUICK_NO;
		calls += rs_accumulator_calls(known_word);
	}
	atomic_signal_fence(memory_order_seq_cst);
	uint64_t latest = word_at(accumulator, places->latest);
	atomic_signal_fence(memory_order_seq_cst);
	if (!value) {
		sum = rs_load_64(&accumulator->time_sum);
	} else {
		const struct rs_block_sums *sums = rs_table_sums(thread->shape, region->table);
		if (RS_UNLIKELY(
			    sums->n == RS_NO_SUMS || !has_counted_all(accumulator, places, word)))
			return QUICK_NO;
		sum = blocks_sum(sums, value);
	}
	sum = total_of(accumulator, places, word, sum, latest) + other;
	atomic_signal_fence(memory_order_seq_cst);
	if (RS_UNLIKELY(rs_accumulator_word(accumulator) != word))
		return QUICK_NO;
	double total = (double)(int64_t)sum;
	values->total_ = value ? total : total * rs_read_tick_ns(thread->runtime);
	values->calls_ = calls;
	values->validity_ = REGIONSTAT_VALID;
	return QUICK_DONE;
}

/* ---- all other cases ---- */

/* Return the slot of the calling thread, or NULL if it has none. The thread may be inside a
 * marker. */
static const struct rs_slot *own_slot(const struct rs_runtime *runtime)
{
	const struct rs_thread *thread = rs_self;
	bool is_here = thread->runtime == runtime && thread->is_here && *thread->is_here;
	return is_here ? thread->part.slot : NULL;
}

static void limit(double *number, double most)
{
	*number = *number < most ? *number : most;
}

static void read_any(struct rs_runtime *runtime, uint32_t region, uint32_t value, unsigned int what,
	struct regionstat_values *values)
{
	const struct rs_slot *slot = own_slot(runtime);
	values->validity_ = runtime->process ? REGIONSTAT_VALID : REGIONSTAT_ABSENT;
	if (region >= RS_MAX_REGIONS || !runtime->live->is_here || !runtime->process)
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
	/* A thread cannot be on a CPU for longer than the region's time. */
	struct regionstat_values most = {0};
	read_any(runtime, region, REGIONSTAT_TIME, what, &most);
	limit(&values->total_, most.total_);
	limit(&values->self_, most.self_);
	limit(&values->p50_, most.p50_);
	limit(&values->p90_, most.p90_);
	limit(&values->p99_, most.p99_);
}

static RS_COLD int read_slowly(struct regionstat_site_ *site, int value, unsigned int what,
	struct regionstat_values *values, unsigned long long bytes)
{
	struct rs_runtime *runtime = rs_state;
	struct regionstat_values found = {0};
	uint32_t region = RS_MAX_REGIONS;
	if (rs_read_event_name(value) && !rs_site_is_known_filtered(site)) {
		if (site->region_)
			region = site->region_ / rs_region_mark(0) - 1;
		else if (rs_region_find(runtime, site->name_, &region))
			__atomic_store_n(&site->region_, rs_region_mark(region), __ATOMIC_RELAXED);
		if (what & REGIONSTAT_OPEN_CALL)
			rs_peek_site(site, value, &found);
		else
			read_any(runtime, region, (uint32_t)value, what, &found);
	}
	/* A later version of the header may have more members than this struct. */
	memset(values, 0, bytes);
	memcpy(values, &found, bytes < sizeof(found) ? bytes : sizeof(found));
	return found.validity_;
}

/* Update the cached total of the calls with a context switch, and read again. */
static RS_COLD int read_again(struct regionstat_site_ *site, int value,
	struct regionstat_values *values, struct rs_accumulator *renewed, unsigned long long bytes)
{
	struct rs_thread *thread = rs_self;
	if (renew_sums(thread, renewed, (uint32_t)value) &&
		read_quickly(thread, site, (uint32_t)value, values, &renewed) == QUICK_DONE)
		return REGIONSTAT_VALID;
	return read_slowly(site, value, 0, values, bytes);
}

static int read_site(struct regionstat_site_ *site, int value, unsigned int what,
	struct regionstat_values *values, unsigned long long bytes)
{
	struct rs_accumulator *renewed;
	enum quick quick = QUICK_NO;
	if (RS_LIKELY(!what))
		quick = read_quickly(rs_self, site, (uint32_t)value, values, &renewed);
	if (RS_LIKELY(quick == QUICK_DONE))
		return REGIONSTAT_VALID;
	return quick == QUICK_NO ? read_slowly(site, value, what, values, bytes)
				 : read_again(site, value, values, renewed, bytes);
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
