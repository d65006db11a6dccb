/* SPDX-License-Identifier: MIT */
/* Reading what regions have measured so far, and what an open call has used so far. */
#ifndef RS_RUNTIME_READ_READ_H
#define RS_RUNTIME_READ_READ_H

/* Include the types only: the runtime has no markers of its own. */
#define REGIONSTAT_RUNTIME_ONLY_
#include "runtime/adapter_table.h"
#include "runtime/state.h"

/* ---- values.c ---- */

/* Prepare reading, once the plan is known. Both clocks are read, for the length of a tick later. */
void rs_read_begin(struct rs_runtime *runtime);

/* Find the number of a value by its name, and the name by the number. The table has both. */
int rs_read_event(const char *name);
const char *rs_read_event_name(int value);

/* Return true if a value is a clock that stops while its thread is off the CPU. */
bool rs_read_is_clock(const struct rs_runtime *runtime, uint32_t value);

/* Compare both clocks again, after twice the time of the latest comparison. */
void rs_read_compare_clocks(struct rs_runtime *runtime) RS_COLD;

/* Return the length of a tick in ns, as a report of this moment would use it. */
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

/* Set the functions of the markers' table that read. */
void rs_read_fill_table(struct regionstat_table_29_ *table);

/* ---- sums.c ---- */

/* Fill the sums and calls of one value of a region. slots: only this slot, or NULL for all slots of
 * the process. */
void rs_read_sums(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, struct regionstat_values *values);

/* ---- quantiles.c ---- */

/* Fill the quantiles; the arguments are as above. */
void rs_read_quantiles(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, struct regionstat_values *values);

/* ---- peek.c ---- */

int rs_peek(const struct regionstat_call *call, int value, struct regionstat_values *values,
	unsigned long long bytes);

/* Read the innermost open call of a site on the calling thread. */
void rs_peek_site(struct regionstat_site_ *site, int value, struct regionstat_values *values);

/* ---- shared by sums.c and quantiles.c ---- */

/* One accumulator of a region on a slot, found by offsets that were checked. */
struct rs_read_cell {
	struct rs_accumulator *cell;
	const struct rs_shape *shape;
};

/* The accumulators of a region on a slot: of calls without and with a context switch. */
struct rs_read_cells {
	struct rs_read_cell main, twin; /* cell is NULL if there is none */
};

/* A walk over the accumulators of the selected slots in the segment. */
struct rs_read_walk {
	struct rs_runtime *runtime;
	const struct rs_slot *only; /* or NULL */
	const struct rs_slot *slot; /* the present one */
	uint32_t next_slot;
	uint64_t next_cell; /* offset in the slot's list; 0: go to the next slot */
	uint32_t n_left; /* cells that the list may still have */
};

/* Find the next accumulators. Return false after the last. */
bool rs_read_next(struct rs_read_walk *walk, struct rs_read_cells *cells);

/* Return the block at an offset in the segment, or NULL if none can be there. */
const struct rs_block *rs_read_block(
	const struct rs_runtime *runtime, uint64_t offset, uint32_t n_sums);

#endif
