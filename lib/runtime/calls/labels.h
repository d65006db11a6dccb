/* SPDX-License-Identifier: MIT */
/*
 * Labels (--labels) show each thread's region to other profilers. The thread-local variable
 * otel_thread_ctx_v1 points to a record of the innermost open region, or is NULL. A profiler reads
 * it while the thread is stopped. Source: OpenTelemetry OTEP 4947, "Thread Context".
 *
 * A process has one record per region, which labels.c makes before the region's first call. BEGIN
 * and END store a pointer to a record. Only the markers of labelled.c contain these instructions;
 * slow paths call rs_label_show().
 */
#ifndef RS_RUNTIME_CALLS_LABELS_H
#define RS_RUNTIME_CALLS_LABELS_H

#include "runtime/calls/frame.h"
#include "runtime/process/self.h"

/* 1 in the markers of labelled.c. */
#ifndef RS_LABELS
#define RS_LABELS 0
#endif

/* A record, in the layout of the OTEP. It has one attribute: the region's name. */
struct rs_label_record {
	uint8_t trace_id[16]; /* 0: none, as is span_id */
	uint8_t span_id[8];
	uint8_t valid; /* 1 once the rest is complete */
	uint8_t trace_flags;
	uint16_t attributes_bytes; /* what follows */
	uint8_t key; /* index in the process context's attribute_key_map */
	uint8_t value_bytes;
	char value[RS_NAME_BYTES + 2];
};
static_assert(offsetof(struct rs_label_record, valid) == 24, "OTEP 4947");
static_assert(offsetof(struct rs_label_record, attributes_bytes) == 26, "OTEP 4947");
static_assert(offsetof(struct rs_label_record, key) == 28, "OTEP 4947");
static_assert(offsetof(struct rs_label_record, value) == 30, "OTEP 4947");

/* A region's label on one thread. */
struct rs_label {
	const struct rs_label_record *own; /* NULL: not made yet, or no region */
	/* the record of the region in which the latest call began */
	const struct rs_label_record *around;
	uint64_t unused[6];
};
static_assert(sizeof(struct rs_label) == sizeof(struct rs_thread_region), "one distance");

/* A region's label is at a constant distance after the region, behind all memory that a thread has
 * without labels (rs_thread_make()). */
#define RS_LABELS_DISTANCE \
	(RS_PAGE_BYTES + (1 + RS_THREAD_REGIONS + RS_MAX_REGIONS) * sizeof(struct rs_thread_region))
static_assert(RS_LABELS_DISTANCE % sizeof(struct rs_label) == 0, "alignment");

RS_INLINE struct rs_label *rs_label_of(struct rs_thread_region *region)
{
	return (void *)((char *)region + RS_LABELS_DISTANCE);
}

/* Show the label of the region at its BEGIN, and that of the enclosing region at its END. place is
 * rs_self_place(). */
RS_INLINE void rs_label_begin(intptr_t place, struct rs_thread_region *region)
{
	if (RS_LABELS)
		rs_thread_local_put(
			place, offsetof(struct rs_locals, label), rs_label_of(region)->own);
}

RS_INLINE void rs_label_end(intptr_t place, struct rs_thread_region *region)
{
	if (RS_LABELS)
		rs_thread_local_put(
			place, offsetof(struct rs_locals, label), rs_label_of(region)->around);
}

/* Note that the next call of a region begins in another region than the latest call. ENDs of
 * recursive calls take the slow path, so one `around` is enough for all ENDs on the fast path. */
RS_INLINE void rs_label_turn(struct rs_thread_region *region, struct rs_thread_region *around)
{
	if (RS_LABELS)
		rs_label_of(region)->around = rs_label_of(around)->own;
}

/* Show the label of the innermost open region, and make its record if there is none. Do nothing in
 * a run without labels. Slow paths call this after they have opened or closed a frame. */
void rs_label_update(struct rs_thread *thread) RS_COLD;
RS_INLINE void rs_label_show(struct rs_thread *thread)
{
	if (RS_UNLIKELY(thread->runtime->labels))
		rs_label_update(thread);
}

/* Prepare labels when a measurement begins. Return false if another part of the program publishes
 * an OpenTelemetry context, or if the kernel refuses memory for one. */
bool rs_labels_init(struct rs_runtime *runtime);

/* Clear the label of another thread, which can no longer enter a marker. The caller holds the lock,
 * so the thread cannot end meanwhile. */
void rs_label_clear(const struct rs_thread *thread);

/* Withdraw the process context and all records when the process detaches. */
void rs_labels_withdraw(struct rs_runtime *runtime);

#endif
