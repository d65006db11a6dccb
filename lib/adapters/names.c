/* SPDX-License-Identifier: MIT */
/*
 * Two hash tables of lists that only grow at their heads, as in sites.c: of names by their text,
 * and of things by an address.
 */
#include "adapters/names.h"

#include <string.h>

#define N_LISTS 512u /* a power of two */

struct tied {
	struct tied *next;
	const void *address;
	_Atomic(void *) thing;
};

static _Atomic(struct rs_name *) names[N_LISTS];
static _Atomic(struct tied *) addresses[N_LISTS];

static struct rs_name *make_name(const char *text, size_t bytes)
{
	struct rs_name *name = rs_adapter_allocate(sizeof(*name) + bytes + 1);
	if (name) {
		name->bytes = bytes;
		memcpy(name->text, text, bytes);
	}
	return name;
}

struct rs_name *rs_name_of(const char *text, size_t bytes)
{
	uint32_t hash = rs_name_hash(text, (uint32_t)bytes);
	_Atomic(struct rs_name *) *list = &names[(hash ^ hash >> 16) % N_LISTS];
	struct rs_name *made = NULL;
	/* acquire: pairs with the exchange below, before which a name was written */
	struct rs_name *head = atomic_load_explicit(list, memory_order_acquire);
	for (struct rs_name *seen = NULL;;) {
		for (struct rs_name *name = head; name != seen; name = name->next)
			if (name->bytes == bytes && !memcmp(name->text, text, bytes))
				return name;
		if (!made && !(made = make_name(text, bytes))) {
			rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
			return NULL;
		}
		made->next = seen = head;
		if (atomic_compare_exchange_strong_explicit(
			    list, &head, made, memory_order_acq_rel, memory_order_acquire))
			return made;
	}
}

static _Atomic(struct tied *) *list_of(const void *address)
{
	uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
	return &addresses[(hash >> 40) % N_LISTS];
}

static struct tied *find_tied(struct tied *head, const struct tied *seen, const void *address)
{
	for (struct tied *tied = head; tied != seen; tied = tied->next)
		if (tied->address == address)
			return tied;
	return NULL;
}

void *rs_address_get(const void *address)
{
	/* acquire: pairs with the exchange in rs_address_set() */
	struct tied *head = atomic_load_explicit(list_of(address), memory_order_acquire);
	struct tied *tied = find_tied(head, NULL, address);
	/* acquire: pairs with the store there */
	return tied ? atomic_load_explicit(&tied->thing, memory_order_acquire) : NULL;
}

bool rs_address_set(const void *address, void *thing)
{
	_Atomic(struct tied *) *list = list_of(address);
	struct tied *made = NULL, *seen = NULL;
	struct tied *head = atomic_load_explicit(list, memory_order_acquire);
	for (;;) {
		struct tied *tied = find_tied(head, seen, address);
		if (tied) {
			atomic_store_explicit(&tied->thing, thing, memory_order_release);
			return true;
		}
		if (!made && !(made = rs_adapter_allocate(sizeof(*made)))) {
			rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
			return false;
		}
		made->address = address;
		atomic_init(&made->thing, thing);
		made->next = seen = head;
		if (atomic_compare_exchange_strong_explicit(
			    list, &head, made, memory_order_acq_rel, memory_order_acquire))
			return true;
	}
}
