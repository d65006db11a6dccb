/* SPDX-License-Identifier: MIT */
/*
 * This file implements two hash tables. One finds names by their text, and the other finds objects
 * by an address.
 */
#include "adapters/names.h"

#include <string.h>

#define N_LISTS 512u /* how many lists a hash table has; a power of two */

struct text {
	const char *text;
	size_t bytes;
};

struct tied {
	struct rs_listed listed;
	const void *address;
	_Atomic(void *) thing; /* NULL: nothing is attached yet */
};

static struct rs_list names[N_LISTS];
static struct rs_list addresses[N_LISTS];

/* ---- names by text ---- */

static inline bool is_name(const struct rs_listed *one, const void *key)
{
	const struct rs_name *name = (const void *)one;
	const struct text *text = key;
	return name->bytes == text->bytes && !memcmp(name->text, text->text, text->bytes);
}

static struct rs_listed *make_name(const void *key)
{
	const struct text *text = key;
	struct rs_name *name = rs_adapter_allocate(sizeof(*name) + text->bytes + 1);
	if (!name)
		return NULL;
	name->bytes = text->bytes;
	memcpy(name->text, text->text, text->bytes);
	return &name->listed;
}

struct rs_name *rs_name_of(const char *text, size_t bytes)
{
	uint32_t hash = rs_name_hash(text, (uint32_t)bytes);
	const struct text key = {text, bytes};
	struct rs_listed *found = rs_list_get(
		&names[(hash ^ hash >> 16) % N_LISTS], is_name, make_name, &key, NULL);
	if (!found)
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
	return (struct rs_name *)(void *)found;
}

/* ---- objects by address ---- */

static struct rs_list *list_of(const void *address)
{
	uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
	return &addresses[(hash >> 40) % N_LISTS];
}

static inline bool is_tied(const struct rs_listed *one, const void *address)
{
	return ((const struct tied *)(const void *)one)->address == address;
}

static struct rs_listed *make_tied(const void *address)
{
	struct tied *tied = rs_adapter_allocate(sizeof(*tied));
	if (!tied)
		return NULL;
	tied->address = address;
	return &tied->listed;
}

void *rs_address_get(const void *address)
{
	struct tied *tied = (void *)rs_list_find(list_of(address), is_tied, address);
	/* acquire: pairs with the store in rs_address_set() */
	return tied ? atomic_load_explicit(&tied->thing, memory_order_acquire) : NULL;
}

bool rs_address_set(const void *address, void *thing)
{
	struct tied *tied = (void *)rs_list_get(
		list_of(address), is_tied, make_tied, address, NULL);
	if (!tied) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return false;
	}
	atomic_store_explicit(&tied->thing, thing, memory_order_release);
	return true;
}
