/* SPDX-License-Identifier: MIT */
/* A kernel of Kokkos' and what a tool of KOKKOS_TOOLS_LIBS does about it, without Kokkos. */
#ifndef KOKKOS_PEER_H
#define KOKKOS_PEER_H

#include <stdbool.h>
#include <stdint.h>

/* Load the tool; false, and said on stderr: there is none. */
bool kokkos_kernels_start(const char *set);

void kokkos_kernels_run(uint64_t n_pairs);

#endif
