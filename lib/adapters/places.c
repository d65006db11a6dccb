/* SPDX-License-Identifier: MIT */
/*
 * This file implements a hash table that maps code addresses to sites. After a library is closed,
 * another library may be loaded at the same address. Therefore each entry also stores which object
 * contained the address when the sites were found.
 */
#include "adapters/places.h"

#include <errno.h>

#define N_LISTS 1024u

struct rs_adapter_place {
	struct rs_listed listed;
	const void *address;
	_Atomic uint64_t object; /* the object that had this address when the sites were found */
	_Atomic(struct regionstat_site_ *) sites[RS_ADAPTER_PLACE_KINDS];
};

static struct rs_list lists[N_LISTS];
struct regionstat_site_ rs_adapter_nowhere;

static inline bool is_place(const struct rs_listed *one, const void *address)
{
	return ((const struct rs_adapter_place *)(const void *)one)->address == address;
}

static struct rs_listed *make_place(const void *address)
{
	struct rs_adapter_place *place = rs_adapter_allocate(sizeof(*place));
	if (!place)
		return NULL;
	place->address = address;
	return &place->listed;
}

/* Forget the sites of an address that now belongs to another object. If two threads do this at the
 * same time, the adapter looks up the sites twice. No thread can still run code of the old
 * object. */
static void renew(struct rs_adapter_place *place, uint64_t object)
{
	for (int kind = 0; kind < RS_ADAPTER_PLACE_KINDS; kind++)
		atomic_store_explicit(&place->sites[kind], NULL, memory_order_relaxed);
	atomic_store_explicit(&place->object, object, memory_order_release);
}

struct rs_adapter_place *rs_adapter_place_of(const void *address)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	uint64_t hash = (uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
	struct rs_adapter_place *place = (void *)rs_list_get(
		&lists[(hash >> 40) % N_LISTS], is_place, make_place, address, NULL);
	if (!place) {
		rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
		return NULL;
	}
	uint64_t object = table && address ? table->object(address) : 0;
	/* acquire: pairs with the release in renew(), which clears the sites before it stores the
	 * object */
	if (atomic_load_explicit(&place->object, memory_order_acquire) != object)
		renew(place, object);
	return place;
}

struct regionstat_site_ *rs_adapter_place_site(
	struct rs_adapter_place *place, unsigned int kind, const char *word)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	char name[RS_NAME_BYTES];
	if (!place || !table)
		return NULL;
	/* acquire: pairs with the release below */
	struct regionstat_site_ *site = atomic_load_explicit(
		&place->sites[kind], memory_order_acquire);
	if (site)
		return site;
	int saved = errno;
	enum rs_located located = place->address ? table->locate(word, place->address, name)
						 : RS_LOCATED_NOWHERE;
	errno = saved;
	if (located == RS_LOCATED_NOT_NOW)
		return NULL;
	site = located == RS_LOCATED ? rs_adapter_site_text(name) : &rs_adapter_nowhere;
	atomic_store_explicit(&place->sites[kind], site, memory_order_release);
	return site;
}
