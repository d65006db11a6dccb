/* SPDX-License-Identifier: MIT */
/*
 * This file maps the ids that Kokkos passes to open calls, for any thread and without locks. The
 * address of the thread's stack selects a slot, so that threads use different slots. An id consists
 * of the slot's index and of how often the slot was used. Therefore the id of a call that has ended
 * does not match a later call in the same slot.
 */
#include <stdatomic.h>

#include "adapters/kokkos_interface.h"

#define N_PLACES 4096u /* a power of two, at most 65536 */
#define N_TRIES N_PLACES
#define BUSY UINT64_C(1)
#define ID_IS_OURS (UINT64_C(1) << 63) /* tools count from 0, so their ids do not have this bit */

struct place {
	struct rs_kokkos_open open; /* must be the first member */
	_Atomic uint64_t id; /* 0: the slot is free */
	uint64_t n_uses;
};

static struct place places[N_PLACES];

struct rs_kokkos_open *rs_kokkos_keep(void)
{
	/* stacks of threads are usually at least 64 KiB apart */
	uint64_t stack = (uintptr_t)__builtin_frame_address(0) >> 16;
	uint64_t first = stack * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	for (uint64_t i = first; i < first + N_TRIES; i++) {
		struct place *place = &places[i % N_PLACES];
		uint64_t none = 0;
		/* acquire: pairs with the release in rs_kokkos_take(), which reads the slot before
		 * it frees the slot */
		if (!atomic_load_explicit(&place->id, memory_order_relaxed) &&
			atomic_compare_exchange_strong_explicit(&place->id, &none, BUSY,
				memory_order_acquire, memory_order_relaxed))
			return &place->open;
	}
	return NULL;
}

uint64_t rs_kokkos_kept(struct rs_kokkos_open *open)
{
	struct place *place = (struct place *)(void *)open;
	uint64_t index = (uint64_t)(place - places);
	uint64_t id = ID_IS_OURS | ++place->n_uses << 17 >> 1 | index;
	/* release: pairs with the acquire in rs_kokkos_take() */
	atomic_store_explicit(&place->id, id, memory_order_release);
	return id;
}

bool rs_kokkos_take(uint64_t id, struct rs_kokkos_open *open)
{
	uint64_t expected = id;
	if (!(id & ID_IS_OURS) || (id & 0xffff) >= N_PLACES)
		return false;
	struct place *place = &places[id & 0xffff];
	if (!atomic_compare_exchange_strong_explicit(
		    &place->id, &expected, BUSY, memory_order_acquire, memory_order_relaxed))
		return false;
	*open = place->open;
	atomic_store_explicit(&place->id, 0, memory_order_release);
	return true;
}
