/* SPDX-License-Identifier: MIT */
/*
 * This file finds the functions of Caliper's library that the adapter hides. They may be the next
 * functions of the same name in the dynamic linker's search order. Otherwise they are in a library
 * that was loaded without global symbols, for example by a Python module.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "adapters/caliper.h"

const enum rs_adapter rs_adapter_self = RS_ADAPTER_CALIPER;

__thread unsigned rs_caliper_depth;

/* Copy the path of the loaded object named libcaliper... into path[4096]. */
static int find_library(struct dl_phdr_info *object, size_t bytes, void *path)
{
	(void)bytes;
	const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
	if (!slash || strncmp(slash + 1, "libcaliper", 10) || strlen(object->dlpi_name) >= 4096)
		return 0;
	strcpy(path, object->dlpi_name);
	return 1;
}

/* Look up a function. Set *has_library to true if the function is not in the global search order,
 * but libcaliper is loaded. */
static void *look_up(const char *name, bool *has_library)
{
	char path[4096];
	void *found = dlsym(RTLD_NEXT, name);
	bool is_there = !found && dl_iterate_phdr(find_library, path);
	/* the handle is never closed, because the adapter calls the library from now on */
	void *library = is_there ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	*has_library = library != NULL;
	return library ? dlsym(library, name) : found;
}

static int take_loaded(struct dl_phdr_info *object, size_t bytes, void *n_loaded)
{
	if (bytes < offsetof(struct dl_phdr_info, dlpi_adds) + sizeof(object->dlpi_adds))
		return 1;
	*(uint64_t *)n_loaded = object->dlpi_adds;
	return 1;
}

/* Return how many objects have been loaded so far (dl_iterate_phdr(3)). This is much faster than
 * looking up a symbol that no object has. Return UINT64_MAX if the system does not count them. */
static uint64_t count_loaded(void)
{
	uint64_t n_loaded = UINT64_MAX;
	dl_iterate_phdr(take_loaded, &n_loaded);
	return n_loaded;
}

/* Return true if no object has been loaded since the last look-up failed. In this case another
 * look-up would also fail. */
static bool is_still_missed(struct rs_caliper_kept *kept, uint64_t n_loaded)
{
	/* acquire: pairs with the release of the state in rs_caliper_real() */
	return atomic_load_explicit(&kept->state, memory_order_acquire) == RS_CALIPER_MISSED &&
	       n_loaded != UINT64_MAX &&
	       atomic_load_explicit(&kept->n_loaded, memory_order_relaxed) == n_loaded;
}

void *rs_caliper_real(const char *name, struct rs_caliper_kept *kept)
{
	void *found = atomic_load_explicit(&kept->function, memory_order_relaxed);
	if (found || atomic_load_explicit(&kept->state, memory_order_relaxed) == RS_CALIPER_LACKING)
		return found;
	int saved = errno;
	bool has_library;
	/* count the objects before the look-up: if an object is loaded meanwhile, the next call
	 * looks up the function again */
	uint64_t n_loaded = count_loaded();
	if (is_still_missed(kept, n_loaded)) {
		errno = saved;
		return NULL;
	}
	rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
	found = look_up(name, &has_library);
	if (found) {
		atomic_store_explicit(&kept->function, found, memory_order_relaxed);
	} else {
		atomic_store_explicit(&kept->n_loaded, n_loaded, memory_order_relaxed);
		if (atomic_exchange_explicit(&kept->state,
			    has_library ? RS_CALIPER_LACKING : RS_CALIPER_MISSED,
			    memory_order_acq_rel) == RS_CALIPER_UNKNOWN)
			rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	}
	errno = saved;
	return found;
}
