/* SPDX-License-Identifier: MIT */
/*
 * This file implements a lock-free table of Caliper's C++ objects. The key of an object is the
 * address of the contents that all its copies share. The process has one table, because any thread
 * may use an object.
 */
#include "adapters/caliper.h"

#define N_OBJECTS 4096u /* a power of two; limit of the objects that exist at the same time */
#define N_TRIES 64u
#define GONE 1u /* the object was destroyed; no object has this address */

struct object {
	_Atomic uintptr_t address; /* 0: the slot was never used; GONE: see above */
	/* the attribute of an annotation, or of a loop's iterations */
	_Atomic(const struct rs_caliper_attribute *) attribute;
	_Atomic uint32_t n_users; /* how many copies and guards exist */
};
static struct object objects[N_OBJECTS];

/* Return the index of the slot where the search for an address begins. The search continues with
 * the next slots. */
static uint64_t first_place(uintptr_t address)
{
	return address * UINT64_C(0x9e3779b97f4a7c15) >> 40;
}

/* Return the object with this address, or NULL if it is not known. */
static struct object *find(uintptr_t address)
{
	uint64_t first = first_place(address);
	for (uint64_t i = first; i < first + N_TRIES; i++) {
		struct object *object = &objects[i % N_OBJECTS];
		uintptr_t there = atomic_load_explicit(&object->address, memory_order_acquire);
		if (there == address)
			return object;
		if (!there)
			return NULL;
	}
	return NULL;
}

/* Take a free slot for an object that is not known. Return NULL if there is none. */
static struct object *claim(uintptr_t address)
{
	uint64_t first = first_place(address);
	for (uint64_t i = first; i < first + N_TRIES; i++) {
		struct object *object = &objects[i % N_OBJECTS];
		uintptr_t there = atomic_load_explicit(&object->address, memory_order_relaxed);
		/* acquire: pairs with the release in rs_caliper_detach() */
		if ((!there || there == GONE) &&
			atomic_compare_exchange_strong_explicit(&object->address, &there, address,
				memory_order_acquire, memory_order_relaxed))
			return object;
	}
	return NULL;
}

void rs_caliper_attach(uintptr_t address)
{
	struct object *object = find(address);
	if (object)
		atomic_fetch_add_explicit(&object->n_users, 1, memory_order_relaxed);
}

bool rs_caliper_detach(uintptr_t address)
{
	struct object *object = find(address);
	if (!object)
		return true;
	if (atomic_fetch_sub_explicit(&object->n_users, 1, memory_order_acq_rel) > 1)
		return false;
	atomic_store_explicit(&object->address, GONE, memory_order_release);
	return true;
}

void rs_caliper_remember(uintptr_t address, const struct rs_caliper_attribute *attribute)
{
	struct object *object = find(address);
	if (!object && attribute)
		object = claim(address);
	if (object) {
		atomic_store_explicit(&object->n_users, 1, memory_order_relaxed);
		/* release: pairs with the acquire in rs_caliper_recall() */
		atomic_store_explicit(&object->attribute, attribute, memory_order_release);
	} else if (attribute) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
	}
}

const struct rs_caliper_attribute *rs_caliper_recall(uintptr_t address)
{
	struct object *object = find(address);
	return object ? atomic_load_explicit(&object->attribute, memory_order_acquire) : NULL;
}
