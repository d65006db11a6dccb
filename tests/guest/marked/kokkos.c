/* SPDX-License-Identifier: MIT */
/*
 * The regions of main.c as Kokkos reports them to a tool: "outer" is a profile region, the others
 * are kernels. The tool is loaded as Kokkos does it, see tests/apps/kokkos.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "marked.h"

static struct {
	void (*init_library)(int, uint64_t, uint32_t, void *);
	void (*push_profile_region)(const char *);
	void (*pop_profile_region)(void);
	void (*begin_parallel_for)(const char *, uint32_t, uint64_t *);
	void (*end_parallel_for)(uint64_t);
} tool;

#define LOOK_UP(name) *(void **)(void *)&tool.name = dlsym(library, "kokkosp_" #name)

void marked_start(void)
{
	const char *path = getenv("KOKKOS_TOOLS_LIBS");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!library)
		return;
	LOOK_UP(init_library);
	LOOK_UP(push_profile_region);
	LOOK_UP(pop_profile_region);
	LOOK_UP(begin_parallel_for);
	LOOK_UP(end_parallel_for);
	if (tool.init_library)
		tool.init_library(0, 20240906, 0, NULL);
}

static void kernel(const char *name, void (*body)(void))
{
	uint64_t id = 0;
	if (tool.begin_parallel_for)
		tool.begin_parallel_for(name, 0, &id);
	body();
	if (tool.end_parallel_for)
		tool.end_parallel_for(id);
}

void marked_call(enum marked_region region, void (*body)(void))
{
	if (region != MARKED_OUTER) {
		kernel(marked_names[region], body);
		return;
	}
	if (tool.push_profile_region)
		tool.push_profile_region(marked_names[region]);
	body();
	if (tool.pop_profile_region)
		tool.pop_profile_region();
}
