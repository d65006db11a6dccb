/* SPDX-License-Identifier: MIT */
/* The names of adapters, as users write them. */
#include "segment/adapters.h"

const char *rs_adapter_word(uint32_t adapter)
{
	static const char *const words[RS_ADAPTER_N] = {
		[RS_ADAPTER_LIKWID] = "likwid",
		[RS_ADAPTER_ITT] = "itt",
		[RS_ADAPTER_NVTX] = "nvtx",
		[RS_ADAPTER_KOKKOS] = "kokkos",
		[RS_ADAPTER_OMPT] = "openmp",
		[RS_ADAPTER_PAPI] = "papi",
		[RS_ADAPTER_CALIPER] = "caliper",
		[RS_ADAPTER_UPROF] = "uprof",
		[RS_ADAPTER_FUNCTIONS] = "functions",
		[RS_ADAPTER_ROCTX] = "roctx",
	};
	return adapter < RS_ADAPTER_N ? words[adapter] : NULL;
}
