/* SPDX-License-Identifier: MIT */
/*
 * Kokkos as a tool sees it. It loads the first entry of KOKKOS_TOOLS_LIBS and calls its callbacks,
 * according to Kokkos' public interface (core/src/impl/Kokkos_Profiling_C_Interface.h).
 */
#ifndef KOKKOS_PART_H
#define KOKKOS_PART_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 20240906u
#define FIRST_WITH_SETTINGS 20210225u

struct space {
	char name[64];
};

struct settings {
	bool requires_global_fencing;
	bool padding[255];
};

typedef void begin_function(const char *, uint32_t, uint64_t *);

static struct {
	void (*init_library)(int, uint64_t, uint32_t, void *);
	void (*finalize_library)(void);
	void (*request_tool_settings)(uint32_t, struct settings *);
	begin_function *begin_parallel_for, *begin_parallel_reduce, *begin_parallel_scan;
	void (*end_parallel_for)(uint64_t);
	void (*end_parallel_reduce)(uint64_t);
	void (*end_parallel_scan)(uint64_t);
	begin_function *begin_fence;
	void (*end_fence)(uint64_t);
	void (*push_profile_region)(const char *);
	void (*pop_profile_region)(void);
	void (*create_profile_section)(const char *, uint32_t *);
	void (*start_profile_section)(uint32_t);
	void (*stop_profile_section)(uint32_t);
	void (*destroy_profile_section)(uint32_t);
	void (*profile_event)(const char *);
	void (*begin_deep_copy)(struct space, const char *, const void *, struct space,
		const char *, const void *, uint64_t);
	void (*end_deep_copy)(void);
	void (*allocate_data)(struct space, const char *, const void *, uint64_t);
	void (*dual_view_sync)(const char *, const void *, bool);
} tool;

static void *library;

/* Call a callback if the tool has it. */
#define CALL(name, ...)                         \
	do {                                    \
		if (tool.name)                  \
			tool.name(__VA_ARGS__); \
	} while (0)

#define LOOK_UP(name) *(void **)(void *)&tool.name = dlsym(library, "kokkosp_" #name)

static void load(void)
{
	const char *named = getenv("KOKKOS_TOOLS_LIBS");
	if (!named)
		named = getenv("KOKKOS_PROFILE_LIBRARY");
	char path[4096];
	if (!named || !*named)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(named, ";"), named);
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		fprintf(stderr, "Error: Unable to load KokkosP library: %s\n", dlerror());
		return;
	}
	LOOK_UP(init_library);
	LOOK_UP(finalize_library);
	LOOK_UP(request_tool_settings);
	LOOK_UP(begin_parallel_for);
	LOOK_UP(begin_parallel_reduce);
	LOOK_UP(begin_parallel_scan);
	LOOK_UP(end_parallel_for);
	LOOK_UP(end_parallel_reduce);
	LOOK_UP(end_parallel_scan);
	LOOK_UP(begin_fence);
	LOOK_UP(end_fence);
	LOOK_UP(push_profile_region);
	LOOK_UP(pop_profile_region);
	LOOK_UP(create_profile_section);
	LOOK_UP(start_profile_section);
	LOOK_UP(stop_profile_section);
	LOOK_UP(destroy_profile_section);
	LOOK_UP(profile_event);
	LOOK_UP(begin_deep_copy);
	LOOK_UP(end_deep_copy);
	LOOK_UP(allocate_data);
	LOOK_UP(dual_view_sync);
}

static void initialize(uint64_t version)
{
	struct settings settings = {.requires_global_fencing = true};
	CALL(init_library, 0, version, 0, NULL);
	if (version < FIRST_WITH_SETTINGS)
		return;
	CALL(request_tool_settings, 1, &settings);
	if (tool.request_tool_settings)
		printf("fencing %d\n", settings.requires_global_fencing);
}

#endif
