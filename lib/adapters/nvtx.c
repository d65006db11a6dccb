/* SPDX-License-Identifier: MIT */
/*
 * The injection library of NVTX, which programs name by NVTX_INJECTION64_PATH: how the NVTX that is
 * compiled into each object of a process is bound. Where there was another injection library before,
 * named by REGIONSTAT_CHAIN_NVTX, it is loaded and bound as well: of the callbacks that are measured
 * it gets a table of ours to fill, which they call on; all others it puts where the program has them.
 */
#include "adapters/nvtx.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const enum rs_adapter rs_adapter_self = RS_ADAPTER_NVTX;

#define MAX_CALLBACKS 64u /* of a module, that the other tool may have; there are 16 */
#define N_MODULES 16 /* numbers that one may have; 6 do */

typedef int (*initialize)(rs_nvtx_export get_table);

/* What another tool sees of the program. One at a time, under the lock; for good, since it may ask
 * later. */
static struct {
	pthread_mutex_t lock; /* taken by objects as they begin, never by markers */
	rs_nvtx_export get_table; /* the program's */
	const struct rs_nvtx_callbacks *callbacks; /* the program's */
	rs_nvtx_function *core[MAX_CALLBACKS], *core2[MAX_CALLBACKS];
	rs_nvtx_function before[N_MODULES][MAX_CALLBACKS]; /* of the program's, to be put back */
	bool is_on;
} next = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* The first initialization decides for all: handles are the one tool's or the other's. */
enum state {
	STATE_NEW,
	STATE_ALONE,
	STATE_CHAINED,
	STATE_OFF, /* the other tool, if any, is alone */
};
static enum state state;

/* The places of ours for those callbacks that are measured, else the program's. */
static void mix(rs_nvtx_function **mixed, rs_nvtx_module theirs, unsigned int size,
	const rs_nvtx_function *measured, rs_nvtx_function *ours, unsigned int n)
{
	for (unsigned int i = 0; i < size; i++)
		mixed[i] = i < n && measured[i] && theirs[i] ? &ours[i] : theirs[i];
}

static int get_mixed_module(int module, rs_nvtx_module *functions, unsigned int *size)
{
	rs_nvtx_module theirs;
	unsigned int n;
	if (!functions || !size || !next.callbacks->get_module(module, &theirs, &n))
		return 0;
	*functions = theirs;
	*size = n;
	n = n < MAX_CALLBACKS ? n : MAX_CALLBACKS;
	if (module == RS_NVTX_CORE) {
		mix(next.core, theirs, n, rs_nvtx_core, rs_nvtx_next_core, RS_NVTX_CORE_N);
		*functions = next.core;
		*size = n;
	} else if (module == RS_NVTX_CORE2) {
		mix(next.core2, theirs, n, rs_nvtx_core2, rs_nvtx_next_core2, RS_NVTX_CORE2_N);
		*functions = next.core2;
		*size = n;
	}
	return 1;
}

static const struct rs_nvtx_callbacks mixed_callbacks = {
	sizeof(struct rs_nvtx_callbacks), get_mixed_module};

static const void *get_mixed_table(uint32_t table)
{
	return table == RS_NVTX_TABLE_CALLBACKS ? &mixed_callbacks : next.get_table(table);
}

/* The tool that was there before. NULL: there was none, or *is_missing: it cannot be loaded. */
static initialize find_other(bool *is_missing)
{
	const char *path = getenv("REGIONSTAT_CHAIN_NVTX");
	bool is_named = path && *path;
	void *library = is_named ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	void *symbol = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
	initialize found = NULL;
	memcpy(&found, &symbol, sizeof(found));
	*is_missing = is_named && !found;
	return found == InitializeInjectionNvtx2 ? NULL : found;
}

/* The callbacks of the program, if they are what is known; else NULL. */
static const struct rs_nvtx_callbacks *find_callbacks(rs_nvtx_export get_table)
{
	const struct rs_nvtx_callbacks *callbacks = get_table ? get_table(RS_NVTX_TABLE_CALLBACKS)
							      : NULL;
	rs_nvtx_module functions;
	unsigned int size;
	return callbacks && callbacks->bytes >= sizeof(*callbacks) && callbacks->get_module &&
			       callbacks->get_module(RS_NVTX_CORE, &functions, &size) &&
			       functions && size >= RS_NVTX_CORE_N
		       ? callbacks
		       : NULL;
}

static void bind(rs_nvtx_module functions, unsigned int size, const rs_nvtx_function *measured,
	unsigned int n)
{
	for (unsigned int i = 0; i < size && i < n; i++)
		if (measured[i] && functions[i])
			__atomic_store_n(functions[i], measured[i], __ATOMIC_RELEASE);
}

/* Put ours where the program calls them. It may be too old for domains, and is bound without. */
static void bind_all(const struct rs_nvtx_callbacks *callbacks)
{
	rs_nvtx_module functions;
	unsigned int size;
	if (callbacks->get_module(RS_NVTX_CORE, &functions, &size))
		bind(functions, size, rs_nvtx_core, RS_NVTX_CORE_N);
	if (callbacks->get_module(RS_NVTX_CORE2, &functions, &size) && functions)
		bind(functions, size, rs_nvtx_core2, RS_NVTX_CORE2_N);
}

/* Keep what the program's callbacks are, or put it back. */
static void keep_callbacks(const struct rs_nvtx_callbacks *callbacks, bool is_kept)
{
	rs_nvtx_module functions;
	unsigned int size;
	for (int module = RS_NVTX_CORE; module < N_MODULES; module++) {
		if (!callbacks->get_module(module, &functions, &size) || !functions)
			continue;
		for (unsigned int i = 0; i < size && i < MAX_CALLBACKS; i++)
			if (functions[i] && is_kept)
				next.before[module][i] = *functions[i];
			else if (functions[i])
				*functions[i] = next.before[module][i];
	}
}

/* Initialize the other tool, which then has its callbacks in the tables of ours. */
static bool chain(
	rs_nvtx_export get_table, const struct rs_nvtx_callbacks *callbacks, initialize other)
{
	next.get_table = get_table;
	next.callbacks = callbacks;
	keep_callbacks(callbacks, true);
	if (!other || other(get_mixed_table))
		return other != NULL;
	/* whatever it has put anywhere, it is not to be called */
	keep_callbacks(callbacks, false);
	memset(rs_nvtx_next_core, 0, sizeof(rs_nvtx_next_core));
	memset(rs_nvtx_next_core2, 0, sizeof(rs_nvtx_next_core2));
	return false;
}

static int start(rs_nvtx_export get_table)
{
	const struct rs_nvtx_callbacks *callbacks = find_callbacks(get_table);
	bool is_missing;
	initialize other = find_other(&is_missing);
	if (rs_adapter_table() && !callbacks)
		rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
	if (state == STATE_OFF || !rs_adapter_table() || !callbacks) {
		if (state == STATE_NEW && !rs_adapter_table())
			state = STATE_OFF;
		return other ? other(get_table) : 0;
	}
	if (state == STATE_NEW) {
		rs_adapter_note(RS_ADAPTER_COUNT_LOADED);
		rs_stack_init();
		state = chain(get_table, callbacks, other) ? STATE_CHAINED : STATE_ALONE;
		if (state == STATE_CHAINED) {
			rs_nvtx_use_foreign_handles();
			rs_adapter_note(RS_ADAPTER_COUNT_CHAINED);
		} else if (other || is_missing) {
			rs_adapter_note(RS_ADAPTER_COUNT_REFUSED);
		}
	} else if (state == STATE_CHAINED && other) {
		next.get_table = get_table;
		next.callbacks = callbacks;
		other(get_mixed_table);
	}
	bind_all(callbacks);
	return 1;
}

int InitializeInjectionNvtx2(rs_nvtx_export get_table)
{
	int saved = errno;
	pthread_mutex_lock(&next.lock);
	int is_on = start(get_table);
	pthread_mutex_unlock(&next.lock);
	errno = saved;
	return is_on;
}
