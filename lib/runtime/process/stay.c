/* SPDX-License-Identifier: MIT */
/*
 * The runtime is never unloaded: threads end through it, children are forked through it, and markers
 * of objects that met it here lead to it. The one that a launcher names is loaded, and linked, so that
 * it stays. One that was linked into a library or plugin stays with that, also when the program closes
 * it: that is what is done here.
 */
#include <dlfcn.h>

#include "runtime/process/process.h"

/* Missing with C libraries that keep them in libdl, where the program does not load libraries
 * itself. dlsym() finds dlopen(): glibc has the linker warn about static programs that name it,
 * and those unload nothing. */
static int find_object(const void *, Dl_info *) __attribute__((weakref("dladdr")));
static void *find_function(void *, const char *) __attribute__((weakref("dlsym")));

void rs_stay(void)
{
	Dl_info object;
	if (!find_object || !find_function || !find_object((const void *)rs_stay, &object) ||
		!object.dli_fname)
		return;
	void *(*load_object)(const char *, int) = find_function(RTLD_DEFAULT, "dlopen");
	/* not loaded, but found by the name by which it was; a program itself is not found, and needs
	 * not be */
	if (load_object)
		load_object(object.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}
