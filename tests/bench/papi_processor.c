/* SPDX-License-Identifier: MIT */
/*
 * A library that lets PAPI count software events on any CPU. PAPI counts nothing on a CPU that its
 * libpfm4 does not know, as in many virtual machines. This library replaces the function by which
 * PAPI asks libpfm4 about PMUs. If libpfm4 knows no PMU of the CPU, the library presents the
 * kernel's software events as a PMU of the CPU.
 */
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <string.h>

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	static pfm_err_t (*ask)(pfm_pmu_t pmu, pfm_pmu_info_t * info);
	static int is_known = -1;
	if (!ask)
		*(void **)&ask = dlsym(RTLD_NEXT, "pfm_get_pmu_info");
	pfm_err_t result = ask(pmu, info);
	if (result == PFM_SUCCESS && is_known < 0) {
		is_known = 0;
		for (int i = 0; i < PFM_PMU_MAX; i++) {
			pfm_pmu_info_t other = {.size = sizeof(other)};
			is_known |= ask((pfm_pmu_t)i, &other) == PFM_SUCCESS && other.is_present &&
				    other.type == PFM_PMU_TYPE_CORE;
		}
	}
	if (!is_known && result == PFM_SUCCESS && info->name && strcmp(info->name, "perf") == 0) {
		info->type = PFM_PMU_TYPE_CORE;
		info->is_dfl = 1;
	}
	return result;
}
