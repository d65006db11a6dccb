/* SPDX-License-Identifier: MIT */
/*
 * This file handles regions whose names are code addresses. Such a name encodes an object and an
 * address in it. This file writes the name, and adds the object to a table in the segment. The
 * launcher finds the symbol after the run, because a lookup here would cost the program memory and
 * time.
 */
#include "runtime/adapt/adapt.h"

#include <string.h>

#include "runtime/mark/slow.h"
#include "runtime/process/self.h"
#include "runtime/process/process.h"

#define NO_OBJECT_NAME "(code in no file)"

static struct rs_objects *objects_of(const struct rs_runtime *runtime)
{
	return rs_at(runtime, RS_OBJECTS_OFFSET);
}

static uint64_t offset_of(uint32_t index)
{
	return RS_OBJECTS_OFFSET + offsetof(struct rs_objects, objects) +
	       (uint64_t)index * sizeof(struct rs_code_object);
}

/* Return true if the table contains this object for this user. Map the filled part of the table. */
static bool is_listed(struct rs_runtime *runtime, uint64_t key, uint32_t uid)
{
	struct rs_objects *objects = objects_of(runtime);
	uint32_t n = atomic_load_explicit(&objects->n_objects, memory_order_relaxed);
	for (uint32_t i = 0; i < n && i < RS_MAX_OBJECTS; i++) {
		struct rs_code_object *object = &objects->objects[i];
		if (!rs_memory_ensure(runtime, offset_of(i), sizeof(*object)))
			return false;
		/* Acquire pairs with the release store in list(): key and uid are complete. */
		if (atomic_load_explicit(&object->state, memory_order_acquire) == RS_OBJECT_READY &&
			object->key == key && object->uid == uid)
			return true;
	}
	return false;
}

/* Add an object to the table. If the table is full, reports show no function names of this object.
 * If an object without a build-id has lost its name to another file, store 0 as size and time.
 * The launcher then does not read symbols from the wrong file. */
static void list(struct rs_runtime *runtime, const struct rs_loaded *loaded, uint32_t uid,
	const void *address)
{
	struct rs_objects *objects = objects_of(runtime);
	uint32_t index = atomic_load_explicit(&objects->n_objects, memory_order_relaxed);
	if (index < RS_MAX_OBJECTS)
		index = atomic_fetch_add_explicit(&objects->n_objects, 1, memory_order_relaxed);
	if (index >= RS_MAX_OBJECTS ||
		!rs_memory_ensure(runtime, offset_of(index), sizeof(struct rs_code_object)))
		return;
	struct rs_code_object *object = &objects->objects[index];
	object->key = loaded->key;
	/* The kernel appends this to the path of a deleted file (proc(5)). */
	bool is_other = !loaded->build_id && rs_sys_maps_have(" (deleted)\n", address);
	object->file_bytes = is_other ? 0 : loaded->file_bytes;
	object->modified_ns = is_other ? 0 : loaded->modified_ns;
	object->uid = uid;
	object->build_id_bytes = loaded->build_id_bytes;
	if (loaded->build_id)
		memcpy(object->build_id, loaded->build_id,
			loaded->build_id_bytes < RS_BUILD_ID_BYTES ? loaded->build_id_bytes
								   : RS_BUILD_ID_BYTES);
	memcpy(object->path, loaded->path, strlen(loaded->path) + 1);
	/* Release pairs with the acquire loads in is_listed() and in the launcher. */
	atomic_store_explicit(&object->state, RS_OBJECT_READY, memory_order_release);
}

/* Add the object and the region to the segment. */
static void add(struct rs_thread *thread, const struct rs_loaded *loaded, const void *address,
	const char *name)
{
	struct rs_runtime *runtime = thread->runtime;
	uint32_t uid = (uint32_t)RS_SYS(geteuid, 0);
	uint64_t mask;
	rs_lock(runtime, &mask);
	if (rs_memory_ensure(runtime, RS_OBJECTS_OFFSET, sizeof(struct rs_code_object)) &&
		!is_listed(runtime, loaded->key, uid))
		list(runtime, loaded, uid, address);
	rs_unlock(runtime, &mask);
	rs_region_add_place(runtime, name);
}

/* Search the sorted hashes of --functions. Another process may have overwritten them. Even then the
 * search stays in bounds; at worst it selects the wrong functions. */
static bool has_number(struct rs_runtime *runtime, uint32_t n, uint64_t number)
{
	const uint64_t *numbers = rs_at(runtime, RS_CHOSEN_OFFSET);
	uint32_t first = 0;
	while (n > 0) {
		uint64_t middle = rs_load_64(&numbers[first + n / 2]);
		if (middle == number)
			return true;
		if (middle < number) {
			first += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return false;
}

/* Return how many functions --functions selects, and map their hashes. Return UINT32_MAX if the
 * option was not given: all functions are measured. */
static uint32_t count_chosen(struct rs_runtime *runtime)
{
	uint64_t mask;
	rs_lock(runtime, &mask);
	bool is_there = rs_memory_ensure(runtime, RS_OBJECTS_OFFSET, sizeof(struct rs_code_object));
	uint32_t n = is_there ? rs_load_32(&objects_of(runtime)->n_chosen) - 1 : UINT32_MAX;
	if (n != UINT32_MAX && n > RS_MAX_CHOSEN)
		n = RS_MAX_CHOSEN;
	if (n != UINT32_MAX && n > 0 &&
		!rs_memory_ensure(runtime, RS_CHOSEN_OFFSET, n * sizeof(uint64_t)))
		n = 0;
	rs_unlock(runtime, &mask);
	return n;
}

/* Return true if --functions selects the function with this hash, or if --functions was not
 * given. */
static bool is_chosen(struct rs_runtime *runtime, uint64_t hash)
{
	uint32_t n = count_chosen(runtime);
	return n == UINT32_MAX || has_number(runtime, n, hash);
}

bool rs_adapter_choose(const void *const *functions, bool *is_wanted, size_t n)
{
	struct rs_loaded loaded;
	uint32_t n_numbers = rs_state ? count_chosen(rs_state) : UINT32_MAX;
	bool is_given = n_numbers != UINT32_MAX;
	bool is_known = is_given && n > 0 && rs_object_find(functions[0], &loaded);
	for (size_t i = 0; i < n; i++)
		is_wanted[i] = !is_given ||
			       (is_known &&
				       has_number(rs_state, n_numbers,
					       rs_place_hash(loaded.key,
						       (uintptr_t)functions[i] - loaded.bias)));
	return is_given;
}

static enum rs_located locate(
	struct rs_thread *thread, const char *kind, const void *address, char *name)
{
	struct rs_loaded loaded;
	if (!rs_object_find(address, &loaded)) {
		strcpy(name, NO_OBJECT_NAME);
		return RS_LOCATED_NOWHERE;
	}
	uint64_t offset = (uintptr_t)address - loaded.bias;
	if (!kind && !is_chosen(thread->runtime, rs_place_hash(loaded.key, offset)))
		return RS_LOCATED_FILTERED;
	rs_place_write(name, kind ? kind : "", loaded.key, offset);
	add(thread, &loaded, address, name);
	return RS_LOCATED;
}

enum rs_located rs_adapter_locate_at(
	const char *kind, const void *address, uintptr_t stack, char *name)
{
	name[0] = '\0';
	/* Enter like a slow marker, so that enclosing calls do not include the lookup. */
	struct rs_thread *thread = rs_state ? rs_enter_slowly(stack) : NULL;
	if (!thread)
		return RS_LOCATED_NOT_NOW;
	rs_slow_begin(thread);
	enum rs_located located = locate(thread, kind, address, name);
	rs_slow_leave(thread, NULL, thread->cost->inside, NULL, 0);
	return located;
}

enum rs_located rs_adapter_locate(const char *kind, const void *address, char *name)
{
	return rs_adapter_locate_at(kind, address, RS_STACK, name);
}
