/* SPDX-License-Identifier: MIT */
/*
 * This file makes the adapter an ITT collector: the library that INTEL_LIBITTNOTIFY64 names. Each
 * object of a process may contain ITT code, its static part. At its first call, a static part loads
 * the collector and passes a table of its functions. This file replaces the functions that are
 * measured. It disables the others, as a static part without a collector does.
 */
#include "adapters/itt.h"

#include <dlfcn.h>
#include <errno.h>

const enum rs_adapter rs_adapter_self = RS_ADAPTER_ITT;

#define PREFIX "__itt_"
#define MAJOR 3
#define FIRST_BUILD 20101002 /* older builds have shorter entries */
/* the first build known to enable new domains; older builds disable them */
#define FIRST_BUILD_ON 20180723
#define MOST_ENTRIES 1024 /* tables of real programs have about 140 */

static const unsigned char magic[8] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};

/* Return true if handle is what dlopen() returned for this library. */
static bool is_this_library(const void *handle)
{
	Dl_info here;
	if (!dladdr((const void *)magic, &here) || !here.dli_fname)
		return false;
	void *self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (self)
		dlclose(self);
	return self && self == handle;
}

/* Return true if each entry contains the name of a function of ITT. This check detects a wrong
 * address and a struct of another size. */
static bool are_entries(const struct rs_itt_entry *entries)
{
	int n = 0;
	if (!entries)
		return false;
	while (n < MOST_ENTRIES && entries[n].name) {
		if (strncmp(entries[n].name, PREFIX, strlen(PREFIX)) != 0 || !entries[n].function)
			return false;
		n++;
	}
	return n > 0 && n < MOST_ENTRIES;
}

static bool is_known(const struct rs_itt_global *global)
{
	return global && !memcmp(global->magic, magic, sizeof(magic)) &&
	       global->version_major == MAJOR && global->version_build >= FIRST_BUILD &&
	       is_this_library(global->library) && are_entries(global->entries);
}

static void bind(const struct rs_itt_global *global, int groups, bool is_on)
{
	for (struct rs_itt_entry *entry = global->entries; entry->name; entry++) {
		rs_itt_function function = is_on && (entry->group & groups)
						   ? rs_itt_find_function(
							     entry->name + strlen(PREFIX))
						   : NULL;
		__atomic_store_n(entry->function, function ? function : entry->null_function,
			__ATOMIC_RELEASE);
	}
}

void __itt_api_init(struct rs_itt_global *global, int groups)
{
	int saved = errno;
	bool is_on = rs_adapter_table() != NULL;
	if (!is_known(global)) {
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	} else {
		if (is_on) {
			rs_adapter_note_once(RS_ADAPTER_COUNT_LOADED);
			rs_open_prepare();
		}
		/* Old builds disable domains until a collector enables them. In newer builds, flags
		 * are 0 only if the program disabled the domain. */
		if (is_on && global->version_build < FIRST_BUILD_ON)
			for (struct rs_itt_domain *d = global->domains; d; d = d->next)
				d->flags = 1;
		bind(global, groups, is_on);
	}
	errno = saved;
}
