/* SPDX-License-Identifier: MIT */
/*
 * From places in the code to regions. A construct of OpenMP is known by the address that it was
 * called from; in a report it has a function and a line, which are found out after the run. A hash
 * table of lists that only grow at their heads, as in sites.c. Where a library was that has been
 * closed another one may lie next: with what is known of an address goes which object that was.
 */
#include "adapters/openmp.h"

#include <errno.h>
#include <string.h>

static const char *const words[RS_OPENMP_KINDS] = {"parallel", "teams", "parallel part", "loop",
	"sections", "single", "workshare", "distribute", "taskloop", "scope", "masked"};

struct rs_openmp_construct {
	struct rs_openmp_construct *next;
	const void *place;
	_Atomic uint64_t object; /* that held it when its sites were learnt */
	_Atomic(struct regionstat_site_ *) sites[RS_OPENMP_KINDS];
};

#define N_LISTS 1024u
static _Atomic(struct rs_openmp_construct *) lists[N_LISTS];

static struct rs_openmp_construct *find(const void *place)
{
	uint64_t hash = (uintptr_t)place * UINT64_C(0x9e3779b97f4a7c15);
	_Atomic(struct rs_openmp_construct *) *list = &lists[hash >> 54];
	struct rs_openmp_construct *made = NULL;
	/* acquire: pairs with the exchange below, before which it was written */
	struct rs_openmp_construct *head = atomic_load_explicit(list, memory_order_acquire);
	for (struct rs_openmp_construct *seen = NULL;;) {
		for (struct rs_openmp_construct *one = head; one != seen; one = one->next)
			if (one->place == place)
				return one;
		if (!made && !(made = rs_adapter_allocate(sizeof(*made)))) {
			rs_adapter_note(RS_ADAPTER_COUNT_MEMORY);
			return NULL;
		}
		made->place = place;
		made->next = seen = head;
		if (atomic_compare_exchange_strong_explicit(
			    list, &head, made, memory_order_acq_rel, memory_order_acquire))
			return made;
	}
}
static_assert(N_LISTS == 1u << (64 - 54), "lists are numbered by the highest bits");

/* What was learnt in another object at the same place is forgotten. Threads that find so at once
 * may do it twice, which has them learn once more; nobody is in the other object's code by then. */
static void renew(struct rs_openmp_construct *construct, uint64_t object)
{
	for (int kind = 0; kind < RS_OPENMP_KINDS; kind++)
		atomic_store_explicit(&construct->sites[kind], NULL, memory_order_relaxed);
	atomic_store_explicit(&construct->object, object, memory_order_release);
}

struct rs_openmp_construct *rs_openmp_construct(const void *place)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	struct rs_openmp_construct *construct = find(place);
	uint64_t object = construct && table && place ? table->object(place) : 0;
	/* acquire: pairs with the release in renew(), before which the sites were forgotten */
	if (construct && atomic_load_explicit(&construct->object, memory_order_acquire) != object)
		renew(construct, object);
	return construct;
}

struct regionstat_site_ *rs_openmp_site(
	struct rs_openmp_construct *construct, enum rs_openmp_kind kind)
{
	const struct rs_adapter_table *table = rs_adapter_table();
	char name[RS_NAME_BYTES];
	if (!construct || !table)
		return NULL;
	/* acquire: pairs with the release below */
	struct regionstat_site_ *site = atomic_load_explicit(
		&construct->sites[kind], memory_order_acquire);
	if (site)
		return site;
	int saved = errno;
	enum rs_located located = RS_LOCATED_NOWHERE;
	if (construct->place)
		located = table->locate(words[kind], construct->place, name);
	if (located != RS_LOCATED_NOT_NOW) {
		const char *known = located == RS_LOCATED ? name : words[kind];
		site = rs_adapter_site(known, strlen(known));
		atomic_store_explicit(&construct->sites[kind], site, memory_order_release);
	}
	errno = saved;
	return site;
}
