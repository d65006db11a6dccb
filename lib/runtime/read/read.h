/* SPDX-License-Identifier: MIT */
/* The program reads its own results: the sums of regions so far, and the values of an open call. */
#ifndef RS_RUNTIME_READ_READ_H
#define RS_RUNTIME_READ_READ_H

/* Include the types only: the runtime has no markers of its own. */
#define REGIONSTAT_RUNTIME_ONLY_
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* ---- values.c ---- */

/* Prepare for reading results, after rs_plan_read(): read both clocks. */
void rs_read_begin(struct rs_runtime *runtime);

/* Return the id of a value by its name, and the name by the id. */
int rs_read_event(const char *name);
const char *rs_read_event_name(int value);

/* Return true if a value is the event task-clock or cpu-clock. These clocks stop while the thread
 * is off the CPU. */
static inline bool rs_read_is_clock(const struct rs_runtime *runtime, uint32_t value)
{
	return value >= REGIONSTAT_EVENTS &&
	       runtime->shape.clocks >> (1 + value - REGIONSTAT_EVENTS) & 1;
}

/* Measure the length of a tick again. A measurement over some period is valid for another period of
 * the same length. */
void rs_read_compare_clocks(struct rs_runtime *runtime) RS_COLD;

/* Return the length of a tick in ns, as a report at this moment would use it. */
RS_INLINE double rs_read_tick_ns(struct rs_runtime *runtime)
{
	/* Acquire pairs with the release store in rs_read_compare_clocks(). */
	uint64_t until = atomic_load_explicit(&runtime->read_until, memory_order_acquire);
	if (RS_UNLIKELY(rs_ticks(runtime->clock) >= until))
		rs_read_compare_clocks(runtime);
	uint64_t q32 = atomic_load_explicit(&runtime->read_ns_q32, memory_order_relaxed);
	return (double)(int64_t)q32 * 0x1p-32;
}
static inline double rs_read_ns(struct rs_runtime *runtime, double ticks)
{
	return ticks * rs_read_tick_ns(runtime);
}

/* ---- read.c ---- */

/* Set the functions of the markers' table that read results. */
void rs_read_fill_table(struct regionstat_table_29_ *table);

/* ---- sums.c ---- */

/* Fill the sums and calls for one value of a region, on one slot. If slot is NULL, use all slots of
 * the process. */
void rs_read_sums(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, struct regionstat_values *values);

/* ---- quantiles.c ---- */

/* Fill the quantiles. The arguments are those of rs_read_sums(). */
void rs_read_quantiles(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, struct regionstat_values *values);

/* ---- peek.c ---- */

int rs_peek(const struct regionstat_call *call, int value, struct regionstat_values *values,
	unsigned long long bytes);

/* Read the innermost open call of a site on the calling thread. */
void rs_peek_site(struct regionstat_site_ *site, int value, struct regionstat_values *values);

/* ---- shared by sums.c and quantiles.c ---- */

/* An accumulator of a region on a slot, whose offset was checked. */
struct rs_read_accumulator {
	struct rs_accumulator *accumulator;
	const struct rs_shape *shape;
};

/* The two accumulators of a region on a slot: for calls without and with a context switch. */
struct rs_read_accumulators {
	struct rs_read_accumulator main,
		switched; /* accumulator is NULL if there is no such accumulator */
};

/* The state of a loop over the accumulators of one slot, or of all slots of the process. */
struct rs_read_walk {
	struct rs_runtime *runtime;
	const struct rs_slot *only; /* the only slot to read; NULL: all slots */
	const struct rs_slot *slot; /* the current slot */
	uint32_t next_slot;
	uint64_t
		next_accumulator; /* offset of the slot's next accumulator; 0: go to the next slot */
	/* how many more accumulators the slot can have; limits the loop if its list is a cycle */
	uint32_t n_left;
};

/* Find the next pair of accumulators. Return false if there are no more. */
bool rs_read_next(struct rs_read_walk *walk, struct rs_read_accumulators *accumulators);

/* Return the sum of a value over all calls of an accumulator except the latest one, as the
 * accumulator stores it. counter is 0 for time, and 1 + e for event e. */
uint64_t rs_read_sum_of(
	const struct rs_runtime *runtime, const struct rs_read_accumulator *from, uint32_t counter);

/* Return the sum of the weights of all measured calls, including the latest one. word is the
 * accumulator's calls_word. */
uint64_t rs_read_weights_of(
	const struct rs_runtime *runtime, const struct rs_accumulator *accumulator, uint64_t word);

/* Return the block at an offset in the segment, or NULL if the offset is invalid. */
const struct rs_block *rs_read_block(
	const struct rs_runtime *runtime, uint64_t offset, uint32_t n_sums);

#endif
