/* SPDX-License-Identifier: MIT */
/*
 * A Kokkos tool that counts its calls, behind another tool in the list. It returns its own ids, and
 * reports ids that it did not return. It has no callbacks for fences, like the simplest tools.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static uint64_t n_begun, n_ended, n_regions, n_wrong, n_sections;

EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t n_devices, void *devices)
{
	const char *named = getenv("KOKKOS_TOOLS_LIBS");
	printf("chained init %d %llu %u %d, of %s\n", sequence, (unsigned long long)version,
		n_devices, devices != NULL, named ? named : "");
}

EXPORT void kokkosp_finalize_library(void)
{
	printf("chained kernels %llu %llu regions %llu sections %llu wrong %llu\n",
		(unsigned long long)n_begun, (unsigned long long)n_ended,
		(unsigned long long)n_regions, (unsigned long long)n_sections,
		(unsigned long long)n_wrong);
}

EXPORT void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id)
{
	n_wrong += !name || device != 0;
	*id = 7000 + n_begun++;
}

EXPORT void kokkosp_end_parallel_for(uint64_t id)
{
	n_wrong += id != 7000 + n_ended++;
}

EXPORT void kokkosp_push_profile_region(const char *name)
{
	n_wrong += !name;
	n_regions++;
}

EXPORT void kokkosp_pop_profile_region(void)
{
	n_regions++;
}

EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *id)
{
	n_wrong += !name;
	*id = 31;
}

EXPORT void kokkosp_start_profile_section(uint32_t id)
{
	n_wrong += id != 31;
	n_sections++;
}

EXPORT void kokkosp_stop_profile_section(uint32_t id)
{
	n_wrong += id != 31;
	n_sections++;
}
