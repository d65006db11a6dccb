/* SPDX-License-Identifier: MIT */
/*
 * This file keeps the runtime loaded, because its code is called when threads end, at forks and by
 * the markers of other objects. The runtime that a launcher names is linked with -z nodelete. This
 * file is for a copy in a library or plugin, which the program could unload.
 */
#include <dlfcn.h>

#include "runtime/process/process.h"

/* These references are weak. Some C libraries have the functions in libdl, and the program possibly
 * does not use libdl. dlopen() is found by dlsym(), because glibc's linker warns if a static
 * program names it. */
static int find_object(const void *, Dl_info *) __attribute__((weakref("dladdr")));
static void *find_function(void *, const char *) __attribute__((weakref("dlsym")));

void rs_stay(void)
{
	Dl_info object;
	if (!find_object || !find_function || !find_object((const void *)rs_stay, &object) ||
		!object.dli_fname)
		return;
	void *(*load_object)(const char *, int) = find_function(RTLD_DEFAULT, "dlopen");
	/* Find the object by the name under which it was loaded; RTLD_NOLOAD loads nothing. The
	 * program itself is not found, and cannot be unloaded. */
	if (load_object)
		load_object(object.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}
