/* SPDX-License-Identifier: MIT */
/*
 * Lists that only grow, of things that are found by a key and kept for life; a hash table is an
 * array of them. A look-up follows pointers that are never removed, and an addition swaps the
 * head. There are no locks. So any thread may be stopped, forked from, or interrupted by a signal
 * handler that does the same, between any two steps. A forked child goes on with its copy.
 *
 * A thing is a struct whose first member is struct rs_listed, of rs_adapter_allocate()'s memory.
 * The parts that `is` reads never change once a thing is in a list; the user orders accesses to
 * the others. The functions are inlined into their callers, with the `is` and `make` that they
 * get: markers of other APIs spend most of their time looking up a name.
 */
#ifndef RS_ADAPTERS_LISTS_H
#define RS_ADAPTERS_LISTS_H

#include "adapters/adapter.h"

struct rs_listed {
	struct rs_listed *next; /* before this one; as it was when this was added */
};

/* Zeroed: empty. */
struct rs_list {
	_Atomic(struct rs_listed *) first; /* the latest */
};

/* Whether a thing is that of the key. */
typedef bool rs_list_is(const struct rs_listed *one, const void *key);

/* A thing of the key, in no list; NULL: there is no room. */
typedef struct rs_listed *rs_list_make(const void *key);

/* Of those up to, and without, `until`. */
static inline __attribute__((always_inline)) struct rs_listed *rs_list_search(
	struct rs_listed *one, const struct rs_listed *until, rs_list_is *is, const void *key)
{
	for (; one != until; one = one->next)
		if (is(one, key))
			return one;
	return NULL;
}

/* The thing of a key; NULL: there is none. Any thread. */
static inline __attribute__((always_inline)) struct rs_listed *rs_list_find(
	struct rs_list *list, rs_list_is *is, const void *key)
{
	/* acquire: pairs with the exchange in rs_list_get(), before which things were written */
	return rs_list_search(
		atomic_load_explicit(&list->first, memory_order_acquire), NULL, is, key);
}

/* The same, made and added where there is none: one a key, however many threads ask. NULL: make
 * had no room. is_new: NULL, or set to whether it was added by this call. A thing stays unused
 * when another thread was faster. */
static inline __attribute__((always_inline)) struct rs_listed *rs_list_get(
	struct rs_list *list, rs_list_is *is, rs_list_make *make, const void *key, bool *is_new)
{
	struct rs_listed *made = NULL, *seen = NULL;
	/* acquire: pairs with the exchange below */
	struct rs_listed *first = atomic_load_explicit(&list->first, memory_order_acquire);
	if (is_new)
		*is_new = false;
	for (;;) {
		struct rs_listed *found = rs_list_search(first, seen, is, key);
		if (found)
			return found;
		if (!made && !(made = make(key)))
			return NULL;
		made->next = seen = first;
		if (atomic_compare_exchange_strong_explicit(
			    &list->first, &first, made, memory_order_acq_rel, memory_order_acquire))
			break;
	}
	if (is_new)
		*is_new = true;
	return made;
}

#endif
