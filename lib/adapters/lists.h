/* SPDX-License-Identifier: MIT */
/*
 * This header implements lock-free lists. Each item has a key, and items are never removed. A hash
 * table is an array of such lists. A look-up follows pointers that never change. To add an item, a
 * thread exchanges the head of the list. Therefore a thread may be stopped or may fork at any
 * point, and a signal handler that uses the same list may interrupt it. A forked child continues
 * with its copy.
 *
 * An item is a struct whose first member is struct rs_listed, in memory of rs_adapter_allocate().
 * The fields that `is` compares never change after the item is in a list. The caller orders
 * accesses to the other fields. Adapters spend most of their time on looking up names. Therefore
 * the functions are inlined, together with the functions `is` and `make` that they get as
 * arguments.
 */
#ifndef RS_ADAPTERS_LISTS_H
#define RS_ADAPTERS_LISTS_H

#include "adapters/adapter.h"

struct rs_listed {
	struct rs_listed *next; /* the item that was first when this one was added */
};

/* A list; a zeroed struct is an empty list. */
struct rs_list {
	_Atomic(struct rs_listed *) first; /* the item that was added last */
};

/* Return true if item `one` has this key. */
typedef bool rs_list_is(const struct rs_listed *one, const void *key);

/* Return a new item with this key that is in no list yet, or NULL if memory runs out. */
typedef struct rs_listed *rs_list_make(const void *key);

/* Return the first item with this key before the item `until`, or NULL. */
static inline __attribute__((always_inline)) struct rs_listed *rs_list_search(
	struct rs_listed *one, const struct rs_listed *until, rs_list_is *is, const void *key)
{
	for (; one != until; one = one->next)
		if (is(one, key))
			return one;
	return NULL;
}

/* Return the item with this key, or NULL if there is none. Any thread may call this. */
static inline __attribute__((always_inline)) struct rs_listed *rs_list_find(
	struct rs_list *list, rs_list_is *is, const void *key)
{
	/* acquire: pairs with the exchange in rs_list_get(); items were initialized before it */
	return rs_list_search(
		atomic_load_explicit(&list->first, memory_order_acquire), NULL, is, key);
}

/* Return the item with this key. If there is none, create it by make() and add it. All threads get
 * the same item for a key. Return NULL if make() returns NULL. If is_new is not NULL, set *is_new
 * to true if this call added the item. If another thread adds an item with this key first, the item
 * that this call created remains unused. */
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
