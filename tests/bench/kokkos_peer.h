/* SPDX-License-Identifier: MIT */
/* A kernel of Kokkos, and the tool of KOKKOS_TOOLS_LIBS, without Kokkos itself. */
#ifndef KOKKOS_PEER_H
#define KOKKOS_PEER_H

#include <stdbool.h>
#include <stdint.h>

/* Load the tool. Return false, with a message on stderr, if there is none. */
bool kokkos_kernels_start(const char *set);

void kokkos_kernels_run(uint64_t n_pairs);

#endif
