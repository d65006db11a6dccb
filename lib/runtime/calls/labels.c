/* SPDX-License-Identifier: MIT */
/* The records of labels, and the label that a slow path shows. See labels.h. */
#include "runtime/calls/labels.h"

#include <string.h>
#include <sys/uio.h>

#include "runtime/process/process.h"
#include "segment/objects.h"

#define LABELS_BYTES (RS_MAX_REGIONS * sizeof(struct rs_label_record))

bool rs_labels_init(struct rs_runtime *runtime)
{
	if (!runtime->label_memory)
		runtime->label_memory = rs_sys_allocate(LABELS_BYTES);
	if (!runtime->label_memory || !rs_context_publish(runtime->live))
		return false;
	runtime->labels = runtime->label_memory;
	return true;
}

void rs_label_clear(const struct rs_thread *thread)
{
	const void *none = NULL;
	struct iovec from = {&none, sizeof(none)}, to = {&thread->locals->label, sizeof(none)};
	/* The memory of a thread that ended by exit(2) may be gone; the kernel then returns an
	 * error. */
	if (thread->runtime->labels && !thread->life.is_late && thread->life.is_of_process &&
		RS_SYS(tgkill, thread->part.pid, thread->part.tid, 0) == 0)
		RS_SYS(process_vm_writev, thread->part.pid, &from, 1, &to, 1, 0);
}

void rs_labels_withdraw(struct rs_runtime *runtime)
{
	if (!runtime->labels)
		return;
	rs_context_withdraw(runtime->live);
	/* A thread that never left a marker may still point to a record. A record of zeros is
	 * invalid (OTEP 4947). madvise() fails for locked memory (mlock(2)). */
	if (RS_SYS(madvise, runtime->labels, LABELS_BYTES, MADV_DONTNEED) < 0)
		memset(runtime->labels, 0, LABELS_BYTES);
}

/* Write a region's name for other profilers, and return its length. For a code address, write the
 * text before the function's name, and the address before relocation. */
static size_t write_value(char *value, const char *name)
{
	struct rs_place place;
	size_t bytes = strlen(name);
	if (rs_place_read(name, &place)) {
		size_t kind = strlen(place.kind);
		memcpy(value, place.kind, kind);
		memcpy(value + kind, "0x", 2);
		memcpy(value + kind + 2, name + bytes - RS_PLACE_DIGITS, RS_PLACE_DIGITS);
		return kind + 2 + RS_PLACE_DIGITS;
	}
	memcpy(value, name, bytes);
	return bytes;
}

/* Make a region's record. Return false if the region has no name, as in calibration. */
static bool make(struct rs_runtime *runtime, struct rs_label_record *record, uint32_t region)
{
	char name[RS_NAME_BYTES];
	uint64_t mask;
	rs_lock(runtime, &mask);
	if (!record->valid && rs_region_name(runtime, region, name)) {
		record->value_bytes = (uint8_t)write_value(record->value, name);
		record->attributes_bytes = (uint16_t)(2 + record->value_bytes);
		/* Release pairs with the acquire load in own(). */
		__atomic_store_n(&record->valid, 1, __ATOMIC_RELEASE);
	}
	rs_unlock(runtime, &mask);
	return record->valid;
}

/* Return the record of a region, or NULL. */
static const struct rs_label_record *own(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t index = rs_region_of(thread, region);
	if (!region->label && index < RS_MAX_REGIONS) {
		struct rs_label_record *record = &thread->runtime->labels[index];
		/* Acquire pairs with the release store in make(). */
		if (__atomic_load_n(&record->valid, __ATOMIC_ACQUIRE) ||
			make(thread->runtime, record, index))
			region->label = record;
	}
	return region->label;
}

void rs_label_update(struct rs_thread *thread)
{
	struct rs_frame *frame = thread->innermost;
	frame->region->parent_label = own(thread, frame->below->region);
	rs_locals.label = own(thread, frame->region);
}
