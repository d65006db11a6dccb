/* SPDX-License-Identifier: MIT */
/* A tool for Kokkos that does nothing except numbering each kernel. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void kokkosp_init_library(int, uint64_t, uint32_t, void *);
EXPORT void kokkosp_begin_parallel_for(const char *, uint32_t, uint64_t *);
EXPORT void kokkosp_end_parallel_for(uint64_t);

static uint64_t n;

void kokkosp_init_library(int sequence, uint64_t version, uint32_t n_devices, void *devices)
{
	(void)sequence, (void)version, (void)n_devices, (void)devices;
}

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id)
{
	(void)name, (void)device;
	*id = n++;
}

void kokkosp_end_parallel_for(uint64_t id)
{
	(void)id;
}
