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

/* RS_LABELS is 1 in the markers of labelled.c. */
#ifndef RS_LABELS
#define RS_LABELS 0
#endif

/* A record in the layout of OTEP 4947. It has one attribute, the region's name. */
struct rs_label_record {
	uint8_t trace_id[16]; /* 0, like span_id: there is no trace */
	uint8_t span_id[8];
	uint8_t valid; /* 1 when all other members are complete */
	uint8_t trace_flags;
	uint16_t attributes_bytes; /* bytes of the attribute that follows */
	uint8_t key; /* index in the process context's attribute_key_map */
	uint8_t value_bytes;
	char value[RS_NAME_BYTES + 2];
};
static_assert(offsetof(struct rs_label_record, valid) == 24, "OTEP 4947");
static_assert(offsetof(struct rs_label_record, attributes_bytes) == 26, "OTEP 4947");
static_assert(offsetof(struct rs_label_record, key) == 28, "OTEP 4947");
static_assert(offsetof(struct rs_label_record, value) == 30, "OTEP 4947");

/* Show a label. place comes from rs_label_innermost() or rs_label_place(). */
RS_INLINE void rs_label_put(intptr_t place, const struct rs_label_record *label)
{
	if (!RS_LABELS)
		return;
#ifdef RS_ADDS_THREAD_POINTER
	rs_thread_local_put(place, offsetof(struct rs_locals, label), label);
#else
	((volatile struct rs_locals *)place)->label = label;
#endif
}

/* Return the place of the thread's rs_locals for rs_label_put(). `distance` is the result of
 * rs_self_place(). */
RS_INLINE intptr_t rs_label_place(const struct rs_thread *thread, intptr_t distance)
{
#ifdef RS_ADDS_THREAD_POINTER
	(void)thread;
	return distance;
#else
	(void)distance;
	return (intptr_t)thread->locals;
#endif
}

#ifdef RS_LOADS_TWO
static_assert(offsetof(struct rs_thread, locals) ==
		      offsetof(struct rs_thread, innermost) + sizeof(uint64_t),
	"rs_load_two");
static_assert(offsetof(struct rs_thread_region, label) ==
		      offsetof(struct rs_thread_region, parent) + sizeof(uint64_t),
	"rs_load_two");
#endif

/* Return thread->innermost. In *place, replace the result of rs_self_place() by that of
 * rs_label_place(). */
RS_INLINE struct rs_frame *rs_label_innermost(const struct rs_thread *thread, intptr_t *place)
{
#ifdef RS_LOADS_TWO
	if (RS_LABELS) {
		uint64_t innermost, locals;
		rs_load_two(&thread->innermost, &innermost, &locals);
		*place = (intptr_t)locals;
		return (void *)innermost;
	}
#endif
	*place = rs_label_place(thread, *place);
	return thread->innermost;
}

/* Return region->parent, and set *own for rs_label_own(). */
RS_INLINE struct rs_thread_region *rs_label_parent(
	const struct rs_thread_region *region, const struct rs_label_record **own)
{
#ifdef RS_LOADS_TWO
	if (RS_LABELS) {
		uint64_t within, label;
		rs_load_two(&region->parent, &within, &label);
		*own = (const void *)label;
		return (void *)within;
	}
#endif
	*own = NULL;
	return region->parent;
}

/* Return region->label. Without RS_LOADS_TWO, load it only here, so that no register has to keep
 * it. `own` comes from rs_label_parent(). */
RS_INLINE const struct rs_label_record *rs_label_own(
	const struct rs_thread_region *region, const struct rs_label_record *own)
{
#ifdef RS_LOADS_TWO
	(void)region;
	return own;
#else
	(void)own;
	return region->label;
#endif
}

/* Store the label of the region in which the next call of a region begins. ENDs of recursive calls
 * take the slow path, so a region needs only one parent_label. */
RS_INLINE void rs_label_change_parent(
	struct rs_thread_region *region, const struct rs_thread_region *around)
{
	if (RS_LABELS)
		region->parent_label = around->label;
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
