/* SPDX-License-Identifier: MIT */
/*
 * From the ids that Kokkos gets to the calls that are open under them, on any thread, without a
 * lock. The address of the thread's stack chooses a place, so that threads do not meet. An id has
 * the place and how often it was used, so that an id of a call that has ended, or never began,
 * finds no other call.
 */
#include <stdatomic.h>

#include "adapters/kokkos_interface.h"

#define N_PLACES 4096u /* a power of two, at most 65536 */
#define N_TRIES N_PLACES
#define BUSY UINT64_C(1)
#define ID_IS_OURS (UINT64_C(1) << 63) /* not like what tools count by */

struct place {
	struct rs_kokkos_open open; /* first */
	_Atomic uint64_t id; /* 0: free */
	uint64_t n_uses;
};

static struct place places[N_PLACES];

struct rs_kokkos_open *rs_kokkos_keep(void)
{
	/* stacks lie at least 64 KiB apart as a rule */
	uint64_t stack = (uintptr_t)__builtin_frame_address(0) >> 16;
	uint64_t first = stack * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	for (uint64_t i = first; i < first + N_TRIES; i++) {
		struct place *place = &places[i % N_PLACES];
		uint64_t none = 0;
		/* acquire: pairs with the release in rs_kokkos_take(), which has read it by then */
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
