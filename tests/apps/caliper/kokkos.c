/* SPDX-License-Identifier: MIT */
/* A program with two marker APIs: a Kokkos kernel, which calls the tool in KOKKOS_TOOLS_LIBS,
 * between two Caliper regions. */
#include "caliper.h"

#include <dlfcn.h>
#include <stdlib.h>

#define VERSION 20240906u

int main(void)
{
	void (*init)(int, uint64_t, uint32_t, void *) = NULL;
	void (*begin)(const char *, uint32_t, uint64_t *) = NULL;
	void (*end)(uint64_t) = NULL;
	const char *path = getenv("KOKKOS_TOOLS_LIBS");
	void *tool = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!tool)
		return 2;
	*(void **)(void *)&init = dlsym(tool, "kokkosp_init_library");
	*(void **)(void *)&begin = dlsym(tool, "kokkosp_begin_parallel_for");
	*(void **)(void *)&end = dlsym(tool, "kokkosp_end_parallel_for");
	if (!init || !begin || !end)
		return 2;
	init(0, VERSION, 0, NULL);
	for (int i = 0; i < 20; i++) {
		uint64_t id = 0;
		cali_begin_region("solve");
		begin("kernel", 0, &id);
		cali_begin_phase("step");
		cali_end_phase("step");
		end(id);
		cali_end_region("solve");
	}
	return 0;
}
