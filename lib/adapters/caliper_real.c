/* SPDX-License-Identifier: MIT */
/*
 * Caliper's own functions, behind those that stand before them: as the dynamic linker has them
 * next, or else in a library that was opened without its names being everybody's, as a Python
 * module's is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "adapters/caliper.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_CALIPER;

__thread unsigned rs_caliper_depth;

void rs_caliper_note_loaded(void)
{
	static _Atomic bool is_noted;
	if (!atomic_load_explicit(&is_noted, memory_order_relaxed) &&
		!atomic_exchange_explicit(&is_noted, true, memory_order_relaxed))
		rs_adapter_note(RS_ADAPTER_COUNT_LOADED);
}

/* The path of the object whose file is called libcaliper..., into path[4096]. */
static int find_library(struct dl_phdr_info *object, size_t bytes, void *path)
{
	(void)bytes;
	const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
	if (!slash || strncmp(slash + 1, "libcaliper", 10) || strlen(object->dlpi_name) >= 4096)
		return 0;
	strcpy(path, object->dlpi_name);
	return 1;
}

static void *look_up(const char *name)
{
	char path[4096];
	void *found = dlsym(RTLD_NEXT, name);
	if (found || !dl_iterate_phdr(find_library, path))
		return found;
	/* never closed: it is called from now on */
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	return library ? dlsym(library, name) : NULL;
}

void *rs_caliper_real(const char *name, _Atomic(void *) *kept)
{
	void *found = atomic_load_explicit(kept, memory_order_relaxed);
	if (found)
		return found;
	int saved = errno;
	rs_caliper_note_loaded();
	found = look_up(name);
	if (!found)
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	atomic_store_explicit(kept, found, memory_order_relaxed);
	errno = saved;
	return found;
}
