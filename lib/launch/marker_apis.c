/* SPDX-License-Identifier: MIT */
/*
 * This table contains for each marker API the variables that load its adapter, and the signs of its
 * use. Each API documents how it loads a tool: ld.so(8) for LD_PRELOAD, the headers of ITT and
 * NVTX, the Kokkos wiki on tools, and OpenMP 5.0, section 6.22.
 */
#include "launch/markers.h"

#define FILE_OF(name) "libregionstat-" name ".so"
/*
 * gcc's library of AddressSanitizer ends a program that loads another library before it. An option
 * turns that check off. The option is always set, because child processes inherit LD_PRELOAD and
 * may use AddressSanitizer.
 *
 * Adapters do not need the check, because they replace no function that the sanitizer intercepts.
 * Preloading the sanitizer's library first instead would load it into all child processes.
 */
#define PRELOAD                                                  \
	{                                                        \
		{"LD_PRELOAD", RS_MARKER_PRELOAD, NULL},         \
		{                                                \
			"ASAN_OPTIONS", RS_MARKER_NO_CHECK, NULL \
		}                                                \
	}

/* The section in which XRay lists its patchable code. The adapter supports XRay's trampolines on
 * x86-64 only. */
#if defined(__x86_64__)
#define XRAY_SECTION "xray_instr_map"
#else
#define XRAY_SECTION NULL
#endif

const struct rs_marker_api rs_marker_apis[RS_ADAPTER_N] = {
	[RS_ADAPTER_LIKWID] = {RS_ADAPTER_LIKWID, FILE_OF("likwid"), PRELOAD,
		{.wanted = {"likwid_marker*"}}},
	[RS_ADAPTER_ITT] = {RS_ADAPTER_ITT, FILE_OF("itt"),
		/* libomp reports begin and end of parallel regions in this mode only */
		{{"INTEL_LIBITTNOTIFY64", RS_MARKER_ALONE, NULL},
			{"KMP_FORKJOIN_FRAMES_MODE", RS_MARKER_ZERO, NULL}},
		{.known = {"__itt_*"},
			.texts = {"INTEL_LIBITTNOTIFY64"},
			.entry = "__itt_api_init"}},
	[RS_ADAPTER_NVTX] = {RS_ADAPTER_NVTX, FILE_OF("nvtx"),
		{{"NVTX_INJECTION64_PATH", RS_MARKER_REPLACE, "REGIONSTAT_CHAIN_NVTX"}},
		{.texts = {"NVTX_INJECTION64_PATH"}, .entry = "InitializeInjectionNvtx2"}},
	[RS_ADAPTER_KOKKOS] = {RS_ADAPTER_KOKKOS, FILE_OF("kokkos"),
		/* Kokkos 3.7 and later ends the program if both variables are set and differ. If
		 * the second, older one is set, Kokkos prints a warning. */
		{{"KOKKOS_TOOLS_LIBS", RS_MARKER_SEMICOLON, .other = "KOKKOS_PROFILE_LIBRARY"},
			{"KOKKOS_PROFILE_LIBRARY", RS_MARKER_SEMICOLON,
				.other = "KOKKOS_TOOLS_LIBS", .is_old = true}},
		{.known = {"_ZN6Kokkos*"},
			.texts = {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"},
			.entry = "kokkosp_init_library"}},
	[RS_ADAPTER_OMPT] = {RS_ADAPTER_OMPT, FILE_OF("openmp"),
		{{"OMP_TOOL_LIBRARIES", RS_MARKER_ONE, .switch_name = "OMP_TOOL"}},
		{.needed = {"libomp.so", "libiomp5.so"}}},
	[RS_ADAPTER_PAPI] = {RS_ADAPTER_PAPI, FILE_OF("papi"), PRELOAD,
		{.wanted = {"PAPI_hl_*", "papif_hl_*", "PAPIF_HL_*"}}},
	[RS_ADAPTER_CALIPER] = {RS_ADAPTER_CALIPER, FILE_OF("caliper"), PRELOAD,
		{.wanted = {"cali_begin*", "cali_end*", "cali_set*", "_ZN4cali*", "_ZNK4cali*"}}},
	[RS_ADAPTER_UPROF] = {RS_ADAPTER_UPROF, NULL, {{0}}, {.wanted = {"amdProfile*"}}},
	[RS_ADAPTER_FUNCTIONS] = {RS_ADAPTER_FUNCTIONS, FILE_OF("functions"), PRELOAD,
		{.wanted = {"__cyg_profile_func_enter"}, .section = XRAY_SECTION}},
	[RS_ADAPTER_ROCTX] = {RS_ADAPTER_ROCTX, FILE_OF("roctx"), PRELOAD,
		{.wanted = {"roctxRange*", "roctxMarkA", "roctxProfiler*"}}},
};
